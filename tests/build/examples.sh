#!/usr/bin/env bash
# The command accepts the examples of README.md, the manual pages and -h: each "ktrace ..." there is
# run with -h after its options, which only parses them. README.md has at most 120 lines.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
make -s -C "$here/user"
export MANPATH=/nonexistent
cd "$here"

# Replaces the real command in the examples.
# shellcheck disable=SC2317 # the examples call it
ktrace() {
	local word words=() given=''
	for word in "$@"; do
		[[ $word != -- || $given ]] || given=yes words+=(-h)
		words+=("$word")
	done
	[ "$given" ] || words+=(-h)
	"$here/build/ktrace" "${words[@]}" >/dev/null || echo "ktrace $*" >>"$failed"
}

# shellcheck disable=SC2317
pidof() { echo 1; }

# The variable of loops.
export i=1

failed=$(mktemp)
trap 'rm -f "$failed"' EXIT

readme() {
	awk '/^    / { sub(/^    (\$ )?/, ""); print }' README.md
}

pages() {
	sed -n '/^\.SH EXAMPLES/,$p' docs/man/*.8 | sed -n '/^\.EX/,/^\.EE/ { /^\.E/d; s/\\e$/\\/; s/\\-/-/g; p }'
}

helps() {
	local command
	for command in '' run syscall sysenter fault func graph sched profile top io virtio record report replay diff snapshot stream serve save doctor ctl 'ctl attach' \
		'ctl list' 'ctl show' 'ctl read' 'ctl watch' 'ctl change' 'ctl pause' 'ctl resume' 'ctl detach'; do
		# shellcheck disable=SC2086 # words
		"$here/build/ktrace" $command -h | grep '^  ktrace '
	done
}

nr=0
while read -r line; do
	[[ $line == ktrace\ * ]] || continue
	nr=$((nr + 1))
	eval "$line" </dev/null
done < <({ readme; pages; helps; } | sed -e ':next' -e '/\\$/ { N; s/\\\n */ /; b next }' -e 's/^ *//')
[ "$nr" -gt 100 ] || { echo "Only $nr examples were found."; exit 1; }
[ ! -s "$failed" ] || { echo 'Refused:' && cat "$failed" && exit 1; }
[ "$(wc -l <README.md)" -le 120 ] || { echo 'README.md has more than 120 lines.' && exit 1; }
