# SPDX-License-Identifier: GPL-2.0
"""libktrace, by the programs of docs/examples: tables of any session, and streams that survive a kill."""
import collections
import os
import random
import subprocess
import time

from test_live import Live, attach, counts
from tool import SLOW, TMP, counting, detach_all, limit, session_of, sessions, wait_for

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build/examples')

teardown = detach_all


def example(name, *args, status=0):
    done = subprocess.run([os.path.join(EXAMPLES, name), *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=limit(60))
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stderr if status else done.stdout


def rows_of(text):
    """Returns the rows of all tables, each as values by column; "others" has no column."""
    rows, head = [], []
    for line in text.splitlines():
        words = line.split('\t')
        if words[-1] == 'p99':
            head = words
        else:
            rows.append(dict(zip(head, words)))
    return rows


def test_table():
    """The figures are those of ctl read."""
    with Live() as live:
        attach('-f', 'alpha,beta')
        live.do('alpha 30', 'beta 7')
        rows = rows_of(example('table', 's'))
        assert sorted(int(row['entries']) for row in rows) == [7, 30], rows
        assert sorted(counts().values()) == [7, 30]
        for row in rows:
            assert int(row['calls']) == int(row['entries'])
            assert int(row['min']) <= int(row['total']) // int(row['calls']) <= int(row['max']), row
            assert int(row['min']) < int(row['p99']) <= int(row['max']) * 17 / 16 + 1, row


def test_tables_of_a_command():
    """A session that a command made for itself has no name, but tables: of calls, and of --by."""
    process = counting('syscall', '--by', 'comm,syscall')
    try:
        wait_for(lambda: [session['state'] for session in sessions()] == ['active'])
        subprocess.check_call(['true'])
        session, = sessions()
        wait_for(lambda: any(row.get('comm') == 'true' for row in rows_of(example('table', str(session['id'])))))
    finally:
        process.kill()
        process.communicate()


def test_refused():
    assert example('table', 'nobody', status=1) == 'table nobody: No such file or directory\n'
    assert 'Invalid argument' in example('follow', 's', status=1)
    attach('-f', 'alpha')
    assert example('follow', 's', TMP + '/none', status=1).startswith('follow NAME FILE: ')
    assert 'No such file' in example('follow', 's', TMP + '/no/folder', status=1)


def follower(path):
    return subprocess.Popen([os.path.join(EXAMPLES, 'follow'), 's', path], stderr=subprocess.PIPE, text=True)


def lines_of(path):
    with open(path) as file:
        lines = file.read().split('\n')
    assert lines.pop() == ''
    return lines


def check_once(path, cookie_nr=1):
    """Each record that the module produced, less those that it dropped, is in the file once."""
    names = [line.split()[0] for line in lines_of(path)]
    twice = [name for name, nr in collections.Counter(names).items() if nr > 1]
    assert not twice, twice[:5]
    assert len({name.split('.')[0] for name in names}) == cookie_nr
    counters = session_of('s')['counters']
    assert len(names) == counters['produced'] - counters['dropped'], (len(names), counters)
    assert counters['held'] == 0 and counters['acknowledged'] == len(names), counters
    return counters


def end_of(process):
    errors = process.communicate(timeout=limit(60))[1]
    assert process.returncode == 0 and not errors, (process.returncode, errors)


def test_followed_to_the_end():
    path = TMP + '/followed'
    with Live() as live:
        attach('-f', 'alpha', '--stream', '--for', str(3 * SLOW))
        process = follower(path)
        live.do('alpha 2000')
        wait_for(lambda: session_of('s')['state'] == 'stopped', 60)
        end_of(process)
        assert check_once(path)['produced'] >= 4000


def test_one_follower():
    with Live() as live:
        attach('-f', 'alpha', '--stream')
        process = follower(TMP + '/first')
        live.do('alpha 10')
        wait_for(lambda: os.path.exists(TMP + '/first') and lines_of(TMP + '/first'))
        assert 'busy' in example('follow', 's', TMP + '/second', status=1)
        process.kill()
        process.communicate()


def killed_at_random(path, live):
    random.seed(1)
    for _ in range(20):
        process = follower(path)
        live.begin('alpha 500')
        time.sleep(random.random() * .2)
        process.kill()
        process.communicate()
        live.wait()


def test_follower_is_killed():
    """20 times, at any moment, while records come: none is lost, and none is there twice."""
    path = TMP + '/killed'
    with Live() as live:
        attach('-f', 'alpha', '--stream', '--for', str(30 * SLOW))
        killed_at_random(path, live)
        process = follower(path)
        wait_for(lambda: session_of('s')['state'] == 'stopped', 90)
        end_of(process)
        assert check_once(path)['produced'] >= 20000


def test_follower_of_a_small_ring():
    """What has no room is counted: produced is what the file has, and what was dropped."""
    path = TMP + '/small'
    with Live() as live:
        attach('-f', 'alpha', '--stream', '--buffer', '32K', '--for', str(5 * SLOW))
        live.do('alpha 20000')
        process = follower(path)
        wait_for(lambda: session_of('s')['state'] == 'stopped', 60)
        end_of(process)
        assert check_once(path)['dropped'] > 0
