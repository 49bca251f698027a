#!/usr/bin/env bash
# prototypes.sh VERSION: if a kernel's tracepoints or virtio functions have other arguments than
# ktrace expects, the build fails with an error that names each. Files of the module are built with
# copies of that kernel's headers, in which everything has one more argument. module.sh builds them
# unchanged. If a function has another form, which the module finds out by questions, the build stops
# before it begins; forms.sh shows this for each form.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$("$here/tests/vm/kernel.sh" "$1")
release=$(cat "$folder/release")
name=prototypes-$(printf %s "$here" | cksum | cut -d' ' -f1)
source=$folder/root/$name
headers=$folder/root/usr/src/linux-headers-${release%-*}-common/include
log=$source/log

rm -rf "$source"
mkdir -p "$source/changed"
trap 'rm -rf "$source"' EXIT
cp -r "$here/Kbuild" "$here/include" "$here/kmod" "$source/"

# build FLAGS FILE...: builds objects of these files; the compiler's output goes into the log.
build() {
	local flags=$1
	shift
	"$here/tests/vm/chroot.sh" "$folder/root" make -k -j"$(nproc)" \
		-C "/usr/src/linux-headers-$release" M="/$name" KCFLAGS="$flags" \
		"${@/%.c/.o}" >"$log" 2>&1
}

fail() {
	grep -m 40 -E 'error|warning|ktrace' "$log" >&2 || tail -n 40 "$log" >&2
	echo "$1" >&2
	exit 1
}

expect() {
	grep -qE "$1" "$log" || fail "The build does not say: $1"
}

# change HEADER SCRIPT: its copy is read in its place, because both have the same guard.
change() {
	local copy=changed/${1//\//-}
	sed -E "$2" "$headers/$1" >"$source/$copy"
	! cmp -s "$source/$copy" "$headers/$1" || fail "Nothing was changed in $1."
	changed+=" -include /$name/$copy"
}

cd "$source"
mapfile -t probing < <(grep -l 'KT_TRACEPOINT(' kmod/*/*.c)
# Events whose name depends on the kernel are listed by a macro.
mapfile -t events < <(sed -n 's/.*KT_TRACEPOINT(\(\w*\),.*/\1/p' "${probing[@]}" | sort -u)
mapfile -t functions < <(grep -oE '\b(virtqueue|vring)_\w+\(' kmod/compat/virtio.h | tr -d '(')

changed="-include linux/mm.h"
for header in block filemap sched syscalls writeback; do
	change "trace/events/$header.h" \
		's/TP_PROTO\(/&int changed, /; s/TP_ARGS\(/&changed, /'
done
# Before 6.16 the events of page faults belong to the architecture.
exceptions=trace/events/exceptions.h
[ -e "$headers/$exceptions" ] || exceptions=../arch/x86/include/asm/trace/exceptions.h
change "$exceptions" 's/TP_PROTO\(/&int changed, /; s/TP_ARGS\(/&changed, /'
change linux/virtio.h 's/struct virtqueue \*_?vq[,)]/int changed, &/'
change linux/virtio_ring.h 's/vring_interrupt\(/&int changed, /'
# Where RCU has flavours, a preemptible kernel is refused, too.
build "$changed -DKT_HAVE_RCU_FLAVOURS -DCONFIG_PREEMPT" "${probing[@]}" kmod/providers/virtio.c kmod/main.c &&
	fail "It was built."
for event in "${events[@]}"; do
	case $event in
	KT_WAKING_EVENT) event='sched_wak(ing|eup)' ;;
	KT_DIRTIED_EVENT) event='writeback_dirty_(folio|page)' ;;
	esac
	# A name that depends on the kernel may be missing in this one.
	expect "error: .*(ktrace_${event}_has_other_arguments|_$event. undeclared)"
done
for function in "${functions[@]}"; do
	! grep -q "\b$function(" "$headers"/linux/virtio{,_ring}.h ||
		expect "error: conflicting types for .$function\b"
done
expect 'error: #error .*preemptible'

changed=''
change linux/uprobes.h 's/(\*(handler|filter)\)|uprobe_register)\(/&int changed, /'
build "$changed" kmod/main.c && fail "It was built."
expect 'another form of: uprobe_filter uprobe_handler uprobe_register;'
[ "${#events[@]}" -gt 15 ] && [ "${#functions[@]}" -gt 10 ]
