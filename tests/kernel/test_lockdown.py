# SPDX-License-Identifier: GPL-2.0
"""
Lockdown is raised to confidentiality while the module is loaded: ktrace continues, other tracers do
not. The tests need a machine of their own and this order, because lockdown cannot be lowered.
"""
import errno
import json
import os
import subprocess

import lockdown
import tracers
from genl import Client
from suite import Skip
from test_ctl import Spin, calls_of, read
from test_privilege import RESULT_NONE, all_answers, kernel_session, results_of
from tool import (expected_calls, ktrace, own_functions, run_to_file, session_of, untraced, victim,
                  wait_for)

REFUSED = {'tracefs uprobe': errno.EPERM, 'tracefs kprobe': errno.EPERM,
           'perf kprobe': errno.EPERM, 'bpf': errno.EINVAL}


def check_of(name, text):
    return next(check for check in json.loads(text)['rows'] if check['check'] == name)


def check_run():
    text, output, status, errors = run_to_file('recursion', '--format', 'json')
    assert (output, status) == untraced('recursion'), (output, status, errors)
    rows = own_functions(json.loads(text)['rows'])
    calls = {name: row['entries'] for name, row in rows.items()}
    assert calls == expected_calls('recursion'), calls


def check_bpftrace(works):
    if not tracers.has_bpftrace():
        raise Skip('bpftrace is not installed')
    with Spin():
        status, words = tracers.bpftrace('spin')
    assert (status == 0) == works and ('lockdown' in words) != works, (status, words)


def recorded_reads():
    """Returns a session of the kernel's vfs_read with some failed calls, and the socket that owns
    it."""
    client = Client()
    session = kernel_session(client, 'vfs_read')
    subprocess.call(['cat', '/etc/passwd', '/'], stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
    return client, session


def check_hidden(session):
    """Records from before and after the lockdown show calls, but of the results only errnos."""
    subprocess.call(['cat', '/etc/passwd', '/'], stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
    results = [result for _, result in results_of(all_answers(session))]
    errors = [result for result in results if result != RESULT_NONE]
    assert len(results) > len(errors) > 0, results
    assert all(result > (1 << 64) - 4096 for result in errors), results


def test_lockdown_not_yet():
    """Nothing is refused for another reason than lockdown, which comes later."""
    assert lockdown.level() == 'none'
    errors = tracers.all_errors()
    assert {name: errors[name] for name in REFUSED} == dict.fromkeys(REFUSED, 0), errors
    check_bpftrace(True)


def test_lockdown_raised_during_a_session():
    with Spin() as spin:
        ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(spin.pid), '--name', 'before')
        client, session = recorded_reads()
        size = os.stat('/etc/passwd').st_size
        assert size in {result for _, result in results_of(all_answers(session))}
        wait_for(lambda: session_of('before')['counters']['hits'] > 10)
        lockdown.raise_to('confidentiality')
        ticks = calls_of(read('before'))['tick']
        wait_for(lambda: calls_of(read('before'))['tick'] > ticks)
        check_hidden(session)
        client.close()
        ktrace('ctl', 'detach', 'before')


def test_lockdown_others_are_refused():
    errors = tracers.all_errors()
    assert {name: errors[name] for name in REFUSED} == REFUSED, errors
    check_bpftrace(False)


def test_lockdown_sessions():
    """Run and the whole life of a session, exact to the last call."""
    check_run()
    ktrace('ctl', 'attach', '--binary', victim('values'), '--name', 'after', '--stream', '-f',
           'factorial', '-A', 'factorial@1', '-R', 'factorial')
    subprocess.run([victim('values')], stdout=subprocess.DEVNULL)
    text, _ = ktrace('ctl', 'read', 'after')
    assert 'factorial(1) = 1;' in text and '} = 24 /* factorial */' in text, text
    ktrace('ctl', 'change', 'after', '-f', 'ints')
    ktrace('ctl', 'pause', 'after')
    subprocess.run([victim('values')], stdout=subprocess.DEVNULL)
    ktrace('ctl', 'resume', 'after')
    subprocess.run([victim('values')], stdout=subprocess.DEVNULL)
    assert calls_of(read('after', '--reset')) == {'factorial': 8, 'ints': 2}
    ktrace('ctl', 'detach', 'after')


def test_lockdown_doctor():
    text = ktrace('doctor', '--format', 'json')[0]
    assert json.loads(text)['can_trace']
    assert check_of('lockdown', text)['text'].startswith('confidentiality; '), text
    assert check_of('signature', text)['status'] == 'ok', text


def test_lockdown_module_again():
    """Once unloaded, an unsigned module cannot be loaded again."""
    ktrace('ctl', 'detach', '--all')
    lockdown.unload()
    assert lockdown.load('/out/ktrace.ko') == errno.EPERM
    text = ktrace('doctor', '--format', 'json', status=1)[0]
    assert 'the kernel is locked down: only signed modules' in check_of('signature', text)['text']
    assert 'not loaded' in ktrace('ctl', 'list', status=1)[1]
