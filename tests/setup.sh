#!/usr/bin/env bash
# Installs the packages that the tests need on a Debian 12 machine; EXTRA names more packages.
#   --check only checks whether it could. Root always could.
set -eu

needed=(gcc g++ make binutils file qemu-system-x86 busybox-static cpio kmod xz-utils
	mmdebstrap libcmocka-dev python3 python3-yaml python3-msgpack python3-protobuf pyflakes3 shellcheck pkg-config libnl-genl-3-dev
	libelf-dev libdw-dev liblzma-dev libmicrohttpd-dev libcurl4-openssl-dev zlib1g-dev openssl libcapstone-dev libjson-c-dev libiberty-dev uthash-dev babeltrace2 man-db
	clang libclang-rt-14-dev)
missing=()
# shellcheck disable=SC2086 # a list of words
for package in "${needed[@]}" ${EXTRA:-}; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' ||
		missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

install="apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" -ne 0 ]; then
	echo "Packages are missing; run this, as root, then try again:" >&2
	echo "  apt-get update && $install" >&2
	exit 1
fi
[ "${1:-}" = --check ] && exit 0
log=$(mktemp)
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive $install; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "Packages could not be installed; the end of apt's words is above." >&2
	exit 1
fi
rm -f "$log"
