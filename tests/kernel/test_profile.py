# SPDX-License-Identifier: GPL-2.0
"""ktrace profile: where CPUs spend their time."""
import collections
import errno
import fcntl
import glob
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time

import schema
from genl import Client, Refused, asked, u32, u64
from suite import Skip
from test_exits import packets_of
from tool import MANY, RELEASE, SLOW, TMP, come_and_go, ktrace, limit, none_left, sessions, timely, \
    undisturbed, victim, wait_for

FOLDER = os.path.join(TMP, 'recording')
CPU1 = '/sys/devices/system/cpu/cpu1/online'
KEY_PID, KEY_CPU, KEY_MODE = 5, 7, 17
IDLE, NO_STACK = 2, 2**32 - 1
SAMPLE, WITH_STACK = 11, 64     # KTRACE_REC_*
FRAMES = 127
# The kernel's outermost function, before 4.17, in a program that is not in a system call.
INTERRUPTED = 'page_fault', 'apic_timer_interrupt', 'retint_careful'
teardown = none_left


def check(data):
    """All figures of a document are of the same samples."""
    samples, counters = data['samples'], data['session']['counters']
    period = 10**9 // samples['frequency']
    by_mode = {mode: samples.get(mode, 0) for mode in ('user', 'kernel', 'idle')}
    assert sum(by_mode.values()) == counters['hits'], data
    assert samples['excluded'] == counters['excluded'], data
    assert samples['missed'] == counters['missed_samples'], data
    for mode, nr in by_mode.items():
        assert sum(row['count'] for row in data['stacks'] if row['kind'] == mode) == nr, (mode, data)
    assert sum(row['self_samples'] for row in data['rows']) == by_mode['user'] + by_mode['kernel'], data
    for row in data['rows']:
        assert row['self_samples'] <= row['total_samples'], row
        if row['mode'] == 'off':    # measured
            assert not row['total_samples'], row
            continue
        assert row['self_ns'] == row['self_samples'] * period, row
        assert row['total_ns'] == row['total_samples'] * period, row
    for row in data['stacks']:
        assert row['total_ns'] == row['count'] * period, row
        assert not row.get('kernel') or not row['kernel'][0].endswith('[ktrace]'), row
    # A stack takes so long only if the machine is stalled.
    assert data['lost'] == counters['lost_stacks'], data
    timely(data['lost'] <= counters['hits'] / 20, data['session'])
    return data


def profile(*options, args, status=0):
    """Returns the document of a program, and the program's output."""
    path = os.path.join(TMP, 'profile')
    out, _ = ktrace('profile', '--format', 'json', '-o', path, *options, '--', *args, status=status)
    return check(load(path)), out


def load(path):
    with open(path) as file:
        return json.load(file)


def innermost(row):
    return (row.get('user') or [''])[0] if not row.get('kernel') else ''


def function(data, name):
    return next((row for row in data['rows'] if row['function'] == name), None)


# --- figures ------------------------------------------------------------------


@undisturbed
def test_stacks_are_whole():
    """127 frames of a program are whole; deeper stacks are marked, and keep the innermost."""
    path = os.path.join(TMP, 'deep')
    data, _ = profile('-F', '499', args=[victim('shares'), 'deep', '100', '300'])
    rows = [row for row in data['stacks'] if innermost(row) == 'work_0']
    assert rows, data['samples']
    for row in rows:
        assert row['user'][1:103] == 101 * ['deep'] + ['main'] and 'user_end' not in row, row
    ktrace('profile', '-F', '499', '--format', 'json', '-o', path, '--', victim('shares'), 'deep',
           '200', '300')
    data = check(load(path))
    rows = [row for row in data['stacks'] if innermost(row) == 'work_0']
    assert rows, data['samples']
    for row in rows:
        assert row['user'][1:] == (FRAMES - 1) * ['deep'] and row['user_end'] == '[truncated]', row
    assert data['samples']['cut'] >= sum(row['count'] for row in rows), data['samples']
    out, _ = ktrace('profile', '-F', '499', '--mode', 'user', '--', victim('shares'), 'deep', '200', '300')
    assert 'samples have a stack that is cut.' in out, out


@undisturbed
def test_modes():
    """Samples in the kernel have its frames, then those of the program, and each mode can be
    chosen."""
    data, _ = profile('-F', '999', '--mode', 'kernel', args=[victim('shares'), 'kernel', '300'])
    assert 'user' not in data['samples'] and data['samples']['excluded'], data['samples']
    # Before 4.1 the kernel does not save the program's stack pointer, which leads from read() to
    # its caller.
    callers = ['calls', 'main'] if RELEASE >= (4, 1) else ['main']
    reads = [row for row in data['stacks']
             if 'vfs_read' in row.get('kernel', []) and callers[0] in row['user']]
    assert reads and all(row['user'][1:1 + len(callers)] == callers for row in reads), data['stacks']
    # A function that calls nothing has no return address in it: it is there if the stack begins
    # with the interrupted instruction.
    data, _ = profile('-F', '999', '--mode', 'kernel',
                      args=['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=1500'])
    times = {row['function']: row['self_samples'] for row in data['rows']}
    clears = sum(nr for name, nr in times.items() if re.search('clear_user|rep_stos', name))
    timely(clears > sum(times.values()) / 4, times)

    data, _ = profile('-F', '999', '--mode', 'user', args=[victim('shares'), '200'])
    assert 'kernel' not in data['samples'] and 'idle' not in data['samples'], data['samples']
    assert not any(row.get('kernel') for row in data['stacks']), data['stacks']
    assert {row['mode'] for row in data['rows']} == {'user'}, data['rows']


@undisturbed
def test_idle_cpus():
    """Idle samples are apart, and have no stack."""
    path = os.path.join(TMP, 'idle')
    ktrace('profile', '-d', '1', '--format', 'json', '-o', path)
    data = check(load(path))
    samples, idle = data['samples'], [row for row in data['stacks'] if row['kind'] == 'idle']
    assert samples['frequency'] == 99 and len(idle) == 1 and not idle[0].get('kernel'), data
    timely(samples['idle'] > samples['user'] + samples['kernel'], samples)
    out, _ = ktrace('profile', '-d', '1')
    assert 'samples, 99 per second and CPU: user' in out and 'Stacks of programs were found by ' in out, out


def check_perf(path):
    if not shutil.which('perf'):
        print('      there is no perf')
        return
    text = subprocess.run(['perf', 'script', '-i', path, '-F', 'comm,ip,sym'], check=True,
                          capture_output=True, text=True).stdout
    stacks = [[line.split()[-1] for line in stack.splitlines()] for stack in text.split('\n\n')]
    assert any(stack[:7] == ['shares', 'work_0'] + 4 * ['deep'] + ['main'] for stack in stacks), \
        text


@undisturbed
def test_formats():
    """Every format has the same stacks."""
    for name in 'folded', 'flame', 'speedscope', 'pprof', 'dot', 'csv', 'perf':
        path = os.path.join(TMP, 'as.' + name)
        ktrace('profile', '-F', '999', '--mode', 'user', '--format', name, '-o', path, '--',
               victim('shares'), 'deep', '3', '200')
        with open(path, 'rb') as file:
            text = file.read()
        if name == 'folded':
            lines = dict(line.rsplit(' ', 1) for line in text.decode().splitlines())
            deep = [path for path in lines if path.endswith('main;deep;deep;deep;deep;work_0')]
            assert len(deep) == 1 and deep[0].startswith('shares;'), lines
            assert not int(lines[deep[0]]) % 1001001, lines
        elif name == 'csv':
            assert text.splitlines()[0].startswith(b'function,mode,'), text
        elif name == 'perf':
            assert text.startswith(b'PERFILE2'), text[:20]
            check_perf(path)
        elif name != 'pprof':
            assert b'work_0' in text, (name, text[:200])


@undisturbed
def test_rows_by_keys():
    """Rows of --by have each sample once."""
    path = os.path.join(TMP, 'by')
    ktrace('profile', '-F', '499', '--by', 'comm,mode', '--format', 'json', '-o', path, '--',
           victim('shares'), '300')
    data = load(path)
    assert data['complete'], data
    rows = {(row['comm'], row['mode']): row['samples'] for row in data['rows']}
    assert rows['shares', 'user'] > 0, rows
    assert sum(rows.values()) == data['session']['counters']['hits'], data


@undisturbed
def test_on_and_off_the_cpu():
    """Samples and periods together are the time of a thread, which sleeps and works in turns."""
    path = os.path.join(TMP, 'off')
    # On the debug kernel, the command takes half a second to begin and to end the window.
    turns = 15 * SLOW
    out, _ = ktrace('profile', '--off-cpu', '-F', '499', '--format', 'json', '-o', path, '--',
                    victim('sleeper'), str(turns), '20000', '20000')
    said = {key: int(value) for key, value in (word.split('=') for word in out.split())}
    data = check(load(path))
    [thread] = [row for row in data['threads'] if row['tid'] == said['tid']]
    on = sum(row['total_ns'] for row in data['stacks'] if row.get('comm') == 'sleeper')
    off = {kind: sum(row['total_ns'] for row in data['periods']
                     if row.get('comm') == 'sleeper' and row['kind'] == kind)
           for kind in ('wakeup', 'preempted', 'sleep', 'disk', 'stopped')}
    print('      on %d, off %s, of %s' % (on, off, said))
    # What is measured is the thread's time off the CPU, without a gap.
    assert {kind: ns for kind, ns in off.items() if ns} == \
        {kind: thread[kind]['total_ns'] for kind in off if kind in thread and thread[kind]['total_ns']}, \
        (off, thread)
    wall = thread['run_ns'] + thread['wait_ns'] + thread['blocked_ns']
    assert wall >= said['wall_ns'], (wall, said)
    # The window begins a little before the thread, with its exec, and ends a little after it.
    assert wall <= data['window_s'] * 1e9 * 1.001, (wall, data['window_s'])
    timely(wall > 0.9 * data['window_s'] * 1e9, (wall, data['window_s']))
    assert sum(off.values()) == wall - thread['run_ns'], (off, thread)
    nr = thread['run_ns'] * 499 / 1e9
    # Missing samples can belong to any task.
    error = 4 * nr**0.5 + 3
    timely(-error - data['samples']['missed'] < on * 499 / 1e9 - nr < error,
           (on, thread['run_ns'], data['samples']))
    rows = {row['function']: row for row in data['rows'] if row['mode'] == 'off'}
    assert rows['[sleep]']['self_ns'] == off['sleep'], (rows['[sleep]'], off)
    nap = rows['do_nanosleep']
    assert nap['total_ns'] >= turns * 19e6 and not nap['self_ns'], nap
    out = ktrace('profile', '--off-cpu', '--', victim('sleeper'), '2', '20000', '20000')[0]
    assert re.search(r'On a CPU: .*\nOff a CPU: .* sleep \d', out), out


JIT = r"""
import ctypes, mmap, os, time
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(b'\x48\xff\xcf\x75\xfb\xc3')    # dec %rdi; jnz to the begin; ret
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
function = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(at)
with open('/tmp/perf-%d.map' % os.getpid(), 'w') as file:
    file.write('%x 6 made \x1b here\n' % at)
end = time.monotonic() + 0.5
while time.monotonic() < end:
    function(100000)
"""


@undisturbed
def test_code_that_a_container_has_made():
    """Its names are in its own /tmp, under the number that it has in its own namespace."""
    path = os.path.join(TMP, 'jit')
    script = 'mount -t tmpfs none /tmp && exec python3 -c "$0"'
    namespaces = ['-p', '-f', '-m']
    if RELEASE < (4, 1):
        print('      a pid namespace is left out: before 4.1, no file says which number is its own')
        namespaces = ['-m']
    ktrace('profile', '-F', '499', '--mode', 'user', '-o', path, '--', 'unshare', *namespaces,
           'sh', '-c', script, JIT)
    with open(path) as file:
        text = file.read()
    rows = [line.split(None, 6) for line in text.splitlines() if 'made' in line]
    # The file is gone with the process, which may end before a stalled machine has read it.
    timely(rows, text)
    assert len(rows) == 1 and rows[0][6] == r'made \x1b here', text
    timely(int(rows[0][4]) > 50, text)
    assert not glob.glob('/tmp/perf-*.map'), os.listdir('/tmp')


@undisturbed
def test_ktrace_in_a_container():
    """In a pid namespace of its own, a process has another number, by which its /proc shows it."""
    path = os.path.join(TMP, 'inside')
    subprocess.run(['unshare', '-p', '-f', '--mount-proc', 'ktrace', 'profile', '-F', '499', '--mode',
                    'user', '--format', 'json', '-o', path, '--', victim('shares'), '200'], check=True,
                   stdout=subprocess.DEVNULL)
    rows = [row for row in check(load(path))['stacks'] if 'user' in row]
    timely(rows, rows)
    assert not any('[gone]' in row['user'] for row in rows), rows
    # On a stalled machine, most samples are missed.
    timely(any(row['user'][0] == 'work_9' and 'main' in row['user'] for row in rows), rows)


@undisturbed
def test_short_programs_have_names():
    """Stacks of programs that live some ten milliseconds, and of children before their exec, have
    names, also when they are read after the exec or the end."""
    script = os.path.join(TMP, 'short')
    path = script + '.json'
    for shell in 'dash', 'bash':
        with open(script, 'w') as file:
            file.write('k=0; while [ $k -lt 40 ]; do k=$((k+1)); '
                       '%s -c "i=0; while [ \\$i -lt 4000 ]; do i=\\$((i+1)); done"; done' % shell)
        done = subprocess.run(['ktrace', 'profile', '-F', '999', '--format', 'json', '-o', path, '--',
                               shell, script], capture_output=True, text=True, timeout=limit(100))
        assert done.returncode in (0, 3), done      # 3: stacks were lost
        rows = [row for row in load(path)['stacks'] if 'user' in row]
        if RELEASE < (4, 17):
            print('      stacks in system calls are left out: before 4.17, frame pointers guess their callers')
            rows = [row for row in rows if not row['kernel'] or row['kernel'][-1] in INTERRUPTED]
        nr = sum(row['count'] for row in rows)
        nameless = [row for row in rows if {'[unknown]', '[gone]'} & set(row['user'])]
        share = 100 * sum(row['count'] for row in nameless) / nr
        print('      %s: %.1f %% of %d samples without a name' % (shell, share, nr))
        timely(nr > 500, nr)
        assert share <= 1, nameless


# --- every sample is accounted for ----------------------------------------------


class Samples:
    """A session that takes samples of all tasks."""

    def __init__(self, frequency, *sinks, event=None, **attrs):
        self.client = Client()
        self.frequency = frequency
        limit = {'FREQUENCY': u32(frequency), **({'EVENT': event} if event else {})}
        self.id = self.client.call('SESSION_NEW', **asked(
            'PROFILE', *sinks, LIMIT=limit, **attrs))[0]['SESSION']
        self.client.call('SESSION_COMMIT', SESSION=self.id)
        wait_for(lambda: self.get()['state'] in ('active', 'failed'))

    def get(self):
        mine = struct.unpack('Q', self.id)[0]
        return next(one for one in self.client.sessions() if one['id'] == mine)

    def stop(self):
        """Returns the counters, and the seconds that the session has counted."""
        self.client.call('SESSION_STOP', SESSION=self.id)
        wait_for(lambda: self.get()['state'] == 'stopped')
        answer = self.client.call('SESSION_GET', SESSION=self.id)[0]
        clocks = struct.unpack('%dQ' % (len(answer['CLOCKS']) // 8), answer['CLOCKS'])
        half = len(clocks) // 2
        assert struct.unpack('I', answer['LIMIT']['FREQUENCY'])[0] == self.frequency
        return self.get()['counters'], (clocks[half] - clocks[0]) / 1e9

    def close(self):
        self.client.call('SESSION_DEL', SESSION=self.id)
        self.client.close()


def nr_due(counters):
    return counters['hits'] + counters['excluded'] + counters['missed_samples']


def busy(seconds):
    return [subprocess.Popen([victim('shares'), str(int(1000 * seconds))],
                             stdout=subprocess.DEVNULL) for _ in range(os.cpu_count())]


@undisturbed
def test_every_sample_counts():  # debug
    """Taken, excluded and missing samples are as many as the time has periods, at each frequency
    and on all CPUs."""
    for frequency, sinks in (9000, ['TREE', 'STACKS']), (9000, ['HIST']), (99, ['HIST']):
        samples = Samples(frequency, *sinks)
        children = busy(0.5)
        time.sleep(0.8)
        counters, seconds = samples.stop()
        due = seconds * frequency * os.cpu_count()
        assert counters['hits'] and not counters['lost_tree'], counters
        # On the debug kernel, new stacks may come faster than memory for their nodes.
        assert not counters['lost_pool'] or SLOW > 1, counters
        assert nr_due(counters) <= due + os.cpu_count(), (counters, due)
        # The clocks are read a little before the timers start and after they end.
        timely(nr_due(counters) >= 0.97 * due - os.cpu_count(), (counters, due))
        samples.close()
        for child in children:
            child.wait()


def online(is_on):
    with open(CPU1, 'w') as file:
        file.write('1' if is_on else '0')


@undisturbed
def test_cpus_that_come_and_go():  # debug
    """A CPU that goes takes no samples; when it is back, it takes them again."""
    if not os.path.exists(CPU1):
        raise Skip('there is no CPU that can be removed')
    samples = Samples(999, 'HIST')
    away = 0
    try:
        for _ in range(3):
            online(False)
            begin = time.monotonic()
            time.sleep(0.3)
            away += time.monotonic() - begin
            online(True)
            time.sleep(0.3)
    finally:
        online(True)
        counters, seconds = samples.stop()
        samples.close()
    due = (seconds * os.cpu_count() - away) * 999
    assert nr_due(counters) <= due + 1 + 3 + os.cpu_count(), (counters, due)
    # The time that it takes to go and to come has fewer samples.
    timely(nr_due(counters) >= 0.6 * due, (counters, due))
    samples = Samples(999, 'TABLE', TABLE=struct.pack('QII4I', 0, 0, 0, KEY_CPU, KEY_MODE, 0, 0))
    time.sleep(0.3)
    samples.stop()
    rows = [row['CELLS'] for row in samples.client.dump('TABLE_GET', SESSION=samples.id)
            if 'CELLS' in row]
    samples.close()
    assert {struct.unpack_from('Q', cells)[0] for cells in rows} == set(range(os.cpu_count())), rows


@undisturbed
def test_storm_of_forks():
    """No sample of short programs is lost uncounted, and two sessions do not disturb each other."""
    other = Samples(4999, 'TREE', 'STACKS')
    samples = Samples(999, 'TABLE', TABLE=struct.pack('QII4I', 0, 0, 0, KEY_PID, 0, 0, 0))
    come_and_go(MANY // 8)
    counters, _ = samples.stop()
    rows = [struct.unpack('%dQ' % (len(row['CELLS']) // 8), row['CELLS'])
            for row in samples.client.dump('TABLE_GET', SESSION=samples.id) if 'CELLS' in row]
    assert sum(row[1] for row in rows) == counters['hits'] and len(rows) > 3, (rows, counters)
    assert not counters['lost_rows'] and not counters['lost_pool'], counters
    assert other.stop()[0]['hits'] > counters['hits'] / 2
    samples.close()
    other.close()


# --- records --------------------------------------------------------------------


def record(*words):
    """Returns what ktrace.jsonl has of each kind, and lines of babeltrace2 about samples."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    done = subprocess.run(['ktrace', 'record', '-o', FOLDER, *words], capture_output=True, text=True,
                          timeout=limit(100))
    assert done.returncode in (0, 3), (words, done)     # 3: stacks were lost
    facts = {}
    with open(os.path.join(FOLDER, 'ktrace.jsonl')) as file:
        for line in file:
            schema.check_line(json.loads(line))
            facts.setdefault(json.loads(line)['is'], []).append(json.loads(line))
    text = subprocess.check_output(['babeltrace2', os.path.join(FOLDER, 'samples')], text=True)
    return facts, [line for line in text.splitlines() if ' sample: ' in line]


def reported(*options, losses):
    """Returns the output of a report. Stalled machines lose stacks, which report tells."""
    return ktrace('report', FOLDER, *options, status=3 if losses else 0)[0]


def samples_in(packet):
    """Yields mode and stack of each record."""
    at, end = 80, struct.unpack_from('Q', packet, 40)[0] // 8
    while at < end:
        _, kind, _, mode, _, flags, nr = struct.unpack_from('QIIIHBB', packet, at)
        at += 24 + 8 * (2 + nr)
        assert kind == SAMPLE and flags == WITH_STACK and nr == 4, (kind, flags, nr)
        yield mode, struct.unpack_from('Q', packet, at - 8)[0]


@undisturbed
def test_each_sample_has_a_record():
    """Records are all samples that counted, and report shows of them what profile would have shown."""
    facts, lines = record('profile', '-F', '999', '+', 'sched', '--', victim('shares'), 'deep', '3', '300')
    counters = facts['end'][0]['counters']
    assert counters['hits'] == len(lines) > 0 and not counters['dropped'], (counters, len(lines))
    assert [one['frequency'] for one in facts['session'] if one['folder'] == 'samples'] == [999], facts
    assert all('duration = 1001001,' in line and 'comm = "shares"' in line for line in lines[3:]), lines[3]
    losses = counters['lost_stacks']
    data = check(json.loads(reported('--session', 'samples', '--format', 'json', losses=losses)))
    assert data['schema'] == 'ktrace.profile/1' and function(data, 'deep')['total_samples'], data['samples']
    files = [{key: one[key] for key in one if key not in ('is', 'session')} for one in facts['unwound']]
    assert data['unwind'] == files, (data['unwind'], files)
    assert any(file['file'].endswith('/shares') and file['method'] == 'table' for file in files), files
    text = reported('--session', 'samples', '--format', 'folded', losses=losses)
    assert re.search(r'^shares;.*main;deep;deep;deep;deep;work_0 \d+$', text, re.M), text
    shown, _ = ktrace('replay', FOLDER, '--session', 'samples', status=3 if losses else 0)
    assert len(re.findall(r' shares +1\.00 ms  (?:user|kernel)$', shown, re.M)) >= len(lines) - 3, shown


@undisturbed
def test_idle_samples_have_no_record():
    """They are counted, and report shows how many there were."""
    facts, lines = record('profile', '-d', '500ms')
    counters = facts['end'][0]['counters']
    assert counters['produced'] == len(lines) < counters['hits'], (counters, len(lines))
    data = check(json.loads(reported('--format', 'json', losses=counters['lost_stacks'])))
    assert data['samples']['idle'] == counters['hits'] - len(lines), data['samples']


def test_records_are_those_of_the_tree():
    """A session with both has the same samples in both."""
    samples = Samples(4999, 'TREE', 'STACKS', 'STREAM')
    subprocess.run([victim('shares'), '300'], stdout=subprocess.DEVNULL, check=True)
    counters, _ = samples.stop()
    found = collections.Counter()
    for cpu in range(os.cpu_count()):
        for _, packet in packets_of(samples.client, struct.unpack('Q', samples.id)[0], cpu, 0):
            found.update(samples_in(packet))
    nodes = {node: (parent, func, calls) for answer in samples.client.dump('TREE_GET', SESSION=samples.id)
             for node, parent, func, _, calls, _, _ in struct.iter_unpack('IIIIQQq', answer.get('NODES', b''))}
    samples.close()
    assert not counters['dropped'], counters
    stacks = {(nodes[parent][1], func): calls for parent, func, calls in nodes.values() if parent in nodes}
    assert stacks == {key: nr for key, nr in found.items() if key[1] != NO_STACK}, (stacks, found)
    modes = collections.Counter()
    for (mode, _), nr in found.items():
        modes[mode] += nr
    assert all(calls == modes[func] for parent, func, calls in nodes.values()
               if parent not in nodes and func != IDLE), (modes, nodes)


# --- samples of events ----------------------------------------------------------


HARDWARE, SOFTWARE = 0, 1
FAULTS, SWITCHES = 2, 3


def event(kind, config, period=0):
    return struct.pack('IIQQ', kind, 0, config, period)


def by_pid(samples):
    """Returns the samples of each process, and the events that they stand for."""
    rows = [struct.unpack('%dQ' % (len(row['CELLS']) // 8), row['CELLS'])
            for row in samples.client.dump('TABLE_GET', SESSION=samples.id) if 'CELLS' in row]
    return {row[0]: row[1:3] for row in rows}


BY_PID = struct.pack('QII4I', 0, 0, 0, KEY_PID, 0, 0, 0)


@undisturbed
def test_every_sample_of_page_faults():
    """Each fault is a sample, or every hundredth, and stands for as many faults."""
    for period in 1, 100:
        samples = Samples(10000, 'TABLE', event=event(SOFTWARE, FAULTS, period), TABLE=BY_PID)
        child = subprocess.Popen([victim('faults'), '3000', '0'], stdout=subprocess.DEVNULL)
        usage = os.wait4(child.pid, 0)[2]
        counters, _ = samples.stop()
        taken, faults = by_pid(samples)[child.pid]
        samples.close()
        assert faults == period * taken, (taken, faults)
        assert counters['missed_samples'] <= counters['hits'] / 100, counters
        most = (usage.ru_minflt + usage.ru_majflt) // period + 1
        assert 3000 // period - counters['missed_samples'] <= taken <= most, (taken, most, counters)


@undisturbed
def test_every_sample_of_switches():
    """A task is sampled when it leaves a CPU, once for each time."""
    samples = Samples(10000, 'TABLE', event=event(SOFTWARE, SWITCHES, 1), TABLE=BY_PID)
    child = subprocess.Popen(['sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.01; done'])
    usage = os.wait4(child.pid, 0)[2]
    counters, _ = samples.stop()
    taken, _ = by_pid(samples)[child.pid]
    samples.close()
    # wait4() also counts the children of the shell.
    assert 9 <= taken <= usage.ru_nvcsw + usage.ru_nivcsw, (taken, usage)
    assert not counters['missed_samples'], counters


@undisturbed
def test_every_sample_of_too_many():
    """Not more than FREQUENCY samples are taken in a second; the others are missing."""
    samples = Samples(100, 'HIST', event=event(SOFTWARE, FAULTS, 1))
    subprocess.check_call([victim('faults'), '3000', '0'], stdout=subprocess.DEVNULL)
    counters, seconds = samples.stop()
    samples.close()
    assert counters['hits'] <= 100 * (seconds + 2), (counters, seconds)
    assert nr_due(counters) >= 3000, counters


@undisturbed
def test_events_of_cpus_that_come_and_go():
    """A CPU that is back has a counter again."""
    if not os.path.exists(CPU1):
        raise Skip('there is no CPU that can be removed')
    samples = Samples(10000, 'TABLE', event=event(SOFTWARE, FAULTS, 1),
                      TABLE=struct.pack('QII4I', 0, 0, 0, KEY_CPU, 0, 0, 0))
    try:
        online(False)
    finally:
        online(True)

    def faults():
        subprocess.check_call(['taskset', '2', victim('faults'), '100', '0'],
                              stdout=subprocess.DEVNULL)
        return by_pid(samples).get(1, (0, 0))[0] > 100

    wait_for(faults)
    counters, _ = samples.stop()
    samples.close()
    assert not counters['lost_missed'], counters    # CPUs that got none


@undisturbed
def test_every_sample_of_a_program():
    """The report counts events and shows no times."""
    path = os.path.join(TMP, 'events')
    ktrace('profile', '-e', 'page-faults', '-c', '10', '--format', 'json', '-o', path, '--',
           victim('faults'), '3000', '0')
    data = load(path)
    samples, hits = data['samples'], data['session']['counters']['hits']
    assert (samples['event'], samples['period']) == ('page-faults', 10), samples
    assert hits >= 290 and sum(row['events'] for row in data['stacks']) == 10 * hits, data
    assert sum(row['self_events'] for row in data['rows']) == 10 * hits, data['rows']
    assert not any('total_ns' in row for row in data['rows'] + data['stacks']), data
    assert 'main' in {row['function'] for row in data['rows']}, data['rows']
    out, _ = ktrace('profile', '-e', 'context-switches', '-c', '1', '--', 'sleep', '0.1')
    assert ' samples of context-switches, one per 1: ' in out and ' ms ' not in out, out
    # The frames of the kernel's own counting are not in the stack.
    assert 'nanosleep' in out and 'perf_' not in out, out
    _, said = ktrace('profile', '-e', 'cycles', '-d', '1', status=1)
    assert 'This machine does not count the event' in said, said


def test_events_that_are_refused():
    for bad in (event(SOFTWARE, 0), event(SOFTWARE, 1), event(2, 1), event(HARDWARE, 1000),
                event(SOFTWARE, FAULTS, 2**63), struct.pack('IIQQ', SOFTWARE, 1, FAULTS, 1)):
        assert refused('PROFILE', 'HIST', EVENT=bad).errno == errno.EINVAL, bad
    assert refused('PROFILE', 'HIST', EVENT=event(SOFTWARE, FAULTS)[:-1]).errno == errno.ERANGE
    assert refused('SCHED', 'HIST', EVENT=event(SOFTWARE, FAULTS)).errno == errno.EINVAL
    # The machines of the tests have no counters of the hardware.
    samples = Samples(99, 'HIST', event=event(HARDWARE, 0))
    answer = samples.client.call('SESSION_GET', SESSION=samples.id)[0]
    samples.close()
    assert struct.unpack('i', answer['ERROR'])[0] == -errno.EOPNOTSUPP, answer


# --- programs, and what is refused ----------------------------------------------


def test_programs_that_end_at_once():
    """The status is that of the program, with or without a sample."""
    ktrace('profile', '--', '/bin/true')
    ktrace('profile', '--', '/bin/sh', '-c', 'exit 3', status=3)
    out, _ = ktrace('profile', '-F', '1', '--', '/bin/true')
    assert 'No sample of a busy CPU was counted.' in out or ' samples, 1 per second' in out, out


def refused(provider, *sinks, flags=(), **limit):
    client = Client()
    try:
        client.call('SESSION_NEW', **asked(provider, *sinks, flags=flags, LIMIT=limit))
    except Refused as error:
        return error
    finally:
        client.close()
    raise AssertionError('taken: %s %s' % (provider, limit))


def test_sum_of_frequencies():
    """Sessions take at most 20000 samples per second and CPU together. Those that have stopped take
    none."""
    samples = [Samples(10000, 'HIST'), Samples(10000, 'HIST')]
    error = refused('PROFILE', 'HIST', FREQUENCY=u32(1))
    assert error.errno == errno.EUSERS and '20000' in (error.said or '20000'), error
    path = os.path.join(TMP, 'refused')
    _, said = ktrace('profile', '-d', '1', '-o', path, status=1)
    assert 'All profiles together take 20000 samples' in said, said
    samples[0].stop()
    samples.append(Samples(9999, 'HIST'))
    assert refused('PROFILE', 'HIST', FREQUENCY=u32(2)).errno == errno.EUSERS
    for one in samples:
        one.close()


def used(client):
    return struct.unpack('Q', client.call('INFO')[0]['MEM'])[0]


def test_memory_of_stacks():
    """What takes stacks is there while sessions have stacks, and is charged once."""
    client, sessions = Client(), []
    charged = [used(client)]
    for _ in range(3):
        sessions.append(client.call('SESSION_NEW', **asked('PROFILE', 'TREE', 'STACKS'))[0]['SESSION'])
        charged.append(used(client))
    first, second, third = (after - before for before, after in zip(charged, charged[1:]))
    for session in sessions:
        client.call('SESSION_DEL', SESSION=session)
    wait_for(lambda: used(client) == charged[0])
    client.close()
    assert second == third and first - second >= 2 * FRAMES * 8 * os.cpu_count(), charged


def test_requests_that_are_refused():
    for frequency in 0, 10001, 2**32 - 1:
        error = refused('PROFILE', 'HIST', FREQUENCY=u32(frequency))
        assert error.errno == errno.EINVAL, error
        assert error.said in ('', 'FREQUENCY is 1 to 10000 samples per second.'), error.said
    assert refused('PROFILE', 'HIST', FREQUENCY=u64(99)).errno == errno.ERANGE
    assert refused('SCHED', 'HIST', FREQUENCY=u32(99)).errno == errno.EINVAL
    for sinks in ['TREE'], ['STACKS'], ['STREAM', 'TREE'], ['HIST', 'STACKS'], ['COUNT']:
        assert refused('PROFILE', *sinks).errno == errno.EINVAL, sinks
    assert refused('PROFILE', 'HIST', flags=['ONLY_USER', 'ONLY_KERNEL']).errno == errno.EINVAL


# --- a live screen ---------------------------------------------------------------


SHARES = 1, 2, 3, 5, 7, 9, 12, 15, 20, 26       # percent, of work_0 to work_9
ROW = re.compile(r'(?m)^ *[\d.]+ \w?s +([\d.]+)% +([\d.]+)% +(\d+)  (user|kernel) +(\S.*?)\s*$')
HOME = '\x1b[H'


class Busy:
    """A program that computes until it is killed."""

    def __enter__(self):
        self.process = subprocess.Popen([victim('shares'), '1000000'], stdout=subprocess.DEVNULL)
        return str(self.process.pid)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def check_window(window):
    """Returns the samples of each function. Those of all rows are those of the window, and nobody has
    more samples itself than with its callees."""
    nr = int(re.search(r'(\d+) samples, 999 per second and CPU', window)[1])
    rows = ROW.findall(window)
    assert sum(int(samples) for _, _, samples, _, _ in rows) == nr > 0, window
    assert all(float(self) <= float(total) <= 100 for self, total, *_ in rows), window
    assert abs(sum(float(self) for self, *_ in rows) - 100) < 0.01 * len(rows), window
    cost = re.search(r'ktrace costs, of one CPU: probes ([\d.]+) %, command ([\d.]+) %$', window, re.M)
    assert cost and float(cost[1]) > 0 and float(cost[2]) > 0, window
    totals = {name: float(total) for _, total, _, _, name in rows}
    works = [totals[name] for name in totals if name.startswith('work_')]
    assert totals['main'] >= totals['all_works'] >= max(works), window
    return {name: int(samples) for _, _, samples, _, name in rows}


@undisturbed
def test_top():
    """Windows of the functions have the shares of a program, and each sample once."""
    with Busy() as pid:
        done = subprocess.run(['ktrace', 'top', '--batch', '-n', '2', '-i', '700ms', '-F', '999', '-p', pid],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit(30))
    assert done.returncode in (0, 3), done      # 3: stacks were lost
    assert not sessions(), sessions()
    windows = re.split(r'(?m)^[\d:]{8}, \d+\.\d+ s on \d+ CPUs?: shares \(%s\)$' % pid, done.stdout)[1:]
    assert len(windows) == 2, done.stdout
    seen = collections.Counter()
    for window in windows:
        seen.update(check_window(window))
    works = [seen['work_%d' % nr] for nr in range(len(SHARES))]
    nr = sum(works)
    timely(nr > 100, seen)
    # The rounds of the program differ, and 2000 samples have an error of 1 point.
    for found, known in zip(works, SHARES):
        assert abs(100 * found / nr - known) <= 2 + 3 * (known * (100 - known) / nr) ** 0.5, works
    print('      %d samples; %s' % (nr, re.findall('ktrace costs.*', done.stdout)[-1]))


def shown_until(terminal, process, is_shown):
    """Reads pictures from the terminal of a process until one is as wanted; returns its lines."""
    seen = ''

    def look():
        nonlocal seen
        while select.select([terminal], [], [], 0)[0]:
            seen += os.read(terminal, 65536).decode()
        # The picture before the last one is whole.
        pictures = [re.sub(r'\x1b\[[?\d;]*[a-zA-Z]', '', one).replace('\r', '').split('\n')
                    for one in seen.split(HOME)[1:]]
        assert process.poll() is None, seen
        return next((one for one in pictures[:-1] if is_shown(one)), None)
    return wait_for(look)


@undisturbed
def test_top_on_a_terminal():
    """A screen is filled, sorted by shares, and has the cost at its bottom. The key q ends the session."""
    terminal, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    with Busy() as pid:
        top = subprocess.Popen(['ktrace', 'top', '-i', '200ms', '-F', '999', '-p', pid], stdin=slave,
                               stdout=slave, stderr=slave, start_new_session=True)
        try:
            lines = shown_until(terminal, top, lambda lines: any('work_9' in line for line in lines))
            assert len(sessions()) == 1, sessions()
            os.write(terminal, b's')
            by_total = shown_until(terminal, top, lambda lines: 'by total' in lines[1])
            os.write(terminal, b'q')
            wait_for(lambda: select.select([terminal], [], [], 0)[0] and
                     not os.read(terminal, 65536) or top.poll() is not None)
        finally:
            top.kill()
            top.wait()
            os.close(slave)
            os.close(terminal)
    assert top.returncode in (0, 3), (top.returncode, lines)
    assert not sessions(), sessions()
    assert len(lines) == 24 and lines[1].startswith('[1 Functions]'), lines
    assert lines[23].startswith('?: help, q: quit  ktrace costs, of one CPU: '), lines
    shares = [float(self) for self, *_ in ROW.findall('\n'.join(lines))]
    assert len(shares) >= 10 and shares == sorted(shares, reverse=True) and sum(shares) <= 100.1, lines
    totals = [float(total) for _, total, *_ in ROW.findall('\n'.join(by_total))]
    assert totals == sorted(totals, reverse=True) and totals[0] > 50, by_total
