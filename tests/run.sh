#!/usr/bin/env bash
# Runs the tests. Prints one line per test when it ends, and a summary at the end.
#   run.sh [test]   runs the tests that prove each promise once, see tests/suites
#   run.sh all      runs the tests of both, with each machine booted once, each suite on one of its
#                   kernels: KTRACE_TURN=N (the number of commits) chooses which. FULL=1: on all
#   run.sh deep     runs all other tests. FULL=1 adds: the kernels 5.10 and 6.12, slow tests on both
#                   kernels, packages, DKMS, all tests on the debug kernel with each allocation
#                   failing (not every third), random seeds for the fuzzers, deeper models
#   T=pattern       runs only the tests of both whose name matches: T='lint/*', T='vm-6.1/live'
#   TESTS=regex     runs only the tests of the machines' suites whose name matches
#   KTRACE_FUZZ_SECONDS=20      how long each parser is fuzzed
#   KTRACE_UNTIL=SECONDS        since 1970: tests that have not begun by then are skipped, which is
#                               reported, and machines are ended 10 minutes later
# shellcheck disable=SC2317 # jobs and tests are functions by name
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}
what=${1:-test}
[ -z "${T:-}" ] || what=everything
FULL=${FULL:-} TESTS=${TESTS:-} others=''
[[ -z $FULL && ${T:-} != *5.10* && ${T:-} != *6.12* ]] || others='5.10 6.12'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"
# shellcheck source-path=SCRIPTDIR
. "$here/tests/lib/jobs.sh"
. "$here/tests/lib/report.sh"
. "$here/tests/lib/machine.sh"

victims() {
	make -s -C "$here/tests/victims" OUT="$cache/victims"
}

# other_command NAME MACRO VALUE: builds the command with another number in the interface's header.
other_command() {
	local folder=$cache/$1 header=include/uapi/ktrace.h name
	rm -rf "$folder"
	mkdir -p "$folder/build"
	cp -rp "$here/include" "$here/user" "$folder/"
	cp -rp "$here/build/user" "$folder/build/"
	sed -i "s/^#define $2\>.*/#define $2 $3/" "$folder/$header"
	touch -r "$here/$header" "$folder/$header"
	for name in $(cd "$here/user" && grep -lE 'KTRACE_(ABI|GENL_VERSION)' ./*/*.c); do
		rm "$folder/build/user/${name%.c}.o"
	done
	make -s -C "$folder/user"
}

# Builds two commands: one of another interface, and one that only sends messages of another
# version.
other() {
	other_command other KTRACE_ABI 211 && other_command mixed KTRACE_GENL_VERSION 6
}

cli() {
	make -s -j2 -C "$here/user" all || return 1
	"$here/build/ktrace" --version
}

# Real programs are traced, and their calls are also counted by callgrind and strace. bpftrace is
# installed because a test shows what a locked-down kernel refuses to bpftrace and not to ktrace.
packages() {
	EXTRA="valgrind sqlite3 bpftrace iproute2 strace fio iperf3 xfsprogs e2fsprogs dmsetup mdadm ${EXTRA:-}" \
		"$here/tests/setup.sh"
}

# Checks that take long and whose answer seldom changes. Four pushes have all; each takes about the
# same time. The debug kernel takes as long as half of the others.
# TURN[,TURN] NAME PROMISE
by_turns='
0,2 debug a debug kernel, KASAN and lockdep find no mistakes
1 shadow_mutants the model of the shadow stack finds mistakes
1 clang clang generates the same module
1 prototypes other arguments of a tracepoint are an error
1 ring_mutants the model of the ring finds mistakes
1 suspend a machine with ktrace can be suspended
1 drawn viewers of others read pictures and exports
1 guide_network the guide to a slower network names what got slower
3 guide_storage the guide to slow writes of a storage engine names what they wait for
3 guide_regression the guide to regressions shows what got slower, and why figures of eBPF differ
3 systemd systemd runs the service with the rights that it gives
3 long the memory of 64 served sessions is bounded, and that of a day is flat
3 sparse address spaces and locks are used as annotated
3 order barriers of the ring stand where they must
3 old_compiler an old compiler answers questions about a kernel as a new one
3 test_long the memory of a long run does not grow'

# has_turn NAME: whether this run has the check, because others have no turns, too.
has_turn() {
	local of
	[ "$what$FULL" = all ] || return 0
	of=$(awk -v name="$1" '$2 == name { print $1 }' <<<"$by_turns")
	[[ -z $of || ,$of, == *,$((turn % 4)),* ]]
}

# promises_left: prints what this run leaves unproven of them.
promises_left() {
	awk -v turn=$((turn % 4)) 'NF && !index("," $1 ",", "," turn ",") { $1 = $2 = ""; sub(/^ +/, ""); print "  that " $0 }' <<<"$by_turns"
}

rules=(headers_alone warnings one_kernel_everywhere barriers_in_ring tree_after_rest removal_in_remove
	libnl_in_nl directions no_circles parts_stay_inside printing_in_commands escaped_output suites old_libc no_host python scripts)

lint() {
	local rule
	for rule in "${rules[@]}"; do
		run "lint/$rule" "$here/tests/lint/rules.sh" "$rule"
	done
	run lint/netlink_specification /usr/bin/python3 "$here/tests/lint/spec.py"
	run lint/manual_pages "$here/tests/lint/man.sh"
	run lint/checkpatch "$here/tests/lint/checkpatch.sh"
}

unit() {
	local test
	for test in "$here"/tests/unit/test_*.c; do
		test=$(basename "$test" .c)
		[ "$test" = test_long ] || run "unit/$test" "$here/tests/unit/run.sh" "$test"
	done
}

model() {
	run model/ring "$here/tests/model/run.sh" ring
	run model/shadow "$here/tests/model/run.sh" shadow
}

# Checks the order of barriers, and that the models find mistakes.
mutants() {
	! has_turn shadow_mutants || run model/shadow_mutants "$here/tests/model/run.sh" mutants shadow
	! has_turn order || run model/order "$here/tests/model/run.sh" order
	! has_turn ring_mutants || run model/ring_mutants "$here/tests/model/run.sh" mutants ring
}

model_deep() {
	run model/ring_deep "$here/tests/model/run.sh" ring deep
	run model/shadow_deep "$here/tests/model/run.sh" shadow deep
}

build() {
	run user/another_interface other
	run build/lock "$here/tests/build/lock.sh"
	run user/usage "$here/tests/build/usage.sh"
	run user/examples "$here/tests/build/examples.sh"
	run user/completion "$here/tests/build/completion.sh"
	run user/install "$here/tests/build/install.sh"
	run user/library "$here/tests/build/library.sh"
	run build/forms "$here/tests/build/forms.sh"
	run user/doctor "$here/tests/build/doctor.sh"
	run user/traps "$here/tests/build/traps.sh"
	run user/start "$here/tests/build/start.sh"
}

# streamed NAME: runs tests of streams against a module that plays. The command is linked once.
streamed() {
	local folder=$work/played
	(flock 8 && { [ -e "$folder/ktrace" ] || "$here/tests/stream/build.sh" "$folder"; }) 8>"$work/played.lock" ||
		return 1
	KTRACE_FAKE=$folder/ktrace KTRACE_CACHE=$cache timeout 300 /usr/bin/python3 "$here/tests/stream/run.py" "test_$1"
}

# One after the other, because they measure times.
streams() {
	local name
	for name in "$@"; do
		! has_turn "$name" || run "stream/$name" streamed "$name"
	done
}

# Collectors of Debian's packages, and one of npm's, receive records; systemd runs the service. What is
# not there is skipped.
collectors() {
	run stream/packages "$here/tests/stream/setup.sh"
	streams rsyslog syslog_ng journald journal_remote fluent otlp serve prometheus collectd long systemd
}

# A guide is run in machines of its own.
guides() {
	local guide
	for guide in "$here"/docs/guides/*.md; do
		[ -e "$guide" ] || continue
		guide=$(basename "$guide" .md)
		! has_turn "guide_$guide" || job run "guides/$guide" "$here/tests/guides/run.py" "$guide"
	done
}

# Graphviz, pprof, a schema and a browser read pictures and exports. What is not there is skipped.
drawn() {
	run draw/packages "$here/tests/draw/setup.sh"
	KTRACE_CACHE=$cache run draw/readers "$here/tests/draw/readers.sh"
}

# kernel VERSION: fetches one of Debian's kernels and builds the module for it.
kernel() {
	run "vm-$1/fetch" "$here/tests/vm/kernel.sh" "$1"
	say_release "$1"
	run "vm-$1/module" "$here/tests/vm/module.sh" "$1"
}

# fetched VERSION: fetches a kernel; prints no test line if it is already there.
fetched() {
	[ -e "$cache/kernel/$1/done" ] || run "vm-$1/fetch" "$here/tests/vm/kernel.sh" "$1"
}

# Debian's suites change, so the result shows which release was tested.
say_release() {
	local file=$cache/kernel/$1/release
	[ -n "$counting" ] || [ ! -e "$file" ] || ! is_wanted "vm-$1/fetch" ||
		print "--    vm-$1 is Linux $(cat "$file")"
}

# The first machine on the debug kernel begins when the kernel is built.
debug_kernel() {
	has_turn debug || return 0
	run vm-debug/build "$here/tests/vm/kernel.sh" debug
	say_release debug
	run vm-debug/module "$here/tests/vm/module.sh" debug
	debug_part kernel disks queues
}

# Builds what several tests need. Otherwise each vm.sh would build the command at the same time. Jobs
# that began before may go on.
parts() {
	local pids=()
	job run user/build cli
	pids+=("${!-}")
	job run victims/build victims
	pids+=("${!-}")
	job run fuzz/build "$here/tests/fuzz/run.sh" build
	pids+=("${!-}")
	[ "$counting" ] || wait "${pids[@]}"
}

# While kernels are fetched, jobs wait for the network: twice as many jobs keep the processors busy.
# The last jobs may go on when it returns.
checks() {
	local version at_once=$((2 * at_once))
	for version in 6.1 7.2; do
		job kernel "$version"
	done
	parts
	job lint
	job unit
	job model
	job build
	job streams file network wrong away record flight rotate repeat top older
}

# fuzz SECONDS: each fuzzer begins with the same inputs, whatever the time.
fuzz() {
	local target
	export KTRACE_FUZZ_SECONDS=${KTRACE_FUZZ_SECONDS:-$1}
	for target in compare elf insn names netlink options process recording records sidecar unwind; do
		job run "fuzz/$target" "$here/tests/fuzz/run.sh" "$target"
	done
}

# Fetches what the checks have not fetched.
deep_kernels() {
	local version
	for version in 6.1 7.2; do
		job fetched "$version"
	done
	for version in $others; do
		job kernel "$version"
	done
	[ "$counting" ] || wait
}

# Builds what only test-deep needs. Servers and compilers are fetched for programs/build. The longest
# jobs begin first.
deep_parts() {
	local version
	job collectors
	job mutants
	! has_turn test_long || job run unit/test_long "$here/tests/unit/run.sh" test_long
	! has_turn drawn || job drawn
	[ -z "$FULL" ] || job model_deep
	job run programs/build "$here/tests/programs/build.sh" "$cache/victims/programs"
	! has_turn clang || job run vm-6.1/clang "$here/tests/build/clang.sh" 6.1
	! has_turn prototypes || for version in ${FULL:+6.1} 7.2 $others; do
		job run "vm-$version/prototypes" "$here/tests/build/prototypes.sh" "$version"
	done
	! has_turn sparse || for version in 7.2 ${FULL:+6.1} $others; do
		job run "vm-$version/sparse" "$here/tests/lint/sparse.sh" "$version"
	done
	# Packages are built on this machine, which has the Debian release of the kernel 6.1.
	[ -z "$FULL" ] || job run vm-6.1/packages "$here/tests/build/packages.sh" 6.1
	for version in ${FULL:+6.1 7.2} $others; do
		job dkms "$version"
	done
	! has_turn old_compiler || job run vm-6.1/old_compiler "$here/tests/build/old_compiler.sh" 6.1
	job run user/static "$here/tests/build/static.sh"
}

# A machine waits for a third of its time, which other machines can use.
machines_at_once() {
	[ "$counting" ] || at_once=$((at_once * 3 / 2))
}

# The longest suites begin first.
suites_of_machines='user kernel disks queues programs delays counted many module'

kernels() {
	local version name
	for name in "$@"; do
		for version in 7.2 6.1 $others; do
			job machine "$version" "$name"
		done
	done
}

# On the debug kernel: tests that reach each file of the module; with FULL=1 all tests. A boot takes
# some minutes.
debug() {
	has_turn debug || return 0
	job debug_part user stress
	[ -z "$FULL" ] || job debug_part programs
	[ -z "$FULL" ] || job machine debug module
}

# The debug kernel's machine takes longer than most, so it begins as soon as the kernel is built.
kernels_and_debug() {
	local name has_begun=''
	for name in $suites_of_machines; do
		kernels "$name"
		if [ -z "$counting$has_begun" ] && [ -e "$cache/kernel/debug/done" ]; then
			debug
			has_begun=yes
		fi
	done
	[ "$has_begun" ] || debug
}

# Hostile messages, a suspended machine, and kernels that are locked down or require signatures.
hostile() {
	local version name
	job stress "${K:-6.1}"
	! has_turn suspend || job run vm-6.1/suspend "$here/tests/vm/suspend.sh" 6.1
	for version in 6.1 7.2; do
		for name in lockdown enforced secure; do
			job machine "$version" "$name"
		done
	done
}

# Deep stacks again, on a machine whose nanosecond is an instruction: how late are other tasks?
bounded() {
	local TESTS='deep$' label=bench-$1 guest_settings=ICOUNT=1
	! is_wanted "bench-$1/deep" || guest "$1" ICOUNT=1 SMP=1 -- test_deep
}

# The kernels on which the costs are compared with the last release's.
gates() {
	[ "$what$FULL" = all ] && of_turn 6.1,7.2 0 || echo 6.1 7.2
}

bench() {
	local version
	for version in 6.1 ${FULL:+7.2}; do
		job bounded "$version"
	done
	for version in $(gates); do
		job run "bench-$version/gate" "$here/tests/bench/bench.sh" gate "$version"
	done
}

test_() {
	group checks 600
	checks
	fuzz 3
	group kernels 600
	machines_at_once
	# shellcheck disable=SC2086 # words
	kernels $suites_of_machines
}

deep() {
	group checks 600
	parts
	deep_kernels
	deep_parts
	fuzz 10
	machines
}

# The tests of test and of deep. A slow machine has the checks of both first. They wait for what they
# need of each other by locks, so that no processor is idle before the machines begin.
all() {
	group checks 1100
	checks
	[ -z "$others" ] || deep_kernels
	deep_parts
	fuzz "$((FULL ? 10 : 5))"
	machines
}

# The debug kernel is built in one of the places for jobs, while machines run in the others.
machines() {
	group machines 2400
	machines_at_once
	job debug_kernel
	kernels_and_debug
	hostile
	guides
	bench
	group reach 60
	[ "$TESTS" ] || [ "$what$FULL" = all ] || run vm-debug/each_file_is_reached each_file_is_reached
}

# All tests, of which T selects some.
everything() {
	all
}

left_out() {
	echo "Not covered here; $1 runs the rest (tests/suites says what a suite proves):"
	echo "  on 6.1: $(left_on 6.1)"
	echo "  on 7.2: $(left_on 7.2)"
	echo "  tests that are marked as slow, of suites that ran on the other kernel"
	[ "$what" = all ] || echo '  a debug kernel, hostile messages, locked machines, longer fuzzing, a long run, what a call costs'
	[ "$what" != all ] || {
		echo "  what a call costs on $(of_turn 7.2,6.1 0)"
		promises_left
		! has_turn debug || echo '  three of four tests that are marked for the debug kernel, so not all files of the module'
	}
	echo 'make test-deep FULL=1 adds the kernels 5.10 and 6.12.'
}

# bash reads a script while it runs it, but a function as a whole, so editing this file is harmless.
main() {
	local plan=$what
	case $what in
	test) plan=test_ ;;
	deep | all | everything) ;;
	*) echo "There are run.sh test, run.sh deep and run.sh all, no run.sh $what." >&2 && exit 2 ;;
	esac
	group packages 90
	packages || exit 1
	counting=yes
	$plan
	counting=''
	$plan
	all_again
	group '' 0
	[ "$what" != test ] || left_out 'make test-deep'
	[ "$what$FULL" != all ] || left_out "the next push, or KTRACE_TURN=$((turn + 1)),"
	closing
}

main; exit $?
