# SPDX-License-Identifier: GPL-2.0
"""A program that is deep in calls: all are counted, and nobody else waits for that."""
import json
import os
import subprocess

from tool import TMP, expected_calls, ktrace, limit, untraced, victim

# Instructions that a thread of real time waits for a hit at most, where a nanosecond is one.
LATEST = 100000


def teardown():
    ktrace('ctl', 'detach', '--all')


def run(*options):
    """What was counted, and how late the thread was at most while frames were looked for."""
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
    rows = data['functions']
    assert {row['name']: row['entries'] for row in rows} == expected_calls('deep'), rows
    assert all(row['calls'] == row['entries'] for row in rows), rows
    print('      late by %d and %d ns at most' % tuple(late))
    # With ICOUNT=1 for the machine and in it. Else the host is late.
    if os.environ.get('ICOUNT'):
        assert max(late) < LATEST, late
