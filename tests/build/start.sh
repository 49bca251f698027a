#!/usr/bin/env bash
# An invocation that traces nothing takes at most 5 million instructions. callgrind counts those
# outside the kernel, with the dynamic linker's: they may be a million. The kernel needs the others,
# most of them for pages that are touched when libraries are relocated.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
make -s -C "$here/user"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for words in --version -h 'ctl list'; do
	# shellcheck disable=SC2086 # words
	valgrind --tool=callgrind --callgrind-out-file="$work/profile" --log-file="$work/log" \
		"$here/build/ktrace" $words >/dev/null 2>&1 || :
	nr=$(sed -n 's/^totals: //p' "$work/profile")
	[ "$nr" -le 1000000 ] || {
		echo "ktrace $words takes $nr instructions, of 1000000 that it may take."
		callgrind_annotate "$work/profile" | head -n 40
		exit 1
	}
done
