# SPDX-License-Identifier: GPL-2.0
"""Processes whose paths and numbers mean other files and processes than here."""
import json
import os
import shutil
import subprocess

from suite import Skip
from test_libs import CALLED, INSIDE, LIB, OWN
from tool import RELEASE, TMP, detach_all, ktrace, limit, sessions, victim, wait_for

ROOT = os.path.join(TMP, 'root')
# Files in a tmpfs can be probed from 3.17 on.
IN_MEMORY = 'tmpfs' if RELEASE >= (3, 17) else 'ramfs'
LIBRARIES = '/lib/x86_64-linux-gnu/'
LOADER = '/lib64/ld-linux-x86-64.so.2'
# The calls after it continues; main() was called before.
CALLS = {name: calls for name, calls in OWN.items() if name != 'main'}


class Nested:
    """The victim, started by some command; continues when it is told to."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, **options)
        self.said = int(self.process.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    @property
    def pid(self):
        """Its pid here, not in its own namespace: the youngest descendant."""
        pid = self.process.pid
        while True:
            with open('/proc/%d/task/%d/children' % (pid, pid)) as children:
                below = children.read().split()
            if not below:
                return pid
            pid = int(below[0])

    def go(self):
        assert self.process.communicate('\n', timeout=limit(30))[0] == 'sum 126\n'

    def counts(self, name):
        self.go()
        text = ktrace('ctl', 'read', name, '--format', 'json')[0]
        ktrace('ctl', 'detach', name)
        return {row['name']: row['entries'] for row in json.loads(text)['rows']}


teardown = detach_all


def copy_to(folder):
    os.makedirs(folder, exist_ok=True)
    return [shutil.copy(victim(name), folder) for name in ('nested', LIB)]


def make_root(root=ROOT):
    """Makes a root for it alone, of copies: none of its files is one of the machine's."""
    copy_to(root + '/app')
    for path in (LIBRARIES + 'libc.so.6', LOADER):
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)


def in_container(*flags):
    """Starts it with files that no other mount namespace has."""
    make_root()
    return Nested('unshare', '-m', *flags, 'sh', '-c',
                  'mkdir -p /mnt/c && mount -t ' + IN_MEMORY + ' c /mnt/c && cp -r "$0"/* /mnt/c && '
                  'mkdir /mnt/c/proc && mount -t proc proc /mnt/c/proc && '
                  'exec chroot /mnt/c /app/nested wait', ROOT)


def attach(process, *options):
    return ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(process.pid), '--name', 'c', *options)


def complaint(*args):
    errors = ktrace(*args, status=1)[1].splitlines()
    assert len(errors) == 1 and errors[0].startswith('ktrace: '), errors
    assert sessions() == []
    return errors[0]


def test_mount_namespace():
    """Program and libraries are those that the process has mapped, found by its number alone."""
    with in_container() as nested:
        attach(nested, '--lib', LIB + ',libc.so*', '-f', 'work,back,lib_*,printf@*')
        assert nested.counts('c') == {**CALLS, **CALLED, 'printf@libc.so.6': 1}


def test_mount_namespace_inside_of_libraries():
    with in_container() as nested:
        attach(nested, '--no-lib', '--nest-lib', LIB)
        assert nested.counts('c') == {**CALLS, **INSIDE}


def test_mount_namespace_by_path():
    """A path that does not exist here, or is another file here."""
    with in_container() as nested:
        assert not os.path.exists('/app')
        assert 'cannot be opened: there is no such file' in complaint(
            'ctl', 'attach', '--budget', 'none', '--binary', '/app/nested')
        attach(nested, '--binary', '/app/nested', '--lib', LIB)
        assert nested.counts('c') == {**CALLS, **CALLED}
    with in_container() as nested:
        copy_to('/app')
        try:
            attach(nested, '--binary', '/app/' + LIB, '--no-lib')
            calls = nested.counts('c')
        finally:
            shutil.rmtree('/app')
        assert calls == {name.split('@')[0]: n for name, n in INSIDE.items()}, calls


def test_bind_mount():
    folder = os.path.join(TMP, 'bind')
    copy_to(folder)
    with Nested('unshare', '-m', 'sh', '-c',
                'mount --bind "$0" /mnt && exec /mnt/nested wait', folder) as nested:
        attach(nested, '--binary', '/mnt/nested', '--lib', LIB)
        assert nested.counts('c') == {**CALLS, **CALLED}
    with Nested('unshare', '-m', 'sh', '-c',
                'mount --bind "$0" /mnt && exec /mnt/nested wait', folder) as nested:
        # The same file by its path here: all processes that map it.
        text, _ = ktrace('ctl', 'attach', '--budget', 'none', '--binary', folder + '/nested', '--name', 'c',
                         '--lib', LIB)
        assert '1 process of' in text, text
        assert nested.counts('c') == {**CALLS, **CALLED}


def replace(path):
    """Replaces a file as a package does: a new file gets the name."""
    with open(path + '.new', 'w') as new:
        new.write('not the file that runs')
    os.rename(path + '.new', path)


def test_library_replaced():
    program, library = copy_to(os.path.join(TMP, 'replaced'))
    with Nested(program, 'wait') as nested:
        replace(library)
        attach(nested, '--no-lib', '--nest-lib', LIB)
        assert nested.counts('c') == {**CALLS, **INSIDE}
    copy_to(os.path.join(TMP, 'replaced'))
    with Nested(program, 'wait') as nested:
        os.unlink(library)
        attach(nested, '--lib', LIB)
        assert nested.counts('c') == {**CALLS, **CALLED}


def test_program_replaced():
    program, _ = copy_to(os.path.join(TMP, 'upgrade'))
    with Nested(program, 'wait') as nested:
        os.unlink(program)
        shutil.copy(victim('spin'), program)
        text, errors = ktrace('ctl', 'attach', '--budget', 'none', '--binary', program, '--name', 'new')
        assert '0 processes of' in text, text
        assert 'is in use by 1 process ' in errors, errors
        ktrace('ctl', 'detach', 'new')
        attach(nested, '--binary', program, '--lib', LIB)
        assert nested.counts('c') == {**CALLS, **CALLED}


def test_program_deleted():
    program, _ = copy_to(os.path.join(TMP, 'deleted'))
    with Nested(program, 'wait') as nested:
        shutil.rmtree(os.path.dirname(program))
        text, _ = ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(nested.pid), '--nest-lib', LIB)
        assert text.startswith('Session nested:'), text
        calls = nested.counts('nested')
        assert {name: calls.get(name) for name in INSIDE} == INSIDE, calls


def test_pid_namespace_from_outside():
    with in_container('-pf') as nested:
        assert nested.said < nested.pid
        attach(nested, '--lib', LIB)
        assert nested.counts('c') == {**CALLS, **CALLED}


def test_pid_namespace_from_inside():
    """Numbers are those of the namespace, if /proc shows the same namespace."""
    with Nested('unshare', '-pf', '--mount-proc', victim('nested'), 'wait') as nested:
        assert nested.said == 1
        inside = ('nsenter', '-t', str(nested.pid), '-p')
        command = ('ktrace', 'ctl', 'attach', '--budget', 'none', '--pid', '1', '--name', 'c', '--lib', LIB)
        done = subprocess.run(inside + command, capture_output=True, text=True)
        assert done.returncode == 1 and sessions() == [], done
        assert 'to another pid namespace' in done.stderr, done
        done = subprocess.run(inside + ('-m',) + command, capture_output=True, text=True)
        assert done.returncode == 0, done
        for change in ('detach', 'c', '--pid', '1'), ('change', 'c', '--not-pid', '1'):
            done = subprocess.run((*inside, 'ktrace', 'ctl', *change), capture_output=True,
                                  text=True)
            assert done.returncode and 'to another pid namespace' in done.stderr, done
        assert nested.counts('c') == {**CALLS, **CALLED}


def test_number_of_another_pid_namespace():
    with Nested('unshare', '-pf', '--mount-proc', 'sh', '-c',
                'echo 31000 >/proc/sys/kernel/ns_last_pid; "$0" wait; exit 17',
                victim('nested')) as nested:
        if '.el' in os.uname().release and nested.said != 31001:
            raise Skip('this kernel did not take the number of the next process (ns_last_pid)')
        assert nested.said == 31001, nested.said
        text = complaint('ctl', 'attach', '--budget', 'none', '--pid', '31001')
        assert 'There is no process 31001 here' in text, text
        assert 'use --pid %d' % nested.pid in text, text
        nested.go()


def test_run_in_another_root():
    """A loader that exists only there, behind a link that leads to another file here."""
    root, out, told = (os.path.join(TMP, name) for name in ('linked', 'out', 'told'))
    make_root(root)
    os.rename(root + LOADER, root + LIBRARIES + 'ld-linux-x86-64.so.2')
    os.symlink(LIBRARIES + 'ld-linux-x86-64.so.2', root + LOADER)
    shutil.copy(root + '/app/nested', root + '/app/first')
    # $ORIGIN is not known without /proc.
    shutil.copy(victim(LIB), root + LIBRARIES)
    script = 'chroot "$0" /app/first wait; chroot "$0" /app/nested'
    with open(told, 'w') as errors, subprocess.Popen(
            ['ktrace', 'run', '-o', out, '--format', 'json', '--no-lib', '-f', 'main,work,back',
             '--', '/bin/bash', '-c', script, root], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=errors, text=True) as process:
        # Nothing had probed its loader before, which it shares with the next program.
        wait_for(lambda: 'were missed' in open(told).read())
        output = process.communicate('\n', timeout=limit(60))[0]
    errors = open(told).read()
    assert output.count('sum 126\n') == 2 and len(errors.splitlines()) == 1, (output, errors)
    with open(out) as file:
        calls = {row['name']: row['entries'] for row in json.load(file)['rows']}
    # Its main() may have been missed, or not.
    assert calls.pop('main@first', 1) == 1, calls
    assert calls == {'main': 1, **{name + '@first': n for name, n in CALLS.items()},
                     **{name + '@nested': n for name, n in OWN.items()}}, calls


def test_overlay_copies_the_file_up():
    """The running program has the file of the lower layer, and so have its calls, whatever the path
    is."""
    disk = os.path.join(TMP, 'disk')
    os.makedirs(disk)
    subprocess.check_call(['mount', '-t', IN_MEMORY, 'disk', disk])
    layers = [os.path.join(disk, name) for name in ('lower', 'upper', 'work', 'merged')]
    for layer in layers:
        os.makedirs(layer)
    lower, upper, work, merged = layers
    copy_to(lower)
    subprocess.check_call(['mount', '-t', 'overlay', 'overlay', '-o',
                           'lowerdir=%s,upperdir=%s,workdir=%s' % (lower, upper, work), merged])
    try:
        with Nested(merged + '/nested', 'wait') as nested:
            attach(nested, '--binary', merged + '/nested', '--lib', LIB)
            os.chmod(merged + '/nested', 0o700)
            assert os.path.exists(upper + '/nested')
            assert nested.counts('c') == {**CALLS, **CALLED}
    finally:
        subprocess.check_call(['umount', '-l', merged, disk])


def test_path_through_another_root():
    """/proc/PID/root/... is the container's file, also where one of its links leads."""
    copy_to('/app')
    os.makedirs(ROOT + '/links', exist_ok=True)
    link = ROOT + '/links/nested'
    if not os.path.lexists(link):
        os.symlink('/app/nested', link)
    try:
        for path in ('/app/nested', '/links/nested'):
            with in_container() as nested, Nested('/app/nested', 'wait') as other:
                text, _ = ktrace('ctl', 'attach', '--budget', 'none', '--binary', '/proc/%d/root%s' % (nested.pid, path),
                                 '--name', 'c', '--no-lib')
                assert '1 process of' in text, text
                other.go()
                assert nested.counts('c') == CALLS
    finally:
        shutil.rmtree('/app')
