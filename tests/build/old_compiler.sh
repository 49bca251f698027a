#!/usr/bin/env bash
# old_compiler.sh VERSION: a compiler before GCC 5 gives the same answers to the questions of Kbuild
# as a new one. It has no option for pointers of other types, and accepts a variable of any type as
# long as it generates no code; a wrapper imitates this. Kernel headers and the real compiler are
# those of VERSION. A compiler that is missing, or too old for the kernel's flags, is reported in a
# sentence.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$("$here/tests/vm/kernel.sh" "$1")
name=old-compiler-$(printf %s "$here" | cksum | cut -d' ' -f1)
source=$folder/root/$name

rm -rf "$source"
mkdir -p "$source"
trap 'rm -rf "$source"' EXIT
cp -r "$here/Kbuild" "$here/include" "$here/kmod" "$source/"

cat >"$source/old-gcc" <<'END'
#!/bin/bash
# Ignores newer warnings about the kernel's headers.
args=(-Wno-address-of-packed-member)
for word; do
	case $word in
	-Werror=incompatible-pointer-types)
		# The kernel's own flags also contain this option.
		[[ " $* " == *' -c '* ]] || { echo "gcc: error: unrecognized command line option: $word" >&2 && exit 1; }
		;;
	-fsyntax-only) is_syntax=yes args+=("$word") ;;
	*) args+=("$word") ;;
	esac
done
[ "${is_syntax:-}" ] || exec gcc "${args[@]}"
said=$(LC_ALL=C gcc "${args[@]}" 2>&1) && exit 0
! grep 'error: ' <<<"$said" | grep -qv 'storage size of' || { echo "$said" >&2 && exit 1; }
END
cat >"$source/oldest-gcc" <<'END'
#!/bin/sh
for word; do
	[ "$word" != -std=gnu11 ] || { echo "gcc: error: unrecognized command line option '$word'" >&2 && exit 1; }
done
exec gcc "$@"
END
chmod +x "$source/old-gcc" "$source/oldest-gcc"

object() {
	rm -f "$source/kmod/lib/mem.o"
	"$here/tests/vm/chroot.sh" "$folder/root" make V=1 -C "/usr/src/linux-headers-$(cat "$folder/release")" \
		M="/$name" CC="$1" kmod/lib/mem.o >"$source/log" 2>&1
}

# answers CC: prints the answers, taken from the command line of an object.
answers() {
	object "$1" || { tail -n 30 "$source/log" >&2 && return 1; }
	! grep 'was not understood' "$source/log" >&2 || return 1
	grep -oE -- '-DKT_HAVE_\w+' "$source/log" | sort -u
}

answers gcc >"$source/new"
answers "/$name/old-gcc" >"$source/old"
[ "$(wc -l <"$source/new")" -gt 10 ]
diff "$source/new" "$source/old" >&2

# refuses CC WORDS: one line reports why nothing is built.
refuses() {
	! object "$1" || { echo "$1 builds the module." >&2 && return 1; }
	[ "$(grep -c 'ktrace: ' "$source/log")" = 1 ] && grep -qF "$2" "$source/log" && return
	grep -v '^#' "$source/log" | tail -n 10 | cut -c 1-300 >&2
	return 1
}

refuses no-such-gcc "ktrace: there is no compiler no-such-gcc, which this kernel's modules are built with; install it"
refuses "/$name/oldest-gcc" "ktrace: /$name/oldest-gcc does not answer questions about this kernel (gcc: error: unrecognized command line option '-std=gnu11'); try: "
