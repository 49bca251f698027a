#!/usr/bin/env bash
# Sets up and runs all tests: one line each with its time, a summary last.
#   T=pattern runs only the tests whose name matches; FULL=1 takes every kernel;
#   KTRACE_FUZZ_SECONDS=20 is how long each parser is fuzzed.
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}
passed=0 failed=0 skipped=0
FULL=${FULL:-} TESTS=${TESTS:-} all=$FULL$TESTS

# Real programs are traced, and their calls counted by callgrind and strace too; bpftrace is there to be
# refused what we are not.
EXTRA="valgrind sqlite3 bpftrace iproute2 strace fio iperf3 xfsprogs e2fsprogs ${EXTRA:-}" "$here/tests/setup.sh" || exit 1
mkdir -p "$cache"

# run NAME COMMAND...: exit 77 is a skip, its last line the reason; "note: ..." is shown
run() {
	local name=$1 start=$EPOCHREALTIME output status seconds note
	shift
	# shellcheck disable=SC2053 # T is a pattern
	[[ $name == ${T:-*} ]] || return 0
	output=$("$@" 2>&1)
	status=$?
	seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
	case $status in
	0)
		note=${output##*$'\n'}
		[[ $note == note:* ]] || note=
		printf 'ok    %-40s %7s s%s\n' "$name" "$seconds" "${note:+  ${note#note: }}"
		passed=$((passed + 1))
		;;
	77)
		printf 'skip  %-40s %7s s  %s\n' "$name" "$seconds" "${output##*$'\n'}"
		skipped=$((skipped + 1))
		;;
	*)
		printf 'FAIL  %-40s %7s s\n' "$name" "$seconds"
		printf '%s\n' "$output" | tail -n 60 | sed 's/^/      /'
		failed=$((failed + 1))
		;;
	esac
}

victims() {
	make -s -C "$here/tests/victims" OUT="$cache/victims"
}

# The command as it would be with another interface, to be refused.
other() {
	rm -rf "$cache/other"
	mkdir -p "$cache/other"
	cp -r "$here/include" "$here/user" "$cache/other/"
	sed -i 's/^#define KTRACE_ABI.*/#define KTRACE_ABI 4711/' "$cache/other/include/uapi/ktrace.h"
	make -s -j2 -C "$cache/other/user"
}

# The module that tests itself when it is loaded says so in the kernel's log.
selftest() {
	KTRACE_SELFTEST=1 K=$1 TIMEOUT=600 RUN="dmesg | grep 'ktrace: '
		dmesg | grep -q 'ktrace: selftest: [1-9][0-9]* passed'" "$here/tests/vm/vm.sh"
}

# in_guest KERNEL MODULE...: each line "ok|skip|FAIL name seconds reason" is a test. Each has a
# limit of its own, so the machine's is for a kernel that hangs: thrice what a slow host takes.
in_guest() {
	local kernel=$1 label=${label:-vm-$1} word name seconds reason
	shift
	[[ -z ${T:-} || $T == $label/* ]] || return 0
	while read -r word name seconds reason; do
		case $word in
		ok) passed=$((passed + 1)) ;;
		skip) skipped=$((skipped + 1)) ;;
		FAIL) failed=$((failed + 1)) ;;
		reached)
			# shellcheck disable=SC2086 # a list of files
			printf '%s\n' $name $seconds $reason >>"$reached"
			continue
			;;
		*)
			printf '      %s %s %s %s\n' "$word" "$name" "$seconds" "$reason"
			continue
			;;
		esac
		printf '%-5s %-40s %7s s  %s\n' "$word" "$label/$name" "$seconds" "$reason"
	done < <(cd "$here" && K=$kernel KTRACE_VICTIMS=$cache/victims TIMEOUT=${TIMEOUT:-7200} \
		RUN="${settings:-} FULL=$FULL TESTS='$TESTS' REACH=${REACH:-} python3 tests/kernel/suite.py $*; s=\$?; [ \$s -eq 0 ] || [ \$s -eq 3 ]" \
		tests/vm/vm.sh 2>&1 || echo "FAIL machine 0 it ended with status $?")
}

# Real programs have a machine of their own: they need long. So have what is hostile, and
# tests of lockdown, which is for good.
suites() {
	local file
	for file in "$here"/tests/kernel/test_*.py; do
		basename "$file" .py
	done | grep -vxE "test_(programs|stress|io|virtio|layers|delays|file|load|lockdown|enforced|secure)|${kernel_side// /|}"
}

# SEED=, MESSAGES= and STRESS_SECONDS= say which and how much.
stress() {
	local label=stress-$1 settings
	[[ -z ${T:-} || $T == $label/* ]] || return 0
	victims || return
	settings="SEED='${SEED:-}' FUZZ_MESSAGES='${MESSAGES:-}' STRESS_SECONDS='${STRESS_SECONDS:-}'"
	in_guest "$1" test_stress
}

cli() {
	make -s -C "$here/user" || return 1
	"$here/build/ktrace" --version
}

# group NAME BUDGET: says how long the one before took, in seconds
group_name='' group_start=0
group() {
	if [ "$group_name" ]; then
		printf -- '--    %s took %d s of %d s\n' "$group_name" $((SECONDS - group_start)) \
			"$group_budget"
	fi
	group_name=$1 group_budget=$2 group_start=$SECONDS
}

# Suites move on: which release it was is part of the result.
say_release() {
	local file=$cache/kernel/$1/release
	[ ! -e "$file" ] || printf -- '--    vm-%s is Linux %s\n' "$1" "$(cat "$file")"
}

# Everything that is done on one of Debian's kernels.
on_kernel() {
	run "vm-$1/fetch" "$here/tests/vm/kernel.sh" "$1"
	say_release "$1"
	run "vm-$1/module" "$here/tests/vm/module.sh" "$1"
	run "vm-$1/sparse" "$here/tests/lint/sparse.sh" "$1"
	run "vm-$1/selftest" selftest "$1"
	# shellcheck disable=SC2046 # a list of words
	in_guest "$1" $(suites)
	in_guest "$1" test_programs
	# shellcheck disable=SC2086 # a list of words
	in_guest "$1" $kernel_side
	DISK=virtio,nvme,scsi in_guest "$1" test_io test_layers test_delays test_file test_load
	DISK=virtio,nvme,scsi,packed,direct NET=1 in_guest "$1" test_virtio
}

# What listens to the kernel itself, in a machine of its own.
kernel_side='test_syscall test_pages test_sysenter test_func test_slow test_min_time test_errors'
kernel_side+=' test_sched test_whom'

# lines_of FILE COMMAND...: what it prints, and how many tests it was
lines_of() {
	local file=$1
	shift
	passed=0 failed=0 skipped=0
	"$@" >"$file" 2>&1
	echo "$passed $failed $skipped" >"$file.sum"
}

# side_by_side 'COMMAND WORD'...: two at once, each machine emulated on one CPU of ours. The lines of
# each are printed when all are done.
side_by_side() {
	local lines words n=0 ok bad left
	lines=$(mktemp -d)
	make -s -C "$here/user"
	# What runs in the background does not hear Ctrl-C.
	trap 'trap - INT TERM; kill 0' INT TERM
	for words in "$@"; do
		[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
		n=$((n + 1))
		# shellcheck disable=SC2086 # a command
		lines_of "$lines/$n" $words &
	done
	wait
	trap - INT TERM
	for n in $(seq $n); do
		cat "$lines/$n"
		read -r ok bad left <"$lines/$n.sum" || ok=0 bad=1 left=0
		passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
	done
	rm -rf "$lines"
}

# debug_part NAME: what reaches each file of the module, or everything
# shellcheck disable=SC2046,SC2086 # lists of words
debug_part() {
	local settings='FUZZ_MESSAGES=2000 STRESS_SECONDS=10' TESTS=$TESTS REACH=1
	[ "$all" ] || TESTS=$debug_tests
	case $1 in
	user) in_guest debug $(suites) ;;
	kernel) in_guest debug $kernel_side test_io test_virtio test_layers test_file ${all:+test_load} ;;
	programs) in_guest debug test_programs ;;
	stress) in_guest debug test_stress ;;
	esac
}

each_file_is_reached() {
	local never
	# main.c runs before the profiler starts; a selftest is a module of its own.
	never=$(cd "$here/kmod" && printf '%s\n' *.c compat/*.c | sed 's:.*/::' |
		grep -vxE 'main.c|selftest.*' | sort | comm -23 - <(sort -u "$reached"))
	[ -z "$never" ] || echo "No test reaches" "$never"
	[ -z "$never" ]
}

# What a kernel refuses that is locked down, or wants signatures.
locked() {
	[ -e "$cache/kernel/$1/done" ] || run "vm-$1/fetch" "$here/tests/vm/kernel.sh" "$1"
	in_guest "$1" test_lockdown
	APPEND=module.sig_enforce=1 in_guest "$1" test_enforced
	SECURE=1 in_guest "$1" test_secure
}

gate() {
	run "bench-$1/gate" "$here/tests/bench/bench.sh" gate "$1"
}

# On the debug kernel: what reaches each file of the module, and what fails on demand.
debug_tests='strings|test_two_sessions$|family_in_records|library_loaded_later|nest_lib_tree'
debug_tests+='|reset_loses_nothing|killed_reader|unloads_while|process_comes'
debug_tests+='|functions_come_and_go|test_pause$|test_thread|edits_by_messages'
debug_tests+='|netlink_fuzz|failing_allocations|slow_shows_each|cpu_time|by_thread'
debug_tests+='|each_call_counts_once|each_call_once|count_is_the_same|across_exec_and_fork'
debug_tests+='|threads_that_end|many_tasks|stacks_of_two_callers|stacks_that_have_no_room'
debug_tests+='|each_error_is_in_one|test_stacks$|functions_that_hits_call'
debug_tests+='|each_layer_sees|io_direct|by_file_on_ext4|dir_whole|merged_in_front|test_io_intervals|host_files'

rules=(headers_alone one_kernel_everywhere barriers_in_ring libnl_in_nl parts_stay_inside
	printing_in_commands no_host scripts)

group lint 60
for rule in "${rules[@]}"; do
	run "lint/$rule" "$here/tests/lint/rules.sh" "$rule"
done
run lint/netlink_specification /usr/bin/python3 "$here/tests/lint/spec.py"
run lint/checkpatch "$here/tests/lint/checkpatch.sh"
group unit 60
for test in test_ring test_user test_plan test_symbols test_hostile test_print; do
	run "unit/$test" "$here/tests/unit/run.sh" "$test"
done
group model 90
run model/ring "$here/tests/model/run.sh" ring ${FULL:+deep}
run model/ring_mutants "$here/tests/model/run.sh" mutants ring
run model/order "$here/tests/model/run.sh" order
run model/shadow "$here/tests/model/run.sh" shadow ${FULL:+deep}
run model/shadow_mutants "$here/tests/model/run.sh" mutants shadow
group build 120
run user/build cli
run user/another_interface other
run user/install "$here/tests/build/install.sh"
run user/static "$here/tests/build/static.sh"
run victims/build victims
run programs/build "$here/tests/programs/build.sh" "$cache/victims/programs"
group fuzz 300
run fuzz/build "$here/tests/fuzz/run.sh" build
for target in elf insn names netlink options process records sidecar; do
	run "fuzz/$target" "$here/tests/fuzz/run.sh" "$target"
done
group kernels 1800
side_by_side ${FULL:+'on_kernel 5.10'} 'on_kernel 6.1' ${FULL:+'on_kernel 6.12'} 'on_kernel 7.2'
# A kernel that finds our mistakes: what reaches each file of the module, or everything.
group vm-debug 1200
run vm-debug/build "$here/tests/vm/kernel.sh" debug
say_release debug
run vm-debug/module "$here/tests/vm/module.sh" debug
run vm-debug/selftest selftest debug
reached=$(mktemp)
side_by_side 'debug_part kernel' 'debug_part user' 'debug_part stress' ${all:+'debug_part programs'}
[ "$TESTS" ] || run vm-debug/each_file_is_reached each_file_is_reached
rm -f "$reached"
group hostile 420
side_by_side "stress ${K:-6.1}" 'locked 6.1' 'locked 6.12'
group bench 120
side_by_side 'gate 6.1' 'gate 7.2'
group '' 0
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
