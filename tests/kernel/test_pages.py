# SPDX-License-Identifier: GPL-2.0
"""ktrace syscall --pages: how calls use the page cache, exactly."""
import contextlib
import json
import os
import re
import subprocess

from disks import Null, read, remove_nulls, run, write
from test_file import On
from test_syscall import skip_without_32_bits
from tool import RELEASE, TMP, counting, documents_of, ktrace, limit, victim

PAGE = 4096
teardown = remove_nulls
WRITEBACK = '/proc/sys/vm/dirty_writeback_centisecs'
CHILD = '''
import ctypes, mmap, os, socket, sys
PAGE, RANDOM, SEQUENTIAL = 4096, os.POSIX_FADV_RANDOM, os.POSIX_FADV_SEQUENTIAL
def opened(path, advice=None, flags=os.O_RDONLY):
    fd = os.open(path, flags)
    if advice is not None:
        os.posix_fadvise(fd, 0, 0, advice)
    return fd
print('ready', flush=True)
for line in sys.stdin:
    exec(line)
    print('done', flush=True)
'''


class Child:
    """A program that makes calls when told to, and reads a pipe meanwhile."""

    def __init__(self):
        self.process = subprocess.Popen(['python3', '-c', CHILD], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == 'ready\n'

    def do(self, *lines):
        for line in lines:
            self.process.stdin.write(line + '\n')
            self.process.stdin.flush()
            assert self.process.stdout.readline() == 'done\n', line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(limit(20))


@contextlib.contextmanager
def nothing_written_back():
    """
    Lets only explicit calls write back, on disks that are made now. A new disk's share of dirty
    memory is not known yet, so all is written after the first interval; 0 would mean at once.
    """
    before = read(WRITEBACK)
    write(WRITEBACK, 100 * 3600)
    try:
        yield
    finally:
        write(WRITEBACK, before)


def start(child, *options):
    return counting('syscall', '--pages', '-p', str(child.process.pid), *options)


def figures(rows):
    """Returns {call: (hits, misses, read ahead, dirtied)} of calls that have any."""
    found = {}
    for row in rows:
        pages = row['pages']
        numbers = pages['hits'], pages['misses'], pages['read_ahead'], pages['dirtied']
        if any(numbers):
            found[re.sub('2$', '', row.get('name') or row['syscall'])] = numbers
    return found


def finish(process):
    data = documents_of(process)[0]
    assert data['complete'], data['session']
    return figures(data['rows'])


def pages_of(child, *lines):
    """Returns the page figures of the calls that the child is told to make."""
    process = start(child)
    child.do(*lines)
    return finish(process)


def reads_on(kind):
    """Reads of pages not in the cache, then in it; of parts of pages; of vectors; in any order."""
    with On(kind) as at, Child() as child:
        (one, _), (two, _) = at.files('one', 'two', size=64 * PAGE)
        child.do('one = opened(%r, RANDOM)' % one, 'two = opened(%r, RANDOM)' % two)
        found = pages_of(child, 'for i in range(64): os.read(one, PAGE)', 'os.read(one, PAGE)',
                         'for i in range(64): os.pread(one, PAGE, i * PAGE)',
                         'os.preadv(two, [bytearray(1000), bytearray(1048)], 10 * PAGE + 3072)',
                         'os.lseek(two, 11 * PAGE + 100, os.SEEK_SET)',
                         'os.readv(two, [bytearray(PAGE - 100), bytearray(1), bytearray(0)])')
        # Before 5.16, but not on RHEL 9, a read at the end of a file also brings in the next page
        # (8c8387ee3f55).
        next_page = RELEASE < (5, 16) and '.el9' not in os.uname().release
        assert found == {'read': (0, 64 + next_page, 0, 0), 'pread64': (64, 0, 0, 0),
                         'preadv': (0, 2, 0, 0), 'readv': (1, 1, 0, 0)}, found


def test_reads_on_ext4():
    reads_on('ext4')


def test_reads_on_xfs():  # slow
    reads_on('xfs')


def test_pages_read_ahead():
    """Each page is brought in once, whether it is asked for at that time or not."""
    with On() as at, Child() as child:
        (one, _), (two, _) = at.files('one', 'two', size=256 * PAGE)
        child.do('one = opened(%r, SEQUENTIAL)' % one, 'two = opened(%r)' % two)
        found = pages_of(child, 'for i in range(256): os.read(one, PAGE)',
                         'os.posix_fadvise(two, 0, 16 * PAGE, os.POSIX_FADV_WILLNEED)',
                         'os.pread(two, 16 * PAGE, 0)')
        hits, misses, ahead, dirtied = found.pop('read')
        assert misses + ahead == hits + misses == 256 and ahead > misses > 0, (misses, ahead)
        assert not dirtied, dirtied
        assert found == {'fadvise64': (0, 0, 16, 0), 'pread64': (16, 0, 0, 0)}, found


def writes_on(kind):
    """A page becomes dirty once, until it is written back."""
    with nothing_written_back(), On(kind) as at, Child() as child:
        path = os.path.join(at.folder, 'new')
        child.do('one = opened(%r, flags=os.O_RDWR | os.O_CREAT)' % path,
                 'end = opened(%r, flags=os.O_WRONLY | os.O_APPEND)' % path,
                 'some = bytes(16 * PAGE)')
        found = pages_of(child, 'os.write(one, some); os.pwrite(one, some, 0)',
                         'os.fsync(one)', 'os.pwritev(one, [some[:100], some[100:]], 0)',
                         'os.writev(end, [some[:2 * PAGE]])')
        # Other pages that a file system needs are its own.
        found = {name: (hits, misses, dirtied)
                 for name, (hits, misses, _, dirtied) in found.items() if 'write' in name}
        assert found == {'write': (0, 16, 16), 'pwrite64': (16, 0, 0), 'pwritev': (16, 0, 16),
                         'writev': (0, 2, 2)}, found


def test_writes_on_ext4():
    writes_on('ext4')


def test_writes_on_xfs():
    writes_on('xfs')


def test_no_pages():
    """Direct calls, pipes, sockets, files of /proc, and vectors at invalid addresses."""
    with On() as at, Child() as child:
        path, _ = at.files('file')[0]
        child.do('one = opened(%r, flags=os.O_RDWR | os.O_DIRECT)' % path,
                 'room = mmap.mmap(-1, 4 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)',
                 'room[:] = bytes(4 * PAGE)', 'out, to = os.pipe()', 'a, b = socket.socketpair()',
                 'proc = opened("/proc/self/status")', 'plain = opened(%r)' % path,
                 'call = ctypes.CDLL(None).syscall')
        process = start(child)
        child.do('os.preadv(one, [room], 0)', 'os.writev(to, [room])',
                 'os.read(out, 4 * PAGE)', 'os.write(a.fileno(), bytes(5000))',
                 'os.read(b.fileno(), 5000)', 'assert os.pread(proc, PAGE, 0)',
                 'for n in 1, 2: os.read(proc, 100)',
                 'assert call(19, plain, ctypes.c_void_p(8), 1) == -1')
        data = documents_of(process)[0]
        assert [row['errors'] for row in data['rows'] if row['name'] == 'readv'] == [1], data
        bytes_of = {row['name']: row['bytes'] for row in data['rows']}
        assert bytes_of['writev'] == 4 * PAGE and bytes_of['read'] >= 4 * PAGE + 5200, bytes_of
        assert figures(data['rows']) == {}, data['rows']


def test_pages_of_tmpfs():
    """Pages of tmpfs are never brought in, and never written back."""
    folder = os.path.join(TMP, 'tmpfs')
    os.makedirs(folder, exist_ok=True)
    run('mount', '-t', 'tmpfs', 'none', folder)
    try:
        write(folder + '/file', 'x' * 10 * PAGE)
        with Child() as child:
            child.do('one = opened(%r, flags=os.O_RDWR)' % (folder + '/file'))
            found = pages_of(child, 'os.read(one, 20 * PAGE)', 'os.pwrite(one, bytes(PAGE), 100)')
        assert found == {'read': (10, 0, 0, 0), 'pwrite64': (2, 0, 0, 0)}, found
    finally:
        run('umount', folder)


def test_pages_of_32_bits():
    """Positions are in two registers; appended data is not at the position of the call."""
    out = os.path.join(TMP, 'counted')
    skip_without_32_bits()
    with nothing_written_back(), On() as at, open(at.folder + '/large', 'w+') as file:
        file.truncate((4 << 30) + 16 * PAGE)
        done = subprocess.run(['ktrace', 'syscall', '--pages', '--format', 'json', '-o', out, '--',
                               victim('transfers32')], stdin=file, timeout=limit(100))
    assert done.returncode == 0, done
    found = figures(row for row in json.loads(read(out))['rows'] if row['abi'] == 'i386')
    # Other pages that a file system needs for writing are its own.
    found = {name: (hits, misses, dirtied) for name, (hits, misses, _, dirtied) in found.items()}
    assert found == {'pread64': (2, 3, 0), 'readv': (0, 2, 0), 'preadv': (0, 2, 0),
                     'pwrite64': (1, 0, 1), 'pwritev': (0, 2, 2)}, found


def test_pages_that_are_appended():
    """By the flag of one call, at any position; or not by a call's flag, though the file is open
    for it."""
    with nothing_written_back(), On() as at, Child() as child:
        path, _ = at.files('file', size=8 * PAGE)[0]
        child.do('one = opened(%r, RANDOM, os.O_RDWR)' % path,
                 'end = opened(%r, flags=os.O_WRONLY | os.O_APPEND)' % path)
        found = pages_of(child, 'os.pwritev(one, [bytes(2 * PAGE)], 0, os.RWF_APPEND)',
                         'os.pwrite(end, bytes(PAGE), 0)')
        assert found['pwritev'][:2] == (0, 2) and found['pwritev'][3] == 2, found
        assert found['pwrite64'][:2] == (0, 1) and found['pwrite64'][3] == 1, found
        if RELEASE >= (6, 9):
            found = pages_of(child, 'os.pwritev(end, [bytes(2 * PAGE)], 9 * PAGE, 0x20)')
            assert found['pwritev'][:2] == (2, 0), found


def test_pages_of_a_disk():
    """Pages of a device, which can be opened by many files."""
    disk = Null(memory_backed=1)
    with nothing_written_back(), Child() as child:
        child.do('one = opened(%r, RANDOM, os.O_RDWR)' % disk.path)
        found = pages_of(child, 'os.pwrite(one, bytes(4 * PAGE), 0)',
                         'os.pread(one, 5 * PAGE, 0)', 'os.write(one, bytes(2 * PAGE))')
        assert found == {'pwrite64': (0, 4, 0, 4), 'pread64': (4, 1, 0, 0),
                         'write': (2, 0, 0, 0)}, found


def test_pages_by_thread():
    """The sum equals another session's pages of all threads; a session without pages has none."""
    with On() as at, Child() as child:
        path, _ = at.files('file', size=16 * PAGE)[0]
        child.do('one = opened(%r, RANDOM, os.O_RDWR)' % path)
        process, plain = start(child, '--by', 'tid,syscall'), \
            counting('syscall', '-p', str(child.process.pid))
        late = start(child)
        child.do('for i in range(8): os.pread(one, PAGE, i * PAGE)',
                 'os.pwrite(one, bytes(PAGE), 0)')
        expected = {'pread64': (0, 8, 0, 0), 'pwrite64': (1, 0, 0, 1)}
        assert finish(late) == expected
        rows = documents_of(process)[0]['rows']
        assert {row['tid'] for row in rows} == {child.process.pid}, rows
        assert figures(rows) == expected, rows
        assert not [row for row in documents_of(plain)[0]['rows'] if 'pages' in row]


def test_pages_as_text():  # debug
    """A second table, by which rows can be sorted."""
    path = os.path.join(TMP, 'file')
    write(path, 'x' * 100 * PAGE)
    command = '--', 'dd', 'if=' + path, 'of=/dev/null', 'bs=%d' % PAGE
    out = ktrace('syscall', '--pages', '--sort', 'hits', *command)[0]
    lines = [line.split() for line in out.split('hit %')[1].splitlines()]
    calls, hits, misses = (int(word) for word in lines[2][:3])
    assert lines[2][-1] == 'read' and calls > 100 and hits + misses >= 100, out
    assert [line for line in lines if line[-1:] == ['total']], out
    assert 'hit %' not in ktrace('syscall', *command)[0]
    assert '--pages' in ktrace('syscall', '--sort', 'misses', *command, status=125)[1]
