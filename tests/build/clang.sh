#!/usr/bin/env bash
# clang.sh VERSION: clang compiles every file of the module. Its warnings, inline assembly and checks
# at build time differ from gcc's. Headers and definitions are those of gcc's build. The result is
# linked, and its undefined symbols are compared with those of gcc's module. It is not loaded, since
# gcc has built the kernel.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
module=$("$here/tests/vm/module.sh" "$1")
folder=${module%/*}
root=${folder%/*}
headers=$root/usr/src/linux-headers-$(cat "${root%/*}/release")
# Options of gcc that change no meaning; clang does not know them, or not with these values.
flags=(-std=gnu11 -O2 -m64 -mno-sse -mno-mmx -mno-sse2 -mno-80387 -mno-red-zone -mcmodel=kernel
	-fno-strict-aliasing -fno-common -fshort-wchar -fno-PIE -fno-delete-null-pointer-checks
	-fno-jump-tables -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare
	-Wno-missing-field-initializers -Wno-pointer-sign -Wno-address-of-packed-member
	-Wno-gnu -Wno-unused-command-line-argument)

# meaning_of CMD_FILE: the options that name headers and definitions, with the paths of this host.
meaning_of() {
	sed -n '1s/^[^=]*:= //p' "$1" | xargs -n 1 | awk -v root="$root" -v headers="$headers" '
		function here(path) { return path ~ /^\// ? root path : headers "/" path }
		is_path { print here($0); is_path = 0; next }
		/^-I/ { print "-isystem"; print here(substr($0, 3)); next }
		/^-include$/ { print; is_path = 1; next }
		/^-(D|nostdinc)/ { print }'
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# undefined_in FILE: the symbols that the kernel must have.
undefined_in() {
	nm -u "$1" | awk '$2 != "__this_module" { print $2 }' | sort
}

cd "$here"
status=0
nr=0
for source in kmod/*/*.c; do
	command=$folder/$(dirname "$source")/.$(basename "$source" .c).o.cmd
	[ -e "$command" ] || continue
	nr=$((nr + 1))
	mapfile -t meaning < <(meaning_of "$command")
	clang "${flags[@]}" -Iinclude -Ikmod "${meaning[@]}" -c -o "$out/$nr.o" "$source" || status=1
done
[ "$nr" -ge 100 ] || { echo "Only $nr files of the module were found in $folder." && exit 1; }
[ $status = 0 ] || exit $status
ld -r -o "$out/module" "$out"/*.o
unknown=$(comm -23 <(undefined_in "$out/module") <(undefined_in "$module"))
[ -z "$unknown" ] || { echo "clang's module needs what gcc's does not: $unknown" && exit 1; }
