#!/usr/bin/env bash
# "make uninstall" removes what "make install" installs; the source for DKMS is complete.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -C "$here" install DESTDIR="$work" PREFIX=/usr >/dev/null
"$work/usr/bin/ktrace" --version >/dev/null
diff -r --exclude=libktrace.3 "$here/docs/man" "$work/usr/share/man/man8" >&2

# "help io" is the manual page if man finds it, and the short help otherwise.
page=$(MANPATH=$work/usr/share/man "$work/usr/bin/ktrace" help io)
grep -q '^REQUESTS$' <<<"$page"
short=$(MANPATH=$work "$work/usr/bin/ktrace" help io)
[ "$short" = "$("$work/usr/bin/ktrace" io -h)" ]
status=0
MANPATH=$work/usr/share/man "$work/usr/bin/ktrace" help nothing 2>/dev/null || status=$?
[ $status = 2 ]

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$here/dkms.conf")
"$work/usr/bin/ktrace" --version | grep -qF "ktrace $version "
source=$work/usr/src/ktrace-$version
for part in Kbuild dkms.conf include kmod; do
	diff -r "$here/$part" "$source/$part" >&2
done
make -s -C "$here" uninstall DESTDIR="$work" PREFIX=/usr
[ -z "$(find "$work" -type f)" ]
