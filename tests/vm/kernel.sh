#!/usr/bin/env bash
# kernel.sh VERSION: fetches a Debian kernel with its build root into the cache
# and prints the folder: root/ (compiler, headers), boot/vmlinuz, image/ (modules), release.
# kernel.sh PATH: the same for a build tree of somebody else: tree, boot/vmlinuz, release.
set -eu

version=$1
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}

own_tree() {
	local tree file folder
	tree=$(realpath -m "$1")
	for file in arch/x86/boot/bzImage include/config/kernel.release Module.symvers; do
		[ -e "$tree/$file" ] && continue
		echo "$tree is no kernel build tree: it has no $file. Build it there first." >&2
		exit 2
	done
	folder=$cache/kernel/tree-$(printf %s "$tree" | cksum | cut -d' ' -f1)
	mkdir -p "$folder/boot"
	ln -sfn "$tree" "$folder/tree"
	ln -sf "$(realpath "$tree/arch/x86/boot/bzImage")" "$folder/boot/vmlinuz"
	cp "$tree/include/config/kernel.release" "$folder/release"
	echo "$folder"
}

case $version in
*/*)
	own_tree "$version"
	exit
	;;
5.10) suite=bullseye from='' image=linux-image ;;
6.1) suite=bookworm from='' image=linux-image ;;
6.12) suite=trixie from='' image=linux-image ;;
7.2) suite=trixie from=trixie-backports image='linux-binary linux-modules' ;;
*)
	echo "Kernel $version is not in the list: take 5.10, 6.1, 6.12, 7.2 or the path of a build tree." >&2
	exit 2
	;;
esac
folder=$cache/kernel/$version
mkdir -p "$cache/kernel"
exec 9>"$cache/kernel/$version.lock"
flock 9
[ -e "$folder/done" ] && { echo "$folder"; exit 0; }

# The mirror is the one that this machine's apt uses; $KTRACE_MIRROR overrides.
# shellcheck disable=SC2016 # apt fills $(SITE) in
mirror=${KTRACE_MIRROR:-$(apt-get indextargets --format '$(SITE)' \
	'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)}
# shellcheck disable=SC2016 # apt fills $(SITE) in
mirror=${mirror%/}
# shellcheck disable=SC2016
security=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' \
	'Label: Debian-Security' | head -n 1)
sources=("deb $mirror $suite main")
[ -n "$from" ] && sources+=("deb $mirror $from main")
[ -z "$from" ] && [ -n "$security" ] && sources+=("deb ${security%/} $suite-security main")

rm -rf "$folder"
mkdir -p "$folder/boot" "$folder/image"
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
touch "$folder/done"
echo "$folder"
