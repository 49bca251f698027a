# SPDX-License-Identifier: GPL-2.0
"""All functions of a session count in one window, under a constant load."""
import json
import os
import re
import subprocess

from suite import Skip
from tool import TMP, check_ended, documents_in, ktrace, limit, none_left, timely, undisturbed, wait_for

FOLDER = os.path.join(TMP, 'window-files')
PATTERNS = ['*sys_*', 'vfs_*', 'do_*', 'security_*', 'shmem_*', 'simple_*', 'generic_*', 'file_*',
            'filp_*', 'create_*', 'alloc_*', 'path_*', 'filename_*', 'may_*', 'notify_*']
# One operation: system calls of different kinds on a file system in memory, where no call causes
# other calls as in an overlay. The program makes a given number, or continues until it is killed.
OPERATION = '''
import os, sys
left = int(sys.argv[1])
os.chdir(sys.argv[2])
print('ready', flush=True)
sys.stdin.readline()
while left:
    left -= 1
    file = os.open('one', os.O_RDWR | os.O_CREAT, 0o600)
    os.pwrite(file, b'some', 0)
    os.pread(file, 4, 0)
    os.lseek(file, 0, 0)
    os.ftruncate(file, 100)
    os.fsync(file)
    os.fchmod(file, 0o640)
    os.close(os.dup(file))
    os.link('one', 'two')
    os.rename('two', 'three')
    os.symlink('three', 'four')
    os.readlink('four')
    os.mkdir('five')
    os.rmdir('five')
    for name in 'one', 'three', 'four':
        os.unlink(name)
    os.close(file)
    for end in os.pipe():
        os.close(end)
    os.getppid()
    os.sched_yield()
    os.umask(0o22)
    os.getpriority(0, 0)
'''


class Load:
    """A load whose calls begin at go()."""
    def __init__(self, nr):
        if not os.path.isdir(FOLDER):
            os.mkdir(FOLDER)
            subprocess.check_call(['mount', '-t', 'tmpfs', 'window', FOLDER])
        self.process = subprocess.Popen(
            ['python3', '-c', OPERATION, str(nr), FOLDER], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == 'ready\n'
        self.pid = str(self.process.pid)

    def go(self):
        self.process.stdin.write('\n')
        self.process.stdin.close()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def teardown():
    none_left()
    if os.path.isdir(FOLDER):
        subprocess.check_call(['umount', FOLDER])
        os.rmdir(FOLDER)


def documents(*options):
    path = os.path.join(TMP, 'window')
    done = subprocess.run(['ktrace', 'func', '--format', 'json', '-o', path, *options],
                          stderr=subprocess.PIPE, text=True, timeout=limit(300))
    check_ended(done.returncode, 0, done.stderr, options)
    with open(path) as file:
        return documents_in(file.read())


def counts_of(document, key='calls'):
    return {row['name']: row[key] for row in document['rows']}


def counted(nr):
    """Returns how often NR operations call each function."""
    load = Load(nr)
    command = subprocess.Popen(['ktrace', 'func', '--count', '--format', 'json', '-p', load.pid,
                                *PATTERNS], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    wait_for(lambda: 'active' in ktrace('ctl', 'list')[0], 60)
    load.go()
    out, errors = command.communicate(timeout=limit(100))
    load.end()
    # 3: patterns also match functions that the kernel does not allow to trace.
    assert command.returncode in (0, 3), errors
    return counts_of(json.loads(out), 'entries')


def functions_called_once():
    """Returns the functions that an operation calls once, and that nothing else in the load
    calls."""
    return sorted(name for name, calls in counted(200).items()
                  if calls == 200 and re.fullmatch(r'[A-Za-z_0-9]+', name))


def check_same(counts, names, what, apart=2):
    """
    One operation may be under way where the window begins, and one where it ends. If both are
    inside the same function, this function has one call less than the functions around it, and the
    functions that it calls have one more. Entries differ by one at most.
    """
    assert set(counts) == set(names), (what, sorted(set(names) ^ set(counts)))
    least, most = min(counts.values()), max(counts.values())
    assert most - least <= apart and most > 10, (what, least, most, counts)


def check_sums(found, names):
    """An interval that ends during an operation has a part of it, and the next one has the rest."""
    sums = {name: 0 for name in names}
    for document in found:
        for name, calls in counts_of(document).items():
            sums[name] += calls
    check_same(sums, names, 'all intervals')


@undisturbed
def test_calls_are_equal():  # slow
    """Each of 75 functions is counted as often, whichever was probed first."""
    names = functions_called_once()
    if len(names) < 75:
        raise Skip('this kernel has only %d functions of which each is called once' % len(names))
    chosen = names[::len(names) // 75][:75]
    load = Load(-1)
    load.go()
    try:
        document, = documents('-p', load.pid, '-d', '0.5', *chosen)
        check_same(counts_of(document), chosen, 'calls')
        check_sums(documents('-p', load.pid, '-i', '0.2', '-d', '0.7', *chosen), chosen)
        document, = documents('--count', '-p', load.pid, '-d', '0.5', *chosen)
        check_same(counts_of(document, 'entries'), chosen, 'entries', apart=1)
    finally:
        load.end()


@undisturbed
def test_window_is_what_was_counted():  # debug
    """The window begins when the last of many probes is in place, however long planting takes."""
    load = Load(-1)
    load.go()
    try:
        document, = documents('vfs_*', '-p', load.pid, '-d', '0.5')
    finally:
        load.end()
    timely(0.4 < document['window_s'] < 1.5, document['window_s'])


@undisturbed
def test_tree_invents_no_callers():
    """The tree shows the right callers, while probes are added and removed."""
    load = Load(-1)
    load.go()
    path, inner = os.path.join(TMP, 'window-tree'), {'vfs_rename', 'vfs_link', 'vfs_rmdir'}
    try:
        for _ in range(2):
            ktrace('graph', 'vfs_*', '-p', load.pid, '-d', '0.3', '--format', 'json', '-o', path)
            with open(path) as file:
                nodes = json.load(file)['tree']
            for node in nodes:      # the compiler may have made a vfs_rmdir.part.0
                node['name'] = node['name'].split('.')[0]
            below = [node for node in nodes if node['name'] in inner and 'parent' in node]
            assert not below, below
            assert inner <= {node['name'] for node in nodes}, nodes
    finally:
        load.end()
