#!/usr/bin/env bash
# kernel.sh VERSION: fetches a Debian kernel with its build root into the cache and prints its
# folder, which contains root/ (compiler, headers), boot/vmlinuz, image/ (modules) and release.
# kernel.sh debug: the same for the kernel that is built here (see debug.config), without image/.
# kernel.sh PATH: the same for another build tree: tree, boot/vmlinuz, release.
set -eu

version=$1
here=$(cd "$(dirname "$0")" && pwd)
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}
# shellcheck source=tests/lib/lock.sh
. "$here/../lib/lock.sh"

own_tree() {
	local tree file folder
	tree=$(realpath -m "$1")
	for file in arch/x86/boot/bzImage include/config/kernel.release Module.symvers; do
		[ -e "$tree/$file" ] && continue
		echo "$tree is no kernel build tree: it has no $file. Build it there first." >&2
		exit 2
	done
	folder=$cache/kernel/tree-$(printf %s "$tree" | cksum | cut -d' ' -f1)
	mkdir -p "$folder/boot"
	ln -sfn "$tree" "$folder/tree"
	ln -sf "$(realpath "$tree/arch/x86/boot/bzImage")" "$folder/boot/vmlinuz"
	cp "$tree/include/config/kernel.release" "$folder/release"
	echo "$folder"
}

folder=$cache/kernel/$version
# The debug kernel is built again when its configuration has changed; fetched packages are kept.
made_from=''
case $version in
*/*)
	own_tree "$version"
	exit
	;;
5.10 | 6.1 | 6.12 | 7.2) make=("$here/fetch.sh" "$version" "$folder") ;;
debug)
	make=("$here/build.sh" "$folder")
	made_from=$(cksum <"$here/debug.config")
	;;
*)
	echo "Kernel $version is not in the list: take 5.10, 6.1, 6.12, 7.2, debug or the path of a build tree." >&2
	exit 2
	;;
esac
mkdir -p "$cache/kernel"
lock "$cache/kernel/$version.lock" "kernel.sh $version"
if [ ! -e "$folder/done" ] || [ "$(cat "$folder/done")" != "$made_from" ]; then
	"${make[@]}"
	echo "$made_from" >"$folder/done"
fi
echo "$folder"
