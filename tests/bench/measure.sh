#!/usr/bin/env bash
# Runs inside the machine: prints one line "key value" per figure, in ns per call above the untraced
# program. With ICOUNT=1 a nanosecond is an instruction.
#   measure.sh gate    ktrace alone
#   measure.sh all     also the attach, memory, and other tracers in the same boot
#   measure.sh syscalls  system calls, and the kernel function of one alone
#   measure.sh io      the cost of a read of a disk that takes no time, untraced and traced
#   measure.sh delays  what a delay moves, in ms; measure.sh wall: the cost of traced reads in time
#   measure.sh sysenter  the cost of entering and leaving the kernel, medians
#   measure.sh equality  counts, beside those of strace -c and fio
#   measure.sh samples  the cost of a sample, by ktrace and by other profilers
#   measure.sh memory  the memory of 3000 functions, in module and command
set -eu

bench=$KTRACE_VICTIMS/bench
syscalls=$KTRACE_VICTIMS/syscalls
many=$KTRACE_VICTIMS/many
calls=7000 runs=3
all_calls=$((2000 + runs * calls))
# Other tracers need these. On a machine in use (IN_USE=1), ktrace is measured alone.
if [ -z "${IN_USE:-}" ]; then
	mkdir -p /sys/kernel/debug
	mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null || :
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || :
fi

# The minimum of several runs: occasional work of the kernel is no cost of a call.
per_call() {
	local run
	for ((run = 0; run < runs; run++)); do
		"$bench" "$1" $calls || :
	done | sed -n 's/.*ns_per_call=//p' | sort -n | head -n 1
}

# row KEY FUNCTION: measures while a tracer runs.
row() {
	"$bench" "$2" 2000 >/dev/null || :
	awk -v key="$1" -v traced="$(per_call "$2")" -v alone="${alone[$2]}" \
		'BEGIN { printf "%s %.0f\n", key, traced - alone }'
}

counted() {
	if [ "$1" != $all_calls ]; then
		echo "$2 counted $1 calls of $all_calls" >&2
		exit 1
	fi
}

# Counts only entries, because returns are not probed.
with_count() {
	ktrace ctl attach --binary "$bench" -f "$2" --name bench --count >/dev/null
	row "$1" "$2"
	counted "$(ktrace ctl read bench --format json | awk -F'[:,]' '/"entries"/ { print $2 + 0; exit }')" ktrace
	ktrace ctl detach bench >/dev/null
}

# with_ktrace KEY FUNCTION OPTIONS...
with_ktrace() {
	local key=$1 function=$2
	shift 2
	ktrace ctl attach --binary "$bench" -f "$function" --name bench "$@" >/dev/null
	row "$key" "$function"
	counted "$(ktrace ctl read bench --format json | awk -F'[:,]' '/"calls"/ { print $2 + 0; exit }')" ktrace
	ktrace ctl detach bench >/dev/null
}

# null_syscall KEY: the cost of getppid while a tracer counts system calls.
null_syscall() {
	local run
	"$syscalls" null 2000 >/dev/null
	for ((run = 0; run < runs; run++)); do
		"$syscalls" null $calls
	done | sed -n 's/.*ns_per_call=//p' | sort -n | awk -v key="$1" -v alone="${null:-0}" \
		'NR == 1 { printf "%s %.0f\n", key, $1 - alone }'
}

# with_kernel KEY COMMAND...: checks that each getppid is counted. Background jobs ignore Ctrl-C.
with_kernel() {
	local key=$1 pid
	shift
	ktrace "$@" --format json -o /tmp/kernel.json &
	pid=$!
	until ktrace ctl list --format json | grep -q '"active"'; do
		kill -0 $pid
	done
	null_syscall "$key"
	kill -TERM $pid
	wait $pid
	counted "$(awk -F'[:,]' '/"name":.*getppid"/ { found = 1 }
		found && /"(entries|calls)"/ { print $2 + 0; exit }' /tmp/kernel.json)" "ktrace $1"
}

# bpftrace needs the kernel's headers for the fields of an event.
with_bpftrace_syscalls() {
	local pid build
	build=$(readlink -f "/lib/modules/$(uname -r)/build")
	export BPFTRACE_KERNEL_BUILD=$build BPFTRACE_KERNEL_SOURCE=${build%-*}-common
	bpftrace -e 'tracepoint:raw_syscalls:sys_enter { @start[tid] = nsecs }
		tracepoint:raw_syscalls:sys_exit /@start[tid]/ { @ns[args->id] = hist(nsecs - @start[tid]); delete(@start[tid]); @calls[args->id] = count() }' \
		>/tmp/bpftrace.out 2>&1 &
	pid=$!
	until grep -q Attach /tmp/bpftrace.out && [ "$("$syscalls" null 100 |
		sed -n 's/.*ns_per_call=\([0-9]*\).*/\1/p')" -gt $((${null%.*} + 500)) ]; do
		kill -0 $pid 2>/dev/null || { echo "syscall.bpftrace -"; return; }
	done
	null_syscall syscall.bpftrace
	kill -INT $pid
	wait $pid || :
	[ "$(sed -n 's/^@calls\[110\]: //p' /tmp/bpftrace.out)" -ge $all_calls ] || echo "syscall.bpftrace incomplete" >&2
}

with_bpftrace_kfunc() {
	local pid
	bpftrace -e "kprobe:$1 { @start[tid] = nsecs }
		kretprobe:$1 /@start[tid]/ { @ns = hist(nsecs - @start[tid]); delete(@start[tid]); @calls = count() }" \
		>/tmp/bpftrace.out 2>&1 &
	pid=$!
	until grep -q Attach /tmp/bpftrace.out && [ "$("$syscalls" null 100 |
		sed -n 's/.*ns_per_call=\([0-9]*\).*/\1/p')" -gt $((${null%.*} + 500)) ]; do
		kill -0 $pid 2>/dev/null || { echo "kfunc.bpftrace -"; return; }
	done
	null_syscall kfunc.bpftrace
	kill -INT $pid
	wait $pid || :
	[ "$(sed -n 's/^@calls: //p' /tmp/bpftrace.out)" -ge $all_calls ] || echo "kfunc.bpftrace incomplete" >&2
}

with_bpftrace() {
	local out=/tmp/bpftrace.out pid
	: >$out
	cat >/tmp/bench.bt <<-END
		uprobe:$bench:$2 { @start[tid] = nsecs }
		uretprobe:$bench:$2 /@start[tid]/ { @ns = hist(nsecs - @start[tid]); delete(@start[tid]); @calls = count() }
	END
	bpftrace /tmp/bench.bt >$out 2>&1 &
	pid=$!
	while ! grep -q Attach $out; do
		kill -0 $pid 2>/dev/null || { echo "$1 -"; return; }
	done
	# bpftrace prints this before it is ready: wait until a call is slow.
	until [ "$("$bench" "$2" 100 | sed -n 's/.*ns_per_call=\([0-9]*\).*/\1/p')" -gt 2000 ]; do
		kill -0 $pid
	done
	row "$1" "$2"
	kill -INT $pid
	wait $pid || :
	[ "$(sed -n 's/^@calls: //p' $out)" -ge $all_calls ] || echo "$1 incomplete" >&2
}

with_libbpf() {
	local offset
	offset=$(ktrace run -f "$2" --dry-run -- "$bench" | sed -n "s/.*+\(0x[0-9a-f]*\)  $2.*/\1/p")
	mkfifo /tmp/in 2>/dev/null || :
	"$KTRACE_BPF/hist" "$KTRACE_BPF/hist.bpf.o" "$bench" "$offset" </tmp/in >/tmp/libbpf.out &
	exec 7>/tmp/in
	until grep -q attached /tmp/libbpf.out; do
		kill -0 $! 2>/dev/null || { echo "$1 -"; return; }
	done
	row "$1" "$2"
	exec 7>&-
	wait $!
	counted "$(sed -n 's/calls //p' /tmp/libbpf.out)" libbpf
}

memory() {
	ktrace ctl show "$1" | awk '/^module memory/ { print $3 }'
}

attach_many() {
	local before after
	before=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
	ktrace ctl attach --binary "$many" -f 'f????' --name many |
		sed -n 's/.* sites in \([0-9.]*\) s.*/attach_3000_ms \1/p' |
		awk '{ printf "%s %.0f\n", $1, $2 * 1000 }'
	"$many" >/dev/null || :
	echo "module_3000_kib $(($(memory many) / 1024))"
	after=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
	echo "system_3000_kib $((before - after))"
	ktrace ctl detach many | sed -n 's/.* detached in \([0-9.]*\) s.*/detach_3000_ms \1/p' |
		awk '{ printf "%s %.0f\n", $1, $2 * 1000 }'
}

# With as many CPUs as the machine has, all of which have called every function.
memory_many() {
	local cpu
	python3 - <<-END
		import os, resource, subprocess
		subprocess.run(['ktrace', 'ctl', 'attach', '--binary', os.environ['KTRACE_VICTIMS'] +
		                '/many', '-f', 'f????', '--name', 'many'], stdout=subprocess.DEVNULL, check=True)
		print('command_kib', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu "$many" >/dev/null || :
	done
	echo "module_4cpu_kib $(($(memory many) / 1024))"
	ktrace ctl detach many >/dev/null
}

# measure_syscalls gate|all
measure_syscalls() {
	null=$(null_syscall null | cut -d' ' -f2)
	with_kernel syscall.ktrace syscall
	with_kernel kfunc.ktrace func __x64_sys_getppid
	with_kernel kfunc.count func __x64_sys_getppid --count
	[ "$1" = all ] || return 0
	with_kernel kfunc.graph graph __x64_sys_getppid
	with_bpftrace_kfunc __x64_sys_getppid
	"$syscalls" null 200 >/dev/null
	echo "syscall.strace $(strace -c -o /dev/null "$syscalls" null 500 |
		awk -F= -v alone="$null" '{ printf "%.0f", $NF - alone }')"
	with_bpftrace_syscalls
}

# A disk that answers at once, by a timer: nothing waits, so the time is that of the CPU.
make_disk() {
	modprobe null_blk nr_devices=0
	mount -t configfs none /sys/kernel/config 2>/dev/null || :
	mkdir /sys/kernel/config/nullb/bench
	find /sys/block -mindepth 1 -printf '%f\n' | sort >/tmp/before
	for setting in size=1024 irqmode=2 completion_nsec=1 power=1; do
		echo "${setting#*=}" >"/sys/kernel/config/nullb/bench/${setting%=*}"
	done
	disk=/dev/$(find /sys/block -mindepth 1 -printf '%f\n' | sort | comm -13 /tmp/before -)
	until [ -b "$disk" ]; do :; done
}

declare -A reads=(
	[direct]='1 4000 direct sequential'
	[direct12]='12 400 direct sequential'
	[random]='1 4000 direct random'
	[random12]='12 400 direct random'
	[buffered]='1 20000 buffered sequential'
	[buffered12]='12 1600 buffered sequential'
	[anywhere]='1 4000 buffered random'
	[anywhere12]='12 400 buffered random'
)
kinds='direct direct12 random random12 buffered buffered12 anywhere anywhere12'

# io_rows TRACER: for each way to read, the cost above the untraced read; absolute figures have
# rows, too. The median of five runs, because occasionally a whole run waits less than others.
io_rows() {
	local kind words figure run
	for kind in $kinds; do
		read -ra words <<<"${reads[$kind]}"
		figure=$(for ((run = 0; run < 5; run++)); do
			echo 3 >/proc/sys/vm/drop_caches
			"$KTRACE_VICTIMS/readers" "$disk" "${words[@]}"
		done | sed -n 's/ns_per_read=//p' | sort -n | sed -n 3p)
		[ "$1" != alone ] || alone[$kind]=$figure
		awk -v key="io_$kind.$1" -v now="$figure" -v before="${alone[$kind]}" -v is_alone="$([ "$1" = alone ] && echo 1)" \
			'BEGIN { printf "%s %.0f\n", key, is_alone ? now : now - before }'
	done
}

# How often the CPU switches tasks in a read, untraced: the sched layer counts each switch.
io_switches() {
	local kind words before
	for kind in $kinds; do
		read -ra words <<<"${reads[$kind]}"
		echo 3 >/proc/sys/vm/drop_caches
		before=$(sed -n 's/^ctxt //p' /proc/stat)
		"$KTRACE_VICTIMS/readers" "$disk" "${words[@]}" >/dev/null
		awk -v key="io_$kind.switches" -v before="$before" -v reads=$((words[0] * words[1])) \
			'$1 == "ctxt" { printf "%s %.2f\n", key, ($2 - before) / reads }' /proc/stat
	done
}

# io_with KEY SESSIONS OPTIONS...: measures while ktrace io, with so many sessions, traces the
# reads.
io_with() {
	local key=$1 sessions=$2 pid
	shift 2
	ktrace io "$@" --format json -o /tmp/io.json >/tmp/io.out &
	pid=$!
	until ktrace ctl list --format json | tr -d ' \n' | grep -q "\(\"active\".*\)\{$sessions\}"; do
		kill -0 $pid
	done
	# The command must not print requests in the measured time, so they wait in the ring.
	[ "$key" != recorded ] || kill -STOP $pid
	io_rows "$key"
	kill -CONT $pid
	kill -TERM $pid
	wait $pid
	grep -q '"complete": *true' /tmp/io.json || echo "$key incomplete" >&2
}

# The ring has room for the requests of one way to read.
io_recorded() {
	local all=$kinds kinds kind
	for kind in $all; do
		kinds=$kind
		io_with recorded 1 --slow 0
	done
}

# io_beside KEY WORD COMMAND...: measures while another tracer runs, which prints WORD when ready.
io_beside() {
	local key=$1 word=$2 pid
	shift 2
	"$@" >/tmp/beside.out 2>&1 &
	pid=$!
	until [ -e /tmp/beside.out ]; do :; done
	until grep -q "$word" /tmp/beside.out; do
		kill -0 $pid 2>/dev/null || { cat /tmp/beside.out >&2; return; }
	done
	# The tracer may print this before it is ready.
	"$KTRACE_VICTIMS/readers" "$disk" 1 20000 direct sequential >/dev/null
	io_rows "$key"
	kill -INT $pid
	wait $pid || :
	sed -n 's/.* \([0-9][0-9]*\) *|.*|$/\1/p' /tmp/beside.out | awk -v least="$(direct_reads)" -v key="$key" '
		{ counted += $1 } END { if (counted < least) print key " counted " counted " of " least }' >&2
}

# Each direct read is a request, which every tracer's buckets must contain.
direct_reads() {
	local kind words sum=0
	for kind in $kinds; do
		read -ra words <<<"${reads[$kind]}"
		[ "${words[2]}" != direct ] || sum=$((sum + 5 * words[0] * words[1]))
	done
	echo $sum
}

headers() {
	export BPFTRACE_KERNEL_BUILD BPFTRACE_KERNEL_SOURCE
	BPFTRACE_KERNEL_BUILD=$(readlink -f "/lib/modules/$(uname -r)/build")
	BPFTRACE_KERNEL_SOURCE=${BPFTRACE_KERNEL_BUILD%-*}-common
	# BCC needs the common headers at this place.
	ln -sfn "$BPFTRACE_KERNEL_SOURCE" "/lib/modules/$(uname -r)/source"
}

measure_io() {
	headers
	make_disk
	io_rows alone
	io_switches
	io_with block 1 --layers block
	io_with layers 4 --layers syscall,fs,sched,block
	io_with looked 1 --slow 10s
	io_recorded
	io_with by_comm 1 --by comm
	io_beside bpftrace Attach bpftrace -e \
		'tracepoint:block:block_rq_issue { @start[args->dev, args->sector] = nsecs }
		tracepoint:block:block_rq_complete /@start[args->dev, args->sector]/ {
			@ns = hist(nsecs - @start[args->dev, args->sector]); delete(@start[args->dev, args->sector]) }'
	io_beside bcc attached python3 tests/bench/biolatency.py
}

measure_sysenter() {
	ktrace sysenter --format json | python3 -c '
import json, sys
data = json.load(sys.stdin)
print("sysenter.entry_exit %.0f" % data["entry_exit_ns"])
for row in data["rows"]:
    if row["name"] != "probes":
        print("sysenter.%s %.0f" % (row["name"], row["median_ns"]))'
}

if [ "${1:-}" = memory ]; then
	memory_many
	exit
fi
if [ "${1:-}" = delays ]; then
	exec python3 tests/kernel/delays.py
fi
if [ "${1:-}" = sysenter ]; then
	measure_sysenter
	exit
fi
if [ "${1:-}" = samples ]; then
	headers
	export ICOUNT=1
fi
if [ "${1:-}" = samples ] || [ "${1:-}" = wall ] || [ "${1:-}" = equality ]; then
	exec python3 "tests/bench/$1.py" "${@:2}"
fi
echo "release $(uname -r)"
declare -A alone
if [ "${1:-}" = io ]; then
	measure_io
	exit
fi
if [ "${1:-}" = syscalls ]; then
	measure_syscalls all
	exit
fi
for function in hot_push hot_sub; do
	alone[$function]=$(per_call $function)
	with_ktrace "$function.sites" $function --no-tree
	with_ktrace "$function.uretprobe" $function --no-tree --return uretprobe
	# The cost of a sink is the same for both kinds of entries.
	[ "${1:-}" = all ] || [ $function = hot_push ] || continue
	with_ktrace "$function.sites_tree" $function
	with_ktrace "$function.sites_stream" $function --no-tree --stream
	[ "${1:-}" = all ] || continue
	LD_PRELOAD=$KTRACE_VICTIMS/one_record.so \
		with_ktrace "$function.sites_record" $function --no-tree --stream
	with_count "$function.count" $function
	with_libbpf "$function.libbpf" $function
	with_bpftrace "$function.bpftrace" $function
done
measure_syscalls "${1:-}"
[ "${1:-}" != all ] || attach_many
