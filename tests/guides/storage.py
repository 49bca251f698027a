# SPDX-License-Identifier: GPL-2.0
"""What the guide to a storage engine claims: slow writes sleep, because a merge falls behind."""
import json
import os
import re
import subprocess

from run import HERE


def document(guide, recording, session):
    text = subprocess.check_output([HERE + '/build/ktrace', 'report', os.path.join(guide.folder, recording),
                                    '--session', session, '--format', 'json'], text=True)
    return {row['name']: row for row in json.loads(text)['rows']}


def named(rows, part):
    """Returns the only row whose name contains the text, or None."""
    found = [row for name, row in rows.items() if part in name]
    assert len(found) < 2, (part, [row['name'] for row in found])
    return found[0] if found else None


def check_first(guide):
    """Most calls of all functions are of those that the guide leaves out."""
    top = guide.output('ktrace report all').split('FUNCTION\n')[1].splitlines()[:5]
    assert len([line for line in top if re.search('Compar|Varint|Slice|Count', line)]) >= 4, top
    records = int(re.search(r'ktrace: (\d+) records', guide.output('ktrace record -o all'))[1])
    assert records > 80 * 250, records


def check_cause(guide):
    rows, calls = document(guide, 'few', 'functions'), document(guide, 'few', 'syscalls')
    sleeps, rooms = named(rows, 'SleepForMicroseconds'), named(rows, 'MakeRoomForWrite')
    assert rooms['calls'] == rows['put_record']['calls'] == 2000, rooms
    # Each sleep is one of the writer, and one system call.
    assert 100 < sleeps['calls'] == calls['clock_nanosleep']['calls'], (sleeps, calls['clock_nanosleep'])
    assert sleeps['min_ns'] >= 1000000 <= calls['clock_nanosleep']['min_ns'], sleeps
    callers = guide.output('ktrace report few --session functions --format callers')
    sleeper = callers.split('SleepForMicroseconds(int)\n')[1].splitlines()[0]
    assert '<- leveldb::DBImpl::MakeRoomForWrite' in sleeper and ' %d ' % sleeps['calls'] in sleeper, callers
    # The other thread merges most of the time.
    assert named(rows, 'BackgroundCompaction')['total_ns'] > rows['main']['total_ns'] / 2, rows['main']
    assert named(rows, 'CompactMemTable')['calls'] > 20, rows


def check_remedy(guide):
    rows = document(guide, 'larger', 'functions')
    assert rows['put_record']['calls'] == 2000 and not named(rows, 'SleepForMicroseconds'), rows
    slow, fewer = (int(re.search(r'; (\d+) took more', guide.output('./store data', run))[1]) for run in (0, 1))
    assert fewer < slow, (slow, fewer)


def check_pictures(guide):
    with open(guide.folder + '/few.svg') as file:
        assert 'MakeRoomForWrite' in file.read()
    with open(guide.folder + '/few.trace') as file:
        events = json.load(file)['traceEvents']
    tids = [{event['tid'] for event in events if event.get('ph') == 'X' and part in event['name']}
            for part in ('SleepForMicroseconds', 'clock_nanosleep', 'DoCompactionWork')]
    assert len(tids[0]) == 1 and tids[0] == tids[1] and tids[2] and not tids[0] & tids[2], tids


def check(guide):
    check_first(guide)
    check_cause(guide)
    check_remedy(guide)
    check_pictures(guide)
