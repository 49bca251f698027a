#!/usr/bin/env bash
# sparse.sh VERSION: runs sparse over the module with a kernel's own headers.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$("$here/tests/vm/kernel.sh" "$1")
root=$folder/root
release=$(cat "$folder/release")
log=$folder/sparse.log

. "$here/tests/lib/lock.sh"
lock "$folder/build.lock" "sparse.sh $1"
rm -rf "$root/sparse"
mkdir "$root/sparse"
cp -r "$here/Kbuild" "$here/include" "$here/kmod" "$root/sparse/"
# sparse does not support GCC 14's __typeof_unqual__ yet. From 7.x on kbuild checks for that with a
# script that is missing in the package of headers.
common=${release%-*}-common
printf '#!/bin/sh\necho 1\n' >"$root/usr/src/linux-headers-$common/scripts/checker-valid.sh"
chmod +x "$root/usr/src/linux-headers-$common/scripts/checker-valid.sh"
"$here/tests/vm/chroot.sh" "$root" make -j"$(nproc)" -C "/usr/src/linux-headers-$release" M=/sparse C=2 \
	CF=-D__typeof_unqual__=__typeof__ KTRACE_SELFTEST=1 modules >"$log" 2>&1 || :
# The checker must have read every file. It cannot evaluate the assertions in MODULE_*() of 7.x.
[ "$(grep -c '^ *CHECK' "$log")" -ge "$(find "$here/kmod" -name '*.c' -not -path '*/probe/*' | wc -l)" ]
! grep -E '(sparse|kmod)/.*(warning|error):' "$log" | grep -v 'error: bad constant expression$'
