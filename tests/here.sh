#!/usr/bin/env bash
# Tests ktrace on this machine's own kernel and hardware, without a virtual machine. The machine may
# be in use: only suites run that trace programs of their own and change no setting of the kernel
# except ktrace's. Writes a report: kernel, processor, results, and what a call costs here.
#   here.sh [REPORT]     default: build/here-KERNEL.txt
#   TESTS=regex          only the tests whose name matches
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
release=$(uname -r)
report=${1:-$here/build/here-$release.txt}
suites='run victims below count values libs slow'
work=''
loaded=''

refuse() {
	echo "$1" >&2
	exit 2
}

# shellcheck disable=SC2317 # trap calls it
give_back() {
	[ -z "$loaded" ] || rmmod ktrace || echo 'ktrace.ko is still loaded: a session holds it; see ktrace ctl list.' >&2
	[ -z "$work" ] || rm -rf "$work" /run/ktrace.ko
}

check() {
	local tool
	[ "$(id -u)" -eq 0 ] || refuse 'Loading a module takes root: run make test-here as root.'
	[ ! -e /sys/module/ktrace ] ||
		refuse 'ktrace.ko is loaded, and somebody may trace with it: end the sessions (ktrace ctl list), then rmmod ktrace.'
	for tool in gcc g++ make python3; do
		command -v $tool >/dev/null || refuse "$tool is missing: install it, or run make test, which needs only a Debian 12."
	done
}

# quietly WHAT COMMAND...
quietly() {
	local what=$1
	shift
	"$@" >"$work/log" 2>&1 && return
	tail -n 20 "$work/log" >&2
	refuse "$what failed, see above; nothing was loaded."
}

describe() {
	echo "ktrace $("$here/build/ktrace" --version | head -n 1)"
	echo "kernel $(uname -srvm)"
	echo "processor $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs"
	sed 's/^flags[^:]*: /flags /; t; d' /proc/cpuinfo | head -n 1 | grep -qw hypervisor &&
		echo 'a virtual machine: times are not those of hardware'
	grep -H . /sys/devices/system/cpu/vulnerabilities/* 2>/dev/null | sed 's:.*/:mitigation :'
	echo
}

tests() {
	echo "suites: $suites"
	echo 'not run here: the suites that need disks of their own, change settings of the kernel, or wait for an idle machine'
	# shellcheck disable=SC2046,SC2086 # lists of words
	IN_USE=1 AGAIN=1 KTRACE_VICTIMS="$work/victims" TESTS="${TESTS:-}" PATH="$here/build:$PATH" \
		python3 "$here/tests/kernel/suite.py" $(printf 'test_%s ' $suites)
}

# In ns above the untraced call, the minimum of three runs; a busy machine adds to them.
costs() {
	echo
	echo 'what a call costs on this machine, ns above the untraced call:'
	IN_USE=1 KTRACE_VICTIMS="$work/victims" PATH="$here/build:$PATH" bash "$here/tests/bench/measure.sh" gate
	echo
	"$here/build/ktrace" doctor
}

# Prints the tests that say nothing, because the machine was busy, and the sums as the last line.
sums() {
	awk '$1 ~ /^(ok|skip|FAIL|spoilt)$/ { nr[$1]++ }
		$1 == "spoilt" { names = names "|" $2 }
		END {
			if (names)
				printf "This machine was busy, and measured times were wrong. Measure again: TESTS='"'^test_(%s)\$'"' make test-here\n",
				       substr(names, 2)
			printf "%d passed, %d failed, %d skipped%s\n", nr["ok"], nr["FAIL"], nr["skip"],
			       names ? ", " nr["spoilt"] " spoilt" : ""
		}' "$report"
}

main() {
	local status=0
	check
	work=$(mktemp -d)
	trap give_back EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	echo "Building the command, the module for Linux $release, and the programs to trace ..."
	quietly 'Building the command' make -s -C "$here/user" all
	quietly 'Building the module' make -s -C "$here" module
	# A program that does not build here, for want of a static library, makes its tests skip.
	make -s -k -C "$here/tests/victims" OUT="$work/victims" >"$work/log" 2>&1 ||
		echo "Not all programs were built: $(grep -c 'Error [0-9]' "$work/log") failed."
	mkdir -p "$(dirname "$report")" || exit 1
	cp "$here/build/ktrace.ko" /run/ktrace.ko
	insmod /run/ktrace.ko || refuse 'The module was not loaded: ktrace doctor says why.'
	loaded=yes
	{
		describe
		tests || status=1
		costs || status=1
		[ "$status" -eq 0 ]
	} 2>&1 | tee "$report"
	status=${PIPESTATUS[0]}
	! grep -q '^FAIL ' "$report" || status=1
	echo
	echo "The report is $report. It names this machine's kernel, processor and mitigations, and nothing else of it."
	sums | tee -a "$report"
	exit "$status"
}

main
