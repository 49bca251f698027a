# SPDX-License-Identifier: GPL-2.0
"""ktrace io: requests and bytes equal the kernel's own counters, and stages add up."""
import fcntl
import glob
import json
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess

from disks import (ABOVE, FILL, MS, STAGES, TOGETHER, Null, are_those_of, check, check_requests,
                   choose_scheduler, dd_read, dd_write, end, grown, linear, memory_disk, nvmes, of,
                   over_tcp, read, real_disks, remove_nulls, run, scsi_debug, settle, slow, start,
                   stat, table, traced, write)
from suite import Skip
from tool import (TMP, WINDOW, check_rows_by, counting_intervals, documents_of, ktrace, layer,
                  read_documents, state_of, timely, undisturbed, wait_for)

BLKRRPART = 0x125f
teardown = remove_nulls


def finish(process):
    """Returns the documents of a command: one, or one per interval."""
    return [check(data) for data in documents_of(process)]


def meanwhile(disk, action, *options):
    """Returns what ktrace counts of a disk during an action, and what the kernel counts."""
    settle(disk)
    process = start('--dev', disk, *options)
    before = stat(disk)
    action()
    settle(disk)
    after = stat(disk)
    return finish(process)[0], grown(before, after)


def test_top_disks():
    """Each request is in one window of ktrace top, and in no other."""
    disk, seen = Null(), 0
    process = subprocess.Popen(['ktrace', 'top', '--batch', '-i', '200ms', '--tab', 'disks'],
                               stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    run(*dd_read(disk.name, 300))
    for line in process.stdout:
        found = re.match(disk.name + r' +read +(\d+) .* 4.00 KiB', line)
        seen += int(found[1]) if found else 0
        if seen >= 300:
            break
    process.send_signal(signal.SIGINT)
    assert seen == 300, seen
    process.communicate()
    assert process.returncode == 0, process.returncode


# --- counts -------------------------------------------------------------------

def test_io_direct():  # debug
    """As many requests and bytes as the program asked for."""
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
        row, = layer(data, 'block')
        assert row['stages']['q2g']['requests'] == requests, row


def test_merged():
    """Buffered writes merge: the bytes are those of all bios, the requests those after merging."""
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


def slabs_given_back():
    """Makes the kernel reuse memory of bios for something else, so that new bios have other
    addresses."""
    for path in glob.glob('/sys/kernel/slab/*/shrink'):
        write(path, 1)
    return mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)


def test_merged_more_than_places():
    """A merged bio has a line in the table only while its request is under way."""
    disk = Null(delay_ns=1000, size=256)
    disk.use('mq-deadline')
    kept = []

    def rounds():
        for _ in range(6):
            run('dd', 'if=/dev/zero', 'of=' + disk.path, 'bs=1M', 'count=32', 'conv=fsync')
            kept.append(slabs_given_back())
    merged = int(read('/sys/block/%s/stat' % disk.name).split()[5])
    data, expected = meanwhile(disk.name, rounds)
    merged = int(read('/sys/block/%s/stat' % disk.name).split()[5]) - merged
    assert merged > 2 * 16384, (merged, expected)
    assert table(data, disk.name) == expected, (table(data, disk.name), expected)


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


def test_merged_in_front():  # debug
    """Bios in descending order merge in front, and the request keeps the stamps of the oldest
    bio."""
    disk = Null(delay_ns=MS, submit_queues=1, hw_queue_depth=1)
    disk.use('mq-deadline')
    program = os.path.join(TMP, 'reverse.py')
    write(program, REVERSE)
    merged = int(read('/sys/block/%s/stat' % disk.name).split()[5])
    before = stat(disk.name)
    data = traced('python3', program, disk.path)
    settle(disk.name)
    expected = grown(before, stat(disk.name))
    merged = int(read('/sys/block/%s/stat' % disk.name).split()[5]) - merged
    assert merged > 0, expected
    found = table(data, disk.name)
    assert found['write'] == expected['write'] and found['write'][1] == 8 * 32 * 4096, \
        (found, expected)
    assert of(data, disk.name)['write']['stages']['q2g']['requests'] == found['write'][0], data


def waits_for_disk(process):
    """Whether the process sleeps in its read: its request was queued before it slept."""
    timely(process.poll() is None, 'its request was over too early')
    return 'blkdev_read_iter' in read('/proc/%d/stack' % process.pid) and \
        state_of(process.pid) == 'D'


@undisturbed
def test_another_merges_in_front():  # slow
    """A bio that no session counts merges in front of one that is counted: it is still the same
    request."""
    disk = Null(delay_ns=3000 * MS, submit_queues=1, hw_queue_depth=1)
    disk.use('mq-deadline')
    write('/sys/block/%s/queue/nr_requests' % disk.name, 16)
    wanted = os.path.join(TMP, 'wanted')
    shutil.copy('/bin/dd', wanted)
    process = start('--comm', 'wanted')
    processes = []
    # The driver has the first request; the second has left the scheduler and waits for the driver.
    try:
        for command, skip in ('dd', 1000), ('dd', 2000), (wanted, 10), ('dd', 9):
            processes.append(subprocess.Popen(
                [command, *dd_read(disk.name, 1, '4k', 'skip=%d' % skip)[1:]],
                stderr=subprocess.DEVNULL))
            wait_for(lambda: waits_for_disk(processes[-1]))
    finally:
        for reader in processes:
            reader.wait()
        found = table(finish(process)[0], disk.name)
    timely(read('/sys/block/%s/stat' % disk.name).split()[1] == '1', 'they have not merged')
    assert found == {'read': (1, 8192)}, found


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


@undisturbed
def test_delay_is_of_the_driver():
    """A disk that is slower by 100 ms has a D2C that is longer by this time, and no other
    change."""
    fast, slow = Null(delay_ns=2 * MS), Null(delay_ns=102 * MS)
    before = means(traced(*dd_read(fast.name, 40)), fast.name)
    after = means(traced(*dd_read(slow.name, 40)), slow.name)
    moved = {name: after[name] - before[name] for name in STAGES}
    timely(90 * MS < moved.pop('d2c') < 115 * MS, (before, after))
    timely(all(abs(ns) < 10 * MS for ns in moved.values()), moved)


# Six threads begin together and read five times each.
@undisturbed
def test_waiting_for_a_request():
    """A task that finds all requests taken waits in Q2G."""
    disk = Null(delay_ns=50 * MS, submit_queues=1, hw_queue_depth=1)
    data = traced('python3', '-c', TOGETHER, disk.path, options=['--dev', disk.name])
    assert table(data, disk.name) == {'read': (30, 30 * 4096)}, layer(data, 'block')
    mean = means(data, disk.name)
    assert mean['d2c'] > 49 * MS, mean
    timely(mean['q2g'] > mean['d2c'], mean)


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
    """A process's own requests, not another's at the same time. Merged, they would be one task's
    requests."""
    disk = Null()
    write('/sys/block/%s/queue/nomerges' % disk.name, 2)
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
    assert table(data, wanted.name) == {'read': (30, 30 * 4096)}, layer(data, 'block')
    assert table(data, other.name) == {'read': (40, 40 * 4096)}, layer(data, 'block')
    number = read('/sys/block/%s/dev' % wanted.name).strip()
    for name in wanted.name, wanted.path, number:
        data = traced(*command, options=['--dev', name])
        assert [row['disk'] for row in layer(data, 'block')] == [wanted.name], layer(data, 'block')
        assert table(data, wanted.name) == {'read': (30, 30 * 4096)}, layer(data, 'block')
        assert layer(data, 'block')[0]['dev'] == number, layer(data, 'block')


def test_more_disks_than_numbers():  # slow
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
    writes = {row['disk']: row for row in layer(data, 'block') if row['operation'] == 'write'}
    assert len(writes) == 65, sorted(writes)
    others = writes.pop('(others)')
    assert 'dev' not in others and others['requests'] == 6, others
    assert all((row['requests'], row['bytes']) == (3, 3 * 4096) for row in writes.values())
    assert set(writes) < {disk.name for disk in disks}, sorted(writes)


def count_of_paths(disk, scheduler):
    """Direct requests of an NVMe disk with several paths count for the disk."""
    paths = [name for name in os.listdir('/sys/block') if re.fullmatch(r'nvme\d+c\d+n\d+', name)]
    assert paths, os.listdir('/sys/block')
    for path in paths:
        choose_scheduler(path, scheduler)
    both = ['sh', '-c', ' '.join(dd_write(disk, 12, '8k', 'conv=fsync')) + ';' + ' '.join(dd_read(disk, 20))]
    data = traced(*both)
    assert {row['disk'] for row in layer(data, 'block')} == {disk}, layer(data, 'block')
    counts = table(data, disk)
    assert counts.pop('flush', (1, 0))[0] == 1, counts
    assert counts == {'read': (20, 20 * 4096), 'write': (12, 12 * 8192)}, counts
    stages = of(data, disk)['read']['stages']
    assert stages['g2i']['requests'] == (20 if scheduler == 'mq-deadline' else 0), stages
    data = traced(*both, options=['--dev', disk])
    assert table(data, disk)['read'] == (20, 20 * 4096), layer(data, 'block')


def test_paths_count_for_their_disk():
    """NVMe's own multipath, without and with a scheduler."""
    disks = nvmes(False)
    if not disks:
        raise Skip('the machine has no disk with several paths: DISK=paths')
    count_of_paths(disks[0], 'none')
    count_of_paths(disks[0], 'mq-deadline')


def test_disk_over_tcp():
    """The disk that the program reads counts; the disk of the server is read by the kernel."""
    with over_tcp(Null(memory_backed=1)) as name:
        for options in [], ['--dev', name]:
            data = traced(*dd_read(name, 20), options=options)
            assert {row['disk'] for row in layer(data, 'block')} == {name}, layer(data, 'block')
            assert table(data, name) == {'read': (20, 20 * 4096)}, layer(data, 'block')


def test_disks_without_requests():
    """A disk that has no requests is refused, with the disks below it, if there are any."""
    disk = Null()
    with linear(disk) as path:
        out = ktrace('io', '--dev', path, '-d', '1', status=2)[1]
        assert 'passes its I/O on to other disks; use --dev %s.' % disk.name in out, out
    if subprocess.call(['modprobe', '-q', 'brd', 'rd_nr=1']):
        raise Skip('this kernel has no brd')
    out = ktrace('io', '--dev', 'ram0', '-d', '1', status=2)[1]
    assert 'ram0 has no requests' in out and 'omit --dev' in out, out
    run('rmmod', 'brd')


def test_disks_below_other_devices():  # slow
    """What is read from a device, and written to it, is that of its disks, as the kernel counts
    it."""
    for above, copies in ABOVE.items():
        with above(memory_disk()) as path:
            device, disks = os.path.basename(path), [disk.name for disk in Null.made]
            run(*dd_write(device, 1))   # the first write makes md write, too
            for command, nr_bytes in (
                    (dd_read(device, 300), 300 << 12), (dd_write(device, 200, '16k'), copies * 200 << 14),
                    (dd_read(device, 4, '4M'), 16 << 20), (dd_write(device, 4, '4M'), copies * 16 << 20)):
                process = start('--dev', ','.join(disks))
                before = [stat(disk) for disk in disks]
                run(*command)
                [settle(disk) for disk in disks]
                expected = [grown(old, stat(disk)) for old, disk in zip(before, disks)]
                data, = finish(process)
                assert [table(data, disk) for disk in disks] == expected, (device, data, expected)
                assert sum(row['bytes'] for row in layer(data, 'block')) == nr_bytes, (device, data)
        remove_nulls()


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
    assert 'use --dev %s' % disk.name in errors, errors


def test_names_that_are_wrong():
    disk = Null()
    errors = ktrace('io', '--dev', disk.name[:-1] + 'x', '-d', '1', status=2)[1]
    assert "did you mean '%s'?" % disk.name in errors, errors
    assert 'no disk' in ktrace('io', '--dev', '/dev/null', '-d', '1', status=2)[1]
    assert 'no disk' in ktrace('io', '--dev', '4095:1', '-d', '1', status=2)[1]


def finish_by(process):
    data = json.loads(end(process))
    assert data['complete'] and 'others' not in data, data['session']
    return data['rows']


def rows_by(keys, action):
    """Returns the rows of --by, which add up to the counts of another session; those of stages,
    too."""
    by, staged, plain = start('--by', keys), start('--by', keys + ',stage'), start()
    action()
    rows, stages, every = finish_by(by), finish_by(staged), layer(finish(plain)[0], 'block')
    for key in 'requests', 'errors', 'bytes', 'total_ns':
        expected = sum(row[key] for row in every)
        assert sum(row[key] for row in rows) == expected, (keys, key)
        assert sum(row[key] for row in stages if row['stage'] == 'q2c') == expected, (keys, key)
    for stage in STAGES:
        for key in 'requests', 'total_ns':
            assert sum(row[key] for row in stages if row['stage'] == stage) == \
                sum(row['stages'][stage][key] for row in every), (keys, stage, key)
    return rows


def test_io_by():  # slow
    """The same requests in rows of disks, operations, names, processes, threads, users and several
    keys."""
    one, two = Null(), Null()
    alpha, beta = os.path.join(TMP, 'alpha'), os.path.join(TMP, 'a name of 15 ch')
    for name in alpha, beta:
        shutil.copy('/bin/dd', name)
    jobs = [(alpha, dd_read(one.name, 30)), (alpha, dd_write(one.name, 10)),
            (alpha, dd_read(two.name, 5)), (beta, dd_read(two.name, 20, '8k'))]
    pids = []

    def action():
        pids.clear()
        for name, words in jobs:
            job = subprocess.Popen([name, *words[1:]], stderr=subprocess.DEVNULL)
            assert job.wait() == 0
            pids.append(job.pid)

    def found(keys, *members):
        rows = rows_by(keys, action)
        shown = {tuple(row.get(key) for key in members): (row['requests'], row['bytes'])
                 for row in rows}
        assert len(shown) == len(rows), rows
        return shown
    page = 4096
    assert found('dev', 'disk', 'operation') == {
        (one.name, None): (40, 40 * page), (two.name, None): (25, 45 * page)}
    assert found('op', 'disk', 'operation') == {
        (None, 'read'): (55, 75 * page), (None, 'write'): (10, 10 * page)}
    assert found('comm,op', 'comm', 'operation') == {
        ('alpha', 'read'): (35, 35 * page), ('alpha', 'write'): (10, 10 * page),
        ('a name of 15 ch', 'read'): (20, 40 * page)}
    assert found('uid,dev', 'uid', 'disk') == {
        (0, one.name): (40, 40 * page), (0, two.name): (25, 45 * page)}
    assert sum(requests for requests, _ in found('cpu', 'cpu').values()) == 65
    for what in 'pid', 'tid':
        assert found(what + ',op', what, 'comm', 'operation') == {
            (pids[0], 'alpha', 'read'): (30, 30 * page), (pids[1], 'alpha', 'write'): (10, 10 * page),
            (pids[2], 'alpha', 'read'): (5, 5 * page),
            (pids[3], 'a name of 15 ch', 'read'): (20, 40 * page)}
    assert found('pid,dev,comm', 'pid', 'disk', 'comm') == {
        (pids[0], one.name, 'alpha'): (30, 30 * page), (pids[1], one.name, 'alpha'): (10, 10 * page),
        (pids[2], two.name, 'alpha'): (5, 5 * page),
        (pids[3], two.name, 'a name of 15 ch'): (20, 40 * page)}


def test_io_by_stage():
    """One row per stage; the row of the whole has the bytes."""
    disk = Null()
    process = start('--by', 'stage', '--dev', disk.name)
    run(*dd_write(disk.name, 25))
    rows = {row['stage']: (row['requests'], row['bytes']) for row in finish_by(process)}
    assert {'i2d', 'd2c', 'q2c'} <= rows.keys() <= {*STAGES, 'q2c'}, rows
    assert rows.pop('q2c') == (25, 25 * 4096), rows
    assert rows['i2d'] == rows['d2c'] == (25, 0), rows


THREADS = '''
import mmap, os, sys, threading
def work():
    open('/proc/self/task/%d/comm' % threading.get_native_id(), 'w').write('one of many')
    fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
    for _ in range(10):
        os.preadv(fd, [mmap.mmap(-1, 4096)], 0)
open('/proc/self/comm', 'w').write('the process')
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
'''


def test_io_by_is_named_after_the_process():
    """A row by pid has the name of the process, which has ended; one by tid has the thread's
    name."""
    disk = Null()
    for key, name, nr in ('pid', 'the process', 1), ('tid', 'one of many', 3):
        process = start('--by', key, '--dev', disk.name, '--comm', 'one of many')
        run('python3', '-c', THREADS, disk.path)
        rows = finish_by(process)
        assert [row['comm'] for row in rows] == [name] * nr, rows
        assert sum(row['requests'] for row in rows) == 30, rows


def test_io_by_as_text():
    """Rows are sorted and have the names of disks; other tables follow."""
    slow, fast = Null(delay_ns=50 * MS), Null()
    program = os.path.join(TMP, 'both')
    write(program, ' '.join(dd_read(slow.name, 4)) + ' && ' + ' '.join(dd_read(fast.name, 40, '8k')))

    def first_of(column):
        out = ktrace('io', '--by', 'dev,op', '--sort', column, '--raw', '--', 'sh', program)[0]
        titles, *rows = out.splitlines()[1:4]
        assert titles.split()[-2:] == ['DISK', 'OP'] and 'REQUESTS' in titles, out
        assert {'TOTAL', 'AVG', 'P50', 'P99', 'MAX', 'BYTES', 'EACH'} <= set(titles.split()), out
        assert {tuple(row.split()[-2:]) for row in rows} == \
            {(slow.name, 'read'), (fast.name, 'read')}, out
        assert out.splitlines()[-1].startswith('Only requests that these tasks queued themselves'), out
        return rows[0].split()[-2]
    assert first_of('avg') == first_of('p99') == first_of('max') == slow.name
    assert first_of('requests') == first_of('bytes') == fast.name
    assert first_of('name') == min(slow.name, fast.name)


def test_io_by_with_histograms():
    disk, path = Null(), os.path.join(TMP, 'rows')
    options = '--by', 'pid,op', '--hist', 'q2c', '-o', path
    ktrace('io', '--format', 'json', *options, '--', *dd_read(disk.name, 50))
    check_rows_by(json.loads(read(path)), 'requests')
    ktrace('io', *options, '--', *dd_read(disk.name, 50))
    assert re.search(r'^pid \d+, op read \(dd\)$', read(path), re.M) and '->' in read(path), read(path)


def test_io_by_at_least():
    """--min-time applies to whole requests, whatever the keys."""
    slow, fast = Null(delay_ns=20 * MS), Null(delay_ns=0)
    process = start('--by', 'dev,stage', '--min-time', '15ms')
    run(*dd_read(fast.name, 40))
    run(*dd_read(slow.name, 6))
    rows = [row for row in finish_by(process) if row['disk'] in (slow.name, fast.name)]
    at_least = {row['stage']: row['requests'] for row in rows if row['disk'] == slow.name}
    assert at_least['q2c'] == at_least['d2c'] == at_least['i2d'] == 6, rows
    timely(len(rows) == len(at_least), 'a fast request took long')


def test_io_by_with_all_else():
    """Single requests, rows of tasks and intervals at once; impossible combinations are refused."""
    disk = Null()
    process = start('--dev', disk.name, '--by', 'comm', '--slow', '0', '-i', '200ms')
    for _ in range(5):
        run(*dd_read(disk.name, 100))
    lines = [json.loads(line) for line in end(process).splitlines()]
    requests = check_requests([line for line in lines if 'event' in line])
    rows = [row for line in lines if 'event' not in line for row in line['rows']]
    assert len(requests) == sum(row['requests'] for row in rows) == 500, len(requests)
    assert sum(r['duration_ns'] for r in requests) == sum(row['total_ns'] for row in rows)
    assert {row['comm'] for row in rows} == {'dd'}, rows


def test_io_by_that_is_refused():
    def complaint(*options):
        return ktrace('io', *options, status=2)[1]
    for keys in 'planet', 'pid,', 'pid,pid', 'pid,errno', 'dev,op,stage,file,pid':
        assert '--by takes one to 4 of dev, op, stage, file, ' in complaint('--by', keys), keys
    assert '--hist takes q2c' in complaint('--by', 'pid', '--hist', 'd2c')
    assert 'add --by' in complaint('--sort', 'bytes')
    assert "--sort cannot be 'planet'; choose one of total|" in complaint('--by', 'pid', '--sort', 'planet')
    assert 'only the layer block has' in complaint('--by', 'pid', '--layers', 'fs,block')


def test_two_sessions_at_once():
    first, second = Null(), Null()
    one, two = start('--dev', first.name), start('--dev', second.name)
    run(*dd_read(first.name, 70))
    run(*dd_write(second.name, 80))
    late = finish(two)[0]
    run(*dd_read(first.name, 5))
    run(*dd_read(second.name, 5))
    early = finish(one)[0]
    assert table(early, first.name) == {'read': (75, 75 * 4096)}, layer(early, 'block')
    assert table(late, second.name) == {'write': (80, 80 * 4096)}, layer(late, 'block')
    assert len(layer(early, 'block')) == len(layer(late, 'block')) == 1


# --- while it runs --------------------------------------------------------------

def check_whole(stages, rows):
    """All stages of a request are counted in one interval."""
    assert {stages[name]['requests'] for name in ('q2g', 'i2d', 'd2c', 'q2c')} == \
        {stages['q2c']['requests']}, rows
    assert sum(stages[name]['total_ns'] for name in STAGES if name in stages) == \
        stages['q2c']['total_ns'], rows


@undisturbed
def test_in_flight():  # slow
    """Requests that are under way when counting begins or ends are not counted."""
    # After 5 s the driver takes a request for lost.
    disk = Null(delay_ns=4000 * MS)
    inflight = '/sys/block/%s/inflight' % disk.name
    early = subprocess.Popen(dd_read(disk.name, 1), stderr=subprocess.DEVNULL)
    wait_for(lambda: read(inflight).split() == ['1', '0'] or early.poll() is not None)
    process = start('--dev', disk.name)
    was_early = read(inflight).split() == ['1', '0']
    early.wait()
    timely(subprocess.call(dd_write(disk.name, 1), stderr=subprocess.DEVNULL) == 0,
           'the driver took a request for lost')
    late = subprocess.Popen(dd_read(disk.name, 1), stderr=subprocess.DEVNULL)
    wait_for(lambda: read(inflight).split() == ['1', '0'] or late.poll() is not None)
    data = finish(process)[0]
    was_late = read(inflight).split() == ['1', '0']
    late.wait()
    timely(was_early and was_late, 'a request was over too early')
    assert table(data, disk.name) == {'write': (1, 4096)}, layer(data, 'block')


def test_disk_comes_and_goes():
    """A disk that is added while all disks are counted is counted too, and so is one that is
    removed."""
    process = start()
    for _ in range(3):
        disk = Null()
        run(*dd_write(disk.name, 25))
        number = read('/sys/block/%s/dev' % disk.name).strip()
        disk.remove()
        if '\nnull_blk ' in '\n' + read('/proc/modules'):
            run('rmmod', 'null_blk')
    data = finish(process)[0]
    rows = [row for row in layer(data, 'block') if row['dev'] == number and row['operation'] == 'write']
    assert [row['requests'] for row in rows] == [75], layer(data, 'block')
    assert rows[0]['disk'] == number, rows


def test_io_intervals_lose_nothing():  # debug
    disk = Null()
    settle(disk.name)
    before = stat(disk.name)
    process, path = counting_intervals('io', '--layers', 'block', '--dev', disk.name, '-i', '100ms',
                                       action=lambda: run(*dd_read(disk.name, 40)))
    settle(disk.name)
    expected = grown(before, stat(disk.name))
    end(process)
    rows = [table(check(data), disk.name).get('read', (0, 0)) for data in read_documents(path)]
    assert len(rows) > 5, len(rows)
    assert {'read': (sum(row[0] for row in rows), sum(row[1] for row in rows))} == expected, \
        (rows, expected)


def test_no_request_is_in_two_intervals():  # slow
    """Requests end at the end of an interval, on another CPU: all figures of one stay together."""
    disk = Null(delay_ns=0, irqmode=0)
    reader = subprocess.Popen(['python3', '-c', FILL, disk.path, str(1 << 40)])
    try:
        for by in [], ['--by', 'tid,stage']:
            process, path = counting_intervals('io', '--dev', disk.name, '-i', '10ms', *by, nr=80,
                                               action=lambda: run('true'))
            end(process)
            documents = read_documents(path)
            for row in [] if by else [row for data in documents for row in layer(data, 'block')]:
                check_whole(row['stages'], row)
            for data in documents if by else []:
                assert {row['tid'] for row in data['rows']} <= {reader.pid}, data['rows']
                if data['rows']:
                    check_whole({row['stage']: row for row in data['rows']}, data['rows'])
    finally:
        reader.kill()
        reader.wait()


def test_table():
    disk = Null()
    out = ktrace('io', '--hist', 'd2c', '--raw', '--', *dd_read(disk.name, 60))[0]
    window, *lines = out.splitlines()
    assert WINDOW.match(window), out
    load = [line.split() for line in lines if line.startswith(disk.name + ' ')]
    assert load[0][1:3] == ['read', '60'] and load[0][4] == str(60 * 4096), out
    assert load[0][6] == '4096' and len(load[1]) == 17, out
    shares = [int(word[:-1]) for word in load[1] if word.endswith('%')]
    assert len(shares) == 4 and 98 <= sum(shares) <= 102, out
    assert '%s read d2c' % disk.name in lines and '->' in out, out
    assert 'write-back' in lines[-1], out
    assert 'write-back' not in ktrace('io', '--layers', 'block', '-d', '10ms')[0]


# --- disks of the machine, and hostile ones --------------------------------------

def test_disks():  # slow
    """On each bus with a disk in this machine, with a scheduler and without."""
    for name in real_disks():
        for scheduler in 'none', 'mq-deadline':
            choose_scheduler(name, scheduler)
            data, expected = meanwhile(name, lambda name=name: [
                run(*dd_write(name, 50, '64k')), run(*dd_read(name, 200, '4k'))])
            found = table(data, name)
            assert found == expected == {'write': (50, 50 << 16), 'read': (200, 200 * 4096)}, \
                (name, scheduler, found, expected)
            data, expected = meanwhile(name, lambda name=name: run(
                'dd', 'if=/dev/zero', 'of=/dev/' + name, 'bs=64k', 'count=100', 'conv=fsync'))
            found = table(data, name)
            # A request for a flush is an empty write to the kernel.
            requests, size = found['write']
            asked = requests + found['flush'][0], size
            assert asked == expected['write'], (name, scheduler, found, expected)
            assert found['flush'] == expected.get('flush', found['flush']), (found, expected)


def test_busy_host_requeues():
    """Requests that the host refuses at times are issued again, and count once."""
    with scsi_debug(ndelay=200000) as name:
        write('/sys/module/scsi_debug/parameters/every_nth', 7)
        write('/sys/module/scsi_debug/parameters/opts', 0x8000)
        data, expected = meanwhile(name, lambda: run(*dd_read(name, 150)))
        found = table(data, name)
        assert found['read'] == expected['read'] == (150, 150 * 4096), (found, expected)


def test_short_transfers():
    """Requests that the host sometimes does in parts count once, with all of their bytes."""
    with scsi_debug(ndelay=200000) as name:
        write('/sys/module/scsi_debug/parameters/every_nth', 5)
        write('/sys/module/scsi_debug/parameters/opts', 0x100)
        data, expected = meanwhile(name, lambda: run(*dd_read(name, 60, '64k')))
        found = table(data, name)
        assert found['read'] == expected['read'] == (60, 60 << 16), (found, expected)
        requests, data = slow(*dd_read(name, 60, '64k'), options=['--slow', '0', '--dev', name])
        are_those_of(requests, data)
        assert [(r['sector'], r['bytes'], r['comm']) for r in requests] == \
            [(n * 128, 65536, 'dd') for n in range(60)], requests


def test_errors():
    """A request that fails is one request, with the bytes that were read before the bad block."""
    with scsi_debug(ndelay=200000) as name:
        write('/sys/module/scsi_debug/parameters/opts', 2)
        data, _ = meanwhile(name, lambda: subprocess.call(
            dd_read(name, 1, '4k', 'skip=%d' % (0x1234 // 8)), stderr=subprocess.DEVNULL))
        row = of(data, name)['read']
        assert (row['requests'], row['errors']) == (1, 1), row
        requests = slow(*dd_read(name, 1, '4k', 'skip=%d' % (0x1234 // 8)), status=1,
                        options=['--slow', '0', '--dev', name])[0]
        assert [(r['sector'], r['errno']) for r in requests] in \
            ([(0x1230, 'ENODATA')], [(0x1230, 'EIO')]), requests
