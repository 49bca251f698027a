#!/usr/bin/env bash
# clang.sh VERSION: clang checks every file of the module, since its warnings differ from gcc's. The
# kernels are built by gcc, so no clang module could be loaded, and no code is generated. Headers and definitions are those of gcc's build of the module.
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

cd "$here"
status=0
nr=0
for source in kmod/*/*.c; do
	command=$folder/$(dirname "$source")/.$(basename "$source" .c).o.cmd
	[ -e "$command" ] || continue
	nr=$((nr + 1))
	mapfile -t meaning < <(meaning_of "$command")
	clang "${flags[@]}" -Iinclude -Ikmod "${meaning[@]}" -fsyntax-only "$source" || status=1
done
[ "$nr" -ge 100 ] || { echo "Only $nr files of the module were found in $folder." && exit 1; }
exit $status
