# shellcheck shell=bash
# To be sourced. steps FUNCTION...: each function is a test and prints a line like those of
# tests/kernel/suite.py. Status 77 is a skip, whose reason is the last line of its output. Each test
# depends on those before it, so the first failure is the end, with status 3.

# tenths: prints the time, in tenths of a second since 1970.
tenths() {
	echo "$((${EPOCHREALTIME/[.,]/} / 100000))"
}

steps() {
	local name start status log word took
	log=$(mktemp)
	for name; do
		start=$(tenths) status=0 word=ok
		(set -euxo pipefail && "$name") >"$log" 2>&1 &
		wait $! || status=$?
		case $status in
		0) ;;
		77) word=skip ;;
		*) word=FAIL ;;
		esac
		took=$(($(tenths) - start))
		echo "$word ${name#test_} $((took / 10)).$((took % 10)) $([ $word != skip ] || grep -v '^+' "$log" | tail -n 1)"
		[ $word != FAIL ] || { tail -n 30 "$log" | sed 's/^/      /' && exit 3; }
	done
	rm -f "$log"
}
