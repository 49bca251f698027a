# SPDX-License-Identifier: GPL-2.0
"""ktrace sysenter: each call counts once in each part, and the parts add up to the call."""
import json
import os
import signal
import subprocess

from suite import Skip
from tool import (TMP, begin, detach_all, ktrace, limit, none_left, sessions, timely, undisturbed,
                  victim, wait_for)

PARTS = 'entry', 'handler', 'exit', 'probes'
FOLDER = '/sys/devices/system/cpu'
ALL = '10000000'     # more than can be made in the time

teardown = detach_all


def figures_of(text):
    """Returns a document, and its rows by name."""
    data = json.loads(text)
    return {**data, **{row['name']: row for row in data['rows']}}


def measured(*options):
    return figures_of(ktrace('sysenter', '--format', 'json', *options)[0])


def complaint(*options, status=2):
    errors = ktrace('sysenter', *options, status=status)[1].splitlines()
    assert len(errors) == 1 and errors[0].startswith('ktrace: '), errors
    none_left()
    return errors[0]


def check_parts(data, calls, is_alone=True):
    """Checks that nothing is left out between the stamps: the means are not rounded."""
    assert data['complete'], data
    for name in ('untraced', 'traced') + PARTS:
        assert data[name]['calls'] == calls, (name, data[name], calls)
        assert 0 < data[name]['min_ns'] <= data[name]['median_ns'] <= data[name]['p99_ns'], data
    whole, parts = data['traced']['mean_ns'], sum(data[name]['mean_ns'] for name in PARTS)
    assert abs(whole - parts) < 1e-6 * whole, (whole, parts)
    assert data['traced']['min_ns'] >= sum(data[name]['min_ns'] for name in PARTS) * 0.999, data
    cost = data['untraced']['median_ns'] - data['clock_ns']
    timely(cost > 0, data)
    assert abs(data['entry_exit_ns'] - cost) < 1e-6 * cost and data['clock_ns'] > 0, data
    # Tracepoints used by others slow down all calls, and their users may have ended meanwhile. An
    # interrupt, or a stall, takes longer than a few calls.
    timely(not is_alone or calls < 500 or
           data['untraced']['median_ns'] < data['traced']['median_ns'], data)


@undisturbed
def test_each_call_counts_once():  # debug
    for calls in 1, 2, 1000, 20000:
        check_parts(measured('--calls', str(calls)), calls)


@undisturbed
def test_parts_add_up_to_a_call():
    """Checks that medians are those of buckets, and that interrupted calls are above them."""
    data = measured('--calls', '20000', '--cpu', '0')
    whole, parts = data['traced']['median_ns'], sum(data[name]['median_ns'] for name in PARTS)
    assert data['cpu'] == 0, data
    timely(abs(whole - parts) < 0.25 * whole, data)


def test_table():
    lines = ktrace('sysenter', '--calls', '500')[0].splitlines()
    rows = [line.rsplit(None, 4) for line in lines[3:9]]
    assert [row[0].strip() for row in rows] == ['untraced call', 'traced call', 'entry', 'handler',
                                                'exit', "ktrace's own probes"], lines
    assert {row[1] for row in rows} == {'500'}, lines


def test_mitigations_are_those_of_sysfs():
    folder = FOLDER + '/vulnerabilities'
    expected = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            expected[name] = file.read().rstrip('\n')
    assert expected and measured('--calls', '10')['mitigations'] == expected, expected
    text = ktrace('sysenter', '--calls', '10')[0]
    lines = [line.split(None, 1) for line in text.splitlines() if line.startswith('  ')]
    found = {line[0]: line[1] for line in lines if line[0] in expected}
    assert found == {name: said for name, said in expected.items() if said != 'Not affected'}, text
    none = text.partition('Not affected by: ')[2].split('\n')[0].split(', ')
    assert none == sorted(name for name, said in expected.items() if said == 'Not affected'), text


@undisturbed
def test_two_at_once():
    """On one CPU, while all system calls are counted too."""
    counting = begin(['ktrace', 'syscall', '--format', 'json'])
    both = [subprocess.Popen(['ktrace', 'sysenter', '--calls', '5000', '--format', 'json',
                              '--cpu', '0'], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outs = [process.communicate(timeout=limit(60))[0] for process in both]
    counting.send_signal(signal.SIGINT)
    rows = json.loads(counting.communicate(timeout=limit(60))[0])['rows']
    null = [row for row in rows if row['name'] == 'nfsservctl'][0]
    assert null['calls'] == null['errors'] >= 4 * 5000, null
    for process, out in zip(both, outs):
        assert process.returncode == 0, out
        check_parts(figures_of(out), 5000, is_alone=False)


class Busy:
    """A process that runs until it is ended."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def __enter__(self):
        wait_for(lambda: self.ticks() > 5)
        return str(self.process.pid)

    def ticks(self):
        with open('/proc/%d/stat' % self.process.pid) as stat:
            words = stat.read().rpartition(')')[2].split()
        return int(words[11]) + int(words[12])

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


CALLS = ['taskset', '-c', '0', victim('syscalls'), 'null', '4000000000']
SPINS = ['taskset', '-c', '0', 'perl', '-e', '1 while 1']


def share_of(*command):
    """Measures a process. While one emulated CPU of the machine sleeps, the other has all of its
    time."""
    with Busy(*command) as pid:
        data = measured('-p', pid, '-d', '1', '--calls', '20000', '--cpu', '0')
    process = data['process']
    added = process['calls'] * (data['counted']['median_ns'] - data['untraced']['median_ns'])
    # Rounds of calls run one after the other, and a stall may be in any of them.
    timely(0 <= added < process['cpu_ns'], data)
    assert abs(process['cpu_ns'] - added - process['cpu_without_counting_ns']) <= 1, data
    whole, part = process['cpu_without_counting_ns'], process['calls'] * data['entry_exit_ns']
    assert abs(process['share'] - part / whole) < 1e-6 or part > whole, data
    assert not process['ended'], process
    timely(process['cpu_ns'] <= 1.1 * process['duration_ns'], process)
    return process


@undisturbed
def test_share_of_a_process():
    """Emulated CPUs that wait for the host count as busy: exact figures need instructions as the
    clock."""
    calls, spins = share_of(*CALLS), share_of(*SPINS)
    assert spins['calls'] == 0 and spins['share'] == 0, spins
    assert calls['comm'] == 'syscalls' and spins['comm'] == 'perl', (calls, spins)
    # Without page-table isolation an entry is short.
    timely(calls['calls'] > 10000 and 0.01 < calls['share'] <= 1, calls)
    timely(spins['cpu_ns'] > 1e8, spins)


def turns(pid):
    """Returns how often a process gave up its CPU."""
    with open('/proc/%d/status' % pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith('voluntary'))


def test_process_that_ends():
    with Busy(*CALLS) as pid:
        process = subprocess.Popen(['ktrace', 'sysenter', '-p', pid, '-d', '100', '--calls', '100'],
                                   stdout=subprocess.PIPE, text=True)
        # More than the test's own calls that were counted before.
        wait_for(lambda: [s for s in sessions() if s['counters']['hits'] > 5000])
        # The process is checked between waits: at first, and again before the last wait.
        waits = turns(process.pid)
        wait_for(lambda: turns(process.pid) >= waits + 4)
    out = process.communicate(timeout=limit(60))[0]
    assert process.returncode == 0 and ', which ended:\n' in out, out
    none_left()


def children(pid):
    with open('/proc/%d/task/%d/children' % (pid, pid)) as file:
        return file.read().split()


seen = {}   # CPU time of a process, in ticks, at its last page fault or change of size


def works(pid):
    """Returns the child of ktrace once it makes calls: it has run for 100 ms without a new page."""
    for child in children(pid):
        with open('/proc/%s/stat' % child) as stat:
            words = stat.read().rpartition(')')[2].split()
        spent = int(words[11]) + int(words[12])
        # 5.10 does not count faults on shared memory.
        if spent - seen.setdefault((child, words[7], words[21]), spent) >= 10:
            return child
    return None


@undisturbed
def test_interrupted():
    process = subprocess.Popen(['ktrace', 'sysenter', '--calls', ALL, '--format', 'json'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: works(process.pid))
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=limit(60))
    timely('before a call was measured' not in errors, errors)
    data = figures_of(out)
    assert process.returncode == 0 and 0 < data['untraced']['calls'] < int(ALL), data
    assert data['entry_exit_ns'] > 0 and 'traced' not in data and 'entry' not in data, data


def test_killed():
    """Neither ktrace nor its calling process leaves anything behind."""
    process = subprocess.Popen(['ktrace', 'sysenter', '--calls', ALL], stdout=subprocess.DEVNULL)
    child = wait_for(lambda: works(process.pid))
    process.kill()
    process.wait()
    wait_for(lambda: not os.path.exists('/proc/' + child))
    process = subprocess.Popen(['ktrace', 'sysenter', '--calls', ALL], stderr=subprocess.PIPE,
                               text=True)
    os.kill(int(wait_for(lambda: works(process.pid))), signal.SIGKILL)
    assert 'signal 9' in process.communicate(timeout=limit(60))[1] and process.returncode == 1
    none_left()


def test_cpus():
    with open(FOLDER + '/present') as present:
        last = int(present.read().strip().rpartition('-')[2])
    assert 'no CPU %d ' % (last + 1) in complaint('--cpu', str(last + 1), status=1)
    if not os.path.exists('%s/cpu%d/online' % (FOLDER, last)) or not last:
        raise Skip('this machine has no CPU that can be switched off')
    switch = '%s/cpu%d/online' % (FOLDER, last)
    subprocess.check_call('echo 0 > ' + switch, shell=True)
    try:
        assert 'CPU %d is offline' % last in complaint('--cpu', str(last), status=1)
        assert measured('--calls', '10')['cpu'] != last
    finally:
        subprocess.check_call('echo 1 > ' + switch, shell=True)
    assert measured('--calls', '10', '--cpu', str(last))['cpu'] == last
    text = subprocess.run(['taskset', '-c', '0', 'ktrace', 'sysenter', '--calls', '10'],
                          stdout=subprocess.PIPE, text=True).stdout
    assert 'on CPU 0 (TSC: ' in text, text


def test_bad_input():
    assert 'not the number of a CPU' in complaint('--cpu', 'one')
    assert 'not the number of a CPU' in complaint('--cpu', '-1')
    assert 'a number from 1 to' in complaint('--calls', '0')
    assert 'at most 10000000' in complaint('--calls', '10000001')
    assert 'one process' in complaint('-p', '1,2')
    assert 'add -p' in complaint('-d', '1')
    assert 'is not an option' in complaint('1234')
    assert 'is gone' in complaint('-p', '4194000', status=1)
    assert 'No space' in complaint('-o', '/dev/full', '--calls', '10', status=1)


def test_as_nobody():
    if not os.path.exists('/usr/bin/setpriv'):
        raise Skip('there is no setpriv')
    done = subprocess.run(['setpriv', '--reuid', '65534', '--clear-groups', 'ktrace', 'sysenter',
                           '-p', '1'], capture_output=True, text=True)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done
    assert 'root' in done.stderr, done


@undisturbed
def test_output_file():
    path = os.path.join(TMP, 'sysenter')
    ktrace('sysenter', '--calls', '50', '--format', 'json', '-o', path)
    with open(path) as file:
        check_parts(figures_of(file.read()), 50)
