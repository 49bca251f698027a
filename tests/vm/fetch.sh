#!/usr/bin/env bash
# fetch.sh VERSION FOLDER: fetches one of Debian's kernels with its build root, for kernel.sh.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$2
case $1 in
5.10) suite=bullseye from='' image=linux-image ;;
6.1) suite=bookworm from='' image=linux-image ;;
6.12) suite=trixie from='' image=linux-image ;;
7.2) suite=trixie from=trixie-backports image='linux-binary linux-modules' ;;
esac

rm -rf "$folder"
mkdir -p "$folder/boot" "$folder/image"
mapfile -t sources < <("$here/sources.sh" "$suite" "$from")
mmdebstrap --quiet --variant=apt --components=main --skip=cleanup/apt/lists \
	--include="gcc,make,libc6-dev,sparse,linux-headers-amd64${from:+/$from}" \
	"$suite" "$folder/root" "${sources[@]}" >&2
headers=$(basename "$folder"/root/usr/src/linux-headers-*-amd64)
release=${headers#linux-headers-}
for name in $image; do
	chroot "$folder/root" sh -c "cd /tmp && apt-get -q download $name-$release" >&2
done
for package in "$folder"/root/tmp/*.deb; do
	dpkg-deb -x "$package" "$folder/image"
done
rm -f "$folder"/root/tmp/*.deb
[ -d "$folder/image/lib/modules" ] || ln -s usr/lib "$folder/image/lib"
depmod -b "$folder/image" "$release"
find "$folder/image" -name 'vmlinuz*' -exec cp {} "$folder/boot/vmlinuz" \; -quit
echo "$release" >"$folder/release"
