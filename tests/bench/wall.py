#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Runs inside the machine: the cost of traced reads in time, on each bus with a disk. Prints lines
"wall_BUS.alone US", per read, and "wall_BUS.WAY RATIO", the median of all rounds, with .WAY_least
and .WAY_most.
"""
import os
import re
import signal
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'kernel'))
from tool import TMP, sessions, victim, wait_for  # noqa: E402 (found there)

ROUNDS = 7
THREADS, READS = '4', '1000'
DISKS = {'virtio': 'vda', 'nvme': 'nvme0n1', 'scsi': 'sda'}
# Options, and the number of sessions that they make.
WAYS = {'block': (['--layers', 'block'], 1), 'layers': ([], 4)}


def reads(disk):
    """Returns the time of a read in ns."""
    out = subprocess.check_output([victim('readers'), '/dev/' + disk, THREADS, READS, 'direct',
                                   'random'], text=True)
    return float(re.search(r'ns_per_read=([\d.]+)', out)[1])


def followed(disk, options, nr_sessions):
    ktrace = subprocess.Popen(['ktrace', 'io', *options, '-o', os.path.join(TMP, 'io')])
    wait_for(lambda: [s['state'] for s in sessions()] == ['active'] * nr_sessions, 60)
    ns = reads(disk)
    ktrace.send_signal(signal.SIGINT)
    # 3: a kretprobe misses some calls of drivers in interrupts, which ktrace reports.
    if ktrace.wait() not in (0, 3):
        sys.exit('ktrace io ended with status %d' % ktrace.returncode)
    return ns


def nr_timeouts():
    return subprocess.check_output(['dmesg'], text=True).count('timeout, aborting')


def measure(bus, disk):
    alone, ratios = [], {way: [] for way in WAYS}
    before = nr_timeouts()
    reads(disk)
    for _ in range(ROUNDS):
        alone.append(reads(disk))
        for way, (options, nr_sessions) in WAYS.items():
            ratios[way].append(followed(disk, options, nr_sessions) / alone[-1])
    if nr_timeouts() > before:
        print('%s: the emulator lost requests' % bus, file=sys.stderr)
        return
    print('wall_%s.alone %.0f' % (bus, statistics.median(alone) / 1000))
    for way, found in ratios.items():
        for which, figure in ('', statistics.median), ('_least', min), ('_most', max):
            print('wall_%s.%s%s %.2f' % (bus, way, which, figure(found)), flush=True)


for name, device in DISKS.items():
    measure(name, device)
