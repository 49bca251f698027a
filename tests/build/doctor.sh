#!/usr/bin/env bash
# Checks the output of ktrace doctor and "make module" on machines that cannot build or load the
# module: each obstacle is reported in one sentence with a command. The machines are this one, with
# other files.
set -eu

# Settings of the make that runs this script must not reach the makes below.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

here=$(cd "$(dirname "$0")/../.." && pwd)
make -s -C "$here/user"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/over" "$work/root"

cat >"$work/check" <<'END'
root=$1
cd "$root"
release=$(uname -r)
modules=lib/modules/$release

# says LINE...: doctor prints these lines, one below the other.
says() {
	local lines text
	lines=$(printf '%s\n' "$@")
	text=$(chroot "$root" ktrace doctor 2>&1) || :
	[[ $text == *"$lines"* ]] && return
	printf '%s\n' 'Expected:' "$lines" 'but doctor says:' "$text" >&2
	exit 1
}

# module_says WORDS: "make module" builds nothing, and prints the reason before make's own error.
module_says() {
	local text
	! text=$(chroot "$root" make --no-print-directory -C /source module 2>&1) &&
		[[ $text == "$1"$'\nmake: '* && $(wc -l <<<"$text") = 2 ]] && return
	printf '%s\n' 'Expected:' "$1" 'but make says:' "$text" >&2
	exit 1
}

fix='                          ->'
rm -rf lib/modules usr/lib*/gcc usr/libexec/gcc usr/sbin/dkms
echo 'Linux version 4.18.0 (me@host) (gcc version 8.5.0 20210514 (GCC)) #1 SMP' >version
mount --bind version proc/version

says 'missing  kernel headers   needed to build the module' \
	"$fix install the headers of Linux $release, so that /$modules/build leads to them; man ktrace-doctor names their package"
module_says "There are no kernel headers in /$modules/build: man docs/man/ktrace-doctor.8 names their package; KDIR= names another folder."
mkdir -p "$modules/build/include/generated"
touch "$modules/build/Makefile"
echo '#define UTS_RELEASE "1.2.3"' >"$modules/build/include/generated/utsrelease.h"
says "missing  kernel headers   the headers in /$modules/build are of Linux 1.2.3" \
	"$fix install the headers of Linux $release, so that /$modules/build leads to them; man ktrace-doctor names their package"
module_says "The headers in /$modules/build are of Linux 1.2.3: man docs/man/ktrace-doctor.8 names the package of this kernel's; KDIR= builds for another kernel."
echo "#define UTS_RELEASE \"$release\"" >"$modules/build/include/generated/utsrelease.h"
says 'ok       kernel headers   installed'

says 'missing  compiler         GCC is missing; it is needed to build the module' \
	"$fix install GCC 8 and make"
mkdir -p usr/lib/gcc/x86_64-redhat-linux/4.8.2 usr/lib/gcc/x86_64-redhat-linux/8
touch usr/bin/make usr/lib/gcc/x86_64-redhat-linux/4.8.2/cc1
says 'note     compiler         GCC 4, which may lack options that this kernel needs from its own compiler, GCC 8' \
	"$fix install GCC 8"
touch usr/lib/gcc/x86_64-redhat-linux/8/cc1
says 'ok       compiler         GCC 8'

says 'note     dkms             missing: the module is not built automatically for a new kernel' \
	"$fix install dkms; on RHEL and its relatives it is in EPEL"
touch usr/sbin/dkms
says 'ok       dkms             installed'

mount --bind "$modules" "$modules"
mount -o remount,bind,ro "$modules"
says "note     modules          /$modules is read-only: nothing can be installed there" \
	"$fix make module && insmod build/ktrace.ko"

efivars=sys/firmware/efi/efivars
mkdir -p "$efivars" sys/kernel/security sys/module/module/parameters
echo 'none [integrity] confidentiality' >sys/kernel/security/lockdown
says 'missing  signature        the kernel is locked down: only signed modules load, and ktrace.ko is not signed'
rm sys/kernel/security/lockdown
echo Y >sys/module/module/parameters/sig_enforce
says 'missing  signature        module.sig_enforce is set: only signed modules load, and ktrace.ko is not signed'
printf '\6\0\0\0\1' >"$efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
says 'missing  signature        Secure Boot is on: only signed modules load, and ktrace.ko is not signed'
rm sys/module/module/parameters/sig_enforce
says 'ok       signature        not required'

says 'missing  module           not loaded' \
	"$fix modprobe ktrace, or first: make install"
mkdir sys/module/ktrace
echo 0.0.1 >sys/module/ktrace/version
says "note     module           ktrace 0.0.1 is loaded; this is ktrace $2" \
	"$fix ktrace ctl detach --all; rmmod ktrace && modprobe ktrace"

# rights LINE [OPTION...]: doctor prints this line when setpriv starts it with these options. The
# capability counts, not the user.
rights() {
	local text
	text=$(chroot "$root" setpriv "${@:2}" ktrace doctor 2>&1) || :
	[[ $text == *"$1"* ]] && return
	printf '%s\n' 'Expected:' "$1" 'but doctor says:' "$text" >&2
	exit 1
}

rights 'ok       rights           root'
rights 'missing  rights           root without CAP_SYS_ADMIN, which tracing needs' \
	--bounding-set=-sys_admin
rights 'missing  rights           tracing needs root (CAP_SYS_ADMIN)' --reuid=65534 --clear-groups
rights 'ok       rights           CAP_SYS_ADMIN' --reuid=65534 --clear-groups \
	--inh-caps=+sys_admin --ambient-caps=+sys_admin
END

version=$(sed -n 's/^.define KTRACE_VERSION "\(.*\)"/\1/p' "$here/include/version.h")
# shellcheck disable=SC2016 # the inner shell's arguments
unshare --mount bash -eu -c '
	mount -t tmpfs over "$1/over"
	mkdir "$1/over/upper" "$1/over/work"
	mount -t overlay -o "lowerdir=/,upperdir=$1/over/upper,workdir=$1/over/work" root "$1/root"
	mount -t proc proc "$1/root/proc"
	mount -t tmpfs sys "$1/root/sys"
	mkdir -p "$1/root/source/include"
	cp "$2/Makefile" "$1/root/source/"
	cp "$2/include/version.h" "$1/root/source/include/"
	cp "$2/build/ktrace" "$1/root/usr/bin/"
	exec bash -eu "$1/check" "$1/root" "$3"
' doctor "$work" "$here" "$version"
