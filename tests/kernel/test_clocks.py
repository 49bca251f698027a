# SPDX-License-Identifier: GPL-2.0
"""
Times of a program are its own, whatever the probes cost. Tested where a nanosecond is an
instruction, so that a busy host has no influence.
"""
import json

from test_costs import Tight, excluded, ran_ns
from tool import ktrace, none_left, run_to_file, session_of, wait_for

CALLS = 20000
PAIRS = ('outer', 'empty'), ('outer_stepped', 'stepped'), ('outer_tiny', 'tiny')

teardown = none_left


def figures_of(*options):
    """Returns {function: (self, total)}."""
    text = run_to_file('emptycall', '--format', 'json', *options, '--no-lib', '--no-function', 'main',
                       args=(str(CALLS),))[0]
    rows = {row['name']: row for row in json.loads(text)['rows'] if row.get('calls')}
    for outer, inner in PAIRS:
        assert rows[inner]['calls'] == CALLS and rows[outer]['calls'] == 1, rows
    return {name: (row['self_ns'], row['total_ns']) for name, row in rows.items()}


def test_self_time():
    """A function that only calls an empty one has almost no time of its own, and neither has that
    one."""
    raw, own = figures_of('--with-probe-cost'), figures_of()
    for outer, inner in PAIRS:
        total = raw[outer][1]
        both = raw[outer][0] + raw[inner][0]
        assert 0.9 * total < both <= total, (outer, raw)
        assert own[outer][0] <= 0.1 * raw[outer][0], (outer, raw, own)
        assert own[outer][0] + own[inner][0] <= 0.1 * both, (outer, raw, own)
        assert 0.5 * total < own[outer][1] < 2 * total, (outer, raw, own)


def test_stack_in_a_local_variable():
    """A call that waits for a coroutine on a local stack lasts until it returns."""
    text, output = run_to_file('localstack', '--format', 'json', args=('clock',))[:2]
    row = {row['name']: row for row in json.loads(text)['rows']}['resume']
    assert row['calls'] == 5, row
    assert 0.9 * int(output) < row['total_ns'] <= int(output), (row, output)


def test_time_of_its_own():
    """A function's own work stays in its own time, whatever its callees cost."""
    own = []
    for functions in 'work', 'work,empty':
        text = run_to_file('emptycall', '--format', 'json', '-f', functions, args=('work', '2000'))[0]
        own.append({row['name']: row for row in json.loads(text)['rows']}['work']['self_ns'])
    assert abs(own[1] - own[0]) < 0.05 * own[0], own


def test_cost_of_excluded_tasks():
    """What excluded hits are said to cost is the CPU time of a program that does nothing else."""
    with Tight() as tight:
        ktrace('ctl', 'attach', '--pid', str(tight.process.pid), '-f', 'empty', '--name', 'nobody',
               '--comm', 'nobody')
        before, begin = session_of('nobody')['counters'], ran_ns(tight)
        wait_for(lambda: excluded('nobody') > before['excluded'] + 500000)
        after, ran = session_of('nobody')['counters'], ran_ns(tight) - begin
        ktrace('ctl', 'detach', 'nobody')
    nr = after['excluded'] - before['excluded']
    took, said = ran / nr, (after['cost_ns'] - before['cost_ns']) / nr
    print('      an excluded hit: %d instructions, said to be %d' % (took, said))
    assert 0.8 * took < said < 1.1 * took, (took, said)
