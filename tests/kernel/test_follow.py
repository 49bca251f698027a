# SPDX-License-Identifier: GPL-2.0
"""ktrace run follows children, the programs that they execute, and libraries loaded later."""
import json
import os
import re
import select
import signal
import subprocess

from suite import Skip
from tool import (PATIENT, SLOW, TMP, balanced, detach_all, expected_calls, hold_at_most, ktrace,
                  limit, none_left, sessions, timely, undisturbed, untraced, victim, wait_for)


def teardown():
    hold_at_most(PATIENT)
    detach_all()


def run(*args):
    """Traces a command; returns (data, the command's output, its status, stderr)."""
    path = os.path.join(TMP, 'out')
    with open(path, 'w'):
        pass    # a refused run makes no file
    done = subprocess.run(['ktrace', 'run', '-o', path, *args], capture_output=True, text=True,
                          timeout=limit(100))
    with open(path) as out:
        return out.read(), done.stdout, done.returncode, done.stderr


def counts(text):
    return {row['name']: row['entries'] for row in json.loads(text)['rows']}


def test_family():
    """Each call of the whole family counts once; calls open at a fork count in the parent."""
    calls = expected_calls('family')
    text, output, status, errors = run('--format', 'json', '--hist', '-f', ','.join(calls), '--',
                                       victim('family'))
    assert (output, status) == untraced('family'), (output, status, errors)
    data = json.loads(text)
    assert data['complete'], (data['session'], errors)
    assert counts(text) == calls, (counts(text), calls)
    for row in data['rows']:
        assert row['calls'] == row['entries'] == sum(b['count'] for b in row['histogram']), row
    nodes = {}
    for node in data['tree']:
        nodes[node['name']] = nodes.get(node['name'], 0) + node['calls']
    assert nodes == calls, (nodes, calls)


def test_family_in_records():  # debug
    """Every process but the first is announced by its parent, and closes the calls that it
    opened."""
    calls = expected_calls('family')
    text, output, status, _ = run('--stream', '--format', 'json', '-f', ','.join(calls), '--',
                                  victim('family'))
    assert (output, status) == untraced('family'), (output, status)
    records = [json.loads(line) for line in text.splitlines()]
    assert records[-1]['complete'] and balanced(records[-1]['session']['counters']), records[-1]
    forks = {r['child']: r['tid'] for r in records if r['event'] == 'fork'}
    tids = {r['tid'] for r in records if r['event'] in ('entry', 'exit')}
    assert len(forks) == 6 * 2 + 3 * 2, forks
    assert len(tids - set(forks)) == 1 and set(forks.values()) <= tids, (tids, forks)
    entries = {}
    for record in records:
        if record['event'] == 'entry':
            entries[record['name']] = entries.get(record['name'], 0) + 1
    assert entries == calls, entries
    exits = [r for r in records if r['event'] == 'exit' and not r.get('inherited')]
    assert len(exits) == sum(calls.values()), len(exits)
    # part() returns in each child too, and the calls that were open in the parents end with the
    # children.
    inherited = [r['name'] for r in records if r.get('inherited')]
    assert inherited.count('part') == 12, inherited
    programs = [r['program'] for r in records if r['event'] == 'exec']
    assert programs == ['family'] * 6, programs


def test_family_as_a_tree():
    text, _, _, _ = run('-f', 'part,work', '--', victim('family'))
    assert text.count('/* new process: ') == 18, text
    assert text.count('/* entered by the parent */') == 12, text


def test_no_follow():
    text, output, status, _ = run('--no-follow', '--format', 'json', '-f', 'work,part', '--',
                                  victim('family'))
    assert (output, status) == untraced('family'), (output, status)
    assert counts(text) == {'part': 6}, counts(text)


def test_program_of_a_child():
    """A shell's children execute other programs, which are probed before their first call."""
    script = '%s >/dev/null; %s >/dev/null; exit 5' % (victim('coldpart'), victim('recursion'))
    text, _, status, errors = run('--format', 'json', '-f', 'usual,down,main', '--',
                                  '/bin/bash', '-c', script)
    assert status == 5, (status, errors)
    found = counts(text)
    assert found == {'main': 1, 'main@coldpart': 1, 'main@recursion': 1,
                     'usual@coldpart': expected_calls('coldpart')['usual'],
                     'down@recursion': expected_calls('recursion')['down']}, (found, errors)
    assert json.loads(text)['complete'], errors
    assert sessions() == []


def test_functions_of_what_is_executed():
    """-f applies to every program that is executed; the first one may have no such function."""
    name, calls = victim('recursion'), expected_calls('recursion')['down']
    script = os.path.join(TMP, 'script')
    with open(script, 'w') as file:
        file.write('#!/bin/sh\n%s >/dev/null\nexec %s >/dev/null\n' % (name, name))
    os.chmod(script, 0o755)
    for times, command in ((1, ['env', 'A=b', name]), (1, ['sh', '-c', 'exec ' + name]), (2, [script]),
                           (1, ['chroot', '/', name]), (1, ['unshare', '--mount', name]),
                           (1, ['nice', 'env', 'sh', '-c', name + '; true'])):
        text, _, status, errors = run('--format', 'json', '-f', 'down', '--', *command)
        assert status in (0, untraced('recursion')[1]), (command, status, errors)
        assert counts(text) == {'down@recursion': calls * times}, (command, text, errors)
        assert json.loads(text)['complete'], (command, errors)
        assert "matches 'down'" in errors and 'that it executes' in errors, (command, errors)


def test_function_of_nothing_that_is_executed():
    """Reported by one sentence at the beginning, one at the end, and the status."""
    _, _, status, errors = run('-f', 'no_such', '--', 'sh', '-c', victim('recursion') + '; exit 5')
    assert status == 3, (status, errors)
    assert re.search(r"'no_such' of -f matches no function of any of the 2 programs", errors), errors
    # If no other program is followed, it is refused before anything runs.
    _, output, status, errors = run('--no-follow', '-f', 'no_such', '--', 'sh', '-c', 'echo ran')
    assert (status, output) == (125, '') and "matches 'no_such'" in errors, (status, output, errors)


def test_children_under_load():  # slow
    """With busy processors and a hundred children, each child waits as long as its watcher is
    busy."""
    hold_at_most(500 * SLOW)
    busy = [subprocess.Popen(['sh', '-c', 'while :; do :; done']) for _ in range(4)]
    script = 'i=0; while [ $i -lt 100 ]; do ' + victim('recursion') + \
             ' >/dev/null & i=$((i+1)); [ $((i % 20)) -gt 0 ] || wait; done; wait'
    try:
        text, _, status, errors = run('--format', 'json', '-f', 'down', '--', 'sh', '-c', script)
    finally:
        for one in busy:
            one.kill()
            one.wait()
    assert status == 0, (status, errors)
    assert counts(text) == {'down@recursion': 100 * expected_calls('recursion')['down']}, (text, errors)
    assert json.loads(text)['complete'], errors


def test_imports_of_a_child():
    """Calls into libraries count for the program that makes them."""
    text, _, status, errors = run('--format', 'json', '-f', 'nanosleep*,main', '--', '/bin/bash',
                                  '-c', victim('demo') + ' >/dev/null; exit 6')
    assert status == 6, (status, errors)
    demo = json.loads(run('--format', 'json', '-f', 'nanosleep*,main', '--', victim('demo'))[0])
    found = counts(text)
    for row in demo['rows']:
        name = row['name'] if '@' in row['name'] else row['name'] + '@demo'
        assert found[name] == row['entries'], (name, found)


def test_library_loaded_later():  # debug
    """Each dlopen() holds the program until the plugin's functions are probed."""
    text, output, status, errors = run('--format', 'json', '--nest-lib', '*plugin*', '--',
                                       victim('dlopen'))
    assert (output, status) == untraced('dlopen'), (output, status, errors)
    found = counts(text)
    assert found['plugin_call@dlopen-plugin.so'] == 120, (found, errors)
    assert found['plugin_inner@dlopen-plugin.so'] == 120, found
    for name, calls in expected_calls('dlopen').items():
        assert found[name] == calls, (name, found)
    assert json.loads(text)['complete'], errors


def test_gaps_are_counted():
    """No task waits longer than the limit, and programs that ran without probes are reported."""
    hold_at_most(0)
    script = '%s >/dev/null; exit 5' % victim('coldpart')
    text, _, status, errors = run('--format', 'json', '-f', 'usual,main', '--', '/bin/bash',
                                  '-c', script)
    assert status == 5, (status, errors)
    data = json.loads(text)
    assert not data['complete'] and data['session']['counters']['gaps'] > 0, data['session']
    assert 'before its new code was probed' in errors, errors


def test_static_program_of_a_child():
    """A static program has no loader to hold it: it is probed when its start is reported, with a
    message."""
    script = '%s >/dev/null; exit 5' % victim('builds-static')
    _, _, status, errors = run('--format', 'json', '-f', 'nothing_of_it', '--', '/bin/bash',
                               '-c', script)
    assert status == 3 and ('matches no function of any of the 2 programs' in errors or
                            'before its new program could be read' in errors), errors
    _, _, status, errors = run('--format', 'json', '-f', 'main', '--', '/bin/bash', '-c', script)
    assert status == 5, (status, errors)
    assert ('the first calls of' in errors and 'builds-static' in errors or
            'before its new program could be read' in errors), errors


def test_static_program_that_was_short():
    """The program ends before ktrace, which it stops, can look at it."""
    script = ("kill -STOP $PPID; until [[ $(</proc/$PPID/stat) == *') T '* ]]; do :; done; "
              '%s >/dev/null; kill -CONT $PPID; exit 5') % victim('builds-static')
    _, _, status, errors = run('-f', 'main', '--', '/bin/bash', '-c', script)
    assert status == 5, (status, errors)
    assert errors.count('before its new program could be read') == 1, errors


def put(path, text):
    """Writes a setting; returns the old value."""
    with open(path) as file:
        before = file.read()
    with open(path, 'w') as file:
        file.write(text)
    return before


WORK_CPUS, RT_RUNTIME = '/sys/devices/virtual/workqueue/cpumask', '/proc/sys/kernel/sched_rt_runtime_us'


def waits_for_work(pid):
    """Whether the youngest child of a process waits for a work item of the kernel."""
    try:
        with open('/proc/%d/task/%d/children' % (pid, pid)) as children:
            child = children.read().split()[-1]
        with open('/proc/%s/stack' % child) as stack:
            return 'flush_work' in stack.read()
    except (IndexError, OSError):
        return False


def test_who_was_held_was_seen():
    """The notice that a program was executed comes late, because the kernel's worker has no CPU."""
    if os.cpu_count() < 2:
        raise Skip('there is one CPU only')
    # The first of two is probed; the other needs no work by ktrace.
    script = '{0} >/dev/null; echo $$; read x; {0} >/dev/null; echo over; exit 5'
    script = script.format(victim('coldpart'))
    traced = subprocess.Popen(['taskset', '1', 'ktrace', 'run', '--no-lib', '-f', 'main,usual', '-o',
                               '/dev/null', '--', '/bin/bash', '-c', script], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    shell = int(traced.stdout.readline())
    before = put(WORK_CPUS, '2'), put(RT_RUNTIME, '-1')
    keeper = subprocess.Popen(['taskset', '2', 'chrt', '-f', '50', '/bin/bash', '-c', 'while :; do :; done'])
    try:
        wait_for(lambda: os.sched_getscheduler(keeper.pid) == os.SCHED_FIFO)
        traced.stdin.write('\n')
        traced.stdin.flush()
        wait_for(lambda: waits_for_work(shell) or select.select([traced.stdout], [], [], 0)[0])
    finally:
        keeper.kill()
        keeper.wait()
        put(WORK_CPUS, before[0])
        put(RT_RUNTIME, before[1])
    errors = traced.communicate(timeout=limit(60))[1]
    assert traced.returncode == 5 and not errors, (traced.returncode, errors)


def moments(output):
    """Returns {what: ns} of the lines of leftbehind."""
    return {line.rsplit(' ', 1)[0]: int(line.rsplit(' ', 1)[1]) for line in output.splitlines()}


@undisturbed
def test_window_is_that_of_the_processes():
    """It begins at the program's exec, however long it took to plant probes, and ends when the last
    process does, not when ktrace has noticed that, or has removed the probes."""
    text, output, status, errors = run('--format', 'json', '--', victim('leftbehind'), '20')
    data, said = json.loads(text), moments(output)
    assert status == 5 and data['complete'], (status, errors)
    begin, end = data['from']['monotonic_ns'], data['to']['monotonic_ns']
    assert data['session']['started_monotonic_ns'] < begin < said['parent begins'], (begin, said)
    assert end > said['child ends'], (end, said)
    timely(end - said['child ends'] < 50e6, (end - said['child ends']) / 1e6)
    assert abs(data['window_s'] * 1e9 - (end - begin)) < 1000, data['window_s']


def test_processes_that_are_left_behind():
    """Calls count until the last process has ended; the status is that of the first one."""
    text, output, status, errors = run('--format', 'json', '--no-lib', '--', victim('leftbehind'))
    data = json.loads(text)
    assert status == 5 and 'child ends' in output, (status, output, errors)
    assert counts(text) == expected_calls('leftbehind'), (counts(text), errors)
    assert data['complete'] and data['session']['processes'] == 0, data['session']
    assert '--no-wait' in errors or not errors, errors
    path = os.path.join(TMP, 'left')
    ktrace('syscall', '--format', 'json', '-o', path, '--', victim('leftbehind'), status=5)
    with open(path) as file:
        calls = {row['name']: row['calls'] for row in json.load(file)['rows']}
    assert calls['clock_nanosleep'] == 300 and calls['setsid'] == 1, calls


def test_processes_that_are_not_waited_for():
    """Their number is reported: at once with --no-wait, or after Ctrl-C."""
    text, _, status, errors = run('--no-wait', '--format', 'json', '--no-lib', '--',
                                  victim('leftbehind'))
    assert status == 5 and json.loads(text)['session']['processes'] == 1, (status, text)
    assert re.search(r'1 process that was started meanwhile still runs: leftbehind \(\d+\)', errors), errors
    traced = subprocess.Popen(['ktrace', 'run', '-o', '/dev/null', '--', victim('leftbehind'), '10000000'],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = traced.stderr.readline()
    child = int(re.search(r'leftbehind \((\d+)\)\. ktrace waits .*Ctrl-C ends', told)[1])
    traced.send_signal(signal.SIGINT)
    status = traced.wait(limit(60))
    os.kill(child, signal.SIGKILL)      # it was not interrupted
    errors = traced.communicate()[1]
    assert status == 5 and 'still runs: leftbehind' in errors, (status, errors)


def test_child_that_comes_at_the_end():  # slow
    """A program is executed while the session ends; each of ktrace's messages is delayed."""
    script = 'exec 3<&0; (while kill -0 $$; do :; done; exec %s <&3) >/dev/null 2>&1 & exit 5'
    traced = subprocess.Popen(['strace', '-o', '/dev/null', '-e', 'inject=sendmsg:delay_enter=300000',
                               'ktrace', 'run', '--no-wait', '--no-lib', '-f', 'main', '-o',
                               '/dev/null', '--', '/bin/bash', '-c', script % victim('live')], text=True,
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    errors = re.sub('ktrace: .*still run.*\n', '', traced.stderr.read())
    traced.stdin.close()
    assert traced.wait(limit(60)) == 5 and not errors, (traced.returncode, errors)


def test_killed_while_children_are_held():
    """Held tasks continue when the watcher is gone."""
    script = 'echo begun; for i in 1 2 3 4 5 6; do %s >/dev/null; done; echo done'
    script %= victim('coldpart')
    traced = subprocess.Popen(['ktrace', 'run', '-o', '/dev/null', '--', '/bin/bash', '-c',
                               script], stdout=subprocess.PIPE, text=True)
    assert traced.stdout.readline() == 'begun\n'
    traced.kill()
    assert traced.stdout.read() == 'done\n'
    traced.wait()
    none_left()
