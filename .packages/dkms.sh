#!/bin/sh
# Installs the module through DKMS, for packages and "make install"; lies in the folder of its
# source.
#   dkms.sh install   builds it for each kernel that has headers. If that fails, the version before
#                     stays installed. The status is 0 in any case, and a failure prints a message.
#   dkms.sh leave     runs before an upgrade removes this source: DKMS keeps a copy as long as its
#                     module is installed. A version that was never built is removed.
#   dkms.sh remove    removes it from all kernels
set -u

here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$here/dkms.conf")
tree=/var/lib/dkms/ktrace

if ! command -v dkms >/dev/null; then
	echo "ktrace: dkms is missing, which builds the module; install it, then: $here/dkms.sh install" >&2
	exit 0
fi

# dkms status prints "ktrace/0.1.0, 6.1.0, x86_64: installed", before DKMS 3 "ktrace, 0.1.0, ...".
others() {
	dkms status -m ktrace 2>/dev/null | sed -n 's/^ktrace[/,] *\([^,: ]*\).*/\1/p' | sort -u |
		grep -vxF "$version"
}

is_installed() {
	dkms status -m ktrace -v "$1" ${2:+-k "$2"} 2>/dev/null | grep -q ': installed'
}

# Whether the module was built from this source, and not from an earlier one of the same version.
is_current() {
	is_installed "$version" "$1" &&
		[ -z "$(find "$here" -type f -newer "$(echo "$tree/$version/$1"/*/module)" | head -n 1)" ]
}

# obstacle KERNEL: prints why the build is not tried; nothing if it can be tried.
obstacle() {
	headers=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "/lib/modules/$1/build/include/generated/utsrelease.h" 2>/dev/null)
	if [ -n "$headers" ] && [ "$headers" != "$1" ]; then
		echo "the headers in /lib/modules/$1/build are of Linux $headers"
	elif [ ! -w "/lib/modules/$1" ]; then
		echo "/lib/modules/$1 is read-only"
	fi
}

# complaint: prints the first error of a failed build, and where the log is.
complaint() {
	log=$tree/$version/build/make.log
	said=$(grep -m 1 -E '[Ee]rror[: ]|\*\*\*|not found|No such file|No space' "$log" 2>/dev/null | cut -c 1-200)
	[ ! -e "$log" ] || echo "${said:-the build failed} (the log is $log)"
}

loaded() {
	cat /sys/module/ktrace/version 2>/dev/null
}

# Prints the sessions, such as "daily, (of process 4711)". While there are any, the module cannot be
# unloaded.
sessions() {
	ktrace ctl list 2>/dev/null | sed -E '/^NAME +STATE/d; s/^(\(of process [0-9]+\)|[^ ]+) .*/\1/' |
		paste -s -d , | sed 's/,/, /g'
}

# tell_loaded WORDS [COMMAND]: prints how to replace the loaded module, which this script leaves
# loaded.
tell_loaded() {
	[ -n "$(loaded)" ] || return
	sessions=$(sessions)
	echo "$1${sessions:+, with its sessions $sessions,} until: ktrace ctl detach --all; rmmod ktrace${2:-}" >&2
}

# The firmware's file has four bytes of attributes, then 1 if it checks signatures.
tell_secure_boot() {
	boot=/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
	key=$(sed -n 's/^mok_certificate="\?\([^"]*\).*/\1/p' /etc/dkms/framework.conf /etc/dkms/framework.conf.d/* 2>/dev/null | tail -n 1)
	key=${key:-/var/lib/dkms/mok.pub}
	[ "$(od -A n -t u1 -j 4 "$boot" 2>/dev/null | tr -d ' ')" = 1 ] || return
	mokutil --test-key "$key" 2>/dev/null | grep -q 'already enrolled' ||
		echo "ktrace: Secure Boot is on: the module loads only if the key that signed it is enrolled: mokutil --import $key, then a reboot. ktrace doctor checks it" >&2
}

install_for() {
	is_current "$1" && return
	why=$(obstacle "$1")
	[ -z "$why" ] || return
	rm -f "$tree/$version/build/make.log"
	dkms build -m ktrace -v "$version" -k "$1" --force &&
		dkms install -m ktrace -v "$version" -k "$1" --force && return
	why=$(complaint)
	return 1
}

install() {
	failed='' found=''
	if ! dkms status -m ktrace -v "$version" 2>/dev/null | grep -q . &&
		! dkms add -m ktrace -v "$version"; then
		echo "ktrace: dkms does not take the module's source, so nothing was built; try again: $here/dkms.sh install" >&2
		return
	fi
	for folder in /lib/modules/*; do
		[ -e "$folder/build/Makefile" ] || continue
		found=yes
		install_for "${folder##*/}" && continue
		failed=yes
		echo "ktrace: the module was not built for ${folder##*/}: ${why:-dkms says why above}. What was installed there stays; try again: $here/dkms.sh install" >&2
	done
	if [ -z "$found" ]; then
		echo "ktrace: no kernel here has its headers, which the module is built with; man ktrace-doctor names their package. Then: $here/dkms.sh install" >&2
	elif [ -z "$failed" ]; then
		for other in $(others); do
			dkms remove -m ktrace -v "$other" --all
			# Newer DKMS keeps modules that it has built and not installed.
			is_installed "$other" || rm -rf "${tree:?}/$other"
		done
	fi
	tell_secure_boot
	[ "$(loaded)" = "$version" ] ||
		tell_loaded "ktrace: version $(loaded) is loaded and stays" ' && modprobe ktrace'
}

leave() {
	if ! is_installed "$version"; then
		remove
		return
	fi
	[ -L "$tree/$version/source" ] || return
	# Newer DKMS ignores a version whose source is no link.
	cp -r "$here" "$tree/$version/kept" && ln -sfn "$tree/$version/kept" "$tree/$version/source"
}

remove() {
	dkms remove -m ktrace -v "$version" --all
}

case ${1:-} in
install | leave) "$1" || : ;;
remove)
	remove
	tell_loaded 'ktrace: the module stays loaded' || :
	;;
*) echo "There are dkms.sh install, leave and remove." >&2 && exit 2 ;;
esac
