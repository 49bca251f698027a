# SPDX-License-Identifier: GPL-2.0
"""ktrace sched: switches equal the kernel's counts, and times those of the threads' own clocks."""
import json
import os
import signal
import struct
import subprocess
import time

from genl import Client, asked, u32
from cgroups import with_known
from suite import Skip
from tables import BEFORE, check_cpus, shape, tables_of
from tool import (MANY, RELEASE, TMP, WINDOW, check_killed, check_rows_by, come_and_go, counting,
                  counting_intervals, documents_of, ktrace, limit, none_left, read_documents, reload_module, sessions, timely,
                  undisturbed, victim, wait_for)


KINDS = 'run', 'run_out', 'wakeup', 'preempted', 'sleep', 'disk', 'stopped', 'run_cut'
ON_CPU = 'run', 'run_out', 'run_cut'
BLOCKED = 'sleep', 'disk', 'stopped'


def check(data):
    """Checks what is true of any document."""
    assert data['complete'], data['session']
    for row in data['rows'] + [data['all']]:
        assert row['run_ns'] == sum(row[kind]['total_ns'] for kind in ON_CPU), row
        assert row['wait_ns'] == row['wakeup']['total_ns'] + row['preempted']['total_ns'], row
        assert row['blocked_ns'] == sum(row[kind]['total_ns'] for kind in BLOCKED), row
    for kind in KINDS:
        both = data['all'][kind]
        rows = [row[kind] for row in data['rows']]
        assert both['count'] == sum(row['count'] for row in rows), kind
        assert both['total_ns'] == sum(row['total_ns'] for row in rows), kind
        assert both['max_ns'] == max([row['max_ns'] for row in rows], default=0), kind
        if 'histograms' in data['all']:
            buckets = data['all']['histograms'][kind]
            assert both['count'] == sum(bucket['count'] for bucket in buckets), kind
    hits = sum(data['all'][kind]['count'] for kind in KINDS)
    assert data['session']['counters']['hits'] == hits, (hits, data['session'])
    return {row['tid']: row for row in data['rows']}


def counted(*options, status=0):
    """Returns what ktrace sched counts, by thread."""
    path = os.path.join(TMP, 'sched')
    hists = [] if '--stacks' in options else ['--hist']
    done = subprocess.run(['ktrace', 'sched', '--format', 'json', '-o', path, *hists, *options],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, timeout=limit(100))
    assert done.returncode == status, (options, done)
    with open(path) as document:
        return check(json.load(document)), done.stdout


def start(*options):
    return counting('sched', *options)


def finish(process):
    return check(documents_of(process)[0])


def figures(line):
    return {key: int(value) for key, value in (word.split('=') for word in line.split())}


def check_schedstat():
    if not os.path.exists('/proc/self/schedstat'):
        raise Skip('this kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO)')


def look_at(pid):
    """Returns what the kernel reports of a thread; its times grow only at ticks and switches."""
    status = {}
    with open('/proc/%d/status' % pid) as lines:
        for line in lines:
            key, value = line.split(':', 1)
            status[key] = value.split()[0] if value.split() else ''
    with open('/proc/%d/schedstat' % pid) as file:
        run, delay, slices = (int(word) for word in file.read().split())
    return (status['State'], int(status['voluntary_ctxt_switches']),
            int(status['nonvoluntary_ctxt_switches']), run, delay, slices)


def is_off_cpu(pid):
    """Whether the thread has left its CPU: only then does the kernel show in which call it
    sleeps."""
    with open('/proc/%d/syscall' % pid) as file:
        return file.read() != 'running\n'


class Sleeper:
    """A program that sleeps and spins when told to."""

    def __init__(self, *command):
        self.process = subprocess.Popen([*command, victim('sleeper'), 'live'], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == 'ready\n'
        self.pid = self.process.pid

    def tell(self, times, sleep_us, spin_us):
        self.process.stdin.write('%d %d %d\n' % (times, sleep_us, spin_us))
        self.process.stdin.flush()

    def work(self, times, sleep_us, spin_us):
        """Makes it work; returns what it reports of itself."""
        self.tell(times, sleep_us, spin_us)
        return figures(self.process.stdout.readline())

    def look(self):
        return look_at(self.pid)

    def asleep(self):
        """
        Returns what the kernel reports of it once it sleeps, when two reads are the same. A thread
        that has announced its sleep may still be awake for as long as its CPU is stalled.
        """
        seen = []
        try:
            check_schedstat()
        except Skip:
            self.end()
            raise

        def is_still():
            seen.append(is_off_cpu(self.pid) and self.look())
            return len(seen) > 1 and seen[-1] and seen[-1] == seen[-2] and seen[-1][0] in 'ST'
        wait_for(is_still)
        return seen[-1]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def comm_of(pid):
    with open('/proc/%d/comm' % pid) as file:
        return file.read().strip()


def since(before, after):
    return [y - x for x, y in zip(before[1:], after[1:])]


def is_near(value, expected, share, slack_ns=2_000_000):
    return abs(value - expected) <= share * expected + slack_ns


def check_turns(row):
    """Each voluntary switch begins a blocked period, except the last one, at the exit or in a
    sleep."""
    assert row['voluntary'] - 1 == sum(row[kind]['count'] for kind in BLOCKED), row
    assert row['involuntary'] == row['preempted']['count'], row


@undisturbed
def test_switches_as_the_kernel_counts_them():
    """Voluntary and involuntary switches, and turns on a CPU, are exact."""
    sleeper = Sleeper()
    before = sleeper.asleep()
    process = start('-p', str(sleeper.pid))
    said = sleeper.work(50, 5000, 3000)
    voluntary, involuntary, run, delay, slices = since(before, sleeper.asleep())
    row = finish(process)[sleeper.pid]
    sleeper.end()
    assert (row['voluntary'], row['involuntary']) == (voluntary, involuntary), (row, voluntary)
    assert row['voluntary'] + row['involuntary'] == slices, (row, slices)
    # The last switch is the wait for the next line; there may be one for the first line, too.
    assert said['voluntary'] + 1 <= row['voluntary'] <= said['voluntary'] + 3, (said, row)
    check_turns(row)
    # A thread that is stalled until its timer has expired does not sleep at all.
    timely(said['voluntary'] >= 50 <= row['sleep']['count'], (said, row))
    # The kernel's own times leave out interrupts, and count a wait from the queueing on, which is
    # later.
    timely(is_near(row['run_ns'], run, 0.1), (row['run_ns'], run))
    timely(0.9 * delay <= row['wait_ns'] <= 2 * delay + slices * 1_000_000, (row, delay))


@undisturbed
def test_times_are_the_threads_own():
    """On a CPU as long as the thread's clock shows, asleep no longer than it slept, nothing in
    between."""
    sleeper = Sleeper()
    sleeper.asleep()
    process = start('-p', str(sleeper.pid))
    begun = time.monotonic_ns()
    said = sleeper.work(40, 5000, 10000)
    sleeper.asleep()
    ended = time.monotonic_ns()
    row = finish(process)[sleeper.pid]
    sleeper.end()
    # All of the time from its first switch to its last is one of the three.
    whole = row['run_ns'] + row['wait_ns'] + row['blocked_ns']
    assert said['wall_ns'] <= whole <= ended - begun, (said, whole, ended - begun)
    timely(is_near(whole, said['wall_ns'], 0.1, 20_000_000), (said, whole))
    timely(is_near(row['run_ns'], said['cpu_ns'], 0.1, 5_000_000), (row, said))
    timely(row['sleep']['total_ns'] <= said['slept_ns'] + 5_000_000, (row, said))
    timely(is_near(row['sleep']['total_ns'], said['slept_ns'], 0.2, 5_000_000), (row, said))


@undisturbed
def test_two_on_one_cpu():
    """Each thread waits as long as the other runs."""
    rows = counted('--', 'taskset', '-c', '1', victim('sleeper'), 'spin', '500')[0]
    spinners = [rows[tid] for tid in sorted(rows)[1:]]
    assert len(spinners) == 2, rows
    for row, other in spinners, spinners[::-1]:
        # A stall between the kernel's read of the clock and ours counts for the other thread.
        timely(row['run_ns'] > 490e6, spinners)
        assert row['preempted']['count'] == row['involuntary'], row
        timely(is_near(row['wait_ns'], other['run_ns'], 0.2), spinners)
        timely(row['involuntary'] > 5, row)
        timely(row['blocked_ns'] < 0.2 * row['run_ns'], row)


def test_sessions_come_and_go_amid_threads_that_end():
    """Ending threads read their counts as late as possible."""
    busy = [subprocess.Popen([victim('sleeper'), 'threads', '1000000']) for _ in range(2)]
    for _ in range(8):
        ktrace('sched', '-d', '20ms')
    for process in busy:
        assert process.poll() is None
        process.kill()
        process.wait()


@undisturbed
def test_from_execve_on():
    """The program's own switches and its children's, not those of the process that started it."""
    rows, out = counted('--', victim('sleeper'), '20', '5000', '1000')
    said = figures(out)
    row = rows[said['tid']]
    assert len(rows) == 1, rows
    assert row['voluntary'] > said['voluntary'] and row['involuntary'] >= said['involuntary'], row
    assert row['run_ns'] > 0.95 * said['cpu_ns'], (row, said)
    check_turns(row)
    timely(row['sleep']['count'] >= 20, row)


def test_who_lived_a_moment_has_a_name():
    """The name that a task had at its end, in whichever interval."""
    script = 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done; (exit 0); (exit 0); :'
    rows, _ = counted('--', 'bash', '-c', script)
    names = sorted(row['comm'] for row in rows.values())
    assert names == 3 * ['bash'] + 8 * ['true'], names
    path = os.path.join(TMP, 'moments')
    ktrace('sched', '-i', '50ms', '--format', 'json', '-o', path, '--', 'bash', '-c', script)
    with open(path) as documents:
        rows = {row['tid']: row['comm'] for data in map(json.loads, documents)
                for row in data['rows']}
    assert sorted(rows.values()) == names, rows


def test_who_ends_amid_a_reset():
    """A task ends before all CPUs have seen a reset: its row has its name in both parts."""
    busy = [subprocess.Popen([victim('sleeper'), 'threads', '1000000']) for _ in range(2)]
    client, ended = Client(), set()
    pids = b''.join(u32(process.pid) for process in busy)
    session = client.call('SESSION_NEW', **asked(
        'SCHED', 'HIST', 'TABLE', WHO={'PIDS': pids},
        TABLE=shape('tid', 'period', max_rows=65536)))[0]['SESSION']
    number, = struct.unpack('Q', session)
    client.call('SESSION_COMMIT', SESSION=session)
    wait_for(lambda: [s['state'] for s in sessions()] == ['active'])
    while len(ended) < 300:
        client.call('SESSION_RESET', SESSION=session)
        own, rows = tables_of(client, number, BEFORE)
        assert {row.values['of'] for row in rows.rows} <= {'sleeper'}, rows.text('before')
        # Where threads come faster than the worker fills the pool, a period may have no row.
        lost = client.counters(number)['lost_pool']
        sums = [(table.total('calls'), table.total('total')) for table in (own, rows)]
        assert sums[0] == sums[1] or 0 < sums[0][0] - sums[1][0] <= lost, (sums, lost)
        ended |= {row.keys['tid'] for row in rows.rows
                  if not os.path.exists('/proc/%d' % row.keys['tid'])}
        client.call('SESSION_RESET', SESSION=session, FLAGS=u32(1))
    client.call('SESSION_DEL', SESSION=session)
    client.close()
    for process in busy:
        process.kill()
        process.wait()


# --- chosen keys ---------------------------------------------------------------------

def by(keys, *options):
    """Returns rows with these keys, and checks that each period is in one and each has a
    histogram."""
    path = os.path.join(TMP, 'rows')
    ktrace('sched', '--by', keys, '--hist', '--format', 'json', '-o', path, *options)
    with open(path) as document:
        data = json.load(document)
    expected = keys.split(',')
    assert data['by'] == expected + ['period'] * ('period' not in expected), data['by']
    assert data['complete'] and 'others' not in data and 'threads' not in data, data
    check_rows_by(data, 'count')
    for row in data['rows']:
        assert row['period'] in KINDS and 'calls' not in row and 'errors' not in row, row
    return data['rows']


@undisturbed
def test_by():
    """A period counts for its own task, whichever task runs when it ends."""
    script = '%s 30 1000 1000; /bin/true; :' % victim('sleeper')
    for keys in with_known('tid', 'pid', 'comm', 'period', 'uid', 'cpu,comm', 'cgroup,comm',
                           'tid,pid,comm'):
        rows = by(keys, '--', 'bash', '-c', script)
        slept = [row for row in rows if row['period'] == 'sleep']
        # A thread that is stalled until its timer has expired does not sleep at all.
        timely(sum(row['count'] for row in slept) >= 30, (keys, rows))
        if 'comm' in keys or keys in ('tid', 'pid'):
            assert {row['comm'] for row in rows} == {'bash', 'sleeper', 'true'}, (keys, rows)
            waited = [row for row in slept if row['comm'] == 'sleeper']
            assert sum(row['count'] for row in waited) > 0, (keys, rows)
        if keys == 'uid':
            assert {row['uid'] for row in rows} == {os.getuid()}, rows
        if 'cpu' in keys:
            assert {row['cpu'] for row in rows} <= set(range(os.cpu_count())), rows
    sleeper = Sleeper()
    before = sleeper.asleep()
    process = start('--by', 'pid', '-p', str(sleeper.pid))
    sleeper.work(20, 1000, 1000)
    after = sleeper.asleep()
    rows = documents_of(process)[0]['rows']
    sleeper.end()
    assert {(row['pid'], row['comm']) for row in rows} == {(sleeper.pid, 'sleeper')}, rows
    turns = {row['period']: row['count'] for row in rows}
    assert [turns['run'], turns.get('run_out', 0)] == since(before, after)[:2], (turns, rows)


def test_by_threads_of_a_process():  # debug
    """Threads have rows of their own with tid, and one common row with pid."""
    command = '--', victim('sleeper'), 'threads', '100'
    assert len({row['tid'] for row in by('tid', *command)}) == 101
    rows = by('pid', *command)
    assert len({row['pid'] for row in rows}) == 1, rows
    born = [row for row in rows if row['period'] == 'wakeup']
    assert len(born) == 1 and born[0]['count'] >= 100, rows


def test_by_user_of_whom():
    """A period does not count for the user of the task that wakes."""
    if not os.path.exists('/usr/bin/setpriv'):
        raise Skip('there is no setpriv')
    other = Sleeper('setpriv', '--reuid', '65534', '--clear-groups')
    before = other.asleep()
    process = start('--by', 'uid', '-p', str(other.pid))
    other.work(30, 1000, 1000)
    after = other.asleep()
    rows = documents_of(process)[0]['rows']
    other.end()
    assert {row['uid'] for row in rows} == {65534}, rows
    turns = {row['period']: row['count'] for row in rows}
    assert [turns['run'], turns.get('run_out', 0)] == since(before, after)[:2], rows


def test_by_in_intervals():
    """A period is in one row of one interval."""
    sleeper = Sleeper()
    before = sleeper.asleep()
    process, path = counting_intervals('sched', '--by', 'tid', '-p', str(sleeper.pid), '-i', '100ms',
                                       action=lambda: sleeper.work(20, 500, 500))
    after = sleeper.asleep()
    sleeper.end()
    process.communicate(timeout=limit(60))
    turns = sum(row['count'] for document in read_documents(path) for row in document['rows']
                if row['period'] == 'run')
    voluntary = since(before, after)[0]
    assert voluntary < turns <= voluntary + 4, (turns, voluntary)


def test_by_as_text():
    command = '--', victim('sleeper'), '20', '1000', '1000'
    path = os.path.join(TMP, 'text')
    ktrace('sched', '--by', 'tid', '--sort', 'count', '-o', path, *command)
    with open(path) as file:
        window, head, *rows = file.read().splitlines()
    assert WINDOW.match(window) and head.split()[-3:] == ['TID', 'COMM', 'PERIOD'], (window, head)
    assert {'COUNT', 'P50', 'P99', 'MAX'} <= set(head.split()) and 'BYTES' not in head, head
    assert {'sleep', 'run'} <= {row.split()[-1] for row in rows}, rows
    out = ktrace('sched', '--by', 'comm', '--hist', *command)[0]
    assert '\ncomm sleeper, period sleep\n' in out and 'distribution' in out, out
    out = ktrace('sched', '--by', 'comm', '-d', '100ms', '--comm', 'nobody')[0]
    assert 'No period was counted' in out, out


def test_full_table_of_threads():
    """Periods without a row count in the row of the others, and are reported."""
    client = Client()
    process = subprocess.Popen([victim('sleeper'), 'threads', '1000000'])
    session = client.call('SESSION_NEW', **asked(
        'SCHED', 'HIST', 'TABLE', WHO={'PIDS': u32(process.pid)},
        TABLE=shape('tid', 'period', max_rows=8)))[0]['SESSION']
    number, = struct.unpack('Q', session)
    client.call('SESSION_COMMIT', SESSION=session)
    wait_for(lambda: client.counters(number)['lost_rows'] > 100)
    process.kill()
    process.wait()
    client.call('SESSION_STOP', SESSION=session)
    wait_for(lambda: [s['state'] for s in sessions()] == ['stopped'])
    own, rows = check_cpus(client, number)
    counters = client.counters(number)
    client.close()
    others = [row for row in rows.rows if row.is_other]
    assert len(others) == 1 and len(rows.rows) == 9, rows.text('full')
    assert others[0].values['calls'] == counters['lost_rows'], counters
    assert own.total('calls') == rows.total('calls') == counters['hits'], counters


@undisturbed
def test_kinds_of_sleep():
    """A parent that waits for its vfork child sleeps uninterruptibly; SIGSTOP makes a task
    stopped."""
    rows = counted('--', victim('sleeper'), 'vfork', '200000')[0]
    parent, child = rows[min(rows)], rows[max(rows)]
    timely(parent['disk']['max_ns'] > 190e6 and parent['sleep']['max_ns'] < 100e6, rows)
    timely(child['sleep']['max_ns'] > 190e6 and child['disk']['max_ns'] < 100e6, rows)
    sleeper = Sleeper()
    sleeper.asleep()
    process = start('-p', str(sleeper.pid))
    os.kill(sleeper.pid, signal.SIGSTOP)
    wait_for(lambda: sleeper.look()[0] == 'T')
    # It reports this before it leaves its CPU.
    sleeper.asleep()
    begun = time.monotonic_ns()
    sleeper.asleep()
    stopped = time.monotonic_ns() - begun
    os.kill(sleeper.pid, signal.SIGCONT)
    wait_for(lambda: sleeper.look()[0] == 'S')
    sleeper.work(1, 1000, 1000)
    row = finish(process)[sleeper.pid]
    sleeper.end()
    assert row['stopped']['count'] == 1, row
    assert row['stopped']['total_ns'] >= stopped, (row, stopped)


def test_two_sessions_at_once():
    """Each session has the switches of its own time."""
    sleeper = Sleeper()
    looks = [sleeper.asleep()]
    first = start('-p', str(sleeper.pid))
    sleeper.work(10, 1000, 1000)
    looks.append(sleeper.asleep())
    second = start('-p', str(sleeper.pid))
    sleeper.work(20, 1000, 1000)
    looks.append(sleeper.asleep())
    late = finish(second)[sleeper.pid]
    sleeper.work(5, 1000, 1000)
    looks.append(sleeper.asleep())
    early = finish(first)[sleeper.pid]
    sleeper.end()
    assert [late['voluntary'], late['involuntary']] == since(looks[1], looks[2])[:2], late
    assert [early['voluntary'], early['involuntary']] == since(looks[0], looks[3])[:2], early
    # A sleep that began before the later session is not counted by it.
    assert late['sleep']['count'] < early['sleep']['count'], (late, early)


@undisturbed
def test_intervals_lose_nothing():
    sleeper = Sleeper()
    before = sleeper.asleep()
    process, path = counting_intervals('sched', '-p', str(sleeper.pid), '-i', '100ms',
                                       action=lambda: sleeper.work(20, 500, 500))
    after = sleeper.asleep()
    sleeper.end()
    _, errors = process.communicate(timeout=limit(60))
    assert process.returncode == 0, errors
    documents = read_documents(path)
    assert len(documents) > 5 and all(d['complete'] for d in documents), len(documents)
    switches = [(row['voluntary'], row['involuntary']) for document in documents
                for row in document['rows'] if row['tid'] == sleeper.pid]
    # Its end is a voluntary switch, too; switches in between are not counted.
    voluntary, involuntary = since(before, after)[:2]
    assert voluntary < sum(x for x, _ in switches) <= voluntary + 4, (switches, voluntary)
    timely(involuntary <= sum(y for _, y in switches) <= involuntary + 4, (switches, involuntary))


def spins(pid, seen):
    """Whether it has run for 100 ms since its last voluntary switch: it has begun, and never
    waits."""
    _, voluntary, _, run, _, _ = look_at(pid)
    return comm_of(pid) == 'sleeper' and run - seen.setdefault(voluntary, run) >= 100_000_000


@undisturbed
def test_who_never_leaves():
    """A thread that keeps its CPU from before the beginning to the end is counted in each
    interval."""
    check_schedstat()
    spinner = subprocess.Popen(['taskset', '-c', '1', victim('sleeper'), '1', '0', '60000000'])
    seen = {}
    wait_for(lambda: spins(spinner.pid, seen))
    # ktrace runs on the other CPU, so that it takes no time from the thread when it shows an
    # interval.
    done = subprocess.run(['taskset', '-c', '0', 'ktrace', 'sched', '-p', str(spinner.pid), '-d',
                           '2', '-i', '400ms', '--format', 'json'], stdout=subprocess.PIPE,
                          text=True)
    spinner.kill()
    spinner.wait()
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    timely(len(documents) >= 4, done)
    # If its CPU is stalled with another task on it at two cuts, it has no time between them.
    timely(all(document['rows'] for document in documents[:-1]), documents)
    # The first interval also has the time in which the probes were placed.
    inner = [(document['rows'][0], document['window_s'] * 1e9) for document in documents[1:-1]]
    assert all(row['run_ns'] > 0 for row, _ in inner), documents
    # The cut of an interval and the command's read of the clock differ by the command's wait.
    whole = sum(row['run_ns'] + row['wait_ns'] for row, _ in inner)
    assert documents[0]['rows'][0]['run_cut']['count'] >= 1, documents[0]
    assert not [row for d in documents for row in d['rows'] if row['voluntary']], documents
    timely(is_near(whole, sum(duration for _, duration in inner), 0.1, 50_000_000), documents)


def turns_of_kernel_threads():
    """Returns how often each thread of the kernel has left its CPU, by its name."""
    found = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if comm_of(int(pid)).startswith(('kworker', 'rcu')):
                with open('/proc/%s/status' % pid) as status:
                    found[pid] = sum(int(line.split()[1]) for line in status if '_switches' in line)
        except OSError:
            continue
    return found


def test_all_tasks():
    """The kernel's threads are counted too, but neither idle tasks nor ktrace itself."""
    sleeper = Sleeper()
    process = start()
    before = turns_of_kernel_threads()
    sleeper.work(20, 1000, 1000)
    while not any(turns > before.get(pid, turns)
                  for pid, turns in turns_of_kernel_threads().items()):
        sleeper.work(20, 1000, 1000)
    ours = process.pid
    rows = finish(process)
    sleeper.end()
    assert 0 not in rows and ours not in rows and sleeper.pid in rows, rows.keys()
    assert [row for row in rows.values() if row.get('comm', '').startswith(('kworker', 'rcu'))], rows


def test_filters():
    """Filters apply to the switched task, not to the next one, or to the one that wakes it."""
    if not os.path.exists('/usr/bin/setpriv'):
        raise Skip('there is no setpriv')
    one, other = Sleeper(), Sleeper('setpriv', '--reuid', '65534', '--clear-groups')
    before = one.asleep(), other.asleep()
    runs = [start('--thread', str(one.pid)), start('--uid', '65534'), start('--comm', 'sleep*'),
            start('--comm', 'nobody')]
    one.tell(30, 1000, 1000)
    other.work(30, 1000, 1000)
    one.process.stdout.readline()
    after = one.asleep(), other.asleep()
    by_thread, by_user, by_name, by_none = [finish(process) for process in runs]
    one.end()
    other.end()
    assert list(by_thread) == [one.pid] and list(by_user) == [other.pid], (by_thread, by_user)
    assert set(by_name) == {one.pid, other.pid} and not by_none, (by_name, by_none)
    for rows, at in (by_thread, 0), (by_name, 0), (by_user, 1), (by_name, 1):
        row = rows[(one, other)[at].pid]
        assert [row['voluntary'], row['involuntary']] == since(before[at], after[at])[:2], row


def test_many_tasks():  # slow, debug
    """Tasks start and end while all are counted; none is taken for another."""
    process = start()
    come_and_go(MANY)
    subprocess.check_call([victim('sleeper'), 'threads', str(2 * MANY)])
    rows = finish(process)
    assert len(rows) > 3 * MANY, len(rows)
    for row in rows.values():
        assert row['wait_ns'] < 60e9 and row['run']['max_ns'] < 60e9, row


def test_table():
    out = ktrace('sched', '--raw', '--wide', '--hist', '--sort', 'wait', '--', victim('sleeper'), 'spin',
                 '50')[0]
    window, *lines = out.splitlines()
    assert WINDOW.match(window), out
    assert lines[0].split()[:6] == ['TID', 'COMM', 'ON', 'CPU', 'RUNNABLE', 'BLOCKED'], out
    rows = [line.split() for line in lines[2:5]]
    waits = [int(row[3]) for row in rows]
    assert waits == sorted(waits, reverse=True), out
    total = [line for line in lines if line.startswith('   total')][0].split()
    assert int(total[2]) == sum(waits), out
    assert int(total[1]) == sum(int(row[2]) for row in rows), out
    for title in 'On a CPU:', 'Runnable, waiting for a CPU:', 'wake-up latency', 'Blocked:':
        assert title in out, (title, out)
    assert 'distribution' in out and 'nsecs' in out, out
    assert 'No period' in ktrace('sched', '-d', '100ms', '--comm', 'nobody')[0]


def complaint(*args, status=2):
    return ktrace('sched', *args, status=status)[1]


def test_bad_input():
    assert 'without --by' in complaint('--sort', 'name')
    assert 'with --by' in complaint('--by', 'tid', '--sort', 'run')
    assert '--by takes one to 4 of period, tid,' in complaint('--by', 'syscall')
    assert 'three keys in addition to the period' in complaint('--by', 'tid,pid,comm,cpu')
    assert 'a time above 0' in complaint('-i', '0')
    assert 'cannot be combined' in complaint('-p', '1', '--', 'true', status=125)
    assert 'is gone' in complaint('-p', '4194000', status=1)
    assert 'no such program' in complaint('--', 'no-such-program', status=127)
    assert 'There is no option' in complaint('--bogus')
    none_left()
    assert ktrace('sched', '--', 'sh', '-c', 'exit 42', status=42)


@undisturbed
def test_threads_that_end():  # debug
    """Each thread is counted from its first wake-up to its end, and its memory is freed."""
    rows = counted('--', victim('sleeper'), 'threads', '100')[0]
    assert len(rows) == 101, len(rows)
    assert not sessions()
    reload_module()
    first = min(rows)
    assert rows[first]['voluntary'] >= 2 and rows[first]['sleep']['count'] >= 1, rows[first]
    for row in rows.values():
        assert row['voluntary'] >= row['wakeup']['count'] >= 1, row
    # It is woken when it is created, and from its sleep; it leaves the CPU for the sleep, and at
    # its end. A thread that is stalled until its timer has expired does not sleep at all.
    slept = [row for tid, row in rows.items() if tid != first and row['wakeup']['count'] >= 2 and
             row['sleep']['count'] >= 1 and row['sleep']['total_ns'] > 500_000]
    timely(len(slept) > 90, rows)


@undisturbed
def test_who_ends_behind_its_process():
    """All other threads have exited; this one lost its CPU before its own exit."""
    rows, out = counted('--', victim('sleeper'), 'late', '300000')
    row = rows[figures(out)['late']]
    assert row['preempted']['count'] == row['involuntary'], row
    assert row['voluntary'] == row['wakeup']['count'] == 1, row
    # Since 6.17 a thread's exit is reported before it wakes the tasks that wait for it.
    if RELEASE < (6, 17):
        timely(row['preempted']['max_ns'] >= 250_000_000, rows)


def test_killed_command_leaves_nothing():
    check_killed(start())
