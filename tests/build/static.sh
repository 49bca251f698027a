#!/usr/bin/env bash
# "make user STATIC=1" makes a binary that runs where no other file exists, and that looks up users
# in files: NSS would load libraries.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -j2 -C "$here/user" STATIC=1 OUT="$work" 2>"$work/log" || {
	cat "$work/log"
	exit 1
}
if grep -E "Using 'get(pw|gr)" "$work/log"; then
	exit 1
fi
mkdir -p "$work/root/etc"
cp "$work/ktrace" "$work/root/"
alone=()
[ "$(id -u)" = 0 ] || alone=(unshare -r)
said=$("${alone[@]}" chroot "$work/root" /ktrace --version)
[ "$said" = "$("$here/build/ktrace" --version)" ] || {
	echo "It says: $said"
	exit 1
}
# It has its own disassembler.
"$work/ktrace" run --dry-run -f main -- "$work/ktrace" | grep -q '/ktrace+0x.*main'

# user NAME: prints the command's answer to a user of that name, before it needs the module.
user() {
	"${alone[@]}" chroot "$work/root" /ktrace sched --uid "$1" --pid 4711x 2>&1 || true
}

says() {
	[[ $1 = *"$2"* ]] || {
		echo "It says: $1"
		exit 1
	}
}

says "$(user elsewhere)" "There is no user 'elsewhere' in /etc/passwd"
echo 'elsewhere:x:70001:70001:::' >"$work/root/etc/passwd"
says "$(user elsewhere)" "'4711x' is not a process id"
