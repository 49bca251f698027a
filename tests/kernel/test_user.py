# SPDX-License-Identifier: GPL-2.0
"""ktrace run -u: the program runs as another user."""
import os
import shutil
import subprocess

from tool import TMP, ktrace, sessions, wait_for

ID = '/usr/bin/id'


def run_id(user, program=ID):
    """Returns the output of id(1), and checks that it was traced."""
    path = os.path.join(TMP, 'out')
    done = subprocess.run(['ktrace', 'run', '--format', 'summary', '-o', path, '-u', user,
                           '--', program], capture_output=True, text=True)
    assert done.returncode == 0, done
    with open(path) as out:
        text = out.read()
    assert 'getuid@libc.so.6' in text, text
    assert sessions() == []
    return done.stdout.strip(), done.stderr


def with_group(function):
    """Adds a supplementary group for nobody, in this machine only."""
    def test():
        shutil.copy('/etc/group', TMP)
        with open('/etc/group', 'a') as groups:
            groups.write('ktracers:x:4242:daemon,nobody\n')
        try:
            function()
        finally:
            shutil.copy(os.path.join(TMP, 'group'), '/etc/group')
    test.__name__ = function.__name__
    return test


@with_group
def test_user_and_groups():
    want = subprocess.check_output(['setpriv', '--reuid=nobody', '--regid=nogroup',
                                    '--init-groups', ID], text=True).strip()
    assert '4242' in want, want
    assert run_id('nobody') == (want, '')
    assert run_id('65534') == (want, '')
    assert run_id('nobody:daemon') == (
        'uid=65534(nobody) gid=1(daemon) groups=1(daemon),4242(ktracers)', '')
    assert run_id('4711:4712') == ('uid=4711 gid=4712 groups=4712', '')


def test_user_environment_stays():
    done = subprocess.run(['ktrace', 'run', '-o', '/dev/null', '-u', 'nobody',
                           '--', '/usr/bin/printenv', 'HOME', 'USER'],
                          capture_output=True, text=True,
                          env=dict(os.environ, HOME='/some', USER='one'))
    assert done.stdout == '/some\none\n', done


def test_set_user_id():
    os.chmod(TMP, 0o755)
    program = os.path.join(TMP, 'id')
    shutil.copy(ID, program)
    os.chmod(program, 0o4755)
    output, errors = run_id('nobody', program)
    assert 'uid=65534' in output and 'euid=0(root)' in output, output
    assert errors == 'ktrace: %s is set-user-ID: it runs with the rights of user 0, ' \
                     'its owner.\n' % program, errors


def test_wrong_user():
    def complaint(user, status=125, program=ID):
        errors = ktrace('run', '-u', user, '--', program, status=status)[1]
        assert errors.count('\n') == 1, errors
        wait_for(lambda: not sessions())
        return errors
    assert "There is no user 'nobdy'" in complaint('nobdy')
    assert "There is no group 'nogrp'" in complaint('nobody:nogrp')
    assert 'User 4711 is unknown here, so its group' in complaint('4711')
    assert "There is no user ''" in complaint('')
    closed = os.path.join(TMP, 'closed')
    os.mkdir(closed, 0o700)
    program = shutil.copy(ID, closed)
    assert 'forbid it to this user' in complaint('nobody', 126, program)
