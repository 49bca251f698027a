#!/usr/bin/env bash
# packages.sh VERSION: "make deb" and "make rpm" install the same files, whose modes and owners are
# listed here, and lintian and rpmlint find nothing. The packages are installed, installed again,
# upgraded and removed in clean roots. DKMS builds the module for Debian's kernel VERSION and for a
# kernel that is installed later. An upgrade that cannot be built keeps the old module. kmod-ktrace
# serves two kernels without a compiler. Each obstacle (no compiler, no dkms, headers of another
# kernel, ...) is reported in one sentence, and no script fails. VERSION must have the Debian
# release of this machine: 6.1.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
EXTRA='rpm rpmlint lintian debhelper dpkg-dev fakeroot' "$here/tests/setup.sh"
folder=$("$here/tests/vm/kernel.sh" "$1")
release=$(cat "$folder/release")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$here/dkms.conf")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$here/tests/lib/later.sh"

fail() {
	echo "$1" >&2
	exit 1
}

# build TREE deb|rpm [RELEASE]: with RELEASE, kmod-ktrace too; its headers are mounted into this
# machine.
build() {
	# shellcheck disable=SC2016 # the inner shell's arguments
	unshare --mount bash -euc '
		for folder in /usr/src /usr/lib; do
			mount -t overlay -o "lowerdir=$folder:$1$folder" headers "$folder"
		done
		exec env KVER="$2" KDIR="/usr/src/linux-headers-$2" "${@:3}"
	' build "$folder/root" "${3:-}" "$1/.packages/build.sh" "$2" "$work/packages" >/dev/null
}

mkdir "$work/packages"
for kind in deb rpm; do
	build "$here" $kind "$release"
done
cd "$work/packages"
lintian --allow-root --fail-on error,warning ./ktrace_*.deb ./ktrace-dkms_*.deb
rpmlint --strict -r "$here/.packages/rpmlintrc" ./*.rpm "$here/.packages/ktrace.spec" >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2 && exit 1; }

# Lists modes, owners, paths; each distribution has its own place for documents.
deb_files() {
	dpkg-deb -c "$1" | awk '$1 !~ /^d/ { print $1, $2, substr($6, 2) }'
}

rpm_files() {
	rpm -qlvp "$1" | awk '$1 !~ /^d/ { print $1, $3 "/" $4, $NF }'
}

# expected PACKAGE: lists its files, without documents.
expected() {
	local rw='-rw-r--r-- root/root' rwx='-rwxr-xr-x root/root' file
	case $1 in
	ktrace)
		echo "$rwx /usr/bin/ktrace"
		echo "$rw /etc/ktrace/ktrace.conf"
		echo "$rw /usr/lib/systemd/system/ktrace-metrics.socket"
		echo "$rw /usr/lib/systemd/system/ktrace-send.socket"
		echo "$rw /usr/lib/systemd/system/ktrace-send@.service"
		echo "$rw /usr/lib/systemd/system/ktrace.service"
		echo "$rw /usr/lib/sysusers.d/ktrace.conf"
		echo "$rw /usr/lib/tmpfiles.d/ktrace.conf"
		echo "$rw /usr/share/bash-completion/completions/ktrace"
		for file in "$here"/docs/man/*.8; do
			echo "$rw /usr/share/man/man8/${file##*/}"
		done
		;;
	ktrace-dkms)
		echo "$rwx /usr/src/ktrace-$version/dkms.sh"
		(cd "$here" && find COPYING Kbuild dkms.conf include kmod -type f) | while read -r file; do
			[ -x "$here/$file" ] && echo "$rwx /usr/src/ktrace-$version/$file" ||
				echo "$rw /usr/src/ktrace-$version/$file"
		done
		;;
	kmod-ktrace)
		echo "$rw /lib/modules/$release/extra/ktrace/ktrace.ko"
		;;
	esac | sort
}

for name in ktrace ktrace-dkms kmod-ktrace; do
	diff <(expected $name) <(rpm_files $name-[0-9]*.rpm | grep -vE ' /usr/share/(doc|licenses)/' | sort) >&2 ||
		fail "$name has other files as rpm (>) than are expected (<)."
done
for package in ./*.rpm; do
	rpm -qlvp "$package" | awk '$1 ~ /^d/ && ($1 != "drwxr-xr-x" || $3 != "root" || $4 != "root")' | grep . >&2 &&
		fail "$package has folders of others."
done
for package in ./ktrace_*.deb ./ktrace-dkms_*.deb; do
	dpkg-deb -c "$package" | awk '$1 ~ /^d/ && ($1 != "drwxr-xr-x" || $2 != "root/root")' | grep . >&2 &&
		fail "$package has folders of others."
done
for name in ktrace ktrace-dkms; do
	diff <(deb_files "$name"_*.deb | grep -v ' /usr/share/doc/' | sed 's/\.gz$//' | sort) \
		<(rpm_files "$name"-[0-9]*.rpm | grep -vE ' /usr/share/(doc|licenses)/' | sort) >&2 ||
		fail "$name has other files as deb (<) than as rpm (>)."
done

# A static build for all releases depends on no library.
mkdir "$work/static"
STATIC=1 "$here/.packages/build.sh" rpm "$work/static" >/dev/null
rpm -qRp "$work/static"/ktrace-[0-9]*.rpm | grep '\.so' >&2 && fail 'The static command needs libraries.'
for library in libnl-genl-3 libcapstone; do
	rpm -qRp ktrace-[0-9]*.rpm | grep -q "^$library\.so"
done
dpkg-deb -f ktrace_*.deb Depends | grep -q libcapstone

# --- rpm: in an empty root, where no script can run ------------------------------

files() {
	find "$work/rpm" -path "$work/rpm/db" -prune -o -type f -print | sort
}

# Debian's rpm always recommends alien.
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

# tree VERSION: makes these sources into a later release.
tree() {
	mkdir "$work/$1"
	cp -rp "$here"/{Kbuild,Makefile,COPYING,README.md,dkms.conf,docs,include,kmod,user,.packages} "$work/$1/"
	later "$work/$1" "$1"
	sed -i "s/$version/$1/" "$work/$1/.packages"/{debian/changelog,ktrace.spec}
}

tree 9.1
broken "$work/9.1"
tree 9.2
declare -A kmod=([9.1]='' [9.2]=$release)
for new in 9.1 9.2; do
	for kind in deb rpm; do
		build "$work/$new" $kind "${kmod[$new]}"
	done
done

mkdir "$work/root" "$work/over"
# shellcheck disable=SC2016 # the inner shell's arguments
unshare --mount bash -eu -c '
	mount -t tmpfs over "$1/over"
	mkdir "$1/over/upper" "$1/over/work"
	mount -t overlay -o "lowerdir=$2,upperdir=$1/over/upper,workdir=$1/over/work" root "$1/root"
	mount -t proc proc "$1/root/proc"
	cp -r "$1/packages" "$5/packages_root.sh" "$1/root/"
	cp /etc/resolv.conf "$1/root/etc/" 2>/dev/null || :
	# In this root one kernel has headers, but it is not the running one.
	mkdir -p "$1/root/lib/modules/$3"
	ln -sfn "/usr/src/linux-headers-$3" "$1/root/lib/modules/$3/build"
	chroot "$1/root" apt-get update -q
	chroot "$1/root" apt-get install -qy --no-install-recommends dkms mount rpm
	for kind in deb rpm; do
		chroot "$1/root" bash /packages_root.sh "$3" "$4" $kind
	done
' packages "$work" "$folder/root" "$release" "$version" "$here/tests/build" >"$work/log" 2>&1 </dev/null || { tail -n 40 "$work/log" >&2; exit 1; }
