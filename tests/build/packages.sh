#!/usr/bin/env bash
# packages.sh VERSION: "make deb" and "make rpm" have the same files; lintian and rpmlint find nothing. They are
# installed, installed again, upgraded and removed in clean roots; DKMS builds the module for Debian's kernel
# VERSION and for one that comes later; an upgrade that cannot be built leaves what there was. What is in
# the way (no compiler, no dkms, headers of another kernel, ...) is one sentence, and no script fails.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
EXTRA='rpm rpmlint lintian debhelper dpkg-dev fakeroot' "$here/tests/setup.sh"
folder=$("$here/tests/vm/kernel.sh" "$1")
release=$(cat "$folder/release")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$here/dkms.conf")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "$1" >&2
	exit 1
}

mkdir "$work/packages"
for kind in deb rpm; do
	"$here/.packages/build.sh" $kind "$work/packages" >/dev/null
done
cd "$work/packages"
lintian --allow-root --fail-on error,warning ./ktrace_*.deb ./ktrace-dkms_*.deb
rpmlint --strict -r "$here/.packages/rpmlintrc" ./*.rpm "$here/.packages/ktrace.spec" >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2 && exit 1; }

# Modes, owners, paths; documents have their place in each distribution.
deb_files() {
	dpkg-deb -c "$1" | awk '$1 !~ /^d/ { print $1, $2, substr($6, 2) }'
}

rpm_files() {
	rpm -qlvp "$1" | awk '$1 !~ /^d/ { print $1, $3 "/" $4, $NF }'
}

for name in ktrace ktrace-dkms; do
	diff <(deb_files "$name"_*.deb | grep -v ' /usr/share/doc/' | sed 's/\.gz$//' | sort) \
		<(rpm_files "$name"-[0-9]*.rpm | grep -vE ' /usr/share/(doc|licenses)/' | sort) >&2 ||
		fail "$name has other files as deb (<) than as rpm (>)."
done

# --- rpm: in an empty root, where no script can run ------------------------------

files() {
	find "$work/rpm" -path "$work/rpm/db" -prune -o -type f -print | sort
}

# Debian's rpm says each time that alien should be taken.
in_rpm_root() {
	rpm --root "$work/rpm" --dbpath /db "$@" 2>"$work/log" || { cat "$work/log" >&2 && exit 1; }
}

mkdir -p "$work/rpm"
in_rpm_root --initdb
files >"$work/before"
in_rpm_root --nodeps --noscripts -i ./ktrace-*.rpm
"$work/rpm/usr/bin/ktrace" --version | grep -qF "ktrace $version "
in_rpm_root --nodeps --noscripts -U --force ./ktrace-*.rpm
in_rpm_root --noscripts -e ktrace ktrace-dkms
diff "$work/before" <(files) >&2 || fail 'rpm -e has left something.'

# --- versions: in the kernel's own root, with its headers and compiler ---------------

# tree VERSION: these sources as they might be released later
tree() {
	mkdir "$work/$1"
	cp -rp "$here"/{Kbuild,Makefile,COPYING,README.md,dkms.conf,docs,include,kmod,user,.packages} "$work/$1/"
	sed -i "s/$version/$1/" "$work/$1"/{include/version.h,dkms.conf,.packages/debian/changelog,.packages/ktrace.spec}
}

tree 9.1
sed -i '1i #error broken' "$work/9.1/kmod/main.c"
tree 9.2
make -s -C "$here/user"
for later in 9.1 9.2; do
	for kind in deb rpm; do
		KTRACE_OBJECTS=$here/build "$work/$later/.packages/build.sh" $kind "$work/packages" >/dev/null
	done
done

cat >"$work/check" <<'END'
release=$1 version=$2 kind=$3
export DEBIAN_FRONTEND=noninteractive

# is VERSION: that is what modprobe would load
is() {
	[ "$(modinfo -F version "/lib/modules/$release/updates/dkms/ktrace.ko"*)" = "$1" ]
}

install_() {
	case $kind in
	deb) apt-get install -qy --no-install-recommends ./packages/ktrace_"$1"_*.deb ./packages/ktrace-dkms_"$1"_*.deb ;;
	rpm) rpm --dbpath /db --nodeps -U ${2:-} ./packages/ktrace-"$1"-*.rpm ./packages/ktrace-dkms-"$1"-*.rpm ;;
	esac 2>&1 | tee /said
}

remove() {
	case $kind in
	deb) apt-get purge -qy ktrace ktrace-dkms ;;
	rpm) rpm --dbpath /db --nodeps -e ktrace ktrace-dkms ;;
	esac
}

# script WORDS: dkms.sh says so in one line, and ends well
script() {
	/usr/src/ktrace-9.2/dkms.sh install >/said 2>&1
	[ "$(grep -c '^ktrace: ' /said)" = 1 ]
	grep -F "ktrace: $1" /said
}

set -o pipefail -x
install_ "$version"
ktrace --version | grep -F "ktrace $version "
[ -e /usr/lib/modules-load.d/ktrace.conf ]
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
cp -r "/lib/modules/$release" /lib/modules/9.9.9-later
dkms autoinstall -k 9.9.9-later
[ -e /lib/modules/9.9.9-later/updates/dkms/ktrace.ko* ]

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
script 'version 0.0.1 is loaded and stays'
rm -r /sys/module/ktrace
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

: 'Without a compiler it is installed, and removed, though nothing is built and its source is gone.'
compiler=$(readlink -f "$(find /usr/bin -name 'gcc-[0-9]*' | head -n 1)")
mv "$compiler" /compiler
install_ 9.2
grep "the module was not built for $release: .*ktrace: there is no compiler gcc" /said
rm -r /usr/src/ktrace-9.2
remove
mv /compiler "$compiler"
rm -rf /var/lib/dkms/ktrace
[ ! -e /usr/bin/ktrace ]
END

mkdir "$work/root" "$work/over"
# shellcheck disable=SC2016 # the inner shell's arguments
unshare --mount bash -eu -c '
	mount -t tmpfs over "$1/over"
	mkdir "$1/over/upper" "$1/over/work"
	mount -t overlay -o "lowerdir=$2,upperdir=$1/over/upper,workdir=$1/over/work" root "$1/root"
	mount -t proc proc "$1/root/proc"
	cp -r "$1/packages" "$1/check" "$1/root/"
	cp /etc/resolv.conf "$1/root/etc/" 2>/dev/null || :
	# In this root one kernel has headers, which is not the one that runs.
	mkdir -p "$1/root/lib/modules/$3"
	ln -sfn "/usr/src/linux-headers-$3" "$1/root/lib/modules/$3/build"
	chroot "$1/root" apt-get update -q
	chroot "$1/root" apt-get install -qy --no-install-recommends dkms mount rpm
	for kind in deb rpm; do
		chroot "$1/root" bash -eu /check "$3" "$4" $kind
	done
' packages "$work" "$folder/root" "$release" "$version" >"$work/log" 2>&1 </dev/null || { tail -n 40 "$work/log" >&2; exit 1; }
