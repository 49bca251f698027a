#!/usr/bin/env bash
# build.sh DIR: makes the real programs that tests trace: programs in Go and Rust, by Debian's
# compilers, which are unpacked, not installed, and then removed; servers in the same way; a
# program with LevelDB inside; and callgrind's counts of other programs.
set -eu

cd "$(dirname "$0")"
out=$1
mkdir -p "$out"

is_new() {
	[ "$out/$1" -nt "$2" ]
}

# Of a compiler that is installed, the packages that it depends on would not be downloaded.
go() {
	local root='' cache name
	cache=$(mktemp -d)
	[ -x /usr/bin/go ] || root=$(../packages.sh go golang-go)
	for name in threads chain; do
		GOROOT=$root/usr/lib/go GOCACHE=$cache GO111MODULE=off CGO_ENABLED=0 \
			PATH=$root/usr/bin:$PATH command go build -o "$out/$name-go" $name.go
	done
	rm -rf "$cache" "${root%/root}"
}

rust() {
	local root name
	root=$(../packages.sh rust rustc)
	for name in threads chain; do
		LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu "$root/usr/bin/rustc" \
			--sysroot "$root/usr" -O -o "$out/$name-rust" $name.rs
	done
	rm -rf "${root%/root}"
}

# The static library has the names of all its functions.
store() {
	local root libs
	root=$(../packages.sh leveldb libleveldb-dev)
	libs=$root/usr/lib/x86_64-linux-gnu
	gcc -O2 -g -Wall -Wextra -Werror -I"$root/usr/include" -o "$out/store" store.c "$libs/libleveldb.a" \
		"$libs/libsnappy.so.1" -Wl,-rpath,"$libs" -lstdc++ -lpthread
}

is_new store store.c || store
{ is_new threads-go threads.go && is_new chain-go chain.go; } || go
{ is_new threads-rust threads.rs && is_new chain-rust chain.rs; } || rust
ln -sfn "$(../packages.sh redis redis-server redis-tools)" "$out/redis"
ln -sfn "$(../packages.sh nginx nginx-light)" "$out/nginx"
python3 ../kernel/programs.py "$out"
