#!/usr/bin/env bash
# A plan is made only by reading: no auditor or loader that a file names is run.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
ktrace=${KTRACE:-$here/build/ktrace}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/tests/unit/libraries.sh" "$work"
cd "$work"
for program in audited trapped; do
	"$ktrace" run --dry-run -- "./$program" >one
	"$ktrace" ctl attach --binary "./$program" --dry-run >two
	[ ! -e was_run ] || {
		echo "What $program names has been run."
		exit 1
	}
	for plan in one two; do
		grep -q "^  $work/own/libown.so: " "$plan" || {
			echo "The library of $program is not found:"
			cat "$plan"
			exit 1
		}
	done
done
./audited
[ -e was_run ] || {
	echo "The auditor leaves nothing behind, so this proves nothing."
	exit 1
}
