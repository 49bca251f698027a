# SPDX-License-Identifier: GPL-2.0
"""Disks for tests, and what ktrace io counts of them."""
import contextlib
import ctypes
import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import time

from suite import Skip
from tool import TMP, check_ended, counting, layer, limit, wait_for

NULLS = '/sys/kernel/config/nullb'
STAGES = 'q2g', 'g2i', 'i2d', 'd2c'
MS = 1000000


def modprobe(*args):
    subprocess.check_call(['modprobe', *args])


def write(path, text):
    with open(path, 'w') as file:
        file.write(str(text))


def read(path):
    with open(path) as file:
        return file.read()


def need_nulls():
    if not os.path.exists('/sys/module/null_blk') and subprocess.call(
            ['modprobe', 'null_blk', 'nr_devices=0'], stderr=subprocess.DEVNULL):
        raise Skip('this kernel has no null_blk')
    if not os.path.isdir('/sys/kernel/config'):
        raise Skip('this kernel has no configfs')
    if not os.path.ismount('/sys/kernel/config'):
        subprocess.check_call(['mount', '-t', 'configfs', 'none', '/sys/kernel/config'])
    if not os.path.isdir(NULLS):
        raise Skip("this kernel's null_blk has no settings for each disk (before 4.14)")


class Null:
    """A null_blk disk, whose requests take a given time."""
    made = []

    def __init__(self, delay_ns=100000, is_quiet=True, **settings):
        need_nulls()
        number = next(n for n in range(100) if not os.path.exists('%s/t%d' % (NULLS, n)))
        self.folder = '%s/t%d' % (NULLS, number)
        os.mkdir(self.folder)
        Null.made.append(self)
        settings = {'irqmode': 2, 'completion_nsec': delay_ns, 'size': 64, **settings}
        for name, value in settings.items():
            write(os.path.join(self.folder, name), value)
        before = set(os.listdir('/sys/block'))
        write(os.path.join(self.folder, 'power'), 1)
        self.name = (set(os.listdir('/sys/block')) - before).pop()
        self.path = '/dev/' + self.name
        wait_for(lambda: os.path.exists(self.path))
        if is_quiet:
            settle(self.name)

    def remove(self):
        write(os.path.join(self.folder, 'power'), 0)
        os.rmdir(self.folder)
        Null.made.remove(self)

    def use(self, scheduler):
        if scheduler not in read('/sys/block/%s/queue/scheduler' % self.name):
            raise Skip('this kernel has no scheduler ' + scheduler)
        write('/sys/block/%s/queue/scheduler' % self.name, scheduler)


def remove_nulls():
    for disk in list(Null.made):
        disk.remove()


def nvmes(has_requests):
    """Returns the NVMe disks that have requests of their own, or those whose paths have them."""
    return [name for name in sorted(os.listdir('/sys/block')) if re.fullmatch(r'nvme\d+n\d+', name) and
            os.path.exists('/sys/block/%s/mq' % name) == has_requests]


NVMET = '/sys/kernel/config/nvmet'


@contextlib.contextmanager
def over_tcp(disk):
    """Offers a Null disk by NVMe over TCP to this machine; gives the name that it has here then."""
    if subprocess.call(['modprobe', '-qa', 'nvmet_tcp', 'nvme_tcp']):
        raise Skip('this kernel has no NVMe over TCP')
    subsystem, port = NVMET + '/subsystems/ktrace', NVMET + '/ports/1'
    run('ip', 'link', 'set', 'lo', 'up')
    os.makedirs(subsystem + '/namespaces/1')
    write(subsystem + '/attr_allow_any_host', 1)
    write(subsystem + '/namespaces/1/device_path', disk.path)
    write(subsystem + '/namespaces/1/enable', 1)
    os.mkdir(port)
    for name, value in {'trtype': 'tcp', 'adrfam': 'ipv4', 'traddr': '127.0.0.1', 'trsvcid': 4420}.items():
        write('%s/addr_%s' % (port, name), value)
    os.symlink(subsystem, port + '/subsystems/ktrace')
    before = set(nvmes(False))
    fabrics = os.open('/dev/nvme-fabrics', os.O_RDWR)
    try:
        os.write(fabrics, b'transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=ktrace')
        answer = os.read(fabrics, 100).decode()
        controller = 'nvme' + re.search(r'instance=(\d+)', answer)[1]
        name, = wait_for(lambda: set(nvmes(False)) - before)
        wait_for(lambda: os.path.exists('/dev/' + name))
        settle(name)
        yield name
        write('/sys/class/nvme/%s/delete_controller' % controller, 1)
        wait_for(lambda: name not in nvmes(False))
    finally:
        os.close(fabrics)
        os.unlink(port + '/subsystems/ktrace')
        os.rmdir(port)
        os.rmdir(subsystem + '/namespaces/1')
        os.rmdir(subsystem)
        # nvme_core would offer functions to the layer nvme after its driver has been unloaded.
        wait_for(lambda: not subprocess.call(['modprobe', '-ra', 'nvme_tcp', 'nvmet_tcp'], stderr=subprocess.DEVNULL))


def real_disks():
    disks = [name for name in ('vda', *nvmes(True)[:1], 'sda') if os.path.exists('/dev/' + name)]
    if not disks:
        raise Skip('the machine has no disks: DISK=virtio,nvme,scsi')
    return disks


def stat(disk):
    """Returns the counts of /sys/block/DISK/stat: {operation: (requests, bytes)}."""
    words = [int(word) for word in read('/sys/block/%s/stat' % disk).split()]
    found = {'read': (words[0], words[2] * 512), 'write': (words[4], words[6] * 512)}
    if len(words) > 14:
        found['discard'] = words[11], words[13] * 512
    if len(words) > 16:
        found['flush'] = words[15], 0
    return found


def leave_interrupts():
    """
    Waits until all completions are counted. A completion wakes the waiting task before it is
    counted, and in most kernels it is no longer in flight then. A task that has run on each CPU
    once runs after the completions that were under way there.
    """
    allowed = os.sched_getaffinity(0)
    for cpu in allowed:
        os.sched_setaffinity(0, [cpu])
    os.sched_setaffinity(0, allowed)


def settle(disk):
    """
    Waits until the disk has no reader (programs read a new disk to identify its content) and the
    kernel has counted the reads.
    """
    def is_quiet():
        leave_interrupts()
        before = stat(disk)
        time.sleep(0.1)
        inflight = read('/sys/block/%s/inflight' % disk).split()
        leave_interrupts()
        return inflight == ['0', '0'] and stat(disk) == before
    wait_for(is_quiet)


def grown(before, after):
    rows = {op: (after[op][0] - before[op][0], after[op][1] - before[op][1]) for op in after}
    return {op: row for op, row in rows.items() if row[0]}


def check(data):
    """Checks what is true of all figures."""
    assert data['complete'], data['sessions']
    for row in layer(data, 'block'):
        stages = row['stages']
        whole = stages['q2c']
        assert whole['requests'] == row['requests'] and whole['total_ns'] == row['total_ns'], row
        assert sum(stages[name]['total_ns'] for name in STAGES) == row['total_ns'], row
        assert stages['d2c']['requests'] == stages['i2d']['requests'] == row['requests'], row
        for stage in stages.values():
            if 'histogram' in stage:
                assert sum(b['count'] for b in stage['histogram']) == stage['requests'], row
            assert stage['requests'] <= row['requests'], row
    return data


def of(data, disk):
    return {row['operation']: row for row in layer(data, 'block') if row['disk'] == disk}


def table(data, disk):
    return {op: (row['requests'], row['bytes']) for op, row in of(data, disk).items()}


def traced(*command, options=(), status=0):
    """Returns what ktrace io counts of a program, as json."""
    path = os.path.join(TMP, 'io')
    done = subprocess.run(['ktrace', 'io', '--layers', 'block', '--format', 'json', '-o', path,
                           '--hist', 'd2c', *options, '--', *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=limit(100))
    check_ended(done.returncode, status, done.stderr, command)
    data = check(json.loads(read(path)))
    assert data['sessions']['block']['counters']['hits'] == sum(row['requests'] for row in layer(data, 'block'))
    return data


def start(*options):
    return counting('io', '--layers', 'block', *options)


def end(process):
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=limit(60))
    assert process.returncode == 0, (process.returncode, errors)
    return out


def slow(*command, options=(), status=0):
    """Returns the requests that --slow shows of a program, and the document after them."""
    path = os.path.join(TMP, 'slow')
    done = subprocess.run(['ktrace', 'io', '--format', 'json', '-o', path, *options, '--', *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=limit(100))
    assert done.returncode == status, (command, done.returncode, done.stderr)
    return split_lines(read(path))


def split_lines(text):
    documents = [json.loads(line) for line in text.splitlines()]
    return check_requests(documents[:-1]), check(documents[-1])


def check_requests(requests):
    """Checks what is true of each request."""
    for request in requests:
        stages = request['stages']
        assert sum(stages.values()) == request['duration_ns'], request
        assert set(stages) <= set(STAGES) and {'i2d', 'd2c'} <= set(stages), request
        assert request['event'] == 'request' and request['comm'], request
    times = [request['time_ns'] for request in requests]
    assert times == sorted(times), times
    return requests


def are_those_of(requests, data):
    """Checks that each counted request is shown, with the same times to the nanosecond."""
    for row in layer(data, 'block'):
        own = [r for r in requests if (r['dev'], r['operation']) == (row['dev'], row['operation'])]
        assert len(own) == row['requests'], (len(own), row['requests'])
        assert sum(r['bytes'] for r in own) == row['bytes']
        for name in STAGES:
            times = [r['stages'][name] for r in own if name in r['stages']]
            assert len(times) == row['stages'][name]['requests'], (name, row)
            assert sum(times) == row['stages'][name]['total_ns'], (name, row)
    assert len(requests) == sum(row['requests'] for row in layer(data, 'block'))


TOGETHER = '''
import mmap, os, sys, threading
together = threading.Barrier(6)
def run(at):
    fd, memory = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
    together.wait()
    for turn in range(5):
        assert os.preadv(fd, [memory], (at * 100 + turn) * 4096) == 4096
threads = [threading.Thread(target=run, args=(at,)) for at in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
'''


FILL = '''
import mmap, os, sys
os.sched_setaffinity(0, [0])
fd, memory = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 512)
for _ in range(int(sys.argv[2])):
    os.preadv(fd, [memory], 0)
'''


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=limit(100))


def choose_scheduler(name, scheduler='none'):
    """Sets the scheduler. Until 5.0, a disk without multiple queues has other schedulers, which do
    the same."""
    path = '/sys/block/%s/queue/scheduler' % name
    legacy = {'none': 'noop', 'mq-deadline': 'deadline'}[scheduler]
    write(path, legacy if legacy in read(path).replace('[', '').replace(']', '').split() else scheduler)


def dd_read(disk, count, size='4k', *more):
    return ['dd', 'if=/dev/' + disk, 'of=/dev/null', 'bs=' + size, 'count=%d' % count,
            'iflag=direct', *more]


def dd_write(disk, count, size='4k', *more):
    return ['dd', 'if=/dev/zero', 'of=/dev/' + disk, 'bs=' + size, 'count=%d' % count,
            'oflag=direct', *more]


@contextlib.contextmanager
def scsi_debug(**settings):
    """A disk in memory, behind the whole SCSI layer."""
    settings = ['%s=%s' % one for one in {'dev_size_mb': 16, **settings}.items()]
    before = set(os.listdir('/sys/block'))
    try:
        modprobe('sd_mod')
        modprobe('scsi_debug', *settings)
    except subprocess.CalledProcessError as error:
        raise Skip('this kernel has no scsi_debug') from error
    try:
        name = wait_for(lambda: set(os.listdir('/sys/block')) - before).pop()
        wait_for(lambda: os.path.exists('/dev/' + name))
        settle(name)
        write('/sys/module/scsi_debug/parameters/opts', 0)
        yield name
    finally:
        write('/sys/module/scsi_debug/parameters/opts', 0)
        wait_for(lambda: not subprocess.call(['rmmod', 'scsi_debug'], stderr=subprocess.DEVNULL))


# --- disks above others --------------------------------------------------------

def sectors_of(disk):
    return int(read('/sys/block/%s/size' % disk.name))


@contextlib.contextmanager
def mapped(disk, target, *words, module=None):
    """A disk of the device mapper; words are those of its table line. Yields its path."""
    if subprocess.call(['modprobe', '-q', 'dm_mod']) or \
            module and subprocess.call(['modprobe', '-q', module]):
        raise Skip('this kernel has no ' + (module or 'device mapper'))
    line = '0 %d %s %s' % (sectors_of(disk), target, ' '.join(words) % disk.path)
    before = set(os.listdir('/sys/block'))
    run('dmsetup', 'create', 'above', '--noudevsync', '--table', line)
    try:
        yield '/dev/' + (set(os.listdir('/sys/block')) - before).pop()
    finally:
        wait_for(lambda: not subprocess.call(['dmsetup', 'remove', '--noudevsync', 'above'],
                                             stderr=subprocess.DEVNULL))


def linear(disk):
    return mapped(disk, 'linear', '%s', '0')


def crypt(disk):
    return mapped(disk, 'crypt', 'aes-xts-plain64', '5a' * 32, '0', '%s', '0', module='dm_crypt')


@contextlib.contextmanager
def raid1(one, two):
    if subprocess.call(['modprobe', '-q', 'raid1']):
        raise Skip('this kernel has no raid1')
    run('mdadm', '--create', '/dev/md7', '--run', '--level=1', '--raid-devices=2', '--assume-clean',
        '--bitmap=none', '--metadata=1.0', one.path, two.path)
    # Otherwise md writes to both disks, for no file, when the array was idle for 0.2 s.
    write('/sys/block/md7/md/safe_mode_delay', '0')
    try:
        yield '/dev/md7'
    finally:
        wait_for(lambda: not subprocess.call(['mdadm', '--stop', '/dev/md7'],
                                             stderr=subprocess.DEVNULL))


@contextlib.contextmanager
def partition(disk):
    """The first partition of a disk, without a table of partitions (BLKPG)."""
    def change(what, start=0, length=0):
        part = ctypes.create_string_buffer(struct.pack('=qqi64s64s4x', start, length, 1, b'', b''))
        with open(disk.path) as file:
            fcntl.ioctl(file, 0x1269, struct.pack('iiiP', what, 0, len(part), ctypes.addressof(part)))
    change(1, 1 << 20, (sectors_of(disk) << 9) - (1 << 20))
    try:
        yield wait_for(lambda: next((path for path in (disk.path + 'p1', disk.path + '1')
                                     if os.path.exists(path)), None))
    finally:
        change(2)


def memory_disk():
    return Null(delay_ns=MS, memory_backed=1)


def mirror(disk):
    """The disk and another one."""
    return raid1(disk, memory_disk())


# What makes a device of a disk, and how often everything is written.
ABOVE = {linear: 1, mirror: 2, partition: 1}
