# SPDX-License-Identifier: GPL-2.0
"""
Secure Boot: the firmware trusts a test key, and the kernel locks itself down and loads only signed
modules. The tests need a machine of their own and this order.
"""
import errno
import os
import shutil
import subprocess

import lockdown
import tracers
from genl import COMMANDS, Client
from test_lockdown import REFUSED, check_of, check_run
from test_ctl import Spin, shown
from test_privilege import ask_all
from tool import ktrace, session_of, sessions, victim, wait_for

UNSIGNED, SIGNED = '/out/ktrace.ko', '/out/signed.ko'
INSTALLED = '/lib/modules/%s/updates/dkms/ktrace.ko' % os.uname().release
HARMLESS = {'INFO', 'SESSION_GET', 'SUBSCRIBE', 'SESSION_PAUSE', 'SESSION_STOP', 'SESSION_DEL',
            'TASK_CONTINUE'}
# Errors with Secure Boot or with lockdown alone, depending on the signature.
REFUSALS = errno.EPERM, errno.EKEYREJECTED, errno.ENOKEY
WORDS = 'ktrace: The kernel is locked down (confidentiality), and the ktrace module respects ' \
        'that (respect_lockdown): '


def doctor(name, status=1):
    return check_of(name, ktrace('doctor', '--format', 'json', status=status)[0])


def install():
    """Installs the module like a package: without debug information."""
    os.makedirs(os.path.dirname(INSTALLED), exist_ok=True)
    subprocess.check_call(['strip', '-g', '-o', INSTALLED, UNSIGNED])


def test_secure_unsigned_module():
    lockdown.mount('efivarfs', lockdown.EFIVARS)
    assert lockdown.level() == 'integrity'
    assert not os.path.exists('/sys/module/ktrace')
    assert lockdown.load(UNSIGNED) in REFUSALS
    install()
    found = doctor('signature')
    assert found['status'] == 'missing', found
    assert found['text'] == 'Secure Boot is on: only signed modules load, and %s is not signed' \
                            % INSTALLED, found


def test_secure_commands_of_doctor():
    """The commands of ktrace doctor sign the module as they stand; then its untrusted key is
    reported."""
    lines = doctor('signature')['fix'].splitlines()
    assert [line.split()[0] for line in lines[2:]] == ['mokutil', 'reboot,', 'modprobe'], lines
    for line in lines[:2]:
        subprocess.check_call(line, shell=True, stderr=subprocess.DEVNULL)
    assert lines[2] == 'mokutil --import /root/mok.pub'
    assert lockdown.load(INSTALLED) in REFUSALS
    assert 'may not be enrolled' in doctor('signature')['text']
    os.makedirs('/var/lib/dkms', exist_ok=True)
    for name in ('pub', 'key'):
        shutil.copy('/root/mok.' + name, '/var/lib/dkms/')
    install()
    subprocess.check_call(['xz', '-0', INSTALLED])
    assert doctor('signature')['text'].endswith(INSTALLED + '.xz is not signed')
    lines = doctor('signature')['fix'].splitlines()
    assert lines[1] == 'mokutil --import /var/lib/dkms/mok.pub', lines
    subprocess.check_call(lines[0], shell=True)
    assert 'ktrace.ko.xz is signed, but' in doctor('signature')['text']


def test_secure_signed_module():
    assert lockdown.load(SIGNED) == 0
    check_run()
    assert doctor('signature', 0)['status'] == 'ok'
    assert doctor('lockdown', 0)['text'] == 'integrity'
    lockdown.unload()


def test_secure_respect():
    """The parameter refuses nothing yet; from confidentiality on, everything that traces or shows
    results."""
    assert lockdown.load(SIGNED, 'respect_lockdown=1') == 0
    check_run()
    with Spin() as spin:
        ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(spin.pid), '--name', 'before', '--stream')
        wait_for(lambda: session_of('before')['counters']['held'] > 20)
        lockdown.raise_to('confidentiality')
        for command, status in ((['run', '--', '/bin/true'], 125),
                                (['ctl', 'attach', '--budget', 'none', '--binary', victim('spin')], 1),
                                (['ctl', 'read', 'before'], 1),
                                (['ctl', 'change', 'before', '--max-depth', '3'], 1),
                                (['ctl', 'watch', 'before'], 1),
                                (['ctl', 'resume', 'before'], 1)):
            text, errors = ktrace(*command, status=status)
            assert errors.startswith(WORDS) and errors.count('\n') == 1 and not text, errors
        ktrace('ctl', 'pause', 'before')
        assert [s['state'] for s in sessions()] == ['paused']
        hits = shown('before')['counters']['hits']
        refused = doctor('tracing')
        assert refused['status'] == 'missing' and 'respect_lockdown' in refused['text'], refused
        results = ask_all(Client(), sessions()[0]['id'])
        assert hits and {row[0] for row in results} == set(COMMANDS) - {'UNSPEC', 'NOTICE'}
        wrong = [row for row in results if (row[1] == errno.EACCES) == (row[0] in HARMLESS)]
        assert wrong == [], wrong
        assert [row for row in results if row[1] == errno.EACCES and row[2]] == []
        wait_for(lambda: sessions() == [])


def test_secure_without_respect():
    """A user who may load modules can omit the parameter: it cannot prevent this."""
    lockdown.unload()
    assert lockdown.load(UNSIGNED) in REFUSALS
    assert lockdown.load(SIGNED) == 0
    errors = tracers.all_errors()
    assert {name: errors[name] for name in REFUSED} == REFUSED, errors
    check_run()
    assert 'a loaded module can trace' in doctor('lockdown', 0)['text']
