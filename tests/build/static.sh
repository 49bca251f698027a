#!/usr/bin/env bash
# "make user STATIC=1" gives one binary, which runs where there is no other file at all.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -j2 -C "$here/user" STATIC=1 OUT="$work" 2>"$work/log" || {
	cat "$work/log"
	exit 1
}
mkdir "$work/root"
cp "$work/ktrace" "$work/root/"
alone=()
[ "$(id -u)" = 0 ] || alone=(unshare -r)
said=$("${alone[@]}" chroot "$work/root" /ktrace --version)
[ "$said" = "$("$here/build/ktrace" --version)" ] || {
	echo "It says: $said"
	exit 1
}
