# SPDX-License-Identifier: GPL-2.0
"""ktrace io: requests and bytes as the kernel's own counters have them, stages that add up."""
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import time

from suite import Skip
from tool import TMP, ktrace, limit, sessions, wait_for

NULLS = '/sys/kernel/config/nullb'
STAGES = 'q2g', 'g2i', 'i2d', 'd2c'
MS = 1000000
BLKRRPART = 0x125f


def modprobe(*args):
    subprocess.check_call(['modprobe', *args])


def write(path, text):
    with open(path, 'w') as file:
        file.write(str(text))


def read(path):
    with open(path) as file:
        return file.read()


class Null:
    """A disk without a disk, whose requests take as long as it is told."""
    made = []

    def __init__(self, delay_ns=100000, is_quiet=True, **settings):
        if not os.path.exists('/sys/module/null_blk'):
            modprobe('null_blk', 'nr_devices=0')
        if not os.path.ismount('/sys/kernel/config'):
            subprocess.check_call(['mount', '-t', 'configfs', 'none', '/sys/kernel/config'])
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


def teardown():
    for disk in list(Null.made):
        disk.remove()


def stat(disk):
    """Of /sys/block/DISK/stat: {operation: (requests, bytes)}."""
    words = [int(word) for word in read('/sys/block/%s/stat' % disk).split()]
    found = {'read': (words[0], words[2] * 512), 'write': (words[4], words[6] * 512)}
    if len(words) > 14:
        found['discard'] = words[11], words[13] * 512
    if len(words) > 16:
        found['flush'] = words[15], 0
    return found


def settle(disk):
    """Until nobody reads it any more, as those do who look what is on a new one."""
    def is_quiet():
        before = stat(disk)
        time.sleep(0.1)
        inflight = read('/sys/block/%s/inflight' % disk).split()
        return inflight == ['0', '0'] and stat(disk) == before
    wait_for(is_quiet)


def grown(before, after):
    rows = {op: (after[op][0] - before[op][0], after[op][1] - before[op][1]) for op in after}
    return {op: row for op, row in rows.items() if row[0]}


def check(data):
    """What is true of all figures."""
    assert data['complete'], data['sessions']
    for row in data['block']:
        stages = row['stages']
        whole = stages['q2c']
        assert whole['requests'] == row['requests'] and whole['total_ns'] == row['total_ns'], row
        assert sum(stages[name]['total_ns'] for name in STAGES) == row['total_ns'], row
        assert stages['d2c']['requests'] == stages['i2d']['requests'] == row['requests'], row
        for stage in stages.values():
            assert sum(b['count'] for b in stage['histogram']) == stage['requests'], row
            assert stage['requests'] <= row['requests'], row
    return data


def of(data, disk):
    return {row['operation']: row for row in data['block'] if row['disk'] == disk}


def table(data, disk):
    return {op: (row['requests'], row['bytes']) for op, row in of(data, disk).items()}


def traced(*command, options=(), status=0):
    """What ktrace io counts of a program, as json has it."""
    path = os.path.join(TMP, 'io')
    done = subprocess.run(['ktrace', 'io', '--layers', 'block', '--format', 'json', '-o', path,
                           *options, '--', *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=limit(100))
    assert done.returncode == status, (command, done.returncode, done.stderr)
    data = check(json.loads(read(path)))
    assert data['sessions']['block']['counters']['hits'] == sum(row['requests'] for row in data['block'])
    return data


def start(*options):
    """ktrace io in the background, when it counts."""
    before = len(sessions())
    process = subprocess.Popen(['ktrace', 'io', '--layers', 'block', '--format', 'json', *options],
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: [s for s in sessions()[before:] if s['state'] == 'active'])
    return process


def finish(process):
    """Its documents: one, or one an interval."""
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=limit(60))
    assert process.returncode == 0, (process.returncode, errors)
    decoder, documents, at = json.JSONDecoder(), [], 0
    while at < len(out.rstrip()):
        data, at = decoder.raw_decode(out, at)
        documents.append(check(data))
        at += 1
    return documents


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=limit(100))


def dd_read(disk, count, size='4k', *more):
    return ['dd', 'if=/dev/' + disk, 'of=/dev/null', 'bs=' + size, 'count=%d' % count,
            'iflag=direct', *more]


def dd_write(disk, count, size='4k', *more):
    return ['dd', 'if=/dev/zero', 'of=/dev/' + disk, 'bs=' + size, 'count=%d' % count,
            'oflag=direct', *more]


def meanwhile(disk, action, *options):
    """What ktrace counts of a disk while action runs, and what the kernel says it was."""
    settle(disk)
    process = start('--dev', disk, *options)
    before = stat(disk)
    action()
    settle(disk)
    after = stat(disk)
    return finish(process)[0], grown(before, after)


# --- counts -------------------------------------------------------------------

def test_io_direct():
    """As many requests, and bytes, as were asked for."""
    disk = Null()
    assert table(traced(*dd_read(disk.name, 300)), disk.name) == {'read': (300, 300 * 4096)}
    assert table(traced(*dd_write(disk.name, 200, '16k')), disk.name) == \
        {'write': (200, 200 * 16384)}


def test_split():
    """One large read is several requests, as the kernel counts them."""
    disk = Null()
    for action in dd_read(disk.name, 4, '4M'), dd_write(disk.name, 4, '4M'):
        data, expected = meanwhile(disk.name, lambda: run(*action))
        assert table(data, disk.name) == expected, (table(data, disk.name), expected)
        (requests, size), = expected.values()
        assert size == 4 * 4 << 20 and requests > 4, expected
        row, = data['block']
        assert row['stages']['q2g']['requests'] == requests, row


def test_merged():
    """Buffered writes merge: bytes are all of theirs, requests those that were left."""
    for scheduler in 'mq-deadline', 'none':
        disk = Null(delay_ns=2 * MS, submit_queues=1, hw_queue_depth=2, memory_backed=1)
        disk.use(scheduler)
        merged = int(read('/sys/block/%s/stat' % disk.name).split()[5])
        data, expected = meanwhile(disk.name, lambda: [
            run('dd', 'if=/dev/zero', 'of=' + disk.path, 'bs=4k', 'count=2000', 'conv=fsync'),
            run('dd', 'if=' + disk.path, 'of=/dev/null', 'bs=4k', 'count=2000')])
        merged = int(read('/sys/block/%s/stat' % disk.name).split()[5]) - merged
        found = table(data, disk.name)
        assert found == expected, (scheduler, found, expected)
        assert expected['write'][1] == 2000 * 4096, expected
        assert merged > 0, (scheduler, merged)
        disk.remove()


REVERSE = '''
import ctypes, mmap, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
class Iocb(ctypes.Structure):
    _fields_ = [('data', ctypes.c_uint64), ('key', ctypes.c_uint32), ('rw', ctypes.c_uint32),
                ('op', ctypes.c_uint16), ('prio', ctypes.c_int16), ('fd', ctypes.c_uint32),
                ('buf', ctypes.c_uint64), ('nbytes', ctypes.c_uint64), ('offset', ctypes.c_int64),
                ('reserved', ctypes.c_uint64), ('flags', ctypes.c_uint32), ('resfd', ctypes.c_uint32)]
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
n = 32
memory = mmap.mmap(-1, n * 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
context = ctypes.c_ulong(0)
assert libc.syscall(206, n, ctypes.byref(context)) == 0
for turn in range(8):
    blocks = [Iocb(op=1, fd=fd, buf=address + i * 4096, nbytes=4096, offset=(turn * n + n - 1 - i) * 4096)
              for i in range(n)]
    pointers = (ctypes.c_void_p * n)(*[ctypes.addressof(b) for b in blocks])
    done = 0
    while done < n:
        more = libc.syscall(209, context, ctypes.c_long(n - done), ctypes.byref(pointers, done * 8))
        assert more > 0, ctypes.get_errno()
        done += more
    events = ctypes.create_string_buffer(n * 32)
    assert libc.syscall(208, context, ctypes.c_long(n), ctypes.c_long(n), events, None) == n
'''


def test_merged_in_front():
    """Asked for backwards, requests grow at their front, and keep the stamps of the oldest."""
    disk = Null(delay_ns=MS, submit_queues=1, hw_queue_depth=1)
    disk.use('mq-deadline')
    program = os.path.join(TMP, 'reverse.py')
    write(program, REVERSE)
    merged = int(read('/sys/block/%s/stat' % disk.name).split()[5])
    before = stat(disk.name)
    data = traced('python3', program, disk.path)
    expected = grown(before, stat(disk.name))
    merged = int(read('/sys/block/%s/stat' % disk.name).split()[5]) - merged
    assert merged > 0, expected
    found = table(data, disk.name)
    assert found['write'] == expected['write'] and found['write'][1] == 8 * 32 * 4096, \
        (found, expected)
    assert of(data, disk.name)['write']['stages']['q2g']['requests'] == found['write'][0], data


def waits_for_disk(process):
    return 'blkdev' in read('/proc/%d/stack' % process.pid)


def test_another_merges_in_front():
    """What nobody wants goes in front of what somebody does: the request is still the same."""
    disk = Null(delay_ns=3000 * MS, submit_queues=1, hw_queue_depth=1)
    disk.use('mq-deadline')
    write('/sys/block/%s/queue/nr_requests' % disk.name, 16)
    wanted = os.path.join(TMP, 'wanted')
    shutil.copy('/bin/dd', wanted)
    process = start('--comm', 'wanted')
    processes = []
    # The driver has the first; the second is out of the scheduler, waiting for the driver.
    for command, skip in ('dd', 1000), ('dd', 2000), (wanted, 10), ('dd', 9):
        processes.append(subprocess.Popen([command, *dd_read(disk.name, 1, '4k', 'skip=%d' % skip)[1:]],
                                          stderr=subprocess.DEVNULL))
        wait_for(lambda: waits_for_disk(processes[-1]))
    for reader in processes:
        reader.wait()
    assert read('/sys/block/%s/stat' % disk.name).split()[1] == '1', 'they have not merged'
    assert table(finish(process)[0], disk.name) == {'read': (1, 8192)}


def test_discards_and_flushes():
    disk = Null(memory_backed=1, discard=1, cache_size=4)
    cached = read('/sys/block/%s/queue/write_cache' % disk.name).strip() == 'write back'
    data, expected = meanwhile(disk.name, lambda: [
        run('blkdiscard', '-o', '0', '-l', str(1 << 20), disk.path),
        run(*dd_write(disk.name, 10, '4k', 'conv=fsync')),
        run(*dd_write(disk.name, 10, '4k', 'conv=fsync'))])
    found = table(data, disk.name)
    assert cached, 'this null_blk has no cache to flush'
    assert found['discard'] == expected['discard'] and found['discard'][1] == 1 << 20, found
    assert found['flush'] == (2, 0), found
    if 'flush' in expected:
        assert found['flush'] == expected['flush'], (found, expected)
    assert found['write'] == (20, 20 * 4096), found


# --- stages -------------------------------------------------------------------

def means(data, disk):
    row = of(data, disk)['read']
    return {name: row['stages'][name]['total_ns'] / row['requests'] for name in STAGES}


def test_delay_is_of_the_driver():
    """A disk that is slower by 20 ms has a D2C that is longer by that, and nothing else."""
    fast, slow = Null(delay_ns=2 * MS), Null(delay_ns=22 * MS)
    before = means(traced(*dd_read(fast.name, 40)), fast.name)
    after = means(traced(*dd_read(slow.name, 40)), slow.name)
    moved = {name: after[name] - before[name] for name in STAGES}
    assert 18 * MS < moved.pop('d2c') < 26 * MS, (before, after)
    assert all(abs(ns) < 2 * MS for ns in moved.values()), moved


def test_waiting_for_a_request():
    """Who finds all requests taken waits in Q2G."""
    disk = Null(delay_ns=20 * MS, submit_queues=1, hw_queue_depth=1)
    data = traced('sh', '-c', ' & '.join(' '.join(dd_read(disk.name, 5, '4k', 'skip=%d' % (n * 100)))
                                         for n in range(6)) + ' & wait')
    assert table(data, disk.name) == {'read': (30, 30 * 4096)}
    assert means(data, disk.name)['q2g'] > 20 * MS, means(data, disk.name)
    assert 19 * MS < means(data, disk.name)['d2c'] < 30 * MS, means(data, disk.name)


def test_scheduler():
    """Requests that go through a scheduler are inserted, others are not."""
    disk = Null()
    disk.use('none')
    row = of(traced(*dd_read(disk.name, 50)), disk.name)['read']
    assert row['stages']['g2i']['requests'] == 0 and row['stages']['g2i']['total_ns'] == 0, row
    disk.use('mq-deadline')
    row = of(traced(*dd_read(disk.name, 50)), disk.name)['read']
    assert row['stages']['g2i']['requests'] == 50, row
    assert row['stages']['g2i']['total_ns'] > 0 and row['stages']['i2d']['total_ns'] > 0, row


# --- who, and where -------------------------------------------------------------

def test_by_process():
    """A process's own; another's, at the same time, are not."""
    disk = Null()
    other = subprocess.Popen(['sh', '-c', 'while :; do %s 2>/dev/null; done' %
                              ' '.join(dd_read(disk.name, 50))])
    try:
        data = traced(*dd_read(disk.name, 100, '8k'))
        assert table(data, disk.name) == {'read': (100, 100 * 8192)}, table(data, disk.name)
        process = start('-p', str(other.pid))
        wait_for(lambda: stat(disk.name)['read'][0] > 1000)
        subprocess.run(dd_read(disk.name, 100, '8k'), stderr=subprocess.DEVNULL, check=True)
        row = of(finish(process)[0], disk.name)['read']
        assert row['bytes'] == row['requests'] * 4096 and row['requests'] > 0, row
    finally:
        other.kill()
        other.wait()


def test_by_disk():
    wanted, other = Null(), Null()
    command = 'sh', '-c', '%s; %s' % (' '.join(dd_read(wanted.name, 30)),
                                      ' '.join(dd_read(other.name, 40)))
    data = traced(*command)
    assert table(data, wanted.name) == {'read': (30, 30 * 4096)}, data['block']
    assert table(data, other.name) == {'read': (40, 40 * 4096)}, data['block']
    number = read('/sys/block/%s/dev' % wanted.name).strip()
    for name in wanted.name, wanted.path, number:
        data = traced(*command, options=['--dev', name])
        assert [row['disk'] for row in data['block']] == [wanted.name], data['block']
        assert table(data, wanted.name) == {'read': (30, 30 * 4096)}, data['block']
        assert data['block'][0]['dev'] == number, data['block']


def test_more_disks_than_numbers():
    """Beyond 64 disks all others share a row, and nothing is lost."""
    disks = [Null(delay_ns=0, is_quiet=False, size=4, submit_queues=1, hw_queue_depth=4)
             for _ in range(66)]
    program = os.path.join(TMP, 'all.py')
    write(program, 'import mmap, os, sys\n'
          'memory = mmap.mmap(-1, 4096)\n'
          'for path in sys.argv[1:]:\n'
          '    fd = os.open(path, os.O_RDWR | os.O_DIRECT)\n'
          '    [os.pwrite(fd, memory, n * 4096) for n in range(3)]\n')
    data = traced('python3', program, *[disk.path for disk in disks])
    writes = {row['disk']: row for row in data['block'] if row['operation'] == 'write'}
    assert len(writes) == 65, sorted(writes)
    others = writes.pop('(others)')
    assert 'dev' not in others and others['requests'] == 6, others
    assert all((row['requests'], row['bytes']) == (3, 3 * 4096) for row in writes.values())
    assert set(writes) < {disk.name for disk in disks}, sorted(writes)


def test_partition_is_its_disk():
    disk = Null(memory_backed=1)
    with open(disk.path, 'r+b', buffering=0) as file:
        entry = bytes([0, 0, 0, 0, 0x83, 0, 0, 0]) + struct.pack('<II', 2048, 4096)
        file.write(bytes(446) + entry + bytes(48) + b'\x55\xaa')
        fcntl.ioctl(file, BLKRRPART)
    part = disk.name + 'p1'
    wait_for(lambda: os.path.exists('/dev/' + part))
    settle(disk.name)
    assert table(traced(*dd_read(part, 20)), disk.name) == {'read': (20, 20 * 4096)}
    errors = ktrace('io', '--dev', part, '-d', '1', status=2)[1]
    assert 'take --dev %s' % disk.name in errors, errors


def test_names_that_are_wrong():
    disk = Null()
    errors = ktrace('io', '--dev', disk.name[:-1] + 'x', '-d', '1', status=2)[1]
    assert "did you mean '%s'?" % disk.name in errors, errors
    assert 'no disk' in ktrace('io', '--dev', '/dev/null', '-d', '1', status=2)[1]
    assert 'no disk' in ktrace('io', '--dev', '4095:1', '-d', '1', status=2)[1]


def test_two_sessions_at_once():
    first, second = Null(), Null()
    one, two = start('--dev', first.name), start('--dev', second.name)
    run(*dd_read(first.name, 70))
    run(*dd_write(second.name, 80))
    late = finish(two)[0]
    run(*dd_read(first.name, 5))
    run(*dd_read(second.name, 5))
    early = finish(one)[0]
    assert table(early, first.name) == {'read': (75, 75 * 4096)}, early['block']
    assert table(late, second.name) == {'write': (80, 80 * 4096)}, late['block']
    assert len(early['block']) == len(late['block']) == 1


# --- while it runs --------------------------------------------------------------

def test_in_flight():
    """Requests under way when counting begins, or when it ends, are none of it."""
    disk = Null(delay_ns=1500 * MS)
    inflight = '/sys/block/%s/inflight' % disk.name
    early = subprocess.Popen(dd_read(disk.name, 1), stderr=subprocess.DEVNULL)
    wait_for(lambda: read(inflight).split() == ['1', '0'])
    process = start('--dev', disk.name)
    assert early.poll() is None, 'the request was over too early'
    early.wait()
    run(*dd_write(disk.name, 1))
    late = subprocess.Popen(dd_read(disk.name, 1), stderr=subprocess.DEVNULL)
    wait_for(lambda: read(inflight).split() == ['1', '0'])
    data = finish(process)[0]
    late.wait()
    assert table(data, disk.name) == {'write': (1, 4096)}, data['block']


def test_disk_comes_and_goes():
    """One that is made while all are watched is counted; so is one that is gone by the end."""
    process = start()
    for _ in range(3):
        disk = Null()
        run(*dd_write(disk.name, 25))
        number = read('/sys/block/%s/dev' % disk.name).strip()
        disk.remove()
        if '\nnull_blk ' in '\n' + read('/proc/modules'):
            run('rmmod', 'null_blk')
    data = finish(process)[0]
    rows = [row for row in data['block'] if row['dev'] == number and row['operation'] == 'write']
    assert [row['requests'] for row in rows] == [75], data['block']
    assert rows[0]['disk'] == number, rows


def test_io_intervals_lose_nothing():
    disk = Null()
    settle(disk.name)
    process = start('--dev', disk.name, '-i', '100ms')
    before = stat(disk.name)
    end = time.time() + 2
    while time.time() < end:
        run(*dd_read(disk.name, 40))
    expected = grown(before, stat(disk.name))
    rows = [table(data, disk.name).get('read', (0, 0)) for data in finish(process)]
    assert len(rows) > 5, len(rows)
    assert {'read': (sum(row[0] for row in rows), sum(row[1] for row in rows))} == expected, \
        (rows, expected)


def test_table():
    disk = Null()
    out = ktrace('io', '--hist', 'd2c', '--', *dd_read(disk.name, 60))[0]
    lines = out.splitlines()
    load = [line.split() for line in lines if line.startswith(disk.name + ' ')]
    assert load[0][1:3] == ['read', '60'] and load[0][4] == str(60 * 4096), out
    assert load[0][6] == '4.0' and len(load[1]) == 17, out
    shares = [int(word[:-1]) for word in load[1] if word.endswith('%')]
    assert len(shares) == 4 and 98 <= sum(shares) <= 102, out
    assert '%s read d2c' % disk.name in lines and '->' in out, out
    assert 'write-back' in lines[-1], out
    assert 'write-back' not in ktrace('io', '--layers', 'block', '-d', '10ms')[0]


# --- disks of the machine, and hostile ones --------------------------------------

def test_disks():
    """On each bus that the machine has a disk on; with a scheduler and without."""
    disks = [name for name in ('vda', 'nvme0n1', 'sda') if os.path.exists('/dev/' + name)]
    if not disks:
        raise Skip('the machine has no disks: DISK=virtio,nvme,scsi')
    for name in disks:
        for scheduler in 'none', 'mq-deadline':
            write('/sys/block/%s/queue/scheduler' % name, scheduler)
            data, expected = meanwhile(name, lambda name=name: [
                run(*dd_write(name, 50, '64k')), run(*dd_read(name, 200, '4k'))])
            found = table(data, name)
            assert found == expected == {'write': (50, 50 << 16), 'read': (200, 200 * 4096)}, \
                (name, scheduler, found, expected)
            data, expected = meanwhile(name, lambda name=name: run(
                'dd', 'if=/dev/zero', 'of=/dev/' + name, 'bs=64k', 'count=100', 'conv=fsync'))
            found = table(data, name)
            # What asks for a flush is a write to the kernel, of nothing.
            requests, size = found['write']
            asked = requests + found['flush'][0], size
            assert asked == expected['write'], (name, scheduler, found, expected)
            assert found['flush'] == expected.get('flush', found['flush']), (found, expected)


def scsi_debug(**settings):
    modprobe('sd_mod')
    before = set(os.listdir('/sys/block'))
    modprobe('scsi_debug', *['%s=%s' % setting for setting in settings.items()])
    name = wait_for(lambda: set(os.listdir('/sys/block')) - before).pop()
    wait_for(lambda: os.path.exists('/dev/' + name))
    settle(name)
    return name


def with_scsi_debug(action, **settings):
    try:
        name = scsi_debug(dev_size_mb=16, **settings)
    except subprocess.CalledProcessError as error:
        raise Skip('this kernel has no scsi_debug') from error
    try:
        write('/sys/module/scsi_debug/parameters/opts', 0)
        action(name)
    finally:
        write('/sys/module/scsi_debug/parameters/opts', 0)
        wait_for(lambda: not subprocess.call(['rmmod', 'scsi_debug'], stderr=subprocess.DEVNULL))


def test_busy_host_requeues():
    """Requests that the host refuses at times are issued again, and count once."""
    def action(name):
        write('/sys/module/scsi_debug/parameters/every_nth', 7)
        write('/sys/module/scsi_debug/parameters/opts', 0x8000)
        data, expected = meanwhile(name, lambda: run(*dd_read(name, 150)))
        found = table(data, name)
        assert found['read'] == expected['read'] == (150, 150 * 4096), (found, expected)
    with_scsi_debug(action, ndelay=200000)


def test_short_transfers():
    """Requests of which the host does a part at times count once, with all of their bytes."""
    def action(name):
        write('/sys/module/scsi_debug/parameters/every_nth', 5)
        write('/sys/module/scsi_debug/parameters/opts', 0x100)
        data, expected = meanwhile(name, lambda: run(*dd_read(name, 60, '64k')))
        found = table(data, name)
        assert found['read'] == expected['read'] == (60, 60 << 16), (found, expected)
    with_scsi_debug(action, ndelay=200000)


def test_errors():
    """A request that fails is one; what was read before the bad block is part of it."""
    def action(name):
        write('/sys/module/scsi_debug/parameters/opts', 2)
        data, _ = meanwhile(name, lambda: subprocess.call(
            dd_read(name, 1, '4k', 'skip=%d' % (0x1234 // 8)), stderr=subprocess.DEVNULL))
        row = of(data, name)['read']
        assert (row['requests'], row['errors']) == (1, 1), row
    with_scsi_debug(action, ndelay=200000)
