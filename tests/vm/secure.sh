#!/usr/bin/env bash
# secure.sh KERNEL MODULE FOLDER: writes into FOLDER what a machine with Secure Boot needs: firmware
# that trusts the test key of Debian's ovmf package, and the kernel and the module, signed with it.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
kernel=$("$here/tests/vm/kernel.sh" "$1")
module=$2 folder=$3
tools=$("$here/tests/packages.sh" ovmf ovmf sbsigntool)
key=$tools/usr/share/ovmf/PkKek-1-snakeoil

mkdir -p "$folder"
cp "$tools/usr/share/OVMF/OVMF_CODE_4M.fd" "$folder/code"
cp "$tools/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd" "$folder/variables"
openssl pkey -in "$key.key" -passin pass:snakeoil -out "$folder/key"
# Printed only on failure: sbsign always reports that Debian has already signed the kernel.
words=$("$tools/usr/bin/sbsign" --key "$folder/key" --cert "$key.pem" --output "$folder/vmlinuz" \
	"$kernel/boot/vmlinuz" 2>&1) || { echo "$words" >&2 && exit 1; }

# The module is signed by the kernel's own tool, with the libraries of its distribution.
work=$(mktemp -d "$kernel/root/tmp/sign.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$module" "$work/ktrace.ko"
cp "$folder/key" "$work/key"
cp "$key.pem" "$work/cert"
chroot "$kernel/root" "/usr/src/linux-headers-$(cat "$kernel/release")/scripts/sign-file" \
	sha256 "${work#"$kernel/root"}/key" "${work#"$kernel/root"}/cert" \
	"${work#"$kernel/root"}/ktrace.ko"
cp "$work/ktrace.ko" "$folder/ktrace.ko"
