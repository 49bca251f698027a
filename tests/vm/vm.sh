#!/usr/bin/env bash
# Boots a kernel with ktrace loaded and runs a command in it as root.
#   K=6.1 RUN='command' [SMP=2 MEM=2G TIMEOUT=300 APPEND= ICOUNT=1] vm.sh
# Output and exit status are the command's; 99: the kernel complained;
# 98: the machine did not come to an end.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
version=${K:-6.1}
smp=${SMP:-2}
[ -n "${RUN:-}" ] || { echo "RUN='command' is missing." >&2; exit 2; }
accel=(-accel "tcg,thread=multi" -smp "$smp")
if [ "${ICOUNT:-}" ]; then
	if [ "${SMP:-1}" -gt 1 ]; then
		echo "ICOUNT=1 counts one CPU's instructions: leave SMP away." >&2
		exit 2
	fi
	accel=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -smp 1)
fi

make -s -C "$here/user"
module=$("$here/tests/vm/module.sh" "$version")
folder=$("$here/tests/vm/kernel.sh" "$version")
release=$(cat "$folder/release")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pack_modules() {
	local name file n=10
	mkdir -p "$work/initrd/bin" "$work/initrd/modules"
	cp /bin/busybox "$work/initrd/bin/"
	cp "$here/tests/vm/init" "$work/initrd/init"
	for name in 9p 9pnet_virtio overlay virtio_pci; do
		modprobe -d "$folder/image" -S "$release" --show-depends "$name" 2>/dev/null || true
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/modules"
	while read -r file; do
		name=$(basename "${file%.xz}")
		case $file in
		*.xz) xz -dc "$file" ;;
		*) cat "$file" ;;
		esac >"$work/initrd/modules/$n-$name"
		n=$((n + 1))
	done <"$work/modules"
	(cd "$work/initrd" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd.gz"
}

write_init() {
	mkdir "$work/out"
	cp "$module" "$work/out/ktrace.ko"
	printf '%s' "$RUN" >"$work/out/command"
	{
		echo 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root'
		# shellcheck disable=SC2016 # the guest expands it
		printf 'export PATH=%q:"$PATH"\n' "$here/build"
		echo 'mount -t tmpfs run /run; ip link set lo up 2>/dev/null'
		printf 'cd %q\n' "$PWD"
		printf 'export KTRACE_VICTIMS=%q\n' "${KTRACE_VICTIMS:-}"
		echo 'insmod /out/ktrace.ko'
		echo 'bash /out/command </dev/null >/out/stdout 2>/out/stderr; echo $? >/out/status'
		echo 'dmesg >/out/dmesg; sync; echo o >/proc/sysrq-trigger; while :; do read -r -t 9; done'
	} >"$work/out/init"
	: >"$work/out/stdout"
	: >"$work/out/stderr"
}

pack_modules
write_init
tail -q -n +1 -s 0.2 -f "$work/out/stdout" &
tail_out=$!
tail -q -n +1 -s 0.2 -f "$work/out/stderr" >&2 &
tail_err=$!
timeout "${TIMEOUT:-300}" qemu-system-x86_64 "${accel[@]}" -cpu "${CPU:-max}" -m "${MEM:-2G}" \
	-nodefaults -no-reboot -nographic -serial "file:$work/serial" \
	-kernel "$folder/boot/vmlinuz" -initrd "$work/initrd.gz" \
	-append "console=ttyS0 panic=-1 oops=panic ${APPEND:-}" \
	-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
	-device virtio-9p-pci,fsdev=host,mount_tag=host \
	-fsdev "local,id=out,path=$work/out,security_model=none" \
	-device virtio-9p-pci,fsdev=out,mount_tag=out </dev/null >/dev/null 2>"$work/qemu" || true

read -r -t 0.5 <> <(:) || true # what was written last is shown, too
kill $tail_out $tail_err
if [ ! -s "$work/out/status" ]; then
	echo "The machine ended before the command did; the end of its log:" >&2
	cat "$work/qemu" >&2
	tail -n 30 "$work/serial" >&2
	exit 98
fi
bad='BUG:|WARNING:|KASAN|Oops|general protection|rcu.*stall|recursive locking|inconsistent lock'
if grep -E "$bad" "$work/out/dmesg" >&2; then
	exit 99
fi
exit "$(cat "$work/out/status")"
