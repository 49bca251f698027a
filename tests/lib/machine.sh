# shellcheck shell=bash disable=SC2154 # run.sh says what work, here and cache are
# Runs suites of tests/kernel in a virtual machine, according to the table tests/suites.

# has_kernel LIST KERNEL
has_kernel() {
	[[ ,$1, == *,$2,* ]]
}

# The turn of this run: a push runs each suite on one of its kernels, and the next push on another.
turn=${KTRACE_TURN:-$(git -C "$here" rev-list --count HEAD 2>/dev/null || echo 0)}

# of_turn LIST NUMBER: prints the one of these kernels whose turn it is; neighbours in the table
# take turns, so that a push has about half of the slow tests.
of_turn() {
	local kernels
	mapfile -t kernels < <(tr ',' '\n' <<<"$1" | grep -E '^[0-9]')
	echo "${kernels[(turn + $2) % ${#kernels[@]}]}"
}

# is_due KERNEL TEST DEEP NUMBER: whether the suite with these columns is part of this run.
is_due() {
	local columns=$3 all=$2,${3//+/}
	case $what in
	test) columns=$2 ;;
	all) [ -z "$FULL" ] && columns=$(of_turn "$2,$3" "$4") || columns=$all ;;
	everything) columns=$all ;;
	*) [ -z "$FULL" ] || columns=${3//+/} ;;
	esac
	case $1 in
	5.10 | 6.12) ! has_kernel "$all" 7.2 || columns+=,$1 ;;
	debug) columns+=,debug ;;
	esac
	has_kernel "$columns" "$1"
}

# due KERNEL MACHINE...: prints the suites of these machines that this run has on this kernel.
due() {
	local kernel=$1 number=0 suite machine test deep _
	shift
	while read -r suite machine test deep _; do
		number=$((number + 1))
		[[ $suite != '#'* && " $* " == *" $machine "* ]] || continue
		is_due "$kernel" "$test" "$deep" $number && is_wanted "vm-$kernel/$suite" && echo "test_$suite"
	done <"$here/tests/suites"
}

# A test is marked where it is defined: "def test_NAME():  # slow, debug". make test leaves out the
# slow tests; make test-deep runs them on the other kernel, FULL=1 on both.
# chosen SUITE...: prints "SUITE:TEST,TEST" for each suite of which this run has tests.
chosen() {
	local suite
	for suite; do
		sed -n "s/^def \(test_[a-z0-9_]*\)():/$suite \1/p" "$here/tests/kernel/$suite.py"
	done | TESTS=${TESTS:-.} awk -v quick=" $quick " -v only="$only" -v every="$every" -v first="$first" '
		{ marks = $0; sub(/[^#]*/, "", marks) }
		$2 !~ ENVIRON["TESTS"] || only && !index(marks, only) { next }
		index(marks, "slow") && index(quick, " " $1 " ") { next }
		(nr++ + first) % every { next }
		suite != $1 { printf "%s%s:%s", suite ? "\n" : "", $1, $2; suite = $1; next }
		{ printf ",%s", $2 }
		END { if (suite) print "" }'
}

# guest KERNEL SETTING... -- SUITE...: each line "ok|skip|spoilt|FAIL name seconds reason" is a test,
# and the lines after it are its details. Each test has a time limit; the machine's is for a hanging
# kernel.
guest() {
	local kernel=$1 settings=() tests label=${label:-vm-$1} spoilt=''
	shift
	while [ "$1" != -- ]; do
		settings+=("$1")
		shift
	done
	shift
	mapfile -t tests < <(chosen "$@")
	[ ${#tests[@]} -gt 0 ] || return 0
	# One more for the boot of the machine, and on the debug kernel one for leaks.
	[ -z "$counting" ] || {
		[ "$kernel" != debug ] || total=$((total + 1))
		total=$((total + 1 + $(tr ',' ' ' <<<"${tests[*]}" | wc -w)))
		return
	}
	! is_late || { result skip "$label" 0.0 "no time was left for $*" && return; }
	now "$label"
	read_tests < <(boot "$kernel" "${tests[@]}" 2>&1 || echo "FAIL machine 0 it ended with status $?")
	[ -z "$spoilt" ] || {
		printf '%q ' again "$label" "$guest_settings" "^test_(${spoilt#|})\$" "$kernel" "${settings[@]}" -- "$@"
		echo
	} >>"$work/again"
}

# again LABEL GUEST_SETTINGS TESTS ARGUMENT_OF_GUEST...: runs tests whose times were spoilt.
again() {
	local label=$1 guest_settings="$2 LEAKS=''" TESTS=$3 may_be_spoilt=''
	shift 3
	guest "$@"
}

# Runs the tests whose times were spoilt again, with nothing else on this host.
all_again() {
	wait
	[ -s "$work/again" ] || return 0
	group again 300
	# shellcheck source=/dev/null
	. "$work/again"
}

# Reads the lines of a machine, or of a script that uses tests/lib/steps.sh.
read_tests() {
	local line word rest test='' details=''
	while IFS= read -r line; do
		word=${line%% *} rest=${line#* }
		case $word in
		ok | skip | spoilt | FAIL | now | took | reached | documents) end_of_test ;;&
		ok | skip | spoilt | FAIL) test=$line ;;
		now) now "$label/$rest" ;;
		took) print "--    $label/$rest s" ;;
		documents) print "--    $label: documents of JSON that were valid: $rest" ;;
		reached) printf '%s\n' "$rest" >>"$work/reached" ;;
		*) details+=$'\n'"      ${line#      }" ;;
		esac
	done
	end_of_test
}

# dkms KERNEL: status 3 means that a test failed, which has already been printed.
dkms() {
	local label=vm-$1/dkms
	is_wanted "$label" || return 0
	[ -z "$counting" ] || { total=$((total + $(grep -c '^test_' "$here"/tests/build/dkms_*.sh | awk -F : '{ nr += $2 } END { print nr }'))) && return; }
	! is_late || { result skip "$label" 0.0 'no time was left' && return; }
	now "$label"
	read_tests < <("$here/tests/build/dkms.sh" "$1" 2>&1 || { s=$? && [ $s -eq 3 ]; } || echo "FAIL script 0 it ended with status $s")
}

# Prints the test that guest() has read, with the details that followed.
end_of_test() {
	local word name seconds reason
	read -r word name seconds reason <<<"$test"
	if [ "$word" = spoilt ]; then
		print "--    $label/$name will run again on an idle host: $reason" ${details:+"${details#?}"}
		spoilt+="|$name"
	elif [ "$test" ]; then
		result "$word" "$label/$name" "$seconds" "$reason" "${details#?}"
	elif [ "$details" ]; then
		print "${details#?}"
	fi
	test='' details=''
}

# Prints the seconds that are left for tests, or nothing if there is no limit.
left() {
	[ -z "${KTRACE_UNTIL:-}" ] || echo $((KTRACE_UNTIL - EPOCHSECONDS))
}

# boot KERNEL SUITE:TEST,TEST...
boot() {
	# The fetch of the kernel has failed, unless T excluded it.
	[ -n "${T:-}" ] || [ -e "$cache/kernel/$1/done" ] || { echo "There is no kernel $1." && return 1; }
	cd "$here" && env "${settings[@]}" K="$1" KTRACE_VICTIMS="$cache/victims" TIMEOUT="${TIMEOUT:-7200}" \
		RUN="$guest_settings LEFT='$(left)' AGAIN=$may_be_spoilt NOW=1 FULL=$FULL TESTS='$TESTS' python3 tests/kernel/suite.py ${*:2}
			s=\$?; [ \$s -eq 0 ] || [ \$s -eq 3 ]" tests/vm/vm.sh
}

# Whether a test whose times are wrong is run again later, instead of being a failure.
may_be_spoilt=yes

# Settings for the suite in the guest, beside TESTS.
guest_settings=''
# The suites of which a machine leaves out the slow tests; the mark of the tests that it has only;
# it has every fourth of them, or all.
quick='' only='' every=1 first=0

disks=virtio,nvme,scsi

# machine KERNEL NAME: boots a machine as the suites with this name in the table need it.
machine() {
	local settings=() guest_settings=$guest_settings quick=''
	case $2 in
	module)
		[ -z "$(due "$1" module)" ] || run "vm-$1/selftest" selftest "$1"
		return
		;;
	disks) settings=("DISK=$disks,paths") ;;
	delays) settings=("DISK=$disks") ;;
	queues) settings=("DISK=$disks,packed,direct" NET=1) ;;
	many) settings=(APPEND=possible_cpus=256) ;;
	counted) settings=(ICOUNT=1 SMP=1) guest_settings+=' ICOUNT=1' ;;
	enforced) settings=(APPEND=module.sig_enforce=1) ;;
	secure) settings=(SECURE=1) ;;
	esac
	case $what$FULL in
	test* | all) quick=$(what="test" due "$1" "$2" | paste -sd' ') ;;
	esac
	# shellcheck disable=SC2046 # lists of words
	guest "$1" "${settings[@]}" -- $(due "$1" "$2")
	# shellcheck disable=SC2046 # a list of words
	[ "$what" != deep ] || [ -z "$FULL" ] || [ "$TESTS" ] ||
		only='slow' quick='' guest "$1" "${settings[@]}" -- $(what="test" due "$1" "$2")
}

# A module built with KTRACE_SELFTEST=1 tests itself when it is loaded and reports to the kernel
# log. tsc=reliable makes the kernel trust the TSC of emulated CPUs; the test of ticks takes that
# back.
selftest() {
	KTRACE_SELFTEST=1 APPEND=tsc=reliable K=$1 TIMEOUT=600 RUN="dmesg | grep 'ktrace: '
		dmesg | grep -q 'ktrace: selftest: [1-9][0-9]* passed'" "$here/tests/vm/vm.sh"
}

# SEED=, MESSAGES= and STRESS_SECONDS= set the seed and the amount.
stress() {
	local label=stress-$1
	local guest_settings="SEED='${SEED:-}' FUZZ_MESSAGES='${MESSAGES:-}' STRESS_SECONDS='${STRESS_SECONDS:-}'"
	! is_wanted "$label/stress" || guest "$1" -- test_stress
}

# debug_part MACHINE...: runs the tests that are marked for the debug kernel, which together reach
# each file of the module; with FULL=1 or TESTS= all tests. A push with the debug kernel, which is every second, runs every
# fourth one.
debug_part() {
	local only='' every=1 first=$((turn / 2)) suites
	local guest_settings='REACH=1 FUZZ_MESSAGES=2000 STRESS_SECONDS=10'
	[ "$FULL$TESTS" ] || only=debug
	[ "$what$FULL" != all ] || every=4
	mapfile -t suites < <(due debug "$@")
	guest debug -- "${suites[@]}"
}

each_file_is_reached() {
	local never
	# main.c and control.c run before the profiler starts. A selftest is a module of its own.
	# stack.c has code for 3.10 only.
	never=$(cd "$here/kmod" && printf '%s\n' *.c */*.c | sed 's:.*/::' |
		grep -vxE 'main.c|control.c|stack.c|selftest.*' | sort | comm -23 - <(tr ' ' '\n' <"$work/reached" | sort -u))
	[ -z "$never" ] || echo "No test reaches" "$never"
	[ -z "$never" ]
}

# left_on KERNEL: prints the suites of this kernel that the run leaves out.
left_on() {
	local suites
	mapfile -t suites < <(awk '!/^#/ && NF { print $2 }' "$here/tests/suites" | sort -u)
	comm -23 <(what=everything due "$1" "${suites[@]}" | sort) <(due "$1" "${suites[@]}" | sort) |
		sed 's/^test_//' | tr '\n' ' '
}
