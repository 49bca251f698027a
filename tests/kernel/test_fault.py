# SPDX-License-Identifier: GPL-2.0
"""ktrace fault: page faults of programs, each once, until its page is there."""
import contextlib
import json
import os
import re

from disks import MS, Null, read, remove_nulls, run, write
from tool import TMP, counting, documents_of, ktrace, read_documents, timely, undisturbed, victim

PAGE = 4096
RANDOMIZE = '/proc/sys/kernel/randomize_va_space'
teardown = remove_nulls


@contextlib.contextmanager
def addresses_that_stay():
    """Switches off address randomisation, because the stack's address decides how many pages it
    has."""
    before = read(RANDOMIZE)
    write(RANDOMIZE, 0)
    try:
        yield
    finally:
        write(RANDOMIZE, before)


def faults(options, *args):
    """Returns what ktrace counts of the victim: {key: row}, and the document."""
    path = os.path.join(TMP, 'faults')
    out, _ = ktrace('fault', *options, '--format', 'json', '-o', path, '--',
                    victim('faults'), *map(str, args))
    with open(path) as file:
        data = json.load(file)
    assert data['complete'], data
    said = {line.split()[0]: tuple(map(int, line.split()[1:])) for line in out.splitlines()}
    return {row['fault']: row for row in data['rows']}, said


def calls(rows, kind):
    return rows[kind]['calls'] if kind in rows else 0


def cold_file(pages):
    path = os.path.join(TMP, 'cold')
    with open(path, 'wb') as file:
        file.write(bytes(pages * PAGE))
        os.fsync(file.fileno())
    return path


def test_each_fault_counts_once():  # debug
    """As many of each kind as the victim causes, which the kernel counts too."""
    path = cold_file(40)
    with addresses_that_stay():
        faults([], 300, 200, path, 40, 3)       # puts its own pages into the cache
        # One failed fault: the handler of its signal uses another page of the stack.
        few, before = faults([], 0, 0, path, 40, 1)
        many, said = faults([], 300, 200, path, 40, 3)
    assert said['write'] == (300, 0) and said['read'] == (200, 0), said
    assert calls(many, 'write') - calls(few, 'write') == 300, (few, many)
    # Faults on file pages in memory, and failed ones, are read faults, too. How many pages one
    # fault maps depends on the address.
    errors = many['read']['errors'] - few['read']['errors']
    assert errors == 2, (few, many)
    around = sum(said['major']) - sum(before['major'])
    assert calls(many, 'read') - calls(few, 'read') == 200 + errors + around, (few, many)
    assert calls(many, 'exec') > 0, many


def test_major_faults_take_as_long_as_the_disk():
    """Each page of a slow disk is one fault, however often the kernel tries it."""
    disk = Null(delay_ns=20 * MS)
    rows, said = faults([], 0, 0, disk.path, 30, 0)
    assert said['major'] == (0, 30), said
    row = rows['major read']
    assert row['calls'] == 30, rows
    assert row['min_ns'] >= 20 * MS, row


@undisturbed
def test_faults_by_process():
    """A row has the process and its name; all rows together are all faults."""
    process = counting('fault', '--by', 'pid,fault')
    with addresses_that_stay():
        for nr in 100, 400:
            run(victim('faults'), str(nr), '0')
    data, = documents_of(process)
    rows = [row for row in data['rows'] if row['comm'] == 'faults' and row['fault'] == 'write']
    assert len(rows) == 2 and len({row['pid'] for row in rows}) == 2, rows
    least, most = sorted(row['calls'] for row in rows)
    timely(most - least == 300, rows)


def test_intervals_lose_no_fault():
    path = os.path.join(TMP, 'fault-intervals')
    with addresses_that_stay():
        few, _ = faults([], 0, 0)
        ktrace('fault', '-i', '100ms', '--format', 'json', '-o', path, '--', victim('faults'),
               '20000', '0')
        found = read_documents(path)
    total = sum(row['calls'] for data in found for row in data['rows'] if row['fault'] == 'write')
    assert total - calls(few, 'write') == 20000, (total, few)


def test_only_slow_faults():
    """--min-time leaves out faults that no disk delayed."""
    # A host that takes the processor away delays any fault, but not for so long.
    disk = Null(delay_ns=200 * MS)
    rows, _ = faults(['--min-time', '100ms'], 500, 500, disk.path, 10, 0)
    assert calls(rows, 'major read') == 10, rows
    assert calls(rows, 'write') == 0, rows


def test_slow_shows_each_fault():  # debug
    """Each fault is shown once; numbers, times and errors are those of the table."""
    path, cold = os.path.join(TMP, 'slow-faults'), cold_file(40)
    ktrace('fault', '--slow', '0', '--format', 'json', '-o', path, '--', victim('faults'), '300', '200',
           cold, '40', '3')
    *events, data = read_documents(path)
    assert data['complete'] and {event['event'] for event in events} == {'fault'}, data
    for row in data['rows']:
        mine = [event for event in events if event['kind'] == row['fault']]
        assert len(mine) == row['calls'], (len(mine), row)
        assert sum(event['duration_ns'] for event in mine) == row['total_ns'], row
        assert sum('errno' in event for event in mine) == row['errors'], row
    assert len(events) == sum(row['calls'] for row in data['rows']), data
    failed = [event for event in events if 'errno' in event]
    assert [event['errno'] for event in failed if event['comm'] == 'faults'] == ['EFAULT'] * 3, failed
    # Three times the page behind the file, and each page that was written once.
    assert len({event['page'] for event in failed}) == 1, failed
    written = [int(event['page'], 16) for event in events if event['kind'] == 'write']
    assert not any(page % PAGE for page in written), written
    rows = sorted(set(written))
    assert any(rows[i + 299] - rows[i] == 299 * PAGE for i in range(len(rows) - 299)), rows
    assert len({event['pid'] for event in events}) == 1, events[0]
    out, _ = ktrace('fault', '--slow', '0', '--', victim('faults'), '5', '0')
    assert re.search(r'^ +\d+\.\d{6} +\d+ faults +[\d.]+ +.?s  write 0x[0-9a-f]+000$', out, re.M), out


def test_bad_input():
    for options, sentence in (
            (['--by', 'syscall'], 'fault, tid, pid, comm, cpu, uid, cgroup'),
            (['--buffer', '1M'], 'add --slow TIME'),
            (['--stacks'], 'There is no option --stacks')):
        _, errors = ktrace('fault', *options, '-d', '1', status=2)
        assert sentence in errors, errors
