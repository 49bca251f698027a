#!/usr/bin/env bash
# build.sh FOLDER: builds the debug kernel from Debian's source and debug.config, for kernel.sh. All
# of it is built in, so there is no image/. FOLDER/build_time has the CPU time of the build.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1
root=$folder/root
tree=/usr/src/linux-source-6.12
packages=gcc,make,libc6-dev,flex,bison,bc,perl,libelf-dev,xz-utils,linux-source-6.12

fetch() {
	local sources
	rm -rf "$folder"
	mkdir -p "$folder/boot"
	mapfile -t sources < <("$here/sources.sh" trixie)
	mmdebstrap --quiet --variant=apt --components=main --skip=cleanup/apt/lists \
		--include="$packages" trixie "$root" "${sources[@]}"
	tar -C "$root/usr/src" --exclude='*/Documentation/*/*' -xJf "$root$tree.tar.xz"
	touch "$folder/fetched"
}

in_root() {
	cd /
	chroot "$root" make -s -C "$tree" "$@"
}

# kconfig silently omits an option whose dependencies are missing.
configure() {
	local missing
	cp "$here/debug.config" "$root$tree/debug.config"
	in_root KCONFIG_ALLCONFIG=debug.config allnoconfig
	missing=$(grep '^CONFIG_' "$here/debug.config" | grep -vxFf "$root$tree/.config" || :)
	missing+=$(sed -n 's/^# \(CONFIG_.*\) is not set$/\1=/p' "$here/debug.config" |
		grep -Ff - "$root$tree/.config" || :)
	[ -z "$missing" ] && return
	echo "The kernel's configuration is not what debug.config asks for:" "$missing" >&2
	exit 1
}

{
	[ -e "$folder/fetched" ] || fetch
	configure
	TIMEFORMAT='%U s user + %S s system, %R s elapsed'
	{ time in_root -j"$(nproc)" bzImage modules 2>&3; } 3>&2 2>"$folder/build_time"
} >&2
release=$(cat "$root$tree/include/config/kernel.release")
cp "$root$tree/arch/x86/boot/bzImage" "$folder/boot/vmlinuz"
ln -sfn "${tree##*/}" "$root/usr/src/linux-headers-$release"
echo "$release" >"$folder/release"
