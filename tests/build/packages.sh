#!/usr/bin/env bash
# packages.sh VERSION: "make deb" and "make rpm" have the same files; lintian finds nothing. They are
# installed, installed again and removed in clean roots; DKMS builds the module for Debian's kernel VERSION,
# and names the log of a build that fails.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
EXTRA='rpm lintian debhelper dh-dkms dpkg-dev fakeroot' "$here/tests/setup.sh"
folder=$("$here/tests/vm/kernel.sh" "$1")
release=$(cat "$folder/release")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$here/dkms.conf")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "$1" >&2
	exit 1
}

rm -rf "$here/build/packages"
make -s -C "$here" deb rpm >/dev/null
cd "$here/build/packages"
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

# --- deb: in the kernel's own root, with its headers and compiler -----------------

mkdir "$work/root" "$work/over"
# shellcheck disable=SC2016 # the inner shell's arguments
unshare --mount bash -eu -c '
	mount -t tmpfs over "$1/over"
	mkdir "$1/over/upper" "$1/over/work"
	mount -t overlay -o "lowerdir=$2,upperdir=$1/over/upper,workdir=$1/over/work" root "$1/root"
	mount -t proc proc "$1/root/proc"
	cp ./ktrace_*.deb ./ktrace-dkms_*.deb "$1/root/"
	cp /etc/resolv.conf "$1/root/etc/" 2>/dev/null || :
	cat >"$1/root/check" && chroot "$1/root" bash -eu /check "$3" "$4"
' packages "$work" "$folder/root" "$release" "$version" >"$work/log" 2>&1 <<'END' || { tail -n 40 "$work/log" >&2; exit 1; }
release=$1 version=$2
export DEBIAN_FRONTEND=noninteractive
has_module() {
	ls "/lib/modules/$release/updates/dkms/ktrace.ko"* >/dev/null 2>&1
}

apt-get update -q
# In this root one kernel has headers, which is not the one that runs.
mkdir -p "/lib/modules/$release"
ln -sfn "/usr/src/linux-headers-$release" "/lib/modules/$release/build"
apt-get install -qy --no-install-recommends dkms
apt-get install -qy --no-install-recommends ./ktrace_*.deb ./ktrace-dkms_*.deb
ktrace --version | grep -qF "ktrace $version "
[ -e /usr/lib/modules-load.d/ktrace.conf ]
dkms status | grep -q "^ktrace/$version"
dkms install "ktrace/$version" -k "$release"
has_module
apt-get install -qy --reinstall ./ktrace_*.deb ./ktrace-dkms_*.deb
dkms autoinstall -k "$release"
has_module
sed -i "1i #error broken" "/usr/src/ktrace-$version/kmod/main.c"
dkms remove "ktrace/$version" -k "$release"
if dkms install "ktrace/$version" -k "$release" >/reason 2>&1; then
	echo "What does not compile was installed."
	exit 1
fi
grep -q 'Bad return status\|make.log' /reason
apt-get purge -qy ktrace ktrace-dkms
if has_module; then
	echo "The module is left behind."
	exit 1
fi
[ ! -e "/usr/src/ktrace-$version" ] && [ ! -e /usr/bin/ktrace ] && [ -z "$(dkms status)" ]
END
