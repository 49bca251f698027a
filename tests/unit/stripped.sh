#!/usr/bin/env bash
# stripped.sh FOLDER: one library, stripped in all possible ways.
set -eu

cd "$1"
source='
static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }
__attribute__((visibility("default"))) int shown(int x) { return hidden(x) + hidden(x + 1); }
__attribute__((visibility("default"), alias("shown"))) int __shown_too(int x);'

# build NAME WORD OPTION...: builds a library that contains the word, so that builds differ.
build() {
	local name=$1 word=$2
	shift 2
	printf '%s\nint %s(void) { return 4711; }\n' "$source" "$word" |
		gcc -x c -O2 -g -shared -fPIC -nostdlib "$@" -o "$name" -
}

# part NAME DEBUG: strips a library, and writes its symbols to DEBUG.
part() {
	objcopy --only-keep-debug "$1" "$2"
	strip "$1"
	objcopy --add-gnu-debuglink="$2" "$1"
}

build whole.so word
build bare.so word && strip bare.so
build linked.so word -Wl,--build-id=sha1 && part linked.so linked.debug
build sums.so word -Wl,--build-id=none && part sums.so sums.debug
mkdir -p .debug && build below.so word && part below.so below.debug && mv below.debug .debug/

# a debug file of another build, detected by its build-id or by its checksum
build other.so word -Wl,--build-id=sha1 && part other.so other.debug
build other2.so another -Wl,--build-id=sha1 && objcopy --only-keep-debug other2.so other.debug
build sums2.so word -Wl,--build-id=none && part sums2.so sums2.debug
printf 'x' >>sums2.debug

# Fedora's MiniDebugInfo: the functions that are not in .dynsym, compressed
build mini.so word
nm -D mini.so --format=posix --defined-only | awk '{ print $1 }' | sort >dynamic
nm mini.so --format=posix --defined-only | awk '$2 ~ /[tT]/ { print $1 }' | sort >all
comm -13 dynamic all >kept
objcopy --only-keep-debug mini.so mini.debug
objcopy -S --remove-section .comment --keep-symbols=kept mini.debug mini.symbols 2>/dev/null
xz -k mini.symbols
strip mini.so
cp mini.so broken.so
objcopy --add-section .gnu_debugdata=mini.symbols.xz mini.so
head -c 100 mini.symbols.xz >cut.xz
objcopy --add-section .gnu_debugdata=cut.xz broken.so

# files that cannot be traced
gcc -x c -c -o object.o - <<<"$source"
cp linked.debug symbols.debug
: >empty
mkfifo fifo
head -c 5000 whole.so >cut.so
printf 'int main(void) { return 0; }' | gcc -x c -m32 -nostdlib -c -o narrow.o - 2>/dev/null || :
