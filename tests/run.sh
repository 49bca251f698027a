#!/usr/bin/env bash
# Sets up and runs all tests: one line each with its time, a summary last.
#   T=pattern runs only the tests whose name matches.
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}
passed=0 failed=0 skipped=0

"$here/tests/setup.sh" || exit 1
mkdir -p "$cache"

# run NAME COMMAND...: exit 77 is a skip, its last line the reason
run() {
	local name=$1 start=$EPOCHREALTIME output status seconds
	shift
	# shellcheck disable=SC2053 # T is a pattern
	[[ $name == ${T:-*} ]] || return 0
	output=$("$@" 2>&1)
	status=$?
	seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
	case $status in
	0)
		printf 'ok    %-40s %7s s\n' "$name" "$seconds"
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

unit() {
	local source=$1 program
	program=$(mktemp) &&
		gcc -g -O1 -fsanitize=address,undefined -I "$here/tests/unit/kernel_shim" \
			-I "$here/include" "$source" -lcmocka -lpthread -o "$program" &&
		"$program"
}

victims() {
	make -s -C "$here/tests/victims" OUT="$cache/victims"
}

# in_guest KERNEL MODULE...: each line "ok|skip|FAIL name seconds reason" is a test
in_guest() {
	local kernel=$1 word name seconds reason
	shift
	[[ -z ${T:-} || $T == vm-$kernel/* ]] || return 0
	while read -r word name seconds reason; do
		case $word in
		ok) passed=$((passed + 1)) ;;
		skip) skipped=$((skipped + 1)) ;;
		FAIL) failed=$((failed + 1)) ;;
		*)
			printf '      %s %s %s %s\n' "$word" "$name" "$seconds" "$reason"
			continue
			;;
		esac
		printf '%-5s %-40s %7s s  %s\n' "$word" "vm-$kernel/$name" "$seconds" "$reason"
	done < <(cd "$here" && K=$kernel KTRACE_VICTIMS=$cache/victims TIMEOUT=900 \
		RUN="TESTS='${TESTS:-}' python3 tests/kernel/suite.py $*; [ \$? -ne 1 ]" \
		tests/vm/vm.sh 2>&1 || echo "FAIL machine 0 it ended with status $?")
}

headers_alone() {
	local header
	for header in "$here"/include/uapi/*.h; do
		gcc -Wall -Wextra -Werror -fsyntax-only -x c "$header" || return 1
	done
}

one_kernel_everywhere() {
	! grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION|^#[[:space:]]*if.*HAVE_' \
		"$here"/kmod --include='*.[ch]' | grep -v '/kmod/compat/'
}

barriers_in_ring() {
	! grep -nE '\b(smp_[rw]?mb|barrier|smp_store_release|smp_load_acquire)\(' \
		"$here"/kmod/*.c | grep -v '/ring\.c:'
}

cli() {
	make -s -C "$here/user" || return 1
	"$here/build/ktrace" --version
}

echo "lint (budget 60 s), unit (60 s), vm (300 s a kernel, downloads included)"
run lint/headers-alone headers_alone
run lint/kernel-differences one_kernel_everywhere
run lint/barriers barriers_in_ring
run lint/shellcheck shellcheck "$here"/tests/*.sh "$here"/tests/vm/*.sh "$here/.ci/run"
for source in "$here"/tests/unit/test_r*.c; do
	run "unit/$(basename "$source" .c)" unit "$source"
done
run user/build cli
run victims/build victims
for kernel in 6.1 7.2; do
	run "vm-$kernel/fetch" "$here/tests/vm/kernel.sh" "$kernel"
	run "vm-$kernel/module" "$here/tests/vm/module.sh" "$kernel"
	in_guest "$kernel" test_run test_ctl
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
