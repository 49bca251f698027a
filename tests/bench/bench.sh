#!/usr/bin/env bash
# Measures what tracing costs, and writes docs/costs.md, docs/costs.svg, docs/costs-appendix.md and
# the baseline of the gate. "bench.sh gate KERNEL" compares one kernel's rows with the baseline,
# "bench.sh counted KERNEL" prints the figures of a kernel that are not times. "bench.sh streams"
# measures streams to collectors, on this host and as root, and writes docs/costs-streams.md;
# "bench.sh samples" compares profilers, and writes docs/costs-samples.md.
set -eu -o pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}
baseline=$here/tests/bench/baseline

# measure KERNEL WHAT [SETTING=...]: runs a part of measure.sh in a machine of vm.sh.
measure() {
	local machine=(ICOUNT=1)
	case $2 in
	memory) machine=(SMP=4) ;;
	delays | wall | equality) machine=("DISK=virtio,nvme,scsi") ;;
	esac
	(cd "$here" && env K="$1" "${machine[@]}" KTRACE_VICTIMS="$cache/victims" TIMEOUT=3600 MEM=3G "${@:3}" \
		RUN="export KTRACE_BPF=$(printf %q "$cache/bpf"); bash tests/bench/measure.sh $2" \
		tests/vm/vm.sh)
}

# mitigations KERNEL SUFFIX SETTING...: with mitigations and without, on a processor that needs
# them.
mitigations() {
	local which
	for which in off auto; do
		measure "$1" sysenter CPU=Skylake-Client "APPEND=mitigations=$which" "${@:3}" |
			sed "s/^sysenter/&_$which$2/"
	done
}

# counted KERNEL: measures the figures that do not depend on the load of the host.
counted() {
	echo "counting on Linux $1 ..." >&2
	measure "$1" all
	measure "$1" io
	measure "$1" equality
	case $1 in
	6.1 | 7.2)
		measure "$1" memory
		mitigations "$1" ''
		;;
	esac
}

# timed KERNEL: measures the figures for which the host must be idle.
timed() {
	measure "$1" delays
	case $1 in
	6.1 | 7.2)
		measure "$1" wall
		mitigations "$1" _ns ICOUNT=
		;;
	esac
}

gate() {
	measure "$1" gate | awk -v file="$baseline" '
		BEGIN { while ((getline line < file) > 0) { split(line, w); base[w[1], w[2]] = w[3] } }
		$1 == "release" {
			release = $2
			if ((release, "hot_push.sites") in base)
				next
			print "there is no baseline for Linux " release " yet: run make bench"
			status = 77
			exit
		}
		{
			before = base[release, $1]
			worse = before ? ($2 / before - 1) * 100 : 100
			printf "%s: %d instructions, baseline %d (%+.1f %%)\n", $1, $2, before, worse
			if (worse > 2)
				status = 1
			nr++
		}
		END { exit status ? status : nr < 9 }'
}

# Needs no module: the command is built with one that plays.
streams() {
	local played=$cache/played figures
	figures=$(mktemp)
	EXTRA=valgrind "$here/tests/setup.sh"
	"$here/tests/stream/setup.sh"
	"$here/tests/stream/build.sh" "$played"
	KTRACE_FAKE=$played/ktrace KTRACE_CACHE=$cache PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 "$here/tests/bench/streams.py" | tee "$figures"
	"$here/tests/bench/report_streams.py" "$figures" >"$here/docs/costs-streams.md"
	rm "$figures"
	echo "docs/costs-streams.md is written." >&2
}

build() {
	EXTRA='clang libbpf-dev bpftrace python3-bpfcc bpfcc-tools linux-perf strace fio sqlite3 e2fsprogs xfsprogs' "$here/tests/setup.sh"
	make -s -C "$here/user"
	mkdir -p "$cache/victims"
	make -s -C "$here/tests/victims" OUT="$cache/victims"
}

samples() {
	local figures kernel
	figures=$(mktemp)
	for kernel in 6.1 7.2; do
		measure "$kernel" samples | sed "s/^/$kernel /"
	done | tee "$figures"
	"$here/tests/bench/report_samples.py" "$figures" >"$here/docs/costs-samples.md"
	rm "$figures"
	echo "docs/costs-samples.md is written." >&2
}

build_bpf() {
	mkdir -p "$cache/bpf"
	clang -O2 -g -target bpf -I "/usr/include/$(gcc -dumpmachine)" -c \
		"$here/tests/bench/libbpf/hist.bpf.c" -o "$cache/bpf/hist.bpf.o"
	gcc -O2 -Wall -Wextra "$here/tests/bench/libbpf/hist.c" -lbpf -o "$cache/bpf/hist"
}

case ${1:-} in
gate | counted)
	"$1" "$2"
	exit
	;;
streams)
	streams
	exit
	;;
samples)
	build
	samples
	exit
	;;
esac
build
build_bpf
figures=$(mktemp)
kernels=(5.10 6.1 6.12 7.2)
# shellcheck disable=SC2016 # its shell expands that
printf '%s\n' "${kernels[@]}" |
	xargs -P "$(nproc)" -I{} sh -c '"$0" counted {} >"$1".{}' "$0" "$figures"
for kernel in "${kernels[@]}"; do
	echo "timing on Linux $kernel ..." >&2
	timed "$kernel" >>"$figures.$kernel"
	sed "s/^/$kernel /" "$figures.$kernel" | tee -a "$figures"
done
samples
streams
# Releases that were not measured now keep their figures.
awk 'NR == FNR && $2 == "release" { release[$1] = $3; now[$3] }
	NR == FNR && /hot_[a-z]+\.(sites|uretprobe)|syscall\.ktrace|kfunc\.(ktrace|count)/ { print release[$1], $2, $3 }
	NR != FNR && !($1 in now)' "$figures" "$baseline" | sort >"$figures.base"
mv "$figures.base" "$baseline"
"$here/tests/bench/report.py" "$figures" "$here/docs"
rm -f "$figures" "$figures".*
echo "docs/costs.md, costs-appendix.md, costs.svg and tests/bench/baseline are written." >&2
