#!/usr/bin/env bash
# dkms_machine.sh ROOT VERSION PROGRAM: the tests of dkms.sh in a machine that has loaded this
# VERSION of the module. In ROOT, 9.2 is installed, which DKMS has built there. With Secure Boot,
# 9.2 is signed with an administrator's key, and the module in ROOT/own with DKMS's key: the
# firmware trusts both. PROGRAM calls functions for a long time.
# shellcheck disable=SC2317 # tests are functions by name
set -u

root=$1 version=$2 program=$3
# shellcheck source=tests/lib/steps.sh
. "$(dirname "$0")/../lib/steps.sh"
for name in proc sys dev run; do
	mount --bind "/$name" "$root/$name"
done

in_root() {
	chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" 2>&1 | tee /said
}

loaded() {
	cat /sys/module/ktrace/version
}

# trace NAME: starts a session that outlives its command.
trace() {
	"$program" 100000 1000 >/dev/null &
	ktrace ctl attach --binary "$program" --name "$1"
}

hits() {
	ktrace ctl show "$1" --format json | grep -o '"hits": *[0-9]*' | grep -o '[0-9]*' | head -n 1
}

# Without Secure Boot the machine has already loaded the module.
test_secure_boot_takes_signed_modules_only() {
	[ -e /out/signed.ko ] || { echo 'the dkms of this suite signs nothing' && return 77; }
	mount -t securityfs security /sys/kernel/security 2>/dev/null || :
	grep -F '[integrity]' /sys/kernel/security/lockdown
	! insmod /out/ktrace.ko || exit 1
	for module in "$root"/own/ktrace.ko*; do
		in_root insmod "${module#"$root"}"
		rmmod ktrace
	done
	insmod /out/signed.ko
}

# Runs the package's own scripts, as in any upgrade.
test_upgrade_while_a_session_traces() {
	local before
	[ "$(loaded)" = "$version" ]
	trace kept
	in_root dpkg -i /packages/ktrace-dkms_9.2_all.deb
	grep "^ktrace: version $version is loaded and stays, with its sessions kept, until: ktrace ctl detach --all; rmmod ktrace && modprobe ktrace\$" /said
	! rmmod ktrace || exit 1
	[ "$(loaded)" = "$version" ]
	before=$(hits kept)
	until [ "$(hits kept)" -gt "$before" ]; do :; done
}

test_the_new_module_is_loaded_then() {
	ktrace ctl detach --all
	rmmod ktrace
	# Newer DKMS updates the index of modules only if the kernel has modules of its own.
	in_root depmod
	in_root modprobe ktrace
	[ "$(loaded)" = 9.2 ]
	trace newer
	until [ "$(hits newer)" -gt 10 ]; do :; done
}

test_removal_while_a_session_traces() {
	in_root dpkg -r ktrace-dkms
	grep '^ktrace: the module stays loaded, with its sessions newer, until: ktrace ctl detach --all; rmmod ktrace$' /said
	[ "$(loaded)" = 9.2 ]
	[ -z "$(find "$root/lib/modules" -name 'ktrace.ko*')" ]
	ktrace ctl list | grep '^newer  *active'
	ktrace ctl detach --all
	rmmod ktrace
}

steps test_secure_boot_takes_signed_modules_only test_upgrade_while_a_session_traces test_the_new_module_is_loaded_then test_removal_while_a_session_traces
