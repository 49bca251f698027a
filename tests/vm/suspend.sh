#!/usr/bin/env bash
# suspend.sh VERSION: suspends a machine while system calls are counted. A call that sleeps
# meanwhile does not include the time, and calls after it are counted as usual. All files are in
# memory, because 9p does not survive a suspend.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$("$here/tests/vm/kernel.sh" "$1")
module=$("$here/tests/vm/module.sh" "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/root/bin"
make -s -j2 -C "$here/user" STATIC=1 OUT="$work/static" 2>"$work/log" || { cat "$work/log" && exit 1; }
cp /bin/busybox "$work/static/ktrace" "$work/root/bin/"
strip -g -o "$work/root/ktrace.ko" "$module"
cat >"$work/root/init" <<'END'
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /run
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
insmod /ktrace.ko
mkfifo /tmp/in
cat /tmp/in >/dev/null &
sleeper=$!
exec 3>/tmp/in
# once NR: sends NR lines, which are read one by one.
once() {
	for _ in $(seq "$1"); do
		echo >&3
		sleep 0.2
	done
}
sleep 1
ktrace syscall -p $sleeper --format json -o /tmp/calls &
sleep 5
once 1
echo core >/sys/power/pm_test && echo mem >/sys/power/state && echo "ktrace: slept" >/dev/ttyS0
once 10
kill -INT $!
wait $!
{ echo "ktrace: begin" && cat /tmp/calls && echo "ktrace: end"; } >/dev/ttyS0
sleep 1
poweroff -f
END
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd.gz"
timeout --foreground 120 qemu-system-x86_64 -accel tcg,thread=single -smp 2 -cpu max -m 1G \
	-nodefaults -no-reboot -nographic -serial "file:$work/serial" -kernel "$folder/boot/vmlinuz" \
	-initrd "$work/initrd.gz" -append 'console=ttyS0 panic=-1 oops=panic' </dev/null || true

python3 - "$work/serial" <<'END'
import json
import re
import sys

log = open(sys.argv[1], errors='replace').read().replace('\r', '')
found = re.search('ktrace: begin\n(.*)ktrace: end', log, re.S)
assert found and 'ktrace: slept' in log, log[-3000:]
assert not re.search('BUG:|WARNING:|Oops', log), log[-3000:]
# The kernel may have printed a line amid the data.
text = re.sub(r'^\[ *\d+\.\d+\] .*\n', '', found.group(1), flags=re.M)
rows = {row['name']: row for row in json.loads(text)['rows']}
assert rows['write']['calls'] == 11, rows
assert rows['read']['max_ns'] < 4e9, rows['read']
print('note: %d calls, the longest of %.1f s' % (rows['read']['calls'], rows['read']['max_ns'] / 1e9))
END
