#!/usr/bin/env bash
# A process that waits for a lock prints once who holds it; one that does not wait prints nothing.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/tests/lib/lock.sh"

mkfifo "$work/go" "$work/held" "$work/told"
bash -euc '. "$1/tests/lib/lock.sh"; lock "$2/lock" "the first"; echo "$$" >"$2/held"; read -r _ <"$2/go"' \
	_ "$here" "$work" 2>"$work/silence" &
read -r holder <"$work/held"
(lock "$work/lock" 'the second') 2>"$work/told" &
read -r words <"$work/told"
[ "$words" = "Waiting for the first (process $holder), which holds $work/lock." ]
echo >"$work/go"
wait
[ ! -s "$work/silence" ]
grep -q '^the second (process ' "$work/lock"
