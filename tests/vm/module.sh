#!/usr/bin/env bash
# module.sh VERSION|PATH: builds ktrace.ko for a kernel of the cache, with W=1, and prints its path.
# A warning is a failure. For a build tree, CC names the compiler, or KMAKE the whole make command.
# KTRACE_SELFTEST=1 builds the module that tests itself.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$("$here/tests/vm/kernel.sh" "$1")
log=$folder/build.log

# in_root: builds with the headers and the compiler of the kernel's own distribution. The questions
# about a kernel that was fetched are asked once: they take longer than the build of a few files.
in_root() {
	local asked
	asked=$(cat "$here"/Kbuild "$here"/kmod/compat/ask.sh "$here"/kmod/compat/probe/* "$folder/release" | cksum | cut -d' ' -f1)
	KTRACE_ANSWERS=/ktrace-answers-$asked "$here/tests/vm/chroot.sh" "$folder/root" make -j"$(nproc)" \
		-C "/usr/src/linux-headers-$(cat "$folder/release")" \
		M="/${source##*/}" W=1 ${selftest:+"$selftest"} modules
}

in_tree() {
	local make=${KMAKE:-make ${CC:+CC=$CC}}
	# shellcheck disable=SC2086 # a command with its words
	$make -C "$(realpath "$folder/tree")" M="$source" W=1 $selftest modules
}

# Each checkout has a build folder of its own.
name=ktrace-$(printf %s "$here" | cksum | cut -d' ' -f1)${KTRACE_SELFTEST:+-selftest}
selftest=${KTRACE_SELFTEST:+KTRACE_SELFTEST=1}
. "$here/tests/lib/lock.sh"
lock "$folder/build.lock" "module.sh $1"
if [ -e "$folder/tree" ]; then
	source=$folder/$name build=in_tree
else
	source=$folder/root/$name build=in_root
fi
mkdir -p "$source"
cp -ru "$here/Kbuild" "$here/include" "$here/kmod" "$source/"
# Files that were removed from the checkout must not be built.
(cd "$source" && find include kmod -name '*.[chS]' -not -name '*.mod.c') | while read -r file; do
	[ -e "$here/$file" ] || { rm "$source/$file" && touch "$source/Kbuild"; }
done
# make would first ask the compiler about the kernel, which takes half a minute. Build trees given
# by path are excluded, because they may change.
if [ "$build" = in_root ] && [ -e "$source/built" ] &&
	[ -z "$(find "$source"/{Kbuild,include,kmod} -newer "$source/built" -print -quit)" ]; then
	echo "$source/ktrace.ko"
	exit 0
fi
rm -f "$source/built"
status=0
$build >"$log" 2>&1 || status=$?
# Warnings of W=1 in the kernel's own headers are ignored.
ours='(ktrace-[0-9]*[a-z-]*|kmod)/.*(warning|error):|WARNING:.*(undefined|ktrace)|^ERROR'
if [ $status -ne 0 ] || grep -qE "$ours" "$log"; then
	grep -E "$ours" "$log" >&2 || tail -n 20 "$log" >&2
	exit 1
fi
touch "$source/built"
echo "$source/ktrace.ko"
