#!/usr/bin/env bash
# module.sh VERSION: builds ktrace.ko for a kernel of the cache, with W=1, and
# prints its path. A warning is a failure.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$("$here/tests/vm/kernel.sh" "$1")
root=$folder/root
release=$(cat "$folder/release")
log=$folder/build.log

exec 8>"$folder/build.lock"
flock 8
mkdir -p "$root/ktrace"
cp -ru "$here/Kbuild" "$here/include" "$here/kmod" "$root/ktrace/"
mountpoint -q "$root/proc" || { mount -t proc proc "$root/proc"; mounted=yes; }
status=0
chroot "$root" make -C "/usr/src/linux-headers-$release" M=/ktrace W=1 modules \
	>"$log" 2>&1 || status=$?
[ "${mounted:-}" ] && umount "$root/proc"
if [ $status -ne 0 ] || grep -qE 'warning:|ERROR' "$log"; then
	grep -E 'error|warning|ERROR' "$log" >&2
	exit 1
fi
echo "$root/ktrace/ktrace.ko"
