#!/usr/bin/env bash
# libktrace: what is installed compiles and links as C and C++, shared and static; the header, the
# map of symbols and the manual name the same functions; it has no globals, no output and no exit.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"
make -s install-lib DESTDIR="$work" PREFIX=/usr >/dev/null
export PKG_CONFIG_PATH=$work/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work
read -ra flags < <(pkg-config --cflags libktrace)
read -ra shared < <(pkg-config --libs libktrace)
read -ra static < <(pkg-config --libs --static libktrace)

same() {
	diff -u "$work/$1" "$work/$2" || { echo "The functions of $1 and of $2 differ." && exit 1; }
}

# Functions with a length are called through an inline function without it.
nm -D --defined-only build/libktrace.so.1 | sed -n 's/.* T \([^@]*\).*/\1/p' | sort >"$work/library"
nm -g --defined-only build/libktrace.a | sed -n 's/.* T //p' | sort >"$work/archive"
sed -n 's/^\t\(ktr_.*\);$/\1/p' user/client/libktrace.map | sort >"$work/map"
grep -oE '^[a-z].*\bktr_[a-z_]+\(' include/ktrace.h | grep -v '^static' | grep -oE 'ktr_[a-z_]+' | sort >"$work/header"
sed 's/_sized$//' "$work/map" | sort >"$work/names"
grep -oE '\bktr_[a-z_]+' docs/man/libktrace.3 | sort -u >"$work/manual"
same library map
same archive map
same header map
same manual names

! nm build/libktrace.a | grep -E ' [BbDdC] ' || { echo 'These are globals.' && exit 1; }
! nm -u build/libktrace.a | grep -E ' (_?exit|abort|.*printf_chk|printf|puts|putchar|fwrite|write|stderr|stdout|pthread_.*)$' ||
	{ echo 'A library does not do this.' && exit 1; }

for name in table follow; do
	gcc -std=c11 -D_GNU_SOURCE -pedantic-errors -Wall -Wextra -Werror "${flags[@]}" "docs/examples/$name.c" "${shared[@]}" -o "$work/$name"
	gcc -std=c11 -D_GNU_SOURCE -Werror "${flags[@]}" "docs/examples/$name.c" -Wl,-Bstatic "${shared[@]}" -Wl,-Bdynamic "${static[@]}" -o "$work/$name.static"
	ldd "$work/$name.static" | grep -q libnl-genl && ! ldd "$work/$name.static" | grep -q libktrace
done
LD_LIBRARY_PATH=$work/usr/lib ldd "$work/table" | grep -q 'libktrace.so.1 => /'
echo '#include <ktrace.h>
int main() { ktr *connection; return ktr_open(&connection, 2) == -22 && !connection ? 0 : 1; }' >"$work/c++.cc"
g++ -Wall -Wextra -Werror "${flags[@]}" "$work/c++.cc" "${shared[@]}" -o "$work/c++"
LD_LIBRARY_PATH=$work/usr/lib "$work/c++"

make -s uninstall-lib DESTDIR="$work" PREFIX=/usr
[ -z "$(find "$work/usr" -type f -o -type l)" ]
