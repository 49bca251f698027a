#!/usr/bin/env bash
# packages.sh NAME PACKAGE...: downloads Debian packages and the missing ones that they depend on,
# and unpacks them into the cache. They are not installed, so no service starts. Prints the folder.
set -eu

folder=${KTRACE_CACHE:-$HOME/.cache/ktrace}/$1
shift
mkdir -p "${folder%/*}"
# shellcheck source=tests/lib/lock.sh
. "$(dirname "$0")/lib/lock.sh"
lock "$folder.lock" "packages.sh ${folder##*/}"
[ ! -e "$folder/done" ] || { printf '%s\n' "$folder/root" && exit 0; }

unpack() {
	local packages package
	rm -rf "$folder"
	mkdir -p "$folder/root"
	packages=$(apt-get install -s --no-install-recommends "$@" |
		awk '$1 == "Inst" { print $2 }')
	# shellcheck disable=SC2086 # a list of words
	(cd "$folder" && apt-get download -q "$@" $packages) || return
	for package in "$folder"/*.deb; do
		dpkg-deb -x "$package" "$folder/root" || return
		rm -f "$package"
	done
	touch "$folder/done"
}

unpack "$@" >&2 || { apt-get update >&2 && unpack "$@" >&2; }
printf '%s\n' "$folder/root"
