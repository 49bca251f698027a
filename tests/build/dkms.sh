#!/usr/bin/env bash
# dkms.sh VERSION: tests DKMS in a clean root of the Debian release that has this kernel: it adds,
# builds, installs, signs and removes; a new kernel gets its module; a failed upgrade reports why
# and keeps the old module. The kernel need not run for this part. Its modules are small
# (tests/lib/later.sh), except the last one, which is ktrace. Then a machine with that kernel and
# Secure Boot upgrades and removes the package while sessions trace, and loads the module that DKMS
# has built. Each line is a test, see tests/lib/steps.sh.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tests/lib/lock.sh"
. "$here/tests/lib/later.sh"

# The tests that run in the root first. The machine's tests follow, then the last one in the root.
tests=(dkms_add dkms_build dkms_install dkms_signs_with_its_own_key dkms_signs_with_a_sites_key
	package_takes_what_is_built autoinstall_for_a_new_kernel failed_upgrade_says_why_and_keeps_the_old upgrade_replaces_the_old)

# package VERSION COMMAND...: builds the package as another version, after a command has changed it.
package() {
	local new=$work/$1 source
	source=$new/usr/src/ktrace-$1
	dpkg-deb -R "$work/ktrace-dkms_${version}_all.deb" "$new"
	mv "$new/usr/src/ktrace-$version" "$source"
	sed -i "s/^Version: .*/Version: $1/" "$new/DEBIAN/control"
	rm "$new/DEBIAN/md5sums"
	sed -i "s/$version/$1/" "$source"/{dkms.conf,include/version.h}
	"${@:2}" "$source" "$1"
	dpkg-deb --root-owner-group -b "$new" "$work/packages" >/dev/null
}

# A static command works with the libraries of any release.
static_command() (
	mkdir -p "$here/build"
	lock "$here/build/static.lock" dkms.sh
	make -s -C "$here/user" STATIC=1 OUT=../build/static	# make takes no path with a space
)

prepare() {
	EXTRA='debhelper dpkg-dev fakeroot' "$here/tests/setup.sh"
	make -s -C "$here/tests/victims" spin OUT="$work/victims"
	static_command
	mkdir "$work/packages" "$work/root" "$work/over"
	"$here/.packages/build.sh" deb "$work" >/dev/null
	package 9.0 later
	package 9.1 later
	broken "$work/9.1/usr/src/ktrace-9.1"
	dpkg-deb --root-owner-group -b "$work/9.1" "$work/packages" >/dev/null
	package 9.2 true
}

# The machine's firmware trusts one key, which is used as DKMS's own key and as the administrator's.
trusted_key() {
	local tools key
	tools=$("$here/tests/packages.sh" ovmf ovmf sbsigntool)
	key=$tools/usr/share/ovmf/PkKek-1-snakeoil
	openssl pkey -in "$key.key" -passin pass:snakeoil -out "$work/root/root/site.key"
	openssl x509 -in "$key.pem" -outform DER -out "$work/root/root/site.der"
	cp "$work/root/root/site.key" "$work/root/var/lib/dkms/mok.key"
	cp "$work/root/root/site.der" "$work/root/var/lib/dkms/mok.pub"
}

# Mounts the root in this process's mount namespace, which a machine sees, too.
mount_root() {
	local root=$work/root
	mount -t tmpfs over "$work/over"
	mkdir "$work/over/upper" "$work/over/work"
	mount -t overlay -o "lowerdir=$folder/root,upperdir=$work/over/upper,workdir=$work/over/work" root "$root"
	mount -t proc proc "$root/proc"
	cp -r "$work/packages" "$here/tests/build/dkms_root.sh" "$here/tests/lib/steps.sh" "$root/"
	cp "$here/build/static/ktrace" "$root/usr/bin/"
	cp /etc/resolv.conf "$root/etc/" 2>/dev/null || :
	# In this root one kernel has headers, but it is not the running one.
	mkdir -p "$root/lib/modules/$release"
	ln -sfn "/usr/src/linux-headers-$release" "$root/lib/modules/$release/build"
	chroot "$root" apt-get update -q
	DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -qy --no-install-recommends dkms openssl
	chroot "$root" dpkg --unpack /packages/ktrace-dkms_9.0_all.deb
}

in_root() {
	chroot "$work/root" bash /dkms_root.sh "$release" "${@/#/test_}"
}

if [ -z "${DKMS_WORK:-}" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	DKMS_WORK=$work unshare --mount "$0" "$1"
	exit
fi
work=$DKMS_WORK
folder=$("$here/tests/vm/kernel.sh" "$1")
release=$(cat "$folder/release")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$here/dkms.conf")
# In a process of its own, any command that fails ends it.
{ prepare; mount_root; trusted_key; } >"$work/log" 2>&1 </dev/null &
wait $! || { tail -n 40 "$work/log" >&2 && exit 1; }
in_root "${tests[@]}"
# Secure Boot is used if this DKMS signs.
[ ! -e "$work/root/own" ] || export SECURE=1
K=$1 TIMEOUT=900 RUN="$(printf '%q ' "$here/tests/build/dkms_machine.sh" "$work/root" "$version" "$work/victims/spin")" \
	"$here/tests/vm/vm.sh"
in_root removal_leaves_nothing
