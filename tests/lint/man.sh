#!/usr/bin/env bash
# Checks docs/man: each command has a page that describes the options of its -h and no others, has
# EXAMPLES, and is formatted without a warning. All commands of ktrace ctl have one page.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
cd "$here/docs/man"
make -s -C "$here/user"
ktrace=$here/build/ktrace

# options COMMAND...: prints the options that -h lists.
options() {
	"$ktrace" "$@" -h | sed -nE 's/^  (-[a-zA-Z0-9], |    )(--[a-z-]+).*/\2/p'
}

commands() {
	"$ktrace" "$@" -h | sed -n '/^Options:/q; s/^  \([a-z]*\)  .*/\1/p'
}

# described PAGE: prints the options that have an entry, and those listed as taken from another
# page.
described() {
	sed 's/\\-/-/g; s/\\f[BIR]//g' "$1" | awk '
		tag { print }
		{ tag = /^\.T[PQ]$/ }
		/^Besides the options below/ { named = 1 }
		named { print }
		named && /\.$/ { named = 0 }' | grep -oE -e '--[a-z][a-z-]+' | sort -u
}

status=0
complain() {
	echo "$1" >&2
	status=1
}

for command in $(commands); do
	page=ktrace-$command.8
	[ "$command" != version ] || continue
	[ -s "$page" ] || { complain "docs/man has no $page." && continue; }
	if [ "$command" = ctl ]; then
		wanted=$(for sub in $(commands ctl); do options ctl "$sub"; done)
	else
		wanted=$(options "$command")
	fi
	diff <(sort -u <<<"$wanted") <(described "$page") >&2 ||
		complain "$page describes other options (>) than ktrace $command -h (<)."
done
for page in *.8; do
	grep -q '^\.SH EXAMPLES$' "$page" || complain "$page has no EXAMPLES."
	warnings=$(man --warnings -l -Tutf8 "$page" 2>&1 >/dev/null)
	[ -z "$warnings" ] || complain "$page: $warnings"
done
exit $status
