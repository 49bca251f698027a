#!/usr/bin/env bash
# Runs checkpatch --strict, from Debian's linux-source, over the module. Ignored:
#   BIT_MACRO             public headers have no BIT()
#   MACRO_ARG_*           macros of compat contain declarations
#   DEPRECATED_API        compat uses the API of old kernels
# kmod/compat/probe is excluded, because the first lines of its files are questions.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=${KTRACE_CACHE:-$HOME/.cache/ktrace}/checkpatch

fetch() {
	local work
	work=$(mktemp -d)
	(cd "$work" && apt-get -q download linux-source-6.1) || return
	mkdir -p "$folder"
	# The archive is read only until the three files have been extracted.
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
	-f kmod/*.[ch] kmod/*/*.[ch] include/version.h include/uapi/*.h 2>/dev/null | grep -v '^total:'
