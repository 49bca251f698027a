#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Runs inside the machine: compares ktrace's counts with those of other tools. Prints lines
"equal_CASE.WHO FIGURES": kinds of system calls, calls and errors, or reads, bytes read, writes and
bytes written.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'kernel'))
from disks import Null, real_disks, remove_nulls, settle, traced, write  # noqa: E402 (found there)
from test_load import asked_for, fio, mounted  # noqa: E402
from test_syscall import PROGRAMS, counted, strace, table  # noqa: E402
from tool import victim  # noqa: E402

SIZES = ['--bs=4k', '--size=1m', '--ioengine=psync']
MIXED = ['--bs=4k', '--rw=randrw', '--rwmixread=80', '--ioengine=libaio', '--iodepth=16',
         '--size=16m', '--number_ios=1500']


def say(case, who, *figures):
    print('equal_%s.%s %s' % (case, who, ','.join(map(str, figures))), flush=True)


def system_calls(*command):
    case = os.path.basename(command[0])
    expected, status = strace(*command)
    found = table(counted('--', *command, status=status))
    for who, rows in ('other', expected), ('ktrace', found):
        say(case, who, len(rows), sum(calls for calls, _ in rows.values()),
            sum(errors for _, errors in rows.values()))
    if found != expected:
        sys.exit('%s: %s, %s' % (case, expected, found))


def requests(case, disk, *options):
    command, said = fio(*options)
    settle(disk)
    found = asked_for(traced(*command, options=['--dev', disk]), disk)
    for who, rows in ('other', said()), ('ktrace', found):
        say(case, who, *rows.get('read', (0, 0)), *rows.get('write', (0, 0)))


def on_filesystem(case, disk, kind):
    with mounted('/dev/' + disk, kind) as folder:
        files = ['--directory=' + folder, *SIZES]
        lay_out, _ = fio(*files, '--rw=write', '--numjobs=12', '--end_fsync=1')
        subprocess.check_call(lay_out, stdout=subprocess.DEVNULL)
        requests(case, disk, *files, '--rw=randrw', '--numjobs=12', '--number_ios=150')


def main():
    for command in PROGRAMS + [[victim('syscalls32')]]:
        system_calls(*command)
    for disk, bus in zip(real_disks(), ('virtio', 'nvme', 'scsi')):
        # If requests were merged, they would be fewer than fio's.
        write('/sys/block/%s/queue/nomerges' % disk, 2)
        requests('fio_' + bus, disk, '--filename=/dev/' + disk, *MIXED)
        on_filesystem('ext4_' + bus, disk, 'ext4')
    try:
        on_filesystem('xfs_null', Null(memory_backed=1, size=512).name, 'xfs')
    finally:
        remove_nulls()


if __name__ == '__main__':
    main()
