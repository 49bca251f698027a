#!/usr/bin/env bash
# build.sh deb|rpm [FOLDER]: builds packages into build/packages or FOLDER. For rpm, KVER and KDIR
# name a kernel for which kmod-ktrace is built too, and STATIC=1 builds a command without shared
# libraries.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
kind=${1:-}
to=${2:-$here/build/packages}
version=$(sed -n 's/^.define KTRACE_VERSION "\(.*\)"/\1/p' "$here/include/version.h")

need() {
	command -v "$1" >/dev/null && return
	echo "$1 is missing: install $2." >&2
	exit 2
}

case $kind in
deb) need dpkg-buildpackage dpkg-dev && need dh debhelper ;;
rpm) need rpmbuild 'rpm-build (yum, dnf) or rpm (apt)' ;;
*) echo "There are build.sh deb and build.sh rpm." >&2 && exit 2 ;;
esac
mkdir -p "$to"
to=$(cd "$to" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/ktrace-$version
mkdir "$source"
cp -rp "$here"/{Kbuild,Makefile,COPYING,README.md,dkms.conf,docs,include,kmod,user,.packages} "$source/"

deb() {
	mv "$source/.packages/debian" "$source/debian"
	(cd "$source" && dpkg-buildpackage -b -us -uc -j"$(nproc)") >"$work/log" 2>&1
	cp "$work"/ktrace*.deb "$to/"
}

rpm_() {
	local options=()
	[ -z "${KVER:-}" ] || options=(--with kmod --define "kver $KVER" --define "kdir ${KDIR:-/lib/modules/$KVER/build}")
	[ -z "${STATIC:-}" ] || options+=(--with static)
	tar -C "$work" -czf "$work/ktrace-$version.tar.gz" "ktrace-$version"
	# Debian's rpm has no database of installed packages. If something is missing, make reports
	# it.
	rpmbuild -bb --nodeps --define "_topdir $work/rpm" --define "_sourcedir $work" \
		--define "ktrace_version $version" "${options[@]}" "$here/.packages/ktrace.spec" >"$work/log" 2>&1
	find "$work/rpm/RPMS" -name '*.rpm' -exec cp {} "$to/" \;
}

[ "$kind" = deb ] || kind=rpm_
if ! $kind; then
	tail -n 40 "$work/log" >&2
	exit 1
fi
ls "$to"
