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
[ "$(chroot "$work/root" /ktrace --version)" = "$("$here/build/ktrace" --version)" ]
