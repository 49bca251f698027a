# SPDX-License-Identifier: GPL-2.0
"""
ktrace func --slow, ktrace sched --slow: single calls of kernel functions, and single periods of
threads, all of which are in the table, too.
"""
import os
import re
import signal
import subprocess

from test_func import HAS_TYPES, first_of
from tool import (TMP, counting, ktrace, limit, read_documents, sessions, split_gaps, timely,
                  undisturbed, victim, wait_for)

DD = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=16', 'count=700']
SLEEPS = 'hrtimer_nanosleep'
NONE = '/nonexistent'
RESULT = ' = 0' if HAS_TYPES else ''
READ = first_of('ksys_read', '__x64_sys_read', 'SyS_read')
WRITE = first_of('ksys_write', '__x64_sys_write', 'SyS_write')
ASK = first_of('__x64_sys_getppid', 'sys_getppid', 'SyS_getppid')


def shown(command, event, *options, status=0):
    """Returns the events, and the document after them."""
    path = os.path.join(TMP, 'slow')
    ktrace(command, '--format', 'json', '-o', path, *options, status=status)
    documents = read_documents(path)
    assert all(one['event'] == event for one in documents[:-1]), documents
    session = documents[-1]['session']
    # Taking stacks has a limit of time.
    timely(not session['counters']['lost_missed'] and not session['counters']['lost_stacks'], session)
    assert documents[-1]['complete'], session
    return documents[:-1], documents[-1]


# --- calls of kernel functions ------------------------------------------------

def calls_of(*options, status=0):
    return shown('func', 'call', *options, status=status)


def row_of(data, name):
    return next(row for row in data['rows'] if row['name'] == name)


def test_slow_shows_each_kernel_call():  # debug
    """Each call is shown; number and time are those of the table."""
    calls, data = calls_of(READ, WRITE, '--slow', '0', '--', *DD)
    for name in READ, WRITE:
        row, mine = row_of(data, name), [call for call in calls if call['name'] == name]
        assert len(mine) == row['calls'] >= 700, (len(mine), row)
        assert sum(call['duration_ns'] for call in mine) == row['total_ns'], row
        assert max(call['duration_ns'] for call in mine) == row['max_ns'], row
        assert {call['comm'] for call in mine} == {'dd'}, mine[0]
        assert len({call['tid'] for call in mine}) == 1, mine[0]
        assert sum(call.get('return') == 16 for call in mine) == (700 if HAS_TYPES else 0), mine[0]
    assert calls == sorted(calls, key=lambda call: call['time_ns']), calls


def test_slow_leaves_fast_kernel_calls_out():
    """Fast calls are only in the table; how many are slow depends on the machine."""
    calls, data = calls_of(READ, SLEEPS, '--slow', '100ms', '--', 'sh', '-c',
                           'sleep 0.01; sleep 0.2; ' + ' '.join(DD))
    slept = [call for call in calls if call['name'] == SLEEPS]
    assert row_of(data, SLEEPS)['calls'] == 2 and 1 <= len(slept) <= 2, (slept, data)
    assert all(call['duration_ns'] >= 100e6 for call in calls), calls
    assert slept[-1]['duration_ns'] >= 200e6 and slept[-1].get('return', 0) == 0, slept
    assert row_of(data, READ)['calls'] > 700, data


def test_slow_tells_the_cpu():
    """The CPU of a program that is bound to one; before its execve it may run anywhere."""
    for cpu in os.sched_getaffinity(0):
        program = 'taskset', '-c', str(cpu), *DD
        for events, _ in (calls_of(WRITE, '--slow', '0', '--', *program),
                          shown('sched', 'period', '--slow', '0', '--', *program)):
            assert {event['cpu'] for event in events if event['comm'] == 'dd'} == {cpu}, events


def test_slow_kernel_calls_have_errors():
    """The errno of an int, and that of a pointer."""
    calls, _ = calls_of('path_openat', 'vfs_open', '--slow', '0', '--', 'cat', NONE, status=1)
    failed = [call for call in calls if call.get('errno') == 'ENOENT']
    assert failed and all(call['return'] == -2 and call['name'] == 'path_openat'
                          for call in failed), calls
    assert any(call['name'] == 'vfs_open' and call.get('return', 0) == 0 for call in calls), calls


def test_slow_kernel_calls_as_text():
    out, _ = ktrace('func', SLEEPS, 'path_openat', '--slow', '50ms', '--', 'sleep', '0.2')
    lines, table = out.split('\n\n', 1)
    assert re.search(r'^ +\d+\.\d{6} +\d+ sleep +[\d.]+ +m?s  %s%s$' % (SLEEPS, RESULT), lines, re.M), out
    assert SLEEPS in table and 'path_openat' in table, out


def test_slow_kernel_calls_have_stacks():
    """The callers, without the function itself and without the frames of the probe."""
    calls, data = calls_of(SLEEPS, '--slow', '50ms', '--stacks', '--', 'sleep', '0.2')
    frames = calls[0]['stack']['kernel']
    assert len(calls) == 1 and re.match(r'(common_nsleep|.*clock_nanosleep)', frames[0]), calls
    assert SLEEPS not in frames and calls[0]['stack']['user'], calls
    assert 'stacks' not in data, data.keys()
    out, _ = ktrace('func', SLEEPS, '--slow', '50ms', '--stacks', '--', 'sleep', '0.2')
    assert re.search(r'%s%s\n +(common_nsleep|.*clock_nanosleep)\n' % (SLEEPS, RESULT), out), out


def test_slow_kernel_calls_that_have_no_room():  # slow
    """The reader is stopped until the ring is full: the output shows how much is missing, and
    where."""
    path = os.path.join(TMP, 'slow-full')
    live = subprocess.Popen([victim('syscalls'), 'live', '1'], text=True, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)
    assert live.stdout.readline() == 'ready\n'
    process = counting('func', ASK, '--slow', '0', '--buffer', '512K',
                       '-p', str(live.pid), '-o', path)
    process.send_signal(signal.SIGSTOP)
    made = 0
    while not any(session['counters']['dropped'] for session in sessions()):
        live.stdin.write('4000\n')
        live.stdin.flush()
        assert live.stdout.readline() == 'done\n'
        made += 4000
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=limit(60))
    live.stdin.close()
    live.wait()
    documents = read_documents(path)
    data, (calls, missing) = documents[-1], split_gaps(documents[:-1])
    dropped = data['session']['counters']['dropped']
    assert process.returncode == 3 and 'incomplete' in errors, (process.returncode, errors)
    assert not data['complete'] and dropped == missing > 0, (missing, data['session'])
    assert row_of(data, ASK)['calls'] == made == len(calls) + dropped, \
        (made, len(calls), dropped)


def test_slow_intervals():
    """Records between tables; all records together are as many as all tables have."""
    path = os.path.join(TMP, 'slow-intervals')
    process = counting('func', SLEEPS, '--slow', '0', '-i', '200ms', '-o', path, '--comm', 'sleep')
    for _ in range(5):
        subprocess.check_call(['sleep', '0.1'])
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=limit(60))
    assert process.returncode == 0, errors
    documents = read_documents(path)
    tables = [one for one in documents if 'rows' in one]
    counted = sum(row['calls'] for table in tables for row in table['rows'])
    assert len(documents) - len(tables) == counted == 5, documents


def test_slow_refusals():
    for options, words in ((['--count'], '--slow cannot be combined with --count'),
                           (['--errors'], '--slow cannot be combined with --count'),
                           (['--format', 'folded', '--stacks'], 'folded has no single events')):
        _, errors = ktrace('func', 'vfs_read', '--slow', '1ms', *options, status=2)
        assert words in errors, (options, errors)
    for command in (['func', 'vfs_read'], ['sched']):
        _, errors = ktrace(*command, '--slow', 'long', status=2)
        assert 'long' in errors, errors
    _, errors = ktrace('sched', '--slow', '1s', '--stacks', '--format', 'folded', status=2)
    assert 'omit --slow' in errors, errors


# --- periods of threads ---------------------------------------------------------

SLEEP = 'sh', '-c', 'sleep 0.01; sleep 2'


def periods_of(*options):
    return shown('sched', 'period', *options)


def parts_of(data):
    """Returns the table's figures of each thread and kind."""
    return {(row['tid'], kind): part for row in data['rows'] for kind, part in row.items()
            if isinstance(part, dict) and part.get('count')}


def test_slow_shows_each_period():  # debug
    """Number and time of each kind of period are those of the thread in the table."""
    periods, data = periods_of('--slow', '0', '--', *SLEEP)
    found = {}
    for period in periods:
        count, total = found.get((period['tid'], period['kind']), (0, 0))
        found[period['tid'], period['kind']] = count + 1, total + period['duration_ns']
    expected = {key: (part['count'], part['total_ns']) for key, part in parts_of(data).items()}
    assert found == expected, (found, expected)
    assert {period['comm'] for period in periods} >= {'sh', 'sleep'}, periods


@undisturbed
def test_periods_begin_where_others_end():
    """The time of a period is its end, also if it is recorded when the thread gets a CPU again."""
    periods, _ = periods_of('--slow', '0', '--', *SLEEP)
    ends, gaps = {}, []
    for period in periods:
        begin = period['time_ns'] - period['duration_ns']
        gaps.append(begin - ends.get(period['tid'], begin))
        ends[period['tid']] = period['time_ns']
    assert 'wakeup' in {period['kind'] for period in periods}, periods
    # A processor that is stalled between two looks at its clock shifts two gaps.
    large = [gap for gap in gaps if abs(gap) >= 50_000]
    timely(len(large) <= len(gaps) / 10, (large, len(gaps), periods))


def test_slow_leaves_short_periods_out():
    """The longest periods of the table are shown; a sleep begins after its timer was set."""
    periods, data = periods_of('--slow', '100ms', '--', *SLEEP)
    assert all(period['duration_ns'] >= 100e6 for period in periods), periods
    longest = {}
    for period in periods:
        key = period['tid'], period['kind']
        longest[key] = max(longest.get(key, 0), period['duration_ns'])
    expected = {key: part['max_ns'] for key, part in parts_of(data).items()
                if part['max_ns'] >= 100e6}
    assert longest == expected, (longest, expected)
    assert ('sleep', 'sleep') in {(period['kind'], period['comm']) for period in periods}, periods
    assert sum(part['count'] for part in parts_of(data).values()) > len(periods), data['rows']


def test_slow_periods_have_stacks():  # slow
    """The stack at which the CPU was left; a run has no stack."""
    periods, data = periods_of('--slow', '0', '--stacks', '--', 'sleep', '2')
    slept = [period['stack'] for period in periods if period['kind'] == 'sleep' and
             period['stack'] and SLEEPS in period['stack']['kernel']]
    assert slept and slept[0]['user'], periods
    assert not [period for period in periods
                if period['kind'] in ('run', 'run_out', 'wakeup') and 'stack' in period], periods
    assert 'stacks' not in data and data['rows'], data.keys()
    out, _ = ktrace('sched', '--slow', '100ms', '--stacks', '--', 'sleep', '2')
    lines, table = out.split('\n\n', 1)
    assert re.search(r'^ +\d+\.\d{6} +\d+ sleep +[\d.]+ +m?s  sleep\n( +\S+\n)* +%s\n' % SLEEPS,
                     lines, re.M), out
    assert 'ON CPU' in table, out


def test_slow_periods_that_have_no_room():  # slow
    """Periods without room in the ring are counted; the table has them."""
    path = os.path.join(TMP, 'slow-periods')
    load = subprocess.Popen([victim('sleeper'), 'turns', '100000000'], start_new_session=True)
    try:
        process = counting('sched', '--slow', '0', '--buffer', '512K', '-o', path)
        process.send_signal(signal.SIGSTOP)
        wait_for(lambda: any(session['counters']['dropped'] for session in sessions()), 200)
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=limit(60))
    finally:
        os.killpg(load.pid, signal.SIGKILL)
        load.wait()
    *periods, data = read_documents(path)
    periods, missing = split_gaps(periods)
    counters = data['session']['counters']
    assert process.returncode == 3 and 'incomplete' in errors, (process.returncode, errors)
    assert counters['hits'] == len(periods) + missing, (len(periods), missing, counters)
    assert counters['dropped'] == missing > 0 and not data['complete'], counters
