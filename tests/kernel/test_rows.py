# SPDX-License-Identifier: GPL-2.0
"""User functions by thread, process, name, user, CPU and cgroup: rows have the known numbers of the
programs, and add up to the functions."""
import json
import os
import signal
import subprocess

from cgroups import with_known
from genl import Client, u64
from tables import CPUS, tables_of
from test_live import Live
from test_watch import Watch
from tool import (TMP, detach_all, expected_calls, ktrace, limit, run_to_file, session_of, untraced,
                  victim, wait_for)

OWN = '-f', 'alpha,beta,gamma_'
# Figures of a row that are sums.
SUMS = 'calls', 'total', 'sum', 'self', 'at_most', 'at_most_time', 'at_most_self'

teardown = detach_all


def attach(name, keys, program, *options):
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim(program), '--name', name, '--no-lib', '--by',
           keys, *options)


def document(name, *options):
    return json.loads(ktrace('ctl', 'read', name, '--format', 'json', *options)[0])


def calls_by(data, *keys):
    found = {}
    for row in data['rows']:
        key = tuple(row.get(name) for name in keys)
        assert key not in found, (key, data['rows'])
        found[key] = row['calls']
    return found


def figures_of(rows):
    """Returns the figures of rows of single CPUs together; own times of a CPU may be negative."""
    found = {name: sum(row.values[name] for row in rows) % (1 << 64) for name in SUMS}
    found['min'] = min(row.values['min'] for row in rows)
    found['max'] = max(row.values['max'] for row in rows)
    found['buckets'] = {}
    for row in rows:
        for bucket, count in row.buckets.items():
            found['buckets'][bucket] = found['buckets'].get(bucket, 0) + count
    return found


def check_sums(name):
    """Checks that the rows of each function have the figures of the function; returns them."""
    client = Client()
    session = session_of(name)['id']
    client.call('SESSION_PAUSE', SESSION=u64(session))
    wait_for(lambda: session_of(name)['state'] == 'paused')
    own, rows = tables_of(client, session, CPUS)
    functions = {row.keys['function'] for row in own.rows if row.values['calls']}
    for function in functions:
        ours, theirs = [[row for row in table.rows if row.keys['function'] == function]
                        for table in (own, rows)]
        assert figures_of(ours) == figures_of(theirs), (name, function, ours, theirs)
        assert sum(row.values['entries'] for row in theirs) == sum(row.values['calls'] for row in theirs)
    assert functions == {row.keys['function'] for row in rows.rows if row.values['calls']}, (own, rows)
    client.close()
    return [row for row in rows.rows if row.values['calls']]


def test_rows_add_up():  # debug
    """Threads and exceptions, children, recursion, tail calls, ends that are not seen, and SIGKILL."""
    for program, *args in (['demo'], ['family'], ['recursion'], ['tailcall'], ['longjmp'],
                           ['unfinished', 'kill'], ['unfinished', 'exec']):
        attach('s', 'tid,function', program)
        subprocess.run([victim(program), *args], stdout=subprocess.DEVNULL, check=False)
        rows = check_sums('s')
        if program in ('tailcall', 'longjmp'):
            assert sum(row.values['at_most'] for row in rows), (program, rows)
        if program == 'recursion':
            assert any(row.values['sum'] > row.values['total'] for row in rows), rows
        assert len({row.keys['tid'] for row in rows}) >= {'demo': 4, 'family': 19}.get(program, 1), rows
        ktrace('ctl', 'detach', 's')


def test_calls_that_a_pause_ends():  # debug
    """Calls that are open when the probes are removed count for their thread."""
    attach('s', 'comm,tid,function', 'unfinished')
    process = subprocess.Popen([victim('unfinished'), 'stay'], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == '50 ms\n'
        rows = check_sums('s')
    finally:
        process.kill()
        process.communicate()
    assert {(row.keys['comm'], row.keys['tid']) for row in rows} == {('unfinished', process.pid)}, rows
    assert len(rows) == 3 and max(row.values['self'] for row in rows) >= 50e6, rows


def test_calls_of_a_deep_stack():  # debug
    """A work ends 60000 calls after the exit of their thread; they count for the thread."""
    text, output, status, _ = run_to_file('deep', '--format', 'json', '--no-lib', '-f', 'descend,visit', '--by',
                                          'pid,comm,function')
    data = json.loads(text)
    found = {}
    for row in data['rows']:
        assert row['comm'] == 'deep' and row['calls'] == row['entries'], row
        found[row['function']] = found.get(row['function'], 0) + row['calls']
    assert (output, status) == untraced('deep') and found == expected_calls('deep'), found


def test_known_numbers():
    """Several sessions of one program, each by other keys; threads, children, names and users."""
    keys = with_known('tid,function', 'pid,function', 'comm,function', 'function,uid', 'cpu,function',
                      'function,cgroup')
    for nr, by in enumerate(keys):
        attach('s%d' % nr, by, 'live', *OWN)
    with Live() as live:
        live.do('alpha 10', 'beta 3', 'worker 20', 'fork 7', 'vfork 5', 'spawn 4', 'comm renamed',
                'alpha 2', 'gamma 6', 'uid 12', 'alpha 1')
        documents = [document('s%d' % nr, '--by', by) for nr, by in enumerate(keys)]
    by_tid, by_pid, by_comm, by_uid, by_cpu, *_ = documents
    found = calls_by(by_tid, 'tid', 'function')
    assert [found.pop((live.pid, name)) for name in ('alpha', 'beta', 'gamma_')] == [13, 3, 6], found
    assert found.pop((live.worker, 'alpha')) == 20 and sorted(found.values()) == [4, 5, 7], found
    found = calls_by(by_pid, 'pid', 'function')
    assert found.pop((live.pid, 'alpha')) == 33 and len(found) == 5, found
    found = calls_by(by_comm, 'comm', 'function')
    assert found == {('live', 'alpha'): 46, ('live', 'beta'): 3, ('renamed', 'alpha'): 3,
                     ('renamed', 'gamma_'): 6}, found
    found = calls_by(by_uid, 'uid', 'function')
    assert found == {(os.getuid(), 'alpha'): 48, (os.getuid(), 'beta'): 3, (os.getuid(), 'gamma_'): 6,
                     (12, 'alpha'): 1}, found
    assert {row['cpu'] for row in by_cpu['rows']} <= set(range(os.cpu_count())), by_cpu
    for data in documents:
        assert data['complete'] and sum(row['calls'] for row in data['rows']) == 58, data
    assert all(row['comm'] in ('live', 'renamed') for row in by_tid['rows']), by_tid


def test_reset():
    """Each call is in one row of one read."""
    attach('s', 'tid,function', 'live', *OWN)
    with Live() as live:
        live.begin('spin')
        reads = [document('s', '--reset') for _ in range(5)]
        live.begin('beta 1')
        live.wait()
        live.wait()
        live.do('worker 9')
        made = live.end()
    reads.append(document('s', '--reset'))
    assert not document('s')['rows'], reads
    found = {}
    for data in reads:
        for (tid, name), calls in calls_by(data, 'tid', 'function').items():
            found[tid, name] = found.get((tid, name), 0) + calls
    assert found.pop((live.worker, 'alpha')) == 9, found
    assert found == {(live.pid, 'beta'): made['beta'], (live.pid, 'gamma_'): made['gamma_'],
                     (live.pid, 'alpha'): made['beta'] - 1}, (found, made)


def test_min_time():
    text = run_to_file('demo', '--format', 'json', '--min-time', '30ms', '--by', 'function,tid')[0]
    rows = json.loads(text)['rows']
    # Calls whose end was not seen have no minimum.
    assert all(row.get('min_ns', 30e6) >= 30e6 for row in rows), rows
    pauses = [row['calls'] for row in rows if row['function'] == 'pause_ms(int)']
    assert pauses == [20, 20, 20], rows


def test_entries_alone():
    """Returns are not observed: rows have entries, and no times."""
    text = run_to_file('demo', '--format', 'json', '--return', 'none', '--no-lib', '--by', 'function,tid')[0]
    found, rows = {}, json.loads(text)['rows']
    for row in rows:
        assert row['calls'] == 0 and 'avg_ns' not in row and 'min_ns' not in row, row
        found[row['function']] = found.get(row['function'], 0) + row['entries']
    known = expected_calls('demo')
    assert {name: found[name] for name in known} == known, found
    assert sorted(row['entries'] for row in rows if row['function'] == 'check(int)') == [20, 20, 20], rows


def test_rows_as_text():
    text = run_to_file('demo', '--by', 'function,tid')[0]
    _, head, *lines = text.splitlines()
    assert head.split()[-3:] == ['FUNCTION', 'TID', 'COMM'] and 'SELF' in head.split(), text
    steps = [line.split(' /* ')[0].split() for line in lines if 'Worker::step(int)' in line]
    assert len(steps) == 3 == len({step[-2] for step in steps}), text
    assert {step[-1] for step in steps} == {'demo'}, text
    text = run_to_file('demo', '--by', 'comm,function', '--format', 'hist')[0]
    assert 'comm demo, function Worker::step(int)\n' in text, text


def test_session_has_rows_and_functions():
    """read, watch and show use the table of the session, unless the functions are chosen."""
    attach('s', 'pid,function', 'live', *OWN)
    text, _ = ktrace('ctl', 'show', 's')
    assert 'keeps            histograms tree table\ntable by         pid,function\n' in text, text
    shown = json.loads(ktrace('ctl', 'show', 's', '--format', 'json')[0])
    assert shown['rows'][0]['by'] == ['pid', 'function'], shown
    with Live() as live:
        live.do('alpha 3')
        watch = Watch('-i', '50ms')
        watch.until('alpha', str(live.pid), 'live')
        assert watch.end() == 0
        watch = Watch('-i', '50ms', '--by', 'function')
        watch.until('alpha()')
        assert watch.end() == 0
        assert document('s')['by'] == ['pid', 'function']
        data = document('s', '--by', 'function,pid')
        assert data['by'] == ['function', 'pid'] and calls_by(data, 'pid', 'function') == {(live.pid, 'alpha'): 3}
        data = document('s', '--by', 'function')
        assert 'by' not in data and [row['name'] for row in data['rows'] if row['calls']] == ['alpha'], data
        assert ' alpha()\n' in ktrace('ctl', 'read', 's', '--format', 'tree')[0]
    for options, words in ((['--by', 'tid'], 'are by pid,function; use --by pid,function'),
                           (['--by', 'pid', '--format', 'flat'], 'omit one of them')):
        assert words in ktrace('ctl', 'read', 's', *options, status=2)[1], options
    ktrace('ctl', 'detach', 's')
    ktrace('ctl', 'attach', '--binary', victim('live'), '--name', 's', *OWN)
    assert 'keeps no rows by pid; attach with --by pid' in ktrace('ctl', 'read', 's', '--by', 'pid', status=2)[1]


def test_stream_beside_rows():
    """A session with a stream shows its calls, or with --by its rows."""
    attach('s', 'tid,function', 'live', '--stream', *OWN)
    with Live() as live:
        live.do('alpha 2', 'worker 3')
        found = calls_by(document('s', '--by', 'tid,function'), 'tid', 'function')
        assert found == {(live.pid, 'alpha'): 2, (live.worker, 'alpha'): 3}, found
        assert ktrace('ctl', 'read', 's')[0].count('alpha();') == 5


def test_killed_reader_and_program():
    """SIGKILL of the command ends its session; SIGKILL of the program loses no row."""
    path = os.path.join(TMP, 'killed')
    run = subprocess.Popen(['ktrace', 'run', '--by', 'tid,function', '--format', 'json', '-o', path, *OWN,
                            '--', victim('live')], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid, worker = [int(run.stdout.readline().split()[1]) for _ in range(2)]
    run.stdin.write('alpha 5\nworker 6\nspin\n')
    run.stdin.flush()
    assert [run.stdout.readline() for _ in range(2)] == ['done\n'] * 2
    os.kill(pid, signal.SIGKILL)
    run.communicate(timeout=limit(60))
    assert run.returncode == -signal.SIGKILL, run.returncode
    with open(path) as out:
        data = json.load(out)
    found = calls_by(data, 'tid', 'function')
    assert found[worker, 'alpha'] == 6 and found[pid, 'alpha'] >= 5 and data['complete'], data
    assert abs(found[pid, 'alpha'] - 5 - found.get((pid, 'gamma_'), 0)) <= 1, found
