# SPDX-License-Identifier: GPL-2.0
"""ktrace io --slow: single requests, their callers, stacks and files."""
import json
import os
import re
import signal
import subprocess

from disks import (FILL, MS, STAGES, TOGETHER, Null, are_those_of, check_requests, dd_read,
                   dd_write, end, read, remove_nulls, run, slow, split_lines, start, table, write)
from suite import Skip
from tool import (TMP, begin, ktrace, layer, limit, none_left, split_gaps, state_of, timely,
                  undisturbed, victim, wait_for)

teardown = remove_nulls


def test_slow_shows_each_request():  # debug
    """With 0, each request is shown: who, where, how many bytes, how long."""
    disk = Null(delay_ns=2 * MS)
    number = read('/sys/block/%s/dev' % disk.name).strip()
    for scheduler in 'none', 'mq-deadline':
        disk.use(scheduler)
        pid = os.path.join(TMP, 'pid')
        requests, data = slow('sh', '-c', 'echo $$ >%s; exec %s' % (pid, ' '.join(
            dd_write(disk.name, 7, '16k', 'seek=5'))), options=['--slow', '0'])
        are_those_of(requests, data)
        pid = int(read(pid))
        assert [r['sector'] for r in requests] == [(5 + n) * 32 for n in range(7)], requests
        for request in requests:
            assert (request['tid'], request['pid'], request['comm']) == (pid, pid, 'dd'), request
            assert (request['disk'], request['dev']) == (disk.name, number), request
            assert (request['operation'], request['bytes']) == ('write', 16384), request
            assert request['duration_ns'] >= 2 * MS and 'errno' not in request, request
            assert 'inode' not in request, request
            assert 'g2i' in request['stages'] or scheduler == 'none', request


AHEAD = '''
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 65536, os.POSIX_FADV_WILLNEED)
end = time.process_time() + 0.3
while time.process_time() < end:
    pass
'''


@undisturbed
def test_slow_says_how_long_the_caller_was_off_its_cpu():
    """A task that waits for its request is off the CPU all the time, unlike one whose data is read
    ahead."""
    disk = Null(delay_ns=50 * MS)
    options = ['--slow', '0', '--dev', disk.name]
    requests = slow(*dd_read(disk.name, 4), options=options)[0]
    waits = [(r['off_cpu_ns'], r['stages']['d2c'], r['duration_ns']) for r in requests]
    assert len(waits) == 4 and all(off <= whole for off, d2c, whole in waits), waits
    timely(all(d2c * 0.8 <= off for off, d2c, whole in waits), waits)
    program = os.path.join(TMP, 'ahead.py')
    write(program, AHEAD)
    requests = slow('python3', program, disk.path, options=options)[0]
    assert requests, program
    timely(all(r['off_cpu_ns'] < r['duration_ns'] / 2 for r in requests), requests)


THREAD = '''
import mmap, os, sys, threading
def run():
    with open('/proc/thread-self/comm', 'w') as comm:
        comm.write('a thread')
    fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
    os.preadv(fd, [mmap.mmap(-1, 8192)], 40960)
    print(os.getpid(), threading.get_native_id(), flush=True)
thread = threading.Thread(target=run)
thread.start()
thread.join()
'''


def test_slow_names_the_thread():
    disk = Null()
    program, said = os.path.join(TMP, 'thread.py'), os.path.join(TMP, 'said')
    write(program, THREAD)
    requests = slow('sh', '-c', 'exec python3 %s %s >%s' % (program, disk.path, said),
                    options=['--slow', '0', '--dev', disk.name])[0]
    pid, tid = (int(word) for word in read(said).split())
    assert pid != tid
    assert [(r['pid'], r['tid'], r['comm'], r['sector'], r['bytes']) for r in requests] == \
        [(pid, tid, 'a thread', 80, 8192)], requests


@undisturbed
def test_slow_leaves_fast_requests_out():
    """Two sessions see the same requests; the one with a threshold shows those that took as
    long."""
    disk = Null(delay_ns=5 * MS, submit_queues=1, hw_queue_depth=1)
    everyone = start('--dev', disk.name, '--slow', '0')
    slowest = start('--dev', disk.name, '--slow', '15ms')
    run('python3', '-c', TOGETHER, disk.path)
    (every, data), (some, of_some) = (split_lines(end(process)) for process in (everyone, slowest))
    are_those_of(every, data)
    expected = [r for r in every if r['duration_ns'] >= 15 * MS]
    assert len(every) == 30, len(every)
    assert [{**r, 'time_ns': 0} for r in some] == [{**r, 'time_ns': 0} for r in expected]
    assert table(of_some, disk.name) == {'read': (30, 30 * 4096)}, layer(of_some, 'block')
    timely(0 < len(expected) < 30, len(expected))


def test_slow_as_text():
    disk = Null(delay_ns=20 * MS)
    out = ktrace('io', '--raw', '--slow', '20ms', '--', *dd_read(disk.name, 2, '4k', 'skip=3'))[0]
    lines = out.splitlines()
    heads = [n for n, line in enumerate(lines) if '  read ' + disk.name in line]
    assert len(heads) == 2, out
    for nr, at in enumerate(heads):
        found = re.match(r' *[\d.]+ +\d+ dd +(\d+)  read %s, sector %d, 4096 bytes$' %
                         (disk.name, 24 + 8 * nr), lines[at])
        assert found, lines[at]
        stages = [re.match(r' +(\d+)      (q2g|g2i|i2d|d2c) +[\d.]+%$', line)
                  for line in lines[at + 1:at + 5]]
        stages = [stage for stage in stages if stage]
        assert [stage[2] for stage in stages] in (['q2g', 'i2d', 'd2c'], list(STAGES)), out
        assert sum(int(stage[1]) for stage in stages) == int(found[1]), out
    assert [line for line in lines if line.startswith(disk.name + ' ')], out


def test_slow_says_on_which_stack():
    """A request is shown with the stack at its queueing, in the kernel and in its program."""
    disk = Null(delay_ns=20 * MS)
    reader = subprocess.Popen([victim('stacks'), 'read', disk.path])
    for form in 'json', 'table':
        process = subprocess.Popen(['ktrace', 'io', '--slow', '10ms', '--stacks', '--dev', disk.name,
                                    '--format', form], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        lines = [process.stdout.readline() for _ in range(4 if form == 'json' else 60)]
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=limit(60))[1]
        assert process.returncode == 0, (process.returncode, errors)
        if form == 'json':
            check_stacks([json.loads(line) for line in lines])
        else:
            check_text_of_stacks([line.rstrip('\n') for line in lines], disk)
    reader.kill()
    reader.wait()
    error = ktrace('io', '--stacks', '-d', '1', status=2)[1]
    assert error.count('\n') == 1 and 'add --slow' in error, error


GETTERS = {0: 'get_a', 8: 'get_b'}
QUEUING = 'submit_bio', 'generic_make_request'      # the second name until 5.8


def check_stacks(requests):
    assert {request['sector'] for request in requests} == set(GETTERS), requests
    for request in check_requests(requests):
        stack = request['stack']
        assert stack['user'][:2] == ['get', GETTERS[request['sector']]], request
        assert 'main' in stack['user'], request
        assert stack['kernel'][0].startswith(QUEUING), request
        assert 'do_syscall_64' in stack['kernel'], request
        assert not any('[ktrace]' in name for name in stack['kernel']), request


def check_text_of_stacks(lines, disk):
    """Checks the lines below the stages: the kernel's frames, a separator, the program's frames."""
    at = [n for n, line in enumerate(lines) if '  read ' + disk.name in line]
    assert at and at[0] == 0 and len(at) > 1, lines
    frames = [line.strip() for line in lines[:at[1]] if line.startswith(16 * ' ') and
              not re.match(r' *[0-9.]+ (ns|us|ms| s) ', line)]
    getter = GETTERS[int(re.search(r'sector (\d+),', lines[0])[1])]
    between = frames.index('--')
    assert frames[0].startswith(QUEUING) and 'do_syscall_64' in frames[:between], lines
    assert frames[between + 1:between + 3] == ['get', getter] and 'main' in frames, lines


def lost_of(errors):
    return int(re.search(r'the data is incomplete: (\d+) ', errors)[1])


def test_slow_ring_is_full():  # slow
    """If nobody reads, records are lost, and the output shows how many and where."""
    disk, nr = Null(delay_ns=0, irqmode=0), 8000
    forms = [begin(['ktrace', 'io', '--slow', '0', '--buffer', '512K', '--dev', disk.name,
                    '--format', form]) for form in ('json', 'table')]
    for process in forms:
        process.send_signal(signal.SIGSTOP)
        wait_for(lambda pid=process.pid: state_of(pid) == 'T')
    run('python3', '-c', FILL, disk.path, str(nr))
    for process in forms:
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
    (out, errors), (text, warnings) = (process.communicate(timeout=limit(100)) for process in forms)
    assert [process.returncode for process in forms] == [3, 3], (errors, warnings)
    *requests, data = [json.loads(line) for line in out.splitlines()]
    requests, missing = split_gaps(requests)
    counters = data['sessions']['block']['counters']
    assert not data['complete'] and counters['dropped_full'] == lost_of(errors) > 0, errors
    assert missing == lost_of(errors), (missing, errors)
    assert len(check_requests(requests)) + lost_of(errors) == nr == counters['produced'], counters
    assert layer(data, 'block')[0]['requests'] == nr, layer(data, 'block')
    gaps = re.findall(r'^(\d+) requests of CPU 0 are missing here$', text, re.M)
    assert sum(int(gap) for gap in gaps) == lost_of(warnings) > 0, (gaps, warnings)
    shown = re.findall(r' (?:ns|us|ms| s)  read ', text)
    assert len(shown) == nr - lost_of(warnings), (len(shown), warnings)


def test_slow_reader_goes_away():
    disk = Null()
    done = subprocess.run(
        'ktrace io --slow 0 -o - --dev %s -- %s 2>%s/err | head -n 2 >/dev/null; echo ${PIPESTATUS[0]}' %
        (disk.name, ' '.join(dd_read(disk.name, 3000)), TMP), shell=True, executable='/bin/bash',
        capture_output=True, text=True, timeout=limit(100))
    said = read(TMP + '/err')
    assert 'closed by its reader' in said and done.stdout.strip() == '0', (said, done)
    none_left()


# --- files of single requests -----------------------------------------------------

class Mounted:
    """A file system on a disk of its own."""
    def __init__(self):
        subprocess.call(['modprobe', '-q', 'ext4'])
        if '\text4\n' not in read('/proc/filesystems'):
            raise Skip('this kernel has no ext4')
        self.disk = Null(delay_ns=MS, memory_backed=1)
        run('mkfs.ext4', '-q', '-b', '4096', '-E', 'lazy_itable_init=0,lazy_journal_init=0', self.disk.path)
        self.folder = os.path.join(TMP, 'mnt')
        os.makedirs(self.folder, exist_ok=True)
        self.mount()
        self.number = read('/sys/block/%s/dev' % self.disk.name).strip()

    def mount(self):
        run('mount', self.disk.path, self.folder)

    def forget_pages(self):
        run('umount', self.folder)
        self.mount()

    def make(self, name, nr_bytes):
        path = os.path.join(self.folder, name)
        write(path, 'x' * nr_bytes)
        os.sync()
        return path, os.stat(path).st_ino

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run('umount', self.folder)


def test_slow_of_a_file_that_is_read():
    """Reads through the page cache belong to the file; other requests at that time belong to no
    file."""
    with Mounted() as at:
        path, inode = at.make('a file', 1 << 20)
        at.forget_pages()
        process = start('--slow', '0', '--dev', at.disk.name)
        run('dd', 'if=' + path, 'of=/dev/null', 'bs=64k')
        requests, data = split_lines(end(process))
        are_those_of(requests, data)
        of_file = [r for r in requests if 'inode' in r]
        assert sum(r['bytes'] for r in of_file) == 1 << 20, of_file
        assert all((r['inode'], r['file_dev']) == (inode, at.number) for r in of_file), of_file
        assert all((r['comm'], r['operation']) == ('dd', 'read') for r in of_file), of_file


HOLDER = '''
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
for at in range(0, 1 << 20, 65536):
    os.pread(fd, 65536, at)
sys.stdin.readline()
'''


def bytes_of(path, inode):
    """Returns the bytes of a file's requests, from the lines that are complete."""
    lines = [json.loads(line) for line in read(path).splitlines(True) if line.endswith('\n')]
    return sum(line['bytes'] for line in lines if line.get('inode') == inode)


def test_slow_asks_for_the_path():
    """A file's path is read from a process that still has the file open."""
    with Mounted() as at:
        path, inode = at.make('held', 1 << 20)
        at.forget_pages()
        lines = os.path.join(TMP, 'lines')
        process = start('--slow', '0', '--dev', at.disk.name, '-o', lines)
        holder = subprocess.Popen(['python3', '-c', HOLDER, path], stdin=subprocess.PIPE)
        wait_for(lambda: bytes_of(lines, inode) == 1 << 20)
        holder.communicate(b'\n')
        assert end(process) == ''
        of_file = [r for r in split_lines(read(lines))[0] if 'inode' in r]
        assert {(r['path'], r['pid']) for r in of_file} == {(path, holder.pid)}, of_file


def test_slow_write_back():
    """Pages that are written back are queued by a kworker, and belong to the file."""
    with Mounted() as at:
        process = start('--slow', '0', '--dev', at.disk.name)
        path = os.path.join(at.folder, 'written')
        write(path, 'y' * 300000)
        run('sync')
        inode = os.stat(path).st_ino
        requests, data = split_lines(end(process))
        are_those_of(requests, data)
        of_file = [r for r in requests if 'inode' in r]
        assert {r['inode'] for r in of_file} == {inode}, requests
        assert sum(r['bytes'] for r in of_file) >= 300000, of_file
        assert all(r['comm'].startswith(('kworker', 'sync')) for r in of_file), of_file
        assert [r for r in requests if r['comm'].startswith('jbd2')], requests


DIRECT = '''
import ctypes, mmap, os, sys
libc = ctypes.CDLL(None)
other = os.open(sys.argv[2], os.O_RDWR)
memory = mmap.mmap(other, 65536)
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
for turn in range(50):
    memory[:] = bytes([turn]) * 65536
    assert libc.sync_file_range(other, ctypes.c_long(0), ctypes.c_long(0), 2) == 0
    assert os.pwritev(fd, [memory], 0) == 65536
    assert os.preadv(fd, [memory], 0) == 65536
'''


def test_slow_direct_is_of_no_other_file():
    """The pages of a direct request may belong to another file that happens to be under
    writeback."""
    with Mounted() as at:
        path, target = at.make('target', 65536)
        buffer_path, other = at.make('buffer', 65536)
        program = os.path.join(TMP, 'direct.py')
        write(program, DIRECT)
        requests, data = slow('python3', program, path, buffer_path,
                              options=['--slow', '0', '--dev', at.disk.name])
        are_those_of(requests, data)
        reads = [r for r in requests if r['operation'] == 'read' and r['comm'] == 'python3']
        targets = {r['sector'] for r in reads}
        written = [r for r in requests if r['operation'] == 'write' and r['sector'] in targets]
        assert sum(r['bytes'] for r in written) >= 50 * 65536 <= sum(r['bytes'] for r in reads)
        assert {r.get('inode') for r in reads + written} == {target}, reads + written
        # The part of the buffer that sync_file_range() wrote belongs to the buffer's file.
        assert {r['inode'] for r in requests if 'inode' in r} == {target, other}, requests
