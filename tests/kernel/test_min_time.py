# SPDX-License-Identifier: GPL-2.0
"""--min-time: compared with a session that records all events, exactly the slow ones count."""
import collections
import os
import subprocess

from delays import FIRST
from disks import MS, Null, dd_read, remove_nulls, run, settle
from test_sched import KINDS, ON_CPU, Sleeper
from test_syscall import Live
from tool import (TMP, counting, documents_of, ktrace, layer, limit, read_documents, timely,
                  undisturbed, wait_until_asleep)

teardown = remove_nulls


def slow_and_chosen(command, least_ns, load, key, *options):
    """Returns number and time of the recorded events that took as long, by a key; and the counted
    ones."""
    path = os.path.join(TMP, 'recorded')
    recorded = counting(command, '--slow', '0', '-o', path, *options)
    chosen = counting(command, '--min-time', '%dns' % least_ns, *options)
    load()
    data, = documents_of(chosen)
    assert documents_of(recorded) == [] and data['complete'], data
    *events, _ = read_documents(path)
    times = collections.defaultdict(list)
    for event in events:
        if event['duration_ns'] >= least_ns:
            times[key(event)].append(event['duration_ns'])
    slow = {name: (len(of), sum(of)) for name, of in times.items()}
    assert 0 < sum(number for number, _ in slow.values()) < len(events), (slow, len(events))
    return slow, data


def test_min_time_of_system_calls():
    live = Live(1)

    def load():
        for _ in range(30):
            live.call(20)
        wait_until_asleep(live.process.pid)
    wait_until_asleep(live.process.pid)
    slow, data = slow_and_chosen('syscall', 50000, load, lambda event: event['name'],
                                 '-p', str(live.process.pid))
    live.end()
    assert {row['name']: (row['calls'], row['total_ns']) for row in data['rows']} == slow


def test_min_time_of_periods():
    sleeper = Sleeper()

    def load():
        sleeper.work(30, 3000, 100)
        sleeper.asleep()
    sleeper.asleep()
    slow, data = slow_and_chosen('sched', MS, load, lambda event: (event['tid'], event['kind']),
                                 '-p', str(sleeper.pid))
    sleeper.end()
    assert {(row['tid'], kind): (row[kind]['count'], row[kind]['total_ns'])
            for row in data['rows'] for kind in KINDS if row[kind]['count']} == slow


SPIN = FIRST + '''
sys.stdin.readline()
end = time.monotonic() + 0.6
while time.monotonic() < end:
    pass
'''


@undisturbed
def test_runs_that_intervals_cut():
    """A run that intervals cut counts with all of its pieces if the whole is long enough, or with
    none."""
    spinner = subprocess.Popen(['python3', '-c', SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    spinner.stdout.readline()
    wait_until_asleep(spinner.pid)
    paths = [os.path.join(TMP, name) for name in ('whole', 'pieces', 'none')]
    options = ['--slow', '400ms'], ['--min-time', '400ms'], ['--min-time', '10s']
    runs = [counting('sched', '-p', str(spinner.pid), '-i', '100ms', '-o', path, *which)
            for path, which in zip(paths, options)]
    spinner.communicate(b'\n')
    for run_of in runs:
        assert run_of.wait(limit(60)) == 0, run_of.stderr.read()
    (events, _), (_, pieces), (_, none) = [told_and_counted(path) for path in paths]
    whole = [event['duration_ns'] for event in events if event['kind'] in ON_CPU]
    assert abs(sum(pieces) - sum(whole)) <= len(pieces) and not none, (pieces, whole, none)
    # Intervals that come late do not cut the run.
    timely(sum(pieces) == 0 or len(pieces) > 1, pieces)
    timely(len(whole) == 1, whole)


def told_and_counted(path):
    """Returns records, and the time on a CPU in each document."""
    documents = read_documents(path)
    rows = [row for one in documents for row in one.get('rows', [])]
    return ([one for one in documents if 'event' in one],
            [row[kind]['total_ns'] for row in rows for kind in ON_CPU if row[kind]['count']])


def test_min_time_of_requests():
    disks = Null(delay_ns=0), Null(delay_ns=20 * MS)

    def load():
        for disk in disks:
            run(*dd_read(disk.name, 20))
            settle(disk.name)
    slow, data = slow_and_chosen('io', 15 * MS, load, lambda event: event['disk'], '--layers',
                                 'block', '--dev', ','.join(disk.name for disk in disks))
    assert {row['disk']: (row['requests'], row['total_ns']) for row in layer(data, 'block')} == slow
    assert slow[disks[1].name][0] == 20, slow


def test_min_time_with_records():
    for command in ['syscall'], ['func', 'vfs_read'], ['sched'], ['io']:
        _, errors = ktrace(*command, '--slow', '1ms', '--min-time', '1us', status=2)
        assert 'cannot be combined' in errors, errors
