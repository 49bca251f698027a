#!/usr/bin/env bash
# suspend.sh VERSION: suspends a machine for 5 s while system calls are counted and samples taken. A
# call, or a period off the CPU, that sleeps meanwhile does not include the time, and no samples are
# due. Calls and samples after it are counted as usual. All files are in memory, because 9p does not
# survive a suspend.
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
commands=$!
ktrace profile -F 199 --by cpu,mode --format json -o /tmp/samples &
commands="$commands $!"
ktrace profile --off-cpu -F 199 -p $sleeper --format json -o /tmp/periods &
commands="$commands $!"
sleep 5
once 1
echo core >/sys/power/pm_test && echo mem >/sys/power/state && echo "ktrace: slept" >/dev/ttyS0
once 10
kill -INT $commands
wait $commands
for name in calls samples periods; do
	{ echo "ktrace: begin $name" && cat /tmp/$name && echo "ktrace: end $name"; } >/dev/ttyS0
done
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

FREQUENCY, CPUS = 199, 2
log = open(sys.argv[1], errors='replace').read().replace('\r', '')
assert 'ktrace: slept' in log, log[-3000:]
assert not re.search('BUG:|WARNING:|Oops', log), log[-3000:]


def document(name):
    found = re.search('ktrace: begin %s\n(.*)ktrace: end %s' % (name, name), log, re.S)
    assert found, (name, log[-3000:])
    # The kernel may have printed a line amid the data.
    return json.loads(re.sub(r'^\[ *\d+\.\d+\] .*\n', '', found.group(1), flags=re.M))


rows = {row['name']: row for row in document('calls')['rows']}
assert rows['write']['calls'] == 11, rows
assert rows['read']['max_ns'] < 4e9, rows['read']

# The clock of the samples stands still meanwhile, and the second CPU is away for a part of a second.
data = document('samples')
counters, seconds = data['session']['counters'], data['window_s']
accounted = counters['hits'] + counters['excluded'] + counters['missed_samples']
assert sum(row['samples'] for row in data['rows']) == counters['hits'], data
assert {row['cpu'] for row in data['rows']} == set(range(CPUS)), data['rows']
due = seconds * FREQUENCY * CPUS
assert due - 2 * FREQUENCY - CPUS <= accounted <= due + CPUS, (due, accounted, counters)

# A thread that is frozen sleeps, but not for the time of the suspend. What it sleeps before the
# session begins, or when it ends, is in no period.
data = document('periods')
off = sum(row['total_ns'] for row in data['periods'])
frozen = [row for row in data['periods'] if '__refrigerator' in row.get('kernel', [])]
assert len(frozen) == 1 and frozen[0]['max_ns'] < 4e9, data
assert 2e9 < off < data['window_s'] * 1e9, data
print('note: %d calls, the longest of %.1f s; %d samples of %d; %.1f s off the CPU of %.1f s' %
      (rows['read']['calls'], rows['read']['max_ns'] / 1e9, accounted, due, off / 1e9, data['window_s']))
END
