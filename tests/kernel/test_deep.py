# SPDX-License-Identifier: GPL-2.0
"""A program with a deep stack: all calls are counted, and other tasks are not delayed."""
import json
import os
import re
import subprocess

from tool import TMP, detach_all, expected_calls, limit, run_to_file, untraced, victim

# Instructions that a real-time thread may wait for a hit at most; a nanosecond is an instruction.
LATEST = 100000

teardown = detach_all


def run(*options):
    """Returns the counts, and how late the thread was at most while frames were searched."""
    path = os.path.join(TMP, 'deep')
    done = subprocess.run(['ktrace', 'run', '-o', path, '--format', 'json', '--no-lib', '-f',
                           'descend,visit', *options, '--', victim('deep')],
                          capture_output=True, text=True, timeout=limit(300))
    assert (done.stdout, done.returncode) == untraced('deep'), (done.returncode, done.stderr)
    with open(path) as out:
        data = json.load(out)
    late = [int(ns) for ns in done.stderr.split('late ')[1].split()[1:3]]
    return data, late


def test_deep():
    data, late = run()
    rows = data['rows']
    assert {row['name']: row['entries'] for row in rows} == expected_calls('deep'), rows
    assert all(row['calls'] == row['entries'] for row in rows), rows
    print('      late by %d and %d ns at most' % tuple(late))
    # Only with ICOUNT=1 for the machine and in it. Otherwise the host may be the cause.
    if os.environ.get('ICOUNT'):
        assert max(late) < LATEST, late


def test_deep_exec():
    """Open calls end before the new program's first call, however many they are."""
    path = os.path.join(TMP, 'deepexec')
    done = subprocess.run(['ktrace', 'run', '-o', path, '--no-lib', '-f', 'descend,visit,begin',
                           '--', victim('deepexec')], capture_output=True, text=True,
                          timeout=limit(300))
    assert (done.stdout, done.returncode) == untraced('deepexec'), done.stderr
    with open(path) as out:
        lines = out.read().splitlines()
    first = next(nr for nr, line in enumerate(lines) if 'begin() {' in line)
    rest = [line.split('|', 1)[1].strip() for line in lines[first:] if '|' in line]
    assert rest[0] == 'begin() {', rest[:5]
    assert [line for line in rest if 'descend' in line] == [], rest[:10]
    assert sum('visit' in line for line in rest) == 3 and rest[-1] == '} /* begin */', rest
    assert sum('descend' in line for line in lines[:first]) >= 2001


def test_deep_coroutines():
    """A call in a deep coroutine needs no search, and the cost of a search is counted."""
    path = os.path.join(TMP, 'deepcoroutine')
    done = subprocess.run(['ktrace', 'run', '-o', path, '--format', 'json', '--no-lib', '--',
                           victim('deepcoroutine'), '3000'], capture_output=True, text=True,
                          timeout=limit(300))
    assert done.returncode == 0, done.stderr
    with open(path) as out:
        data = json.load(out)
    alone, in_turn = (int(word) for word in done.stdout.split() if word.isdigit())
    counters = data['session']['counters']
    assert counters['lost_pool'] == 0, counters
    print('      %d ns a call, %d ns after a switch' % (alone, in_turn))
    assert alone * 4 < in_turn, (alone, in_turn)
    # 3000 entries, and no return, follow a switch.
    searches = counters['hits'] * counters['run_ns'] // counters['run_cnt']
    assert searches > 3000 * in_turn // 2, (searches, in_turn, counters)


def test_budget_sees_searches():
    """The cost of searches is in the budget as soon as it is there."""
    errors = run_to_file('deepcoroutine', '--format', 'json', '--no-lib', '--budget', '20',
                         args=['6000'])[3]
    assert re.search(r'leaf\(\) is no longer probed', errors), errors
