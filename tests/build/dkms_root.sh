#!/usr/bin/env bash
# dkms_root.sh RELEASE TEST...: the tests of dkms.sh in the root of a kernel's Debian release.
# /packages has packages of the versions 9.0, 9.1, which cannot be built, and 9.2.
# shellcheck disable=SC2317 # tests are functions by name
set -u

release=$1 version=9.0 later=9.9.9-later
shift
export DEBIAN_FRONTEND=noninteractive
# shellcheck source=tests/lib/steps.sh
. /steps.sh

# module KERNEL: prints the file that modprobe would load.
module() {
	echo "/lib/modules/$1/updates/dkms"/ktrace.ko*
}

# is VERSION KERNEL: whether this is the version of the installed module.
is() {
	[ "$(modinfo -F version "$(module "$2")")" = "$1" ]
	[[ $(modinfo -F vermagic "$(module "$2")") = "$release "* ]]
}

status() {
	dkms status -m ktrace -v "$1" -k "$release"
}

install() {
	apt-get install -qy --no-install-recommends "/packages/ktrace-dkms_$1_all.deb" 2>&1 | tee /said
}

test_dkms_add() {
	dkms --version
	dkms status >/before
	dkms add -m ktrace -v "$version"
	dkms status | grep "^ktrace.*$version: added"
}

test_dkms_build() {
	dkms build -m ktrace -v "$version" -k "$release"
	status "$version" | grep ': built'
	[ -z "$(find /lib/modules -name 'ktrace.ko*')" ]
}

test_dkms_install() {
	dkms install -m ktrace -v "$version" -k "$release"
	status "$version" | grep ': installed'
	is "$version" "$release"
}

signs() {
	modinfo -F signer "$(module "$release")" | grep . || { echo "dkms $(dkms --version | grep -o '[0-9].*') signs nothing" && return 1; }
}

# The folder own is for the machine.
test_dkms_signs_with_its_own_key() {
	signs || return 77
	openssl x509 -inform DER -in /var/lib/dkms/mok.pub -noout -subject |
		grep -F "$(modinfo -F signer "$(module "$release")")"
	mkdir /own
	cp "$(module "$release")" /own/
}

# An administrator's key for all modules of all machines. It is kept.
test_dkms_signs_with_a_sites_key() {
	signs || return 77
	rm /var/lib/dkms/mok.*
	printf '%s=%s\n' mok_signing_key /root/site.key mok_certificate /root/site.der >>/etc/dkms/framework.conf
	dkms remove -m ktrace -v "$version" -k "$release"
	dkms install -m ktrace -v "$version" -k "$release"
	openssl x509 -inform DER -in /root/site.der -noout -subject |
		grep -F "$(modinfo -F signer "$(module "$release")" | grep .)"
}

test_package_takes_what_is_built() {
	local before
	before=$(stat -c %y "$(module "$release")")
	dpkg --configure ktrace-dkms
	[ "$before" = "$(stat -c %y "$(module "$release")")" ]
}

test_autoinstall_for_a_new_kernel() {
	mkdir "/lib/modules/$later"
	cp -P "/lib/modules/$release/build" "/lib/modules/$later/build"
	dkms autoinstall -k "$later"
	is "$version" "$later"
	rm "/lib/modules/$later/build"
}

test_failed_upgrade_says_why_and_keeps_the_old() {
	install 9.1
	grep "the module was not built for $release: .*/main.c:1:2: error: #error broken (the log is /var/lib/dkms/ktrace/9.1/build/make.log). What was installed there stays; try again: /usr/src/ktrace-9.1/dkms.sh install" /said
	dpkg -l ktrace-dkms | grep '^ii .* 9\.1 '
	is "$version" "$release"
	is "$version" "$later"
}

test_upgrade_replaces_the_old() {
	rm -r "/lib/modules/$later"
	install 9.2
	is 9.2 "$release"
	dkms status -m ktrace | grep "^ktrace[/,] *9\.2, $release, .*: installed"
	[ "$(dkms status -m ktrace | grep -c '^ktrace')" = 1 ]
}

test_removal_leaves_nothing() {
	apt-get purge -qy ktrace-dkms
	[ -z "$(find /lib/modules -name 'ktrace.ko*')" ]
	[ ! -e /var/lib/dkms/ktrace ] || { ls -lR /var/lib/dkms/ktrace && [ -z "$(find /var/lib/dkms/ktrace ! -type d)" ]; }
	[ -z "$(find /usr/src -maxdepth 1 -name 'ktrace-*')" ]
	dkms status | diff /before -
}

steps "$@"
