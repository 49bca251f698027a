#!/usr/bin/env bash
# packages_root.sh RELEASE VERSION deb|rpm: the tests of packages.sh in the root of a kernel's
# Debian release, in which the kernel RELEASE has headers. /packages has packages of VERSION, of
# 9.1, which cannot be built, and of 9.2.
set -euo pipefail

release=$1 version=$2 kind=$3
export DEBIAN_FRONTEND=noninteractive

# is VERSION: whether modprobe would load this version.
is() {
	[ "$(modinfo -F version "/lib/modules/$release/updates/dkms/ktrace.ko"*)" = "$1" ]
}

rpm_() {
	rpm --dbpath /db --nodeps "$@"
}

# install_ VERSION [OPTION]: installs a package.
install_() {
	case $kind in
	deb) apt-get install -qy --no-install-recommends ./packages/ktrace_"$1"_*.deb ./packages/ktrace-dkms_"$1"_*.deb ;;
	rpm) rpm_ -U ${2:+"$2"} ./packages/ktrace-"$1"-*.rpm ./packages/ktrace-dkms-"$1"-*.rpm ;;
	esac 2>&1 | tee /said
	# rpm continues after a failed script.
	! grep 'scriptlet failed' /said || exit 1
}

remove() {
	case $kind in
	deb) apt-get purge -qy ktrace ktrace-dkms ;;
	rpm) rpm_ -e ktrace ktrace-dkms ;;
	esac
}

# script WORDS: dkms.sh prints this in one line, and succeeds.
script() {
	/usr/src/ktrace-9.2/dkms.sh install >/said 2>&1
	[ "$(grep -c '^ktrace: ' /said)" = 1 ]
	grep -F "ktrace: $1" /said
}

set -x
install_ "$version"
ktrace --version | grep -F "ktrace $version "
[ ! -e /usr/lib/modules-load.d/ktrace.conf ]
is "$version"
case $kind in
deb) apt-get install -qy --reinstall ./packages/ktrace_"$version"_*.deb ./packages/ktrace-dkms_"$version"_*.deb ;;
rpm) install_ "$version" --force ;;
esac
is "$version"

: 'One that cannot be built says so, and leaves the old one.'
install_ 9.1
grep "the module was not built for $release: .*/main.c:1:2: error: #error broken (the log is /var/lib/dkms/ktrace/9.1/build/make.log). What was installed there stays; try again: /usr/src/ktrace-9.1/dkms.sh install" /said
is "$version"
install_ 9.2
is 9.2
[ "$(dkms status -m ktrace | grep -c ^ktrace)" = 1 ]

: 'Another kernel comes.'
mkdir /lib/modules/9.9.9-later
cp -P "/lib/modules/$release/build" /lib/modules/9.9.9-later/build
dkms autoinstall -k 9.9.9-later
[ "$(modinfo -F version /lib/modules/9.9.9-later/updates/dkms/ktrace.ko*)" = 9.2 ]

: 'What is in the way is said.'
mkdir /lib/modules/8.8.8-other
cp -P "/lib/modules/$release/build" /lib/modules/8.8.8-other/build
script "the module was not built for 8.8.8-other: the headers in /lib/modules/8.8.8-other/build are of Linux $release"
rm -r /lib/modules/8.8.8-other
mv /usr/sbin/dkms /dkms
script "dkms is missing, which builds the module; install it, then: /usr/src/ktrace-9.2/dkms.sh install"
mv /dkms /usr/sbin/dkms
mkdir -p /sys/module/ktrace
echo 0.0.1 >/sys/module/ktrace/version
script 'version 0.0.1 is loaded and stays until: ktrace ctl detach --all; rmmod ktrace && modprobe ktrace'
rm -r /sys/module/ktrace
mkdir -p /sys/firmware/efi/efivars
printf '\6\0\0\0\1' >/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
script "Secure Boot is on: the module loads only if the key that signed it is enrolled: mokutil --import /var/lib/dkms/mok.pub"
rm -r /sys/firmware
rm /lib/modules/9.9.9-later/build
touch /usr/src/ktrace-9.2/Kbuild
mount --bind "/lib/modules/$release" "/lib/modules/$release"
mount -o remount,bind,ro "/lib/modules/$release"
script "the module was not built for $release: /lib/modules/$release is read-only. What was installed there stays"
umount "/lib/modules/$release"
is 9.2

remove
[ -z "$(find /lib/modules -name 'ktrace.ko*')" ] && [ ! -e /usr/bin/ktrace ] && [ -z "$(dkms status)" ]
[ -z "$(ls -d /usr/src/ktrace-* 2>&-)" ]
rm -r /lib/modules/9.9.9-later

: 'A compiler that is too old for this kernel: no other flag is looked at.'
compiler=$(readlink -f "$(find /usr/bin -name 'gcc-[0-9]*' | head -n 1)")
mv "$compiler" /compiler
cat >"$compiler" <<'END'
#!/bin/sh
case " $* " in
*' -std=gnu11 '*) echo "gcc: error: unrecognized command line option '-std=gnu11'" >&2 && exit 1 ;;
esac
exec /compiler "$@"
END
chmod +x "$compiler"
install_ "$version"
grep "the module was not built for $release: .*gcc: error: unrecognized command line option '-std=gnu11'" /said
remove
rm "$compiler"

: 'Without a compiler it is installed, and removed, though nothing is built and its source is gone.'
install_ "$version"
grep "the module was not built for $release: .*ktrace: there is no compiler gcc" /said
rm -r "/usr/src/ktrace-$version"
remove
rm -rf /var/lib/dkms/ktrace
[ ! -e /usr/bin/ktrace ]

# A weak-modules as in el7 to el9: a link for each other kernel, removed when its module is gone.
cat >/usr/sbin/weak-modules <<'END'
#!/bin/sh
[ "$2" = --no-initramfs ] && read -r module || exit 1
for folder in /lib/modules/*; do
	link=$folder/weak-updates/ktrace/ktrace.ko
	case $1 in
	--add-modules)
		[ -e "$module" ] || exit 1
		[ "${module#"$folder"}" != "$module" ] || { mkdir -p "${link%/*}" && ln -sf "$module" "$link"; }
		;;
	--remove-modules) [ -e "$link" ] || rm -f "$link" ;;
	esac
done
END
chmod +x /usr/sbin/weak-modules

# prebuilt VERSION: checks the module for its kernel, and for a compatible kernel.
prebuilt() {
	local module=/lib/modules/$release/extra/ktrace/ktrace.ko
	[ "$(modinfo -F version "$module")" = "$1" ]
	[[ "$(modinfo -F vermagic "$module")" = "$release "* ]]
	[ "$(modinfo -k "$release" -n ktrace)" = "$module" ]
	[ "$(readlink "/lib/modules/$release.1/weak-updates/ktrace/ktrace.ko")" = "$module" ]
	[ ! -e /usr/lib/modules-load.d/ktrace.conf ]
}

if [ "$kind" = rpm ]; then
	: 'kmod-ktrace needs neither.'
	! command -v gcc-12 || exit 1
	mkdir "/lib/modules/$release.1"
	touch "/lib/modules/$release/modules.order"
	for version in "$version" 9.2; do
		rpm_ -U ./packages/kmod-ktrace-"$version"-*.rpm 2>&1 | tee /said
		! grep 'scriptlet failed' /said || exit 1
		prebuilt "$version"
	done
	rpm_ -e kmod-ktrace
	[ -z "$(find /lib/modules -name 'ktrace.ko*')" ]
	! grep ktrace "/lib/modules/$release/modules.dep" || exit 1
fi
mv /compiler "$compiler"
