#!/usr/bin/env bash
# build.sh OUT: builds OUT/ktrace, the command with a module that plays (module.c),
# OUT/failing.so and OUT/older.
set -eu
cd "$(dirname "$0")/../.."
make -s -C user
mkdir -p "$1"
# shellcheck disable=SC2207 # a list of words
compile=(gcc -std=gnu99 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Iinclude -Iuser $(pkg-config --cflags libnl-genl-3.0) -c)
"${compile[@]}" tests/stream/module.c -o "$1/module.o"
"${compile[@]}" tests/stream/made.c -o "$1/made.o"
"${compile[@]}" tests/stream/live.c -o "$1/live.o"
gcc -shared -fPIC -O2 -Wall -Wextra tests/stream/failing.c -o "$1/failing.so"
gcc -std=gnu99 -D_GNU_SOURCE -O2 -Wall -Wextra tests/stream/older.c -o "$1/older"
# What has ended begins again after 2 s, not after a minute.
sed 's/\(define REVIVAL_NS\) .*/\1 (2 * CLOCK_SECOND)/' user/cmd/cmd_serve.c |
	"${compile[@]}" -x c - -o "$1/cmd_serve.o"
objects=()
while read -r source; do
	object=build/${source%.c}.o
	[ ! -e "$object" ] || objects+=("$object")
done < <(ls user/main.c user/*/*.c)
# shellcheck disable=SC2046 # a list of words
gcc -Wl,-z,muldefs -o "$1/ktrace" "$1/module.o" "$1/made.o" "$1/live.o" "$1/cmd_serve.o" "${objects[@]}" \
	$(pkg-config --libs libnl-genl-3.0 libelf json-c liblzma) -liberty -ldl
