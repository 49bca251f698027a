#!/usr/bin/env bash
# Boots a kernel with ktrace loaded and runs a command in it as root.
#   K=6.1 RUN='command' [SMP=2 MEM=2G CPU=max APPEND= DISK=virtio,nvme,scsi,packed,direct,paths
#   NET=1 TIMEOUT=300 ICOUNT=1 SECURE=1 LEFT=FOLDER] vm.sh
# K: a version of kernel.sh's list, debug, or the path of a kernel build tree. For a build tree, CC=
# names the compiler, or KMAKE= the whole make command.
# Without hardware virtualisation the machine's CPUs take turns on one CPU of the host. When several
# are emulated at once, QEMU 7.2 sometimes executes code that has been replaced, such as the slot of
# a single step.
# DISK=: empty disks on these buses, and QEMU's monitor (QMP) at /dev/ttyS1, which can throttle
# them. packed and direct are virtio too: with a packed ring, and with a small ring without indirect
# descriptors. paths is an NVMe disk that two controllers share (the kernel's own multipath).
# NET=1: a virtio network that contains only QEMU, which answers ARP and pings at 10.0.2.2.
# SECURE=1: UEFI and Secure Boot; /out/signed.ko is the module, signed with a key that the
# firmware trusts (the unsigned module is not loaded then).
# LEFT=FOLDER: what the command has left in /out/left is copied to this folder.
# Output and exit status are the command's. 99: the kernel log has a warning or an error;
# 98: the machine did not end by itself.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
version=${K:-6.1}
slow=1
# The debug kernel is slow, and KASAN and lockdep need memory. On it, interpreting ACPI's routing of
# PCI takes 30 s per device, so the BIOS's own table is used. Tests wait for many grace periods;
# expedited ones are shorter, which also finds readers that are late.
if [ "$version" = debug ]; then
	slow=5
	# kmemleak scans every page.
	MEM=${MEM:-2500M}
	APPEND="kasan_multi_shot rcupdate.rcu_expedited=1 pci=noacpi ${APPEND:-}"
fi
# Settings of the make that runs this script must not reach the makes below.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

refuse() {
	echo "$1" >&2
	exit 2
}

[ -n "${RUN:-}" ] || refuse "RUN='command' is missing: say what to run in the machine."
[ -z "${ICOUNT:-}" ] || [ "${SMP:-1}" -eq 1 ] ||
	refuse "ICOUNT=1 counts one CPU's instructions: leave SMP away."

env -u CC make -s -C "$here/user" all
folder=$("$here/tests/vm/kernel.sh" "$version")
module=$("$here/tests/vm/module.sh" "$version")
release=$(cat "$folder/release")
# On 3.10 each added or removed probe stops all CPUs, and 9p keeps its large buffers.
case $release in
3.*) slow=4 MEM=${MEM:-4G} ;;
esac
work=$(mktemp -d)
children=()
# shellcheck disable=SC2317 # trap calls it
give_back() {
	[ ${#children[@]} -eq 0 ] || kill "${children[@]}" 2>/dev/null || true
	rm -rf "$work"
}
trap give_back EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Packs the files that the first process needs before it can read the host's files.
pack_initrd() {
	local file name n=10
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

# /dev/kvm may exist and hang: this is tested once per boot of the host, with this kernel.
kvm_works() {
	local answer
	answer=${KTRACE_CACHE:-$HOME/.cache/ktrace}/kvm-$(cat /proc/sys/kernel/random/boot_id)
	[ -w /dev/kvm ] || return 1
	if [ ! -e "$answer" ]; then
		timeout --foreground 20 qemu-system-x86_64 -accel kvm -cpu host -m 512M -nodefaults -no-reboot \
			-nographic -serial stdio -kernel "$folder/boot/vmlinuz" \
			-initrd "$work/initrd.gz" -append 'console=ttyS0 panic=-1 ktrace_probe' \
			</dev/null 2>&1 | grep -ao 'ktrace: booted' >"$work/kvm" || true
		mv "$work/kvm" "$answer"
	fi
	[ -s "$answer" ]
}

choose_cpu() {
	if [ "${ICOUNT:-}" ]; then
		machine=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -smp 1 -cpu "${CPU:-max}")
	elif kvm_works; then
		machine=(-accel kvm -smp "${SMP:-2}" -cpu "${CPU:-host}")
	else
		machine=(-accel "tcg,thread=single" -smp "${SMP:-2}" -cpu "${CPU:-max}")
	fi
}

# disk BUS: adds an empty disk of 256 MiB, and its driver.
disk() {
	truncate -s 256M "$work/$1"
	machine+=(-drive "if=none,id=$1,format=raw,cache=none,aio=threads,file=$work/$1")
	case $1 in
	virtio) machine+=(-device "virtio-blk-pci,drive=virtio") drivers+=(virtio_blk) ;;
	nvme) machine+=(-device "nvme,serial=ktrace,drive=nvme") drivers+=(nvme) ;;
	scsi)
		machine+=(-device virtio-scsi-pci -device "scsi-hd,drive=scsi")
		drivers+=(virtio_scsi sd_mod)
		;;
	packed) machine+=(-device "virtio-blk-pci,drive=packed,packed=on") drivers+=(virtio_blk) ;;
	direct)
		machine+=(-device "virtio-blk-pci,drive=direct,indirect_desc=off,queue-size=16")
		drivers+=(virtio_blk)
		;;
	paths)
		machine+=(-device "nvme-subsys,id=shared,nqn=shared" -device "nvme,serial=shared,subsys=shared"
			-device "nvme,serial=shared,subsys=shared"
			-device "nvme-ns,drive=paths,nsid=1,shared=on")
		drivers+=(nvme)
		;;
	*) refuse "DISK=$1 is none of virtio, nvme, scsi, packed, direct and paths." ;;
	esac
}

network() {
	machine+=(-netdev "user,id=net,restrict=on,ipv6=off"
		-device "virtio-net-pci,netdev=net,romfile=")
	drivers+=(virtio_net)
}

# QEMU is at both ends of the socket: the guest's serial port controls QEMU's monitor.
monitor() {
	machine+=(-qmp "unix:$work/monitor,server=on,wait=off"
		-chardev "socket,id=monitor,path=$work/monitor" -device "isa-serial,chardev=monitor,index=1")
}

secure() {
	[ -d "$folder/root" ] || refuse "SECURE=1 needs a kernel of the list: it is signed here."
	"$here/tests/vm/secure.sh" "$version" "$module" "$work/secure"
	mv "$work/secure/ktrace.ko" "$work/out/signed.ko"
	vmlinuz=$work/secure/vmlinuz
	machine+=(-drive "if=pflash,format=raw,readonly=on,file=$work/secure/code"
		-drive "if=pflash,format=raw,file=$work/secure/variables")
}

write_init() {
	strip -g -o "$work/out/ktrace.ko" "$module"
	printf '%s' "$RUN" >"$work/out/command"
	{
		echo 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root'
		# shellcheck disable=SC2016 # the guest expands it
		printf 'export PATH=%q:"$PATH"\n' "$here/build"
		echo 'mount -t tmpfs run /run; ip link set lo up 2>/dev/null'
		echo 'mount -t debugfs debug /sys/kernel/debug 2>/dev/null'
		echo 'mkdir -p /dev/pts; mount -t devpts devpts /dev/pts'
		# On 3.10 a file in a tmpfs takes no probe. The kernel of RHEL forbids user
		# namespaces by default.
		case $release in
		3.*)
			echo 'mount -t ramfs tmp /tmp; chmod 1777 /tmp'
			echo 'echo 1000 2>/dev/null >/proc/sys/user/max_user_namespaces'
			;;
		esac
		if [ -d "$folder/image" ]; then
			printf 'mkdir -p /lib/modules/%s\n' "$release"
			printf 'mount --bind %q /lib/modules/%s\n' \
				"$folder/image/lib/modules/$release" "$release"
			printf 'ln -sfn %q /lib/modules/%s/build\n' \
				"$folder/root/usr/src/linux-headers-$release" "$release"
		fi
		[ ${#drivers[@]} -eq 0 ] || echo "modprobe -qa ${drivers[*]}"
		printf 'cd %q\n' "$PWD"
		printf 'export KTRACE_VICTIMS=%q KTRACE_SLOW=%d\n' "${KTRACE_VICTIMS:-}" $slow
		# Before 3.15 the kernel cannot read a module from 9p, which mishandles vmalloc
		# memory as a buffer.
		echo 'cp /out/ktrace.ko /run/ktrace.ko'
		echo "insmod /run/ktrace.ko hold_ms=$((200 * slow))"
		echo 'bash /out/command </dev/null >/out/stdout 2>/out/stderr; echo $? >/out/status'
		echo 'dmesg >/out/dmesg; sync; echo b >/proc/sysrq-trigger; while :; do read -r -t 9; done'
	} >"$work/out/init"
	: >"$work/out/stdout"
	: >"$work/out/stderr"
}

# With KTRACE_UNTIL, a machine is ended 10 minutes after that time.
seconds_left() {
	local limit=$((${TIMEOUT:-300} * slow)) left
	left=$((${KTRACE_UNTIL:-0} + 600 - EPOCHSECONDS))
	[ -z "${KTRACE_UNTIL:-}" ] || [ "$left" -ge "$limit" ] || limit=$((left > 1 ? left : 1))
	echo "$limit"
}

machine=() drivers=() vmlinuz=$folder/boot/vmlinuz
mkdir "$work/out"
pack_initrd
choose_cpu
for bus in ${DISK:+${DISK//,/ }}; do
	disk "$bus"
done
[ -z "${DISK:-}" ] || monitor
[ -z "${NET:-}" ] || network
[ -z "${SECURE:-}" ] || secure
write_init
timeout --foreground "$(seconds_left)" qemu-system-x86_64 "${machine[@]}" -m "${MEM:-2G}" \
	-nodefaults -no-reboot -nographic -serial "file:$work/serial" \
	-kernel "$vmlinuz" -initrd "$work/initrd.gz" \
	-append "console=ttyS0 panic=-1 oops=panic ${APPEND:-}" \
	-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
	-device virtio-9p-pci,fsdev=host,mount_tag=host \
	-fsdev "local,id=out,path=$work/out,security_model=none" \
	-device virtio-9p-pci,fsdev=out,mount_tag=out </dev/null >/dev/null 2>"$work/qemu" &
vm=$!
tail -q -n +1 -s 0.2 --pid=$vm -f "$work/out/stdout" &
children=("$vm" "$!")
tail -q -n +1 -s 0.2 --pid=$vm -f "$work/out/stderr" >&2 &
children+=($!)
wait || true
if [ ! -s "$work/out/status" ]; then
	echo "The machine ended before the command did; the end of its log:" >&2
	cat "$work/qemu" >&2
	tail -n 30 "$work/serial" >&2
	exit 98
fi
[ -z "${LEFT:-}" ] || [ ! -d "$work/out/left" ] || cp -r "$work/out/left/." "$LEFT/"
python3 "$here/tests/kernel/klog.py" "$work/out/dmesg" >&2 || exit 99
exit "$(cat "$work/out/status")"
