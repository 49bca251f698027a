# SPDX-License-Identifier: GPL-2.0
"""Conditions on tasks: the kernel's commands count the selected tasks, and no others."""
import json
import os
import signal
import subprocess

from cgroups import cgroup, run_in
from disks import run
from suite import Skip
from test_func import first_of
from test_syscall import Live
from tool import (TMP, counting, documents_of, ktrace, limit, none_left, state_of, timely,
                  undisturbed, victim, wait_for)

CALL = first_of('__x64_sys_getppid', 'sys_getppid', 'SyS_getppid')
CALLER = victim('syscalls')
COUNTERS = {'syscall': ['syscall'], 'func': ['func', CALL], 'graph': ['graph', CALL]}


class Runs:
    """One command of each kind, all at the same time."""
    def __init__(self, *options):
        self.counters = {name: counting(*words, *options) for name, words in COUNTERS.items()}
        self.sched = counting('sched', *options)

    def end(self):
        """Returns how many calls each command counted, and the tasks of the periods."""
        calls = {}
        for name, process in self.counters.items():
            data, = documents_of(process)
            rows = data['tree' if name == 'graph' else 'rows']
            calls[name] = sum(row['calls'] for row in rows if row['name'] in ('getppid', CALL))
        data, = documents_of(self.sched)
        return calls, [row['comm'] for row in data['rows']], [row['tid'] for row in data['rows']]


def each(calls):
    return dict.fromkeys(COUNTERS, calls)


def test_children_that_come_later():  # slow
    """Tasks of a process that existed before, and its children."""
    script = 'while read calls; do (%s null $calls; :) >/dev/null; echo done; done' % CALLER
    shell = subprocess.Popen(['sh', '-c', script], text=True, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    runs = Runs('-p', str(shell.pid))
    for calls in 7, 8:
        shell.stdin.write('%d\n' % calls)
        shell.stdin.flush()
        assert shell.stdout.readline() == 'done\n'
        run(CALLER, 'null', '100')
    counted, names, _ = runs.end()
    shell.communicate()
    assert counted == each(15), counted
    assert names.count('syscalls') == 2 and set(names) <= {'sh', 'syscalls'}, names


def test_one_thread():
    live = Live(3)
    *_, tid = os.listdir('/proc/%d/task' % live.process.pid)
    runs = Runs('--thread', tid)
    live.call(40)
    counted, _, tids = runs.end()
    live.end()
    assert counted == each(40) and tids == [int(tid)], (counted, tids)


def test_tasks_of_a_cgroup():
    one, other = cgroup('whom'), cgroup('others')
    try:
        runs = Runs('--cgroup', one)
        run_in(other, CALLER, 'null', '100')
        run_in(one, CALLER, 'null', '13')
        counted, names, _ = runs.end()
        assert counted == each(13) and names.count('syscalls') == 1, (counted, names)
    finally:
        for path in one, other:
            os.rmdir(path)


def memory_by_cgroup():
    """Returns the most memory that a command has needed, in KiB."""
    process = subprocess.Popen(['ktrace', 'sched', '--by', 'cgroup', '-d', '100ms'],
                               stdout=subprocess.PIPE, text=True, cwd='/')
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0 and 'CGROUP' in text, (status, text)
    return usage.ru_maxrss


def test_cgroups_nested_very_deep():
    """Of 700 nested cgroups, the paths together would have 61 MB: only those shown are made."""
    usual, names, here = memory_by_cgroup(), [cgroup('deep')], os.getcwd()
    try:
        os.chdir(names[0])
        for number in range(700):
            name = '%0250d' % number
            os.mkdir(name)
            os.chdir(name)
            names.append(name)
        more = memory_by_cgroup() - usual
        assert more < 8 << 10, (usual, more)
    finally:
        while len(names) > 1:
            os.chdir('..')
            os.rmdir(names.pop())
        os.chdir(here)
        os.rmdir(names[0])


def test_tasks_of_a_user():
    if not os.path.exists('/usr/bin/setpriv'):
        raise Skip('there is no setpriv')
    runs = Runs('--uid', '65534')
    run(CALLER, 'null', '100')
    run('setpriv', '--reuid', '65534', '--clear-groups', CALLER, 'null', '9')
    counted, names, _ = runs.end()
    assert counted == each(9) and names == ['syscalls'], (counted, names)


def test_hierarchy_of_another_version():
    """A cgroup of version 1, which kernels still have, is refused."""
    path = os.path.join(TMP, 'hierarchy')
    os.mkdir(path)
    if subprocess.call(['mount', '-t', 'cgroup', '-o', 'none,name=whom', 'none', path]):
        raise Skip('this kernel mounts no cgroups of version 1')
    try:
        os.mkdir(path + '/one')
        for words in *COUNTERS.values(), ['sched'], ['io']:
            errors = ktrace(*words, '--cgroup', path + '/one', '-d', '100', status=2)[1]
            assert 'version 2' in errors and len(errors.splitlines()) == 1, (words, errors)
    finally:
        os.rmdir(path + '/one')
        run('umount', path)


PROGRAM = os.path.join(TMP, 'program')


def begin_program(words, *options, first='true'):
    """Starts a command and its program, which prints its pid and waits to be told to make calls."""
    if os.path.exists(PROGRAM):
        os.unlink(PROGRAM)
    script = '%s; echo $$; exec %s live 1' % (first, CALLER)
    process = subprocess.Popen(['ktrace', *words, '--format', 'json', '-o', PROGRAM, *options, '--',
                                'sh', '-c', script], text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pid = int(process.stdout.readline())
    assert process.stdout.readline() == 'ready\n'
    return process, pid


def finish_program(process):
    _, errors = process.communicate(timeout=limit(60))
    with open(PROGRAM) as document:
        data = json.load(document)
    timely('calls missed, of all tasks: the kernel had no room' not in errors, errors)
    assert data['complete'] and not errors, (data['session'], errors)
    none_left()
    return process.returncode


def is_asleep(pid):
    return state_of(pid) == 'S'


@undisturbed
def test_time_is_up_before_the_program():
    """After -d the command shows its results, and ends when the program does."""
    for words in *COUNTERS.values(), ['sched']:
        process, pid = begin_program(words, '-d', '100ms')
        none_left()
        assert os.path.getsize(PROGRAM) and process.poll() is None, words
        wait_for(lambda: is_asleep(pid))
        assert finish_program(process) == 0, words


def ends_at_an_interrupt(process):
    """Sends two signals apart: signals that come at once would be one."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(0.3)
    except subprocess.TimeoutExpired:
        return False
    return True


@undisturbed
def test_interrupts_while_a_program_runs():  # slow
    """The first SIGINT is for the program, too, and ends it; a second one ends only the tracing."""
    for words in *COUNTERS.values(), ['sched']:
        process, _ = begin_program(words)
        process.send_signal(signal.SIGINT)
        process.wait(limit(60))
        assert finish_program(process) == -signal.SIGINT, words
        process, pid = begin_program(words, first='trap "" INT')
        wait_for(lambda: ends_at_an_interrupt(process))
        assert process.returncode == -signal.SIGINT, words
        wait_for(lambda: is_asleep(pid))
        process.stdin.close()
        wait_for(lambda: not is_asleep(pid))
        none_left()
