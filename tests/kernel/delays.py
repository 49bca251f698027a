# SPDX-License-Identifier: GPL-2.0
"""
Puts a delay into one place of a read's path, and measures by how much the figures of ktrace io
grow. Run as a program, it prints lines "delay_CASE.FIGURE MS", for docs/costs-appendix.md.
"""
import json
import os
import re
import subprocess
import sys
import tty
from collections import namedtuple

from disks import MS, STAGES, Null, check, choose_scheduler, of, read, remove_nulls, scsi_debug, write
from suite import Skip
from tool import TMP, counting, documents_of, ktrace, layer, threads_together, victim, wait_for

NR = 40     # reads, one after the other
MONITOR = '/dev/ttyS1'
CGROUP = '/run/delays'
# Figures in which a delay is looked for. Time in system calls and blocked time include some of
# them.
PARTS = STAGES + ('wait',)


# --- the machine ------------------------------------------------------------------

def reads(disk, *ms):
    return [victim('onebyone'), '/dev/' + disk, str(NR), *ms]


def on_one_cpu(disk):
    return ['taskset', '-c', '1', *reads(disk)]


def throttle(drive, iops):
    """Makes QEMU serve this many requests per second, or any number (0), by its monitor's serial
    port."""
    if not os.path.exists('/dev/vda'):
        raise Skip('the machine has no disks: DISK=virtio,nvme,scsi')
    limits = dict.fromkeys(('bps', 'bps_rd', 'bps_wr', 'iops_rd', 'iops_wr'), 0)
    with open(MONITOR, 'r+b', buffering=0) as port:
        tty.setraw(port)
        # QEMU may have received an echo of its own output; 0xff ends an incomplete command.
        port.write(b'\xff{"execute": "qmp_capabilities"}\n' + json.dumps(
            {'execute': 'block_set_io_throttle', 'id': drive,
             'arguments': {'device': drive, 'iops': iops, **limits}}).encode() + b'\n')
        answer = b''
        while b'"id": "%s"' % drive.encode() not in answer:
            answer = port.readline()
    assert b'"return"' in answer, answer


# Programs that compete for CPU 1.
FIRST = '''
import mmap, os, sys, time
os.sched_setaffinity(0, [1])
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
print(flush=True)
'''
# Is runnable again before a read of 10 ms is over.
HOG = FIRST + '''
while True:
    end = time.monotonic() + 0.08
    while time.monotonic() < end:
        pass
    time.sleep(0.008)
'''
# Takes turns with the reader: it queues a request while the reader's is under way, and that one
# is served first when the reader's is over.
TAKER = FIRST + '''
disk, memory = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
while True:
    os.preadv(disk, [memory], 8 << 20)
    time.sleep(0.005)
'''


def beside(program, *words):
    process = subprocess.Popen(['python3', '-c', program, *words], stdout=subprocess.PIPE)
    process.stdout.readline()
    return process


def end(process):
    process.kill()
    process.wait()


# --- cases: the reads before the delay, and with it ----------------------------------

def null_blk():
    yield reads(Null().name)
    yield reads(Null(delay_ns=50 * MS).name)


def scsi_debug_driver():
    with scsi_debug(ndelay=100000) as disk:
        yield reads(disk)
        write('/sys/bus/pseudo/drivers/scsi_debug/ndelay', 50 * MS)
        yield reads(disk)


def throttled(disk, drive):
    throttle(drive, 0)
    choose_scheduler(disk)
    yield reads(disk)
    throttle(drive, 10)
    try:
        yield reads(disk)
    finally:
        throttle(drive, 0)


def device_is_taken(scheduler):
    """Another program's request occupies the device's only place whenever a request is made."""
    disk = Null(delay_ns=100 * MS, submit_queues=1, hw_queue_depth=1)
    disk.use(scheduler)
    yield on_one_cpu(disk.name)
    other = beside(TAKER, disk.path)
    wait_for(lambda: read('/sys/block/%s/inflight' % disk.name).split()[0] == '1')
    try:
        yield on_one_cpu(disk.name)
    finally:
        end(other)


def plug():
    disk = Null()
    disk.use('mq-deadline')
    yield reads(disk.name, '1')
    yield reads(disk.name, '50')


def cpu():
    disk = Null(delay_ns=10 * MS)
    yield on_one_cpu(disk.name)
    other = beside(HOG)
    try:
        yield on_one_cpu(disk.name)
    finally:
        end(other)


def cgroup():
    """A bio that a limit delays is queued when it is released, by a kworker."""
    if '.el8' in os.uname().release:
        raise Skip('this kernel reports no bio that it has delayed')
    disk = Null()
    os.makedirs(CGROUP, exist_ok=True)
    if subprocess.call(['mount', '-t', 'cgroup2', 'cgroup2', CGROUP]):
        raise Skip('this kernel mounts no cgroups of version 2')
    inside = CGROUP + '/limited'
    try:
        if 'io' not in read(CGROUP + '/cgroup.controllers').split():
            raise Skip('this kernel limits no input and output')
        write(CGROUP + '/cgroup.subtree_control', '+io')
        os.mkdir(inside)
        if not os.path.exists(inside + '/io.max'):
            raise Skip('this kernel throttles no disks')
        command = ['sh', '-c', 'echo $$ >%s/cgroup.procs; exec "$@"' % inside, 'sh',
                   *reads(disk.name)]
        yield command
        write(inside + '/io.max', read('/sys/block/%s/dev' % disk.name).strip() + ' riops=20')
        yield command
    finally:
        if os.path.isdir(inside):
            os.rmdir(inside)
        subprocess.call(['umount', CGROUP])


# The figure that grows; the minimum of the added time in ns, if it is known; the reader's name for
# it; whether the requests of all tasks are counted.
Case = namedtuple('Case', 'steps moves amount said is_of_all', defaults=[None, 'ns', False])
CASES = {
    'cgroup': Case(cgroup, 'syscall', (NR - 2) * 50 * MS, is_of_all=True),
    'cpu': Case(cpu, 'wait', said='wait_ns'),
    'tag': Case(lambda: device_is_taken('none'), 'q2g', (NR - 2) * 100 * MS),
    'plug': Case(plug, 'g2i'),
    'scheduler': Case(lambda: device_is_taken('mq-deadline'), 'i2d', (NR - 2) * 100 * MS),
    'null_blk': Case(null_blk, 'd2c', NR * 50 * MS),
    'scsi_debug': Case(scsi_debug_driver, 'd2c', NR * 50 * MS),
    # QEMU lets two requests more than its rate pass.
    'virtio': Case(lambda: throttled('vda', 'virtio'), 'd2c', (NR - 2) * 100 * MS),
    'nvme': Case(lambda: throttled('nvme0n1', 'nvme'), 'd2c', (NR - 2) * 100 * MS),
    'scsi': Case(lambda: throttled('sda', 'scsi'), 'd2c', (NR - 2) * 100 * MS),
}


# --- figures ------------------------------------------------------------------------

def stages_of(data, disk):
    row = of(check(data), disk)['read']
    assert row['requests'] == NR, row
    return {stage: row['stages'][stage]['total_ns'] for stage in STAGES}


def figures(command, said, is_of_all):
    """Returns the times of a run of the reader in ns, as ktrace reports them and (said) as the
    reader does."""
    disk = os.path.basename(command[command.index(victim('onebyone')) + 1])
    path = os.path.join(TMP, 'delays')
    layers = 'syscall,sched' if is_of_all else 'syscall,sched,block'
    everyone = counting('io', '--layers', 'block', '--dev', disk) if is_of_all else None
    try:
        out = ktrace('io', '--format', 'json', '-o', path, '--layers', layers, '--', *command)[0]
    finally:
        every, = documents_of(everyone) if everyone else [None]
    data = json.loads(read(path))
    assert data['complete'], data['sessions']
    stages = stages_of(every or data, disk)
    times = {key: threads_together(data)[key + '_ns'] for key in ('wait', 'blocked', 'run')}
    return {**stages, **times, 'said': int(re.search(r'\b%s=(\d+)' % said, out)[1]),
            'syscall': sum(row['total_ns'] for row in layer(data, 'syscall'))}


def moved(name):
    """Returns by how many ns each figure is larger with the delay than without."""
    case = CASES[name]
    steps = case.steps()
    # The reader's own pages are read once before.
    subprocess.call([victim('onebyone')])
    try:
        before, after = [figures(step, case.said, case.is_of_all) for step in steps]
    finally:
        steps.close()
        remove_nulls()
    return {figure: after[figure] - before[figure] for figure in after}


def main():
    for name in CASES:
        try:
            for figure, ns in moved(name).items():
                print('delay_%s.%s %d' % (name, figure, round(ns / MS)), flush=True)
        except Skip as reason:
            print('%s: %s' % (name, reason), file=sys.stderr)


if __name__ == '__main__':
    main()
