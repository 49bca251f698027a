#!/usr/bin/env bash
# packages.sh VERSION: "make deb" and "make rpm" have the same files; lintian finds nothing. They are
# installed, installed again, upgraded and removed in clean roots; DKMS builds the module for Debian's kernel
# VERSION and for one that comes later; an upgrade that cannot be built leaves what there was.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
EXTRA='rpm lintian debhelper dpkg-dev fakeroot' "$here/tests/setup.sh"
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
	cp -r "$here"/{Kbuild,Makefile,COPYING,README.md,dkms.conf,docs,include,kmod,user,.packages} "$work/$1/"
	sed -i "s/$version/$1/" "$work/$1"/{include/version.h,dkms.conf,.packages/debian/changelog}
}

tree 9.1
sed -i '1i #error broken' "$work/9.1/kmod/main.c"
tree 9.2
for later in 9.1 9.2; do
	for kind in deb rpm; do
		"$work/$later/.packages/build.sh" $kind "$work/packages" >/dev/null
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
grep "the module was not built for $release; what was installed there stays. The log is /var/lib/dkms/ktrace/9.1/build/make.log" /said
is "$version"
install_ 9.2
is 9.2
[ "$(dkms status -m ktrace | grep -c ^ktrace)" = 1 ]

: 'Another kernel comes.'
cp -r "/lib/modules/$release" /lib/modules/9.9.9-later
dkms autoinstall -k 9.9.9-later
[ -e /lib/modules/9.9.9-later/updates/dkms/ktrace.ko* ]

remove
[ -z "$(find /lib/modules -name 'ktrace.ko*')" ] && [ ! -e /usr/bin/ktrace ] && [ -z "$(dkms status)" ]
[ -z "$(ls -d /usr/src/ktrace-* 2>&-)" ]
rm -r /lib/modules/9.9.9-later
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
	chroot "$1/root" apt-get install -qy --no-install-recommends dkms rpm
	for kind in deb rpm; do
		chroot "$1/root" bash -eu /check "$3" "$4" $kind
	done
' packages "$work" "$folder/root" "$release" "$version" >"$work/log" 2>&1 </dev/null || { tail -n 40 "$work/log" >&2; exit 1; }
