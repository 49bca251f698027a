# SPDX-License-Identifier: GPL-2.0
"""ktrace io: the files to which requests belong, and the cgroups that are charged for them."""
import contextlib
import ctypes
import json
import os
import subprocess

from cgroups import CGROUPS, cgroup, run_in
from disks import (ABOVE, MS, Null, crypt, dd_read, end, linear, mirror, partition, read,
                   remove_nulls, run, settle, slow, start, traced, write)
from suite import Skip
from test_io import REVERSE, finish_by, rows_by
from test_slow_io import Mounted
from tool import RELEASE, TMP, documents_of, ktrace, layer

PAGE = 4096

teardown = remove_nulls


class On(Mounted):
    """A file system of a given kind on a disk of its own, or on a device that is made of disks."""
    above = None        # what makes the device of the first disk

    def __init__(self, kind='ext4'):
        if subprocess.call(['modprobe', '-q', kind]) and '\t%s\n' % kind not in read('/proc/filesystems'):
            raise Skip('this kernel has no ' + kind)
        others = list(Null.made)
        self.disk = Null(delay_ns=MS, memory_backed=1, size=64 if kind == 'ext4' else 512)
        self.device = contextlib.ExitStack()
        self.path = self.device.enter_context(On.above(self.disk)) if On.above else self.disk.path
        self.disks = ','.join(disk.name for disk in Null.made if disk not in others)
        self.copies = ABOVE.get(On.above, 1)
        options = ['-b', '4096', '-E', 'lazy_itable_init=0,lazy_journal_init=0'] if kind == 'ext4' else []
        run('mkfs.' + kind, '-q', *options, self.path)
        self.folder = os.path.join(TMP, 'on')
        os.makedirs(self.folder, exist_ok=True)
        self.mount()
        self.number = read('/sys/class/block/%s/dev' % os.path.basename(self.path)).strip()

    def mount(self):
        run('mount', '-o', 'noatime', self.path, self.folder)

    def __exit__(self, *_):
        with self.device:
            super().__exit__()

    def files(self, *names, size=1 << 20):
        """Makes new files that are not in memory; returns their paths and inodes."""
        made = [self.make(name, size) for name in names]
        self.forget_pages()
        settle(self.disk.name)
        return made


def direct(path, count, size, what='read', skip=0):
    """Returns a dd command that makes this many direct calls of this size."""
    if what == 'read':
        return ['dd', 'if=' + path, 'of=/dev/null', 'bs=%d' % size, 'count=%d' % count,
                'skip=%d' % skip, 'iflag=direct']
    return ['dd', 'if=/dev/zero', 'of=' + path, 'bs=%d' % size, 'count=%d' % count,
            'seek=%d' % skip, 'oflag=direct', 'conv=notrunc']


def of_files(rows):
    """Returns {(inode, operation): (requests, bytes)} of requests that belong to a file."""
    return {(row['inode'], row['operation']): (row['requests'], row['bytes'])
            for row in rows if 'inode' in row}


def rows_of(what, action):
    """Returns the rows of --by, and checks that each request is in one row. A mounted disk is never
    quiet."""
    process = start('--by', what)
    action()
    data = json.loads(end(process))
    counters = data['session']['counters']
    assert data['complete'], counters
    assert sum(row['requests'] for row in data['rows']) == counters['hits'], (counters, data['rows'])
    return data['rows']


def then_sync(*commands):
    """Runs commands, then writes back everything that they left in the page cache."""
    for command in commands:
        run(*command)
    os.sync()


# --- by file --------------------------------------------------------------------

def direct_by_file(kind):
    """A direct call is one request of its file; requests of the file system itself belong to no
    file."""
    with On(kind) as at:
        (one, first), (two, second) = at.files('one', 'two')
        rows = rows_of('file,op', lambda: then_sync(
            direct(one, 30, PAGE), direct(two, 20, 16384), direct(one, 10, 8192, 'write'),
            direct(two, 1, PAGE, 'write', 5)))
        assert of_files(rows) == {
            (first, 'read'): (30, 30 * PAGE), (second, 'read'): (20, 20 * 16384),
            (first, 'write'): (at.copies * 10, at.copies * 10 * 8192),
            (second, 'write'): (at.copies, at.copies * PAGE)}, rows
        for row in rows:
            assert ('inode' in row) == ('file_dev' in row) and 'comm' not in row, row
            assert row.get('file_dev', at.number) == at.number, row
        return {row['path'] for row in rows if 'path' in row} == {one, two}


def test_by_file_on_ext4():  # debug
    """Paths are known although the program that used the files has ended."""
    assert direct_by_file('ext4')


def test_by_file_on_xfs():  # slow
    direct_by_file('xfs')


def test_by_file_of_a_ring():  # slow
    """Asynchronous direct writes, queued by io_submit(2), belong to their file."""
    if ' __ksymtab_iomap_dio_bio_end_io' not in read('/proc/kallsyms'):
        raise Skip('this kernel does not tell the bios of direct calls')
    with On() as at:
        (path, inode), = at.files('queue')
        program = os.path.join(TMP, 'reverse.py')
        write(program, REVERSE)
        rows, _ = of_some(at, lambda: then_sync(['python3', program, path]), '--file', path)
        assert rows[inode, 'write'][1] == at.copies * 8 * 32 * PAGE, rows


def test_by_file_through_the_cache():
    """Reads through the page cache, and pages that are written back later, by whichever task."""
    with On() as at:
        (path, inode), (other, _) = at.files('read', 'other')

        def action():
            run('dd', 'if=' + path, 'of=/dev/null', 'bs=64k')
            write(os.path.join(at.folder, 'written'), 'y' * 300000)
            os.sync()
        rows = of_files(rows_of('file,op', action))
        written = os.stat(os.path.join(at.folder, 'written')).st_ino
        assert rows[inode, 'read'][1] == 1 << 20, rows
        assert rows[written, 'write'][1] == at.copies * 74 * PAGE, rows
        assert {number for number, _ in rows} == {inode, written}, (rows, other)


def test_by_file_of_none():
    """Requests of raw disks, folders and inodes belong to no file, and are shown as that."""
    with On() as at:
        other = Null()
        for number in range(200):
            write(os.path.join(at.folder, 'file %d' % number), 'z')
        os.sync()
        at.forget_pages()
        settle(at.disk.name)
        rows = rows_of('file,op', lambda: then_sync(['ls', '-lR', at.folder], dd_read(other.name, 40)))
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
    """A removed file has no path any more, even while a program has it open."""
    with On() as at:
        (path, inode), (kept, number) = at.files('gone', 'kept')
        process = start('--by', 'file,op', '--dev', at.disks)
        reader = subprocess.Popen(['python3', '-c', UNLINKED, path], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        reader.stdout.readline()
        run(*direct(kept, 3, PAGE))
        rows = finish_by(process)
        reader.communicate(b'\n')
        assert of_files(rows) == {(inode, 'read'): (7, 7 * 8192), (number, 'read'): (3, 3 * PAGE)}
        assert [row.get('path') for row in rows if row.get('inode') == inode] == [None], rows
        assert [row['path'] for row in rows if row.get('inode') == number] == [kept], rows


ASIDE = """
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
for at in range(7):
    assert os.preadv(fd, [mmap.mmap(-1, 8192)], at * 8192) == 8192
if sys.argv[2] == 'close':
    os.close(fd)
print(flush=True)
sys.stdin.readline()
"""


def by_file_of_another_namespace(kind, what):
    with On(kind) as at:
        (path, inode), = at.files('aside')
        process = start('--by', 'file,op', '--dev', at.disk.name)
        reader = subprocess.Popen(
            ['unshare', '-m', '--propagation', 'private', 'sh', '-c', 'echo && read go && exec "$@"', 'sh',
             'python3', '-c', ASIDE, path, what], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        reader.stdout.readline()
        run('umount', at.folder)
        reader.stdin.write(b'\n')
        reader.stdin.flush()
        reader.stdout.readline()
        rows = finish_by(process)
        reader.communicate(b'\n')
        at.mount()
        assert of_files(rows)[inode, 'read'] == (7, 7 * 8192), rows
        assert [row.get('path') for row in rows if row.get('inode') == inode] == [path], rows


def test_by_file_of_another_namespace():  # slow
    """A file that is mounted only in another mount namespace has the path that it has there: while
    a program has it open, and on ext4 afterwards."""
    by_file_of_another_namespace('xfs', 'keep')
    by_file_of_another_namespace('ext4', 'close')


def test_by_file_as_text():
    with On() as at:
        (path, _), = at.files('a file')
        out = ktrace('io', '--by', 'op,file', '--raw', '--', *direct(path, 12, PAGE))[0]
        row, = (line for line in out.splitlines() if line.endswith(' ' + path))
        words = row[:-len(path)].split()
        assert words[-1] == 'read' and {'12', str(12 * PAGE), str(PAGE)} <= set(words), out
        assert out.splitlines()[1].split()[-2:] == ['OP', 'FILE'], out


def test_slow_says_direct_files():
    with On() as at:
        (path, inode), = at.files('slow')
        requests, _ = slow(*direct(path, 5, 16384), options=['--slow', '0', '--dev', at.disk.name])
        of_file = [r for r in requests if 'inode' in r]
        assert [(r['inode'], r['bytes'], r['comm']) for r in of_file] == [(inode, 16384, 'dd')] * 5, \
            requests


# --- only some files ---------------------------------------------------------------

def of_some(at, action, *options):
    """Returns what a session of some files counts, and what a session of all files counts."""
    some, every = start('--by', 'file,op', *options), start('--by', 'file,op', '--dev', at.disks)
    action()
    rows, all_rows = (of_files(finish_by(process)) for process in (some, every))
    assert all(all_rows[key] == row for key, row in rows.items()), (rows, all_rows)
    return rows, all_rows


def test_file_of_some():  # slow
    """All requests of a named file, of each kind, and no others."""
    with On() as at:
        (one, first), (two, second), (three, third) = at.files('one', 'two', 'three')
        jobs = direct(one, 9, PAGE), direct(two, 8, PAGE), direct(three, 7, PAGE, 'write')
        rows, every = of_some(at, lambda: then_sync(*jobs), '--file', one)
        assert rows == {(first, 'read'): (9, 9 * PAGE)} and len(every) == 3, (rows, every)
        rows, _ = of_some(at, lambda: then_sync(*jobs), '--file', one + ',' + three)
        assert rows == {(first, 'read'): (9, 9 * PAGE),
                        (third, 'write'): (at.copies * 7, at.copies * 7 * PAGE)}, rows
        data = traced(*direct(two, 6, PAGE), options=['--file', two])
        assert sum(row['requests'] for row in layer(data, 'block')) == 6, layer(data, 'block')
        data = traced(*direct(two, 6, PAGE), options=['--file', one])
        assert layer(data, 'block') == [], layer(data, 'block')
        requests, _ = slow(*direct(two, 5, PAGE), options=['--slow', '0', '--file', two])
        assert [r['inode'] for r in requests] == [second] * 5, requests


def test_file_that_goes_while_watched():
    """The file stays chosen while it is open, even if it is removed; another file of its name is
    not."""
    with On() as at:
        (path, inode), = at.files('gone')
        process = start('--by', 'file,op', '--file', path)
        reader = subprocess.Popen(['python3', '-c', UNLINKED, path], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        reader.stdout.readline()
        again, _ = at.make('gone', 1 << 20)
        run(*direct(again, 3, PAGE))
        rows = finish_by(process)
        reader.communicate(b'\n')
        assert again == path and of_files(rows) == {(inode, 'read'): (7, 7 * 8192)}, rows


def test_files_are_let_go():
    """After ktrace has ended, the chosen file system can be unmounted at once."""
    umount = ctypes.CDLL(None, use_errno=True).umount
    with On() as at:
        (path, _), = at.files('file')
        for option, name in ('--file', path), ('--dir', at.folder):
            ktrace('io', option, name, '-d', '10ms')
            assert not umount(at.folder.encode()), (option, os.strerror(ctypes.get_errno()))
            at.mount()


def test_file_keeps_flushes_out():  # slow
    """Requests that begin without a bio belong to no file."""
    with On() as at:
        (path, inode), = at.files('file')
        process = start('--file', path)
        run(*direct(path, 3, PAGE, 'write')[:-1], 'conv=notrunc,fsync')
        rows = layer(json.loads(end(process)), 'block')
        assert [(row['operation'], row['requests']) for row in rows] == [('write', 3)], rows


def test_dir_of_files_that_come_and_go():  # slow
    """Files below a folder, by any name, made before or after the start; not files that were moved
    away."""
    with On() as at:
        for folder in 'in', 'in/deep', 'out':
            os.mkdir(os.path.join(at.folder, folder))
        (deep, first), (out, second), (linked, third), (left, fourth) = at.files(
            'in/deep/old', 'out/old', 'out/linked', 'in/left')
        os.link(linked, os.path.join(at.folder, 'in/link'))
        os.rename(left, os.path.join(at.folder, 'out/left'))

        def action():
            then_sync(direct(deep, 6, PAGE), direct(out, 5, PAGE), direct(linked, 4, PAGE),
                      direct(os.path.join(at.folder, 'out/left'), 3, PAGE))
            for folder in 'in', 'out':
                write(os.path.join(at.folder, folder, 'new'), 'n' * 3 * PAGE)
                os.sync()
        rows, every = of_some(at, action, '--dir', os.path.join(at.folder, 'in'))
        new = os.stat(os.path.join(at.folder, 'in/new')).st_ino
        other = os.stat(os.path.join(at.folder, 'out/new')).st_ino
        assert rows == {(first, 'read'): (6, 6 * PAGE), (third, 'read'): (4, 4 * PAGE),
                        (new, 'write'): (at.copies, at.copies * 3 * PAGE)}, rows
        assert {inode for inode, _ in every} == {first, second, third, fourth, new, other}, every


def test_dir_whole():  # debug
    """All files of a file system are below its root; files of another file system are not."""
    with On() as at:
        other = Null()
        (one, first), (two, second) = at.files('one', 'two')
        rows, _ = of_some(at, lambda: then_sync(direct(one, 4, PAGE), direct(two, 3, PAGE),
                                                dd_read(other.name, 20)), '--dir', at.folder)
        assert rows == {(first, 'read'): (4, 4 * PAGE), (second, 'read'): (3, 3 * PAGE)}, rows


def test_dir_of_a_file_with_many_names():
    """The search among the names of a file is bounded, whatever a user makes. What was not found by
    then is reported."""
    with On() as at:
        folder = os.path.join(at.folder, 'd/' * 9)
        os.makedirs(folder)
        os.mkdir(os.path.join(at.folder, 'other'))
        (many, first), (few, second) = at.files('d/' * 9 + 'many', 'other/few')
        for number in range(150):
            os.link(many, os.path.join(folder, str(number)))
        process = start('--by', 'file,op', '--dir', os.path.join(at.folder, 'other'))
        then_sync(direct(many, 6, PAGE, 'write'), direct(few, 5, PAGE))
        data, = documents_of(process, status=3)
        assert data['session']['counters']['lost_files'] >= 6 and not data['complete'], data['session']
        assert of_files(data['rows']) == {(second, 'read'): (5, 5 * PAGE)}, data['rows']
        process = start('--by', 'file,op', '--dir', os.path.join(at.folder, 'd'))
        then_sync(direct(many, 6, PAGE), direct(few, 5, PAGE))
        assert of_files(finish_by(process)) == {(first, 'read'): (6, 6 * PAGE)}


MOVER = """
import mmap, os, signal, sys
fds = [os.open(path, os.O_RDONLY | os.O_DIRECT) for path in sys.argv[2:]]
os.chdir(sys.argv[1])
mover = os.fork()
while not mover:
    os.rename('a/b', 'a/d')
    os.rename('a/d', 'a/b')
for turn in range(300):
    for fd in fds:
        assert os.preadv(fd, [mmap.mmap(-1, 4096)], turn % 200 * 4096) == 4096
os.kill(mover, signal.SIGKILL)
os.wait()
"""


def test_dir_while_folders_move():  # slow
    """Paths are checked while folders are moved: no request of either file is lost, or counts for
    both."""
    with On() as at:
        for folder in 'a', 'a/b', 'c':
            os.mkdir(os.path.join(at.folder, folder))
        (path, inode), (other, _) = at.files('a/b/file', 'c/file')
        process = start('--by', 'file,op', '--dir', os.path.join(at.folder, 'a'))
        run('python3', '-c', MOVER, at.folder, path, other)
        rows = of_files(finish_by(process))
        assert rows == {(inode, 'read'): (300, 300 * PAGE)}, rows


def test_files_that_are_none():  # slow
    """Each is refused, with advice on what to do instead."""
    disk = Null()
    there = os.path.join(TMP, 'there')
    write(there, 'x')
    for option, path, words in (
            ('--file', TMP + '/none', 'No such file'), ('--dir', TMP + '/none', 'No such file'),
            ('--file', TMP, 'use --dir ' + TMP), ('--dir', there, 'use --file ' + there),
            ('--file', disk.path, 'choose a disk with --dev'),
            ('--dir', '/dev/null', 'is not a folder')):
        assert words in ktrace('io', option, path, '-d', '1', status=2)[1], (option, path)
    errors = ktrace('io', '--file', ','.join([there] * 65), '-d', '1', status=2)[1]
    assert 'At most 64' in errors, errors
    assert 'which only the layer block has' in \
        ktrace('io', '--file', there, '--layers', 'fs', '-d', '1', status=2)[1]
    folder = os.path.join(TMP, 'tmpfs')
    os.makedirs(folder, exist_ok=True)
    run('mount', '-t', 'tmpfs', 'none', folder)
    try:
        write(folder + '/file', 'x')
        for option, path in ('--file', folder + '/file'), ('--dir', folder):
            assert 'without a disk of its own' in ktrace('io', option, path, '-d', '1', status=1)[1], path
    finally:
        run('umount', folder)


# --- devices above disks ---------------------------------------------------------

@contextlib.contextmanager
def above_disks(above):
    """File systems are on devices that this makes."""
    On.above = above
    try:
        yield
    finally:
        On.above = None


def core_of(above):
    """Requests of disks below another device count for the files on that device."""
    with above_disks(above):
        for test in (test_by_file_on_ext4, test_by_file_through_the_cache, test_by_file_that_is_unlinked,
                     test_file_of_some, test_dir_of_files_that_come_and_go, test_by_file_of_a_ring):
            test()
            remove_nulls()


def test_files_on_lvm():  # slow
    core_of(linear)


def test_files_on_raid():  # slow
    core_of(mirror)


def test_files_on_a_partition():  # slow
    core_of(partition)


def test_files_that_are_encrypted():
    """Writes have new pages, which belong to no file that is known: they are reported as lost."""
    with above_disks(crypt), On() as at:
        (one, first), = at.files('one')
        process = start('--by', 'file,op', '--file', one)
        then_sync(direct(one, 30, PAGE), direct(one, 10, PAGE, 'write'))
        data, = documents_of(process, status=3)
        assert data['session']['counters']['lost_files'] >= 10, data['session']
        assert of_files(data['rows']) == {(first, 'read'): (30, 30 * PAGE)}, data['rows']


# --- by cgroup -----------------------------------------------------------------------

def of_cgroups(rows):
    return {(row.get('cgroup'), row['operation']): (row['requests'], row['bytes']) for row in rows}


def test_by_cgroup():  # slow
    """Requests count for their cgroup, not for the cgroup above it."""
    disk = Null()
    one, two, below = cgroup('one'), cgroup('two'), cgroup('one/below')

    def action():
        run_in(one, *dd_read(disk.name, 30))
        run_in(two, *dd_read(disk.name, 20, '8k'))
        run_in(below, *dd_read(disk.name, 7))
        run_in(one, *dd_read(disk.name, 5))
        run(*dd_read(disk.name, 3))
    try:
        rows = rows_by('cgroup,op', action)
        assert of_cgroups(rows) == {
            ('/one', 'read'): (35, 35 * PAGE), ('/two', 'read'): (20, 40 * PAGE),
            ('/one/below', 'read'): (7, 7 * PAGE), ('/', 'read'): (3, 3 * PAGE)}, rows
        number = os.stat(two).st_ino
        process = start('--by', 'cgroup,op', '--dev', disk.name, '--cgroup', two)
        action()
        os.rmdir(two)
        rows = finish_by(process)
        assert [(row['cgroup'], row['requests']) for row in rows] == [(number, 20)], rows
    finally:
        for path in below, one, two:
            if os.path.isdir(path):
                os.rmdir(path)


def test_by_cgroup_of_write_back():
    """What a kworker writes back counts for the cgroup that is charged for it."""
    if RELEASE < (5, 19):
        raise Skip('this kernel tells no module whom a bio is charged to')
    one = cgroup('writes')
    try:
        write(CGROUPS + '/cgroup.subtree_control', '+io +memory')
    except OSError as error:
        os.rmdir(one)
        raise Skip('this kernel has no controllers to charge it with') from error
    try:
        with On() as at:
            at.files('old')
            process = start('--by', 'cgroup,op', '--dev', at.disk.name)
            run_in(one, 'dd', 'if=/dev/zero', 'of=%s/new' % at.folder, 'bs=64k', 'count=32')
            os.sync()
            rows = of_cgroups(finish_by(process))
            assert 2 << 20 <= rows['/writes', 'write'][1] < (2 << 20) + 65536, rows
    finally:
        write(CGROUPS + '/cgroup.subtree_control', '-io -memory')
        os.rmdir(one)


def test_by_cgroup_as_text():
    disk = Null()
    path = cgroup('text')
    try:
        run_in(path, 'ktrace', 'io', '--by', 'op,cgroup', '-o', TMP + '/text', '--', *dd_read(disk.name, 12))
        _, titles, row, *_ = [line.split() for line in read(TMP + '/text').splitlines()]
        assert titles[-2:] == ['OP', 'CGROUP'], titles
        assert row[-2:] == ['read', '/text'] and '12' in row, row
    finally:
        os.rmdir(path)
