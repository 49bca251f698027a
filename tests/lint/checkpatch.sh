#!/usr/bin/env bash
# checkpatch --strict, from Debian's linux-source, over the module. Left out:
#   BIT_MACRO             public headers have no BIT()
#   MACRO_ARG_*           compat's macros wrap declarations
#   DEPRECATED_API        compat speaks to old kernels in their words
# and kmod/compat/probe, whose first line is a question.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=${KTRACE_CACHE:-$HOME/.cache/ktrace}/checkpatch

fetch() {
	local work
	work=$(mktemp -d)
	(cd "$work" && apt-get -q download linux-source-6.1) || return
	mkdir -p "$folder"
	# The archive is left as soon as the three files are out.
	{ dpkg-deb --fsys-tarfile "$work"/*.deb | tar -xO ./usr/src/linux-source-6.1.tar.xz |
		xz -dc -T0 | tar -x -C "$folder" --strip-components=2 --occurrence=1 \
		linux-source-6.1/scripts/checkpatch.pl linux-source-6.1/scripts/spelling.txt \
		linux-source-6.1/scripts/const_structs.checkpatch; } 2>/dev/null || :
	rm -rf "$work"
	[ -e "$folder/const_structs.checkpatch" ]
}

[ -e "$folder/const_structs.checkpatch" ] || fetch || { apt-get update && fetch; }
cd "$here"
! perl "$folder/checkpatch.pl" --no-tree --strict --terse --quiet --show-types \
	--ignore BIT_MACRO,DEPRECATED_API,MACRO_ARG_PRECEDENCE,MACRO_ARG_REUSE \
	-f kmod/*.[ch] kmod/*/*.[ch] include/*.h include/uapi/*.h 2>/dev/null | grep -v '^total:'
