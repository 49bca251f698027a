# SPDX-License-Identifier: GPL-2.0
"""ktrace io: what files requests of disks are of, and what cgroups they are charged to."""
import json
import os
import subprocess

from suite import Skip
from test_io import (MS, Mounted, Null, REVERSE, dd_read, end, finish_by, read, rows_by, run, settle,
                     slow, start, table, teardown, traced, write)  # noqa: F401 (the suite's)
from tool import TMP, ktrace, wait_for

PAGE = 4096


class On(Mounted):
    """A file system of some kind on a disk of its own."""
    def __init__(self, kind='ext4'):
        if subprocess.call(['modprobe', '-q', kind]) and '\t%s\n' % kind not in read('/proc/filesystems'):
            raise Skip('this kernel has no ' + kind)
        self.disk = Null(delay_ns=MS, memory_backed=1, size=64 if kind == 'ext4' else 512)
        options = ['-b', '4096', '-E', 'lazy_itable_init=0,lazy_journal_init=0'] if kind == 'ext4' else []
        run('mkfs.' + kind, '-q', *options, self.disk.path)
        self.folder = os.path.join(TMP, 'on')
        os.makedirs(self.folder, exist_ok=True)
        self.mount()
        self.number = read('/sys/block/%s/dev' % self.disk.name).strip()

    def mount(self):
        run('mount', '-o', 'noatime', self.disk.path, self.folder)

    def files(self, *names, size=1 << 20):
        """New ones, of which nothing is in memory: their paths and inodes."""
        made = [self.make(name, size) for name in names]
        self.forget_pages()
        settle(self.disk.name)
        return made


def direct(path, count, size, what='read', skip=0):
    """A dd that makes so many direct calls of that size."""
    if what == 'read':
        return ['dd', 'if=' + path, 'of=/dev/null', 'bs=%d' % size, 'count=%d' % count,
                'skip=%d' % skip, 'iflag=direct']
    return ['dd', 'if=/dev/zero', 'of=' + path, 'bs=%d' % size, 'count=%d' % count,
            'seek=%d' % skip, 'oflag=direct', 'conv=notrunc']


def of_files(rows):
    """{(inode, operation): (requests, bytes)}, what is of no file left out."""
    return {(row['inode'], row['operation']): (row['requests'], row['bytes'])
            for row in rows if 'inode' in row}


def then_sync(*commands):
    """What is left for later is done now, so that sessions that end one by one see the same."""
    for command in commands:
        run(*command)
    os.sync()


# --- by file --------------------------------------------------------------------

def direct_by_file(kind):
    """Direct calls are their file's, one request each; what the file system does is no file's."""
    with On(kind) as at:
        (one, first), (two, second) = at.files('one', 'two')
        rows = rows_by('file', lambda: then_sync(
            direct(one, 30, PAGE), direct(two, 20, 16384), direct(one, 10, 8192, 'write'),
            direct(two, 1, PAGE, 'write', 5)))
        assert of_files(rows) == {
            (first, 'read'): (30, 30 * PAGE), (second, 'read'): (20, 20 * 16384),
            (first, 'write'): (10, 10 * 8192), (second, 'write'): (1, PAGE)}, rows
        for row in rows:
            assert ('inode' in row) == ('file_dev' in row) and 'comm' not in row, row
            assert row.get('file_dev', at.number) == at.number, row
        return {row['path'] for row in rows if 'path' in row} == {one, two}


def test_by_file_on_ext4():
    """Paths are known though who used the files is gone."""
    assert direct_by_file('ext4')


def test_by_file_on_xfs():
    direct_by_file('xfs')


def test_by_file_of_a_ring():
    """Asynchronous direct writes, queued by io_submit(2), are their file's."""
    if ' __ksymtab_iomap_dio_bio_end_io' not in read('/proc/kallsyms'):
        raise Skip('this kernel does not tell the bios of direct calls')
    with On() as at:
        (path, inode), = at.files('queue')
        program = os.path.join(TMP, 'reverse.py')
        write(program, REVERSE)
        rows = of_files(rows_by('file', lambda: then_sync(['python3', program, path])))
        assert rows[inode, 'write'][1] == 8 * 32 * PAGE, rows


def test_by_file_through_the_cache():
    """What is read through the page cache; what is written back later, by whomsoever."""
    with On() as at:
        (path, inode), (other, _) = at.files('read', 'other')

        def action():
            run('dd', 'if=' + path, 'of=/dev/null', 'bs=64k')
            write(os.path.join(at.folder, 'written'), 'y' * 300000)
            os.sync()
        rows = of_files(rows_by('file', action))
        written = os.stat(os.path.join(at.folder, 'written')).st_ino
        assert rows[inode, 'read'][1] == 1 << 20, rows
        assert rows[written, 'write'][1] == 74 * PAGE, rows
        assert {number for number, _ in rows} == {inode, written}, (rows, other)


def test_by_file_of_none():
    """Raw disks, folders and inodes are no files: that is said, and no more."""
    with On() as at:
        other = Null()
        for number in range(200):
            write(os.path.join(at.folder, 'file %d' % number), 'z')
        os.sync()
        at.forget_pages()
        settle(at.disk.name)
        rows = rows_by('file', lambda: then_sync(['ls', '-lR', at.folder], dd_read(other.name, 40)))
        assert of_files(rows) == {}, rows
        assert [row['requests'] > 40 for row in rows if row['operation'] == 'read'] == [True], rows


UNLINKED = '''
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
os.unlink(sys.argv[1])
for at in range(7):
    assert os.preadv(fd, [mmap.mmap(-1, 8192)], at * 8192) == 8192
print(flush=True)
sys.stdin.readline()
'''


def test_by_file_that_is_unlinked():
    """It has no path any more, even while somebody has it open."""
    with On() as at:
        (path, inode), (kept, number) = at.files('gone', 'kept')
        process = start('--by', 'file', '--dev', at.disk.name)
        reader = subprocess.Popen(['python3', '-c', UNLINKED, path], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        reader.stdout.readline()
        run(*direct(kept, 3, PAGE))
        rows = finish_by(process)
        reader.communicate(b'\n')
        assert of_files(rows) == {(inode, 'read'): (7, 7 * 8192), (number, 'read'): (3, 3 * PAGE)}
        assert [row.get('path') for row in rows if row.get('inode') == inode] == [None], rows
        assert [row['path'] for row in rows if row.get('inode') == number] == [kept], rows


def test_by_file_as_text():
    with On() as at:
        (path, _), = at.files('a file')
        out = ktrace('io', '--by', 'file', '--', *direct(path, 12, PAGE))[0]
        lines = [line for line in out.splitlines() if line.endswith(' ' + path)]
        assert len(lines) == 2 and lines[0].split()[:2] == ['read', '12'], out
        assert lines[0].split()[3] == str(12 * PAGE) and out.splitlines()[0].endswith(' file'), out
        assert 'no histograms' in ktrace('io', '--by', 'file', '--hist', 'd2c', status=2)[1]


def test_slow_says_direct_files():
    with On() as at:
        (path, inode), = at.files('slow')
        requests, _ = slow(*direct(path, 5, 16384), options=['--slow', '0', '--dev', at.disk.name])
        of_file = [r for r in requests if 'inode' in r]
        assert [(r['inode'], r['bytes'], r['comm']) for r in of_file] == [(inode, 16384, 'dd')] * 5, \
            requests
