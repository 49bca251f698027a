# SPDX-License-Identifier: GPL-2.0
"""The flight recorder: what is saved is the event, its callers, and what came before it."""
import contextlib
import errno
import glob
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time

import schema
from disks import MS, Null, dd_read, remove_nulls
from genl import Client, counters_of, u64
from test_exits import EXIT, REC, records_in
from test_recording import of_kind
from test_trigger import Session
from tool import (TMP, detach_all, ktrace, limit, none_left, session_of, sessions, victim,
                  wait_for)

FOLDER = os.path.join(TMP, 'flight')
SLOW, CALLS = 400, 10000        # ms; quick calls before the slow one, and behind it
SLOW_CALL = ('--trigger', 'inner > 200ms')
RANDOM = random.Random(int(os.environ.get('SEED') or 1))


def teardown():
    detach_all()
    remove_nulls()


def facts(folder):
    with open(f'{folder}/ktrace.jsonl') as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        schema.check_line(line)
    return lines


def records(folder, part='functions'):
    """Returns the records of a session, in order of time."""
    found = []
    for path in glob.glob(f'{folder}/{part}/stream_*'):
        with open(path, 'rb') as file:
            data, at = file.read(), 0
        while at < len(data):
            length = struct.unpack_from('Q', data, at + 48)[0] // 8
            found += records_in(data[at:at + length])
            at += length
    return sorted(found, key=lambda record: record.time)


def snapshots():
    """Returns those that are whole."""
    return [path for path in sorted(glob.glob(f'{FOLDER}/0*'))
            if os.path.exists(f'{path}/ktrace.jsonl') and
            len(of_kind(facts(path), 'end')) == len(of_kind(facts(path), 'session')) > 0]


def names(folder):
    return {one['func']: one['name'].split('@')[0] for one in of_kind(facts(folder), 'function')}


def read_by_others(folder):
    """Returns the number of records that babeltrace2 finds."""
    return subprocess.check_output(['babeltrace2', folder], text=True).count('\n')


class Flight:
    """ktrace record --overwrite of the victim outlier."""

    def __init__(self, *options, buffer='64K'):
        shutil.rmtree(FOLDER, ignore_errors=True)
        self.process = subprocess.Popen(
            ['ktrace', 'record', '-o', FOLDER, '--overwrite', *options, 'run', '--no-lib', '--buffer',
             buffer, '--', victim('outlier')], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, bufsize=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def run(self, calls=CALLS, ms=SLOW):
        self.process.stdin.write('%d %d\n' % (calls, ms))
        assert self.process.stdout.readline() == 'done\n'

    def end(self):
        """Returns what ktrace has said."""
        said = self.process.communicate(timeout=limit(60))[1]
        assert self.process.returncode == 0, said
        return said


def wait_for_snapshots(nr):
    wait_for(lambda: len(snapshots()) >= nr)


def check_slow_call(folder, ms=SLOW, condition=SLOW_CALL[1]):
    """The slow call and its callers are the last records, innermost first. Returns its time."""
    found, names_of = records(folder), names(folder)
    [trigger] = of_kind(facts(folder), 'trigger')
    inner, outer, main = found[-3:]
    assert [names_of[one.func] for one in (inner, outer, main)] == ['inner', 'outer', 'main'], found[-5:]
    assert inner.duration >= ms * MS and inner.flags == 0, inner
    assert outer.flags == main.flags == REC['OPEN'] and (outer.depth, main.depth) == (1, 0)
    assert (trigger['name'], trigger['duration_ns'], trigger['tid']) == \
        ('inner', inner.duration, inner.tid), (trigger, inner)
    assert trigger['condition'] == condition and trigger['frozen_from_ns'] >= found[-1].time
    quick = found[:-3]
    assert len(quick) > 100 and {names_of[one.func] for one in quick} <= {'quick', 'inner', 'outer'}
    assert {one.kind for one in found} == {EXIT}
    assert [one for one in found if names_of[one.func] == 'inner'] == [inner]
    assert not any(end['lost'] for end in of_kind(facts(folder), 'end')), facts(folder)[-1]
    return trigger['monotonic_ns']


def test_slow_call():
    """It is in the snapshot each time, with its callers, though the ring holds a few of the calls."""
    nr = 5
    for _ in range(nr):
        with Flight(*SLOW_CALL) as flight:
            flight.run()
            said = flight.end()
        assert snapshots() == [f'{FOLDER}/0001'], said
        check_slow_call(f'{FOLDER}/0001')
        assert read_by_others(f'{FOLDER}/0001') == len(records(f'{FOLDER}/0001'))
        assert 'inner took' in said and '0001: ' in said and f'ktrace report {FOLDER}/0001' in said
        [end] = of_kind(facts(f'{FOLDER}/0001'), 'end')
        assert end['overwritten'] > CALLS / 2 and end['why'] == 'the condition was met', end
        none_left()
    text, _ = ktrace('report', f'{FOLDER}/0001')
    assert 'inner' in text and 'outer' in text, text
    return f'{nr} of {nr}'


def parts_of(nr, sum_of_all):
    """Returns lengths that are chosen at random; each is long enough to fill a snapshot."""
    cuts = sorted(RANDOM.randrange(sum_of_all - 200 * nr) for _ in range(nr - 1))
    return [200 + end - begin for begin, end in zip([0] + cuts, cuts + [sum_of_all - 200 * nr])]


def test_each_of_many():  # slow
    """
    Each call of 20 ms is in a snapshot, with its callers, wherever it stands among short ones. With
    FULL=1 there are 100 among a million; otherwise 10 among a twentieth.
    """
    nr, calls = (100, 1000000) if os.environ.get('FULL') else (10, 50000)
    lengths = parts_of(nr, calls // 2)
    assert sum(lengths) == calls // 2 and len(lengths) == nr
    with Flight('--trigger', 'inner > 10ms', '--trigger-count', str(nr)) as flight:
        [number] = wait_for(lambda: [one['id'] for one in sessions()])
        session = Session(number)
        for done, length in enumerate(lengths, 1):
            flight.run(calls=length, ms=20)
            wait_for(lambda done=done: os.path.exists(f'{FOLDER}/{done:04}/ktrace.jsonl'))
            # After the last one the session ends.
            wait_for(lambda done=done: done == nr or not session.seen())
        said = flight.end()
    paths = snapshots()
    assert len(paths) == nr and f'{nr} snapshots' in said, (len(paths), said)
    times = [check_slow_call(path, 20, 'inner > 10ms') for path in paths]
    assert times == sorted(set(times)), times
    [end] = of_kind(facts(paths[-1]), 'end')
    assert end['overwritten'], end
    return f'{nr} of {nr} among {calls} calls'


def test_report_tells_the_event():
    with Flight(*SLOW_CALL) as flight:
        flight.run()
        flight.end()
    text, _ = ktrace('report', f'{FOLDER}/0001')
    assert 'inner > 200ms: inner took ' in text, text


def test_armed_again():
    with Flight(*SLOW_CALL, '--trigger-count', '3') as flight:
        times = []
        for nr in range(1, 5):
            flight.run()
            if nr < 4:
                wait_for_snapshots(nr)
                times.append(check_slow_call(snapshots()[-1]))
                # Not armed before the snapshot was acknowledged.
                time.sleep(0.5)
        said = flight.end()
    assert len(snapshots()) == 3 and times == sorted(times), (snapshots(), said)
    assert '3 snapshots' in said, said
    assert len({records(path)[0].time for path in snapshots()}) == 3


def test_holdoff():
    """An event that comes too soon is not saved."""
    holdoff = 10000 * MS
    with Flight(*SLOW_CALL, '--trigger-count', 'none', '--holdoff', '10s') as flight:
        flight.run(calls=500)
        wait_for_snapshots(1)
        first = of_kind(facts(f'{FOLDER}/0001'), 'trigger')[0]['monotonic_ns']
        flight.run(calls=1)
        assert time.clock_gettime_ns(time.CLOCK_MONOTONIC) < first + holdoff, 'too slow a machine'
        wait_for(lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC) > first + holdoff + 500 * MS)
        assert len(snapshots()) == 1
        flight.run(calls=1)
        wait_for_snapshots(2)
        flight.end()
    times = [of_kind(facts(path), 'trigger')[0]['monotonic_ns'] for path in snapshots()]
    assert len(times) == 2 and times[1] - times[0] >= holdoff, times
    # The event that was not saved is in no snapshot.
    names_of = names(f'{FOLDER}/0002')
    assert [names_of[one.func] for one in records(f'{FOLDER}/0002')].count('inner') == 1


def test_records_after_the_event():
    with Flight(*SLOW_CALL, '--after', '100ms', buffer='4M') as flight:
        flight.run()
        time.sleep(0.2)
        flight.end()
    found, names_of = records(f'{FOLDER}/0001'), names(f'{FOLDER}/0001')
    [trigger] = of_kind(facts(f'{FOLDER}/0001'), 'trigger')
    assert trigger['frozen_from_ns'] - trigger['monotonic_ns'] == 100 * MS
    assert trigger['monotonic_ns'] < found[-1].time <= trigger['frozen_from_ns']
    later = [names_of[one.func] for one in found if one.time > trigger['monotonic_ns']]
    assert later.count('quick') > 10, later[:20]


def test_condition_is_not_met():
    with Flight('--trigger', 'inner > 100s') as flight:
        flight.run(calls=10, ms=1)
        said = flight.end()
    assert 'was not met' in said and not snapshots(), said


def test_a_later_function_of_the_same_name():
    """The condition stays about the function that was probed at the begin, and ktrace says so."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    done = subprocess.run(
        ['ktrace', 'record', '-o', FOLDER, '--overwrite', '--trigger', 'main > 1000s', 'run', '--no-lib',
         '-f', 'main', '--', '/bin/bash', '-c', f'{victim("outlier")} </dev/null; {victim("outlier")} </dev/null'],
        capture_output=True, text=True, timeout=limit(100))
    assert done.returncode == 0 and 'was not met' in done.stderr, done.stderr
    later = [line for line in done.stderr.splitlines() if 'is probed from now on' in line]
    assert len(later) == 1 and 'main@outlier' in later[0] and "'main > 1000s'" in later[0], done.stderr
    none_left()


def test_signal():
    """Without a trigger: a snapshot for each SIGUSR2, and one at the end."""
    with Flight() as flight:
        for nr in (1, 2):
            flight.run(ms=1)
            flight.process.send_signal(signal.SIGUSR2)
            wait_for_snapshots(nr)
        said = flight.end()
    paths = snapshots()
    assert len(paths) == 3, (paths, said)
    why = [of_kind(facts(path), 'end')[0]['why'] for path in paths]
    assert why == ['SIGUSR2 arrived', 'SIGUSR2 arrived', 'the program ended'], why
    for path in paths:
        found = records(path)
        assert read_by_others(path) == len(found) > 100
        # Two times 64K hold no more.
        assert len(found) < 2 * 65536 / 32 * os.cpu_count()
    last, names_of = records(paths[2]), names(paths[2])
    assert 'main' in {names_of[one.func] for one in last if one.kind == EXIT}, last[-5:]
    assert 'main' not in {names(paths[0])[one.func] for one in records(paths[0])}
    none_left()


def test_system_call_with_other_sessions():
    """The sessions without the trigger are saved at the same moment."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    subprocess.run(['ktrace', 'record', '-o', FOLDER, '--overwrite', '--trigger',
                    'syscall clock_nanosleep > 300ms', 'syscall', '+', 'sched', '--', 'sh', '-c',
                    'sleep 0.1; sleep 0.5; sleep 0.1'], check=True, timeout=limit(60))
    [trigger] = of_kind(facts(f'{FOLDER}/0001'), 'trigger')
    assert trigger['name'] == 'clock_nanosleep' and trigger['duration_ns'] >= 500 * MS, trigger
    calls = records(f'{FOLDER}/0001', 'syscalls')
    assert calls[-1].func == trigger['func'] and calls[-1].tid == trigger['tid'], calls[-3:]
    periods = records(f'{FOLDER}/0001', 'scheduler')
    assert any(one.tid == trigger['tid'] for one in periods), periods[-5:]
    assert len(snapshots()) == 1
    none_left()


def test_requests():
    disk = Null(delay_ns=50 * MS)
    shutil.rmtree(FOLDER, ignore_errors=True)
    subprocess.run(['ktrace', 'record', '-o', FOLDER, '--overwrite', '--trigger', 'io d2c > 40ms', 'io',
                    '--', *dd_read(disk.name, 1)], check=True, timeout=limit(60),
                   stderr=subprocess.DEVNULL)
    [trigger] = of_kind(facts(f'{FOLDER}/0001'), 'trigger')
    assert trigger['name'] == 'd2c' and trigger['duration_ns'] >= 50 * MS, trigger
    assert len(records(f'{FOLDER}/0001', 'block')) == 1


def test_periods():
    for condition, names_, least in (('sched sleep > 300ms', ('sleep',), 300 * MS),
                                     ('sched > 1ns', ('wakeup', 'preempted'), 1)):
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run(['ktrace', 'record', '-o', FOLDER, '--overwrite', '--trigger', condition, 'sched', '--',
                        'sh', '-c', 'sleep 0.1; sleep 0.5'], check=True, timeout=limit(60))
        [trigger] = of_kind(facts(f'{FOLDER}/0001'), 'trigger')
        assert trigger['name'] in names_ and trigger['duration_ns'] >= least, trigger
        last = records(f'{FOLDER}/0001', 'scheduler')[-1]
        assert (last.func, last.tid) == (trigger['func'], trigger['tid']), (last, trigger)
    none_left()


def test_errors():
    shutil.rmtree(FOLDER, ignore_errors=True)
    done = subprocess.run(['ktrace', 'record', '-o', FOLDER, '--overwrite', '--trigger',
                           'path_openat = error', 'func', 'path_openat', '--', 'cat', '/no/such/file'],
                          capture_output=True, text=True, timeout=limit(60))
    assert done.returncode == 1 and 'path_openat took' in done.stderr, done
    [trigger] = of_kind(facts(f'{FOLDER}/0001'), 'trigger')
    assert trigger['error'] and trigger['name'] == 'path_openat', trigger


def test_faults():
    """A read of a slow disk by a page fault, and a fault that ends in a signal."""
    disk, page = Null(delay_ns=200 * MS), os.path.join(TMP, 'page')
    with open(page, 'wb') as file:
        file.write(bytes(4096))
    for condition, words, kind, error in (
            ('fault major read > 100ms', ('300', '0', disk.path, '3', '0'), 'major read', 0),
            ('fault = error', ('300', '0', page, '1', '2'), 'read', errno.EFAULT)):
        shutil.rmtree(FOLDER, ignore_errors=True)
        done = subprocess.run(['ktrace', 'record', '-o', FOLDER, '--overwrite', '--trigger', condition, 'fault',
                               '--', victim('faults'), *words],
                              capture_output=True, text=True, timeout=limit(60))
        assert done.returncode == 0 and f'{kind} took' in done.stderr, done
        [trigger] = of_kind(facts(f'{FOLDER}/0001'), 'trigger')
        assert (trigger['name'], trigger['error']) == (kind, error), trigger
        rows = json.loads(ktrace('report', f'{FOLDER}/0001', '--format', 'json')[0])['rows']
        found = {row['fault']: (row['calls'], row['errors']) for row in rows}
        # The first one freezes the ring, behind all that the program wrote before.
        assert found['write'][0] >= 300 and found[kind][1] == bool(error), found
        assert error or found[kind][0] == 1, found
    none_left()


def counters():
    client = Client()
    with contextlib.closing(client):
        return counters_of(client.call('SESSION_GET', SESSION=u64(session_of('s')['id']))[0])


def test_named_session():
    """Its records are saved, and stay for ktrace stream."""
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('outlier'), '--name', 's', '--no-lib',
           '--stream', '--buffer', '4M')
    subprocess.run([victim('outlier')], input='100 1\n', text=True, check=True, stdout=subprocess.DEVNULL)
    for words in ([], ['--force']):
        shutil.rmtree(FOLDER, ignore_errors=not words)
        _, said = ktrace('snapshot', 's', '-o', FOLDER, *words)
        found = records(FOLDER)
        assert len(found) == counters()['produced'] == read_by_others(FOLDER), (len(found), counters())
        assert f'{len(found)} records' in said, said
        assert counters()['acknowledged'] == 0, counters()
        [session] = of_kind(facts(FOLDER), 'session')
        assert session['command'][:1] == ['attach'] or 'attach' in session['command'], session
        assert [names(FOLDER)[one.func] for one in found].count('quick') == 2 * 200
    output = os.path.join(TMP, 'streamed')
    reader = subprocess.Popen(['ktrace', 'stream', 's', '--entries', '--to', f'json:{output}'],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: counters()['acknowledged'] == counters()['produced'])
        refused = subprocess.run(['ktrace', 'snapshot', 's', '-o', FOLDER, '--force'],
                                 capture_output=True, text=True)
        assert refused.returncode == 1 and f'Process {reader.pid} reads' in refused.stderr, refused
    finally:
        reader.terminate()
        reader.communicate()
    with open(output) as file:
        assert sum('quick' in line for line in file) == 2 * 200
    ktrace('ctl', 'detach', 's')


def test_named_session_keeps_the_newest():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('outlier'), '--name', 's', '--no-lib',
           '--stream', '--overwrite', '--buffer', '64K')
    subprocess.run([victim('outlier')], input=f'{CALLS} 1\n', text=True, check=True,
                   stdout=subprocess.DEVNULL)
    shutil.rmtree(FOLDER, ignore_errors=True)
    assert counters()['dropped_overwritten']
    [line] = [one.split() for one in ktrace('ctl', 'list')[0].splitlines() if one.startswith('s ')]
    assert line[6] == '0', line
    ktrace('snapshot', 's', '-o', FOLDER)
    found, names_of = records(FOLDER), names(FOLDER)
    assert 1000 < len(found) < CALLS and read_by_others(FOLDER) == len(found)
    # The end of the last call, and of the process.
    assert names_of[found[-2].func] == 'main' and found[-2].kind == EXIT, found[-3:]
    [end] = of_kind(facts(FOLDER), 'end')
    assert end['lost'] == [] and end['overwritten'] + len(found) == end['counters']['produced'], end
    ktrace('ctl', 'detach', 's')


def test_refused():
    for condition, text in (('nothing > 10ms', "'nothing' of --trigger"), ('inner > 10', 'no condition'),
                            ('inner = error', 'function of a program'),
                            ('fault > 10ms', 'add the command fault'),
                            ('syscall > 10ms', 'add the command syscall')):
        done = subprocess.run(['ktrace', 'record', '-o', f'{FOLDER}-none', '--overwrite', '--trigger',
                               condition, 'run', '--no-lib', '--', victim('outlier')],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 125 and text in done.stderr, (condition, done)
        assert not os.path.exists(f'{FOLDER}-none')
    none_left()
