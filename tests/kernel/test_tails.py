# SPDX-License-Identifier: GPL-2.0
"""
A call ends when its caller continues, however it ends: durations equal those of the program itself.
The machine counts instructions, a nanosecond each, so stalls have no influence.
"""
import json
import os

from tool import own_functions, run_to_file

BUILDS = 'O0', 'O2', 'O3', 'Os', 'lto'
# Functions with which replaced return addresses do not work.
ABNORMAL = ('in_coroutine_tail', 'before_exception', 'leaves_by_longjmp', 'throws_through',
            'in_coroutine')
NORMAL = ('direct', 'conditional', 'by_table', 'by_register', 'mutual', 'into_library',
          'into_unseen', 'out_of_recursion', 'plain', 'nested', 'looping', 'recursive', 'sleeps',
          'is_interrupted', 'after_fork_tail', 'after_fork')
OFF = {}	# (function, build, how returns are seen): per cent that ktrace is below the program
HIT_NS = 20e3	# limit for the probes around a call


def trace(build, names, *options):
    """Returns {function: ktrace's time}, {function: ns by the program}, {path: calls}."""
    text, output, status, errors = run_to_file(
        f'tails-{build}', '--format', 'json', '--no-function', 'unseen', *options, args=names)
    assert status == 0 and not errors, (status, errors)
    data = json.loads(text)
    assert data['complete'], data['session']
    nodes = {node['node']: node for node in data['tree']}

    def path(node):
        return (path(nodes[node['parent']]) + '/' if 'parent' in node else '') + node['name']
    clock = {name: int(ns) for name, ns in (line.split() for line in output.splitlines())}
    paths = {path(node): node['calls'] for node in data['tree'] if '@' not in path(node)}
    return own_functions(data['rows']), clock, paths


def wrong(rows, clock):
    """Checks that functions took the program's time, in which its own probes may be included."""
    found = []
    for name, ns in clock.items():
        row = rows[name]
        assert 'at_most' not in row, row
        if not 0 <= ns - row['total_ns'] <= ns * 0.05 + row['calls'] * HIT_NS:
            found.append((name, ns, row['total_ns']))
    return found


def compare(build, names, *options):
    rows, clock, _ = trace(build, names, *options)
    assert set(clock) == set(names), clock
    for name, ns in clock.items():
        OFF[name, build, options[-1:]] = 100 * (ns - rows[name]['total_ns']) / ns
    found = wrong(rows, clock)
    assert not found, (build, options, found)


def print_table():
    """Prints all builds with probed exits, then with uretprobes; - marks functions that these
    break."""
    columns = [(build, options) for options in ((), ('uretprobe',)) for build in BUILDS]
    print('%-20s' % 'off by %', *('%5s' % build for build, _ in columns))
    for name in NORMAL + ABNORMAL:
        print('%-20s' % name, *('%5.1f' % OFF[(name, *column)] if (name, *column) in OFF else '    -'
                                for column in columns))


def check(build):
    """With probed exits, all functions; with uretprobes, those that these do not break."""
    compare(build, NORMAL + ABNORMAL)
    compare(build, NORMAL, '--return', 'uretprobe')
    _, _, paths = trace(build, NORMAL)
    _, _, by_uretprobe = trace(build, NORMAL, '--return', 'uretprobe')
    assert paths == by_uretprobe, {path: (paths.get(path), by_uretprobe.get(path))
                                   for path in {*paths, *by_uretprobe}
                                   if paths.get(path) != by_uretprobe.get(path)}


def test_clock_without_tail_calls():
    check('O0')


def test_clock_of_tail_calls():
    check('O2')


def test_clock_of_other_builds():
    for build in BUILDS[2:]:
        check(build)
    if os.environ.get('FULL'):
        print_table()


def test_jumps_that_need_no_probe():
    """chain jumps to direct, and direct to target: of the three only target returns."""
    text, *_ = run_to_file('tailcall', '--format', 'json', '-f', 'chain,direct,target')
    data = json.loads(text)
    calls = {name: row['calls'] for name, row in own_functions(data['rows']).items()}
    assert data['complete'] and calls['chain'] == 1, data
    counters = data['session']['counters']
    assert counters['hits'] == sum(calls.values()) + calls['target'], (counters, calls)
    paths = {node['name']: node for node in data['tree'] if node.get('tail')}
    assert {'direct', 'target'} <= set(paths), data['tree']


def late(inside, around, *options):
    """Returns the rows of the two functions, and {function: ns by the program}."""
    text, output, status, errors = run_to_file('late', '--format', 'json', '--no-function',
                                               'unseen', *options, args=[inside])
    assert status == 0 and not errors, (status, errors)
    data = json.loads(text)
    rows = own_functions(data['rows'])
    for name in inside, around:
        nodes = [node for node in data['tree'] if node['name'] == name]
        for figure in 'calls', 'self_ns':
            assert sum(node[figure] for node in nodes) == rows[name][figure], (figure, nodes, rows)
        for figure, of_nodes in ('at_most', 'at_most_calls'), ('at_most_self_ns',) * 2:
            assert sum(node.get(of_nodes, 0) for node in nodes) == rows[name].get(figure, 0), (
                figure, nodes, rows)
    return rows[inside], rows[around], {name: int(ns) for name, ns in
                                        (line.split() for line in output.splitlines())}


def is_near(ns, other):
    return abs(ns - other) <= other * 0.05 + 4 * HIT_NS


def check_bound(inside, around, nr, last):
    """
    The end is noticed at the next call: it is no time of a call, but a bound stands apart. last: the
    part of the time inside after the last hit there.
    """
    call, other, clock = late(inside, around, '--no-lib')
    assert call['calls'] == call['at_most'] == nr and call['total_ns'] == 0, call
    assert 'avg_ns' not in call and 'max_ns' not in call and 'p99_ns' not in call, call
    assert clock[inside] < call['at_most_ns'] <= other['total_ns'], (call, other, clock)
    # The time since the last hit is of either.
    assert is_near(other['at_most_self_ns'], clock[around] + clock[inside] * last), (other, clock)
    assert other['self_ns'] <= clock[around] <= other['self_ns'] + other['at_most_self_ns']
    assert call['self_ns'] == 0 and clock[inside] <= call['at_most_self_ns'], (call, clock)
    assert 'at_most' not in other, other


def check_known(inside, around, *options):
    """The call that throws is seen, and that it was caught, or that longjmp is at once."""
    call, other, clock = late(inside, around, *options)
    assert call['calls'] == 4 and 'at_most' not in call and 'at_most' not in other, (call, other)
    assert is_near(call['total_ns'], clock[inside]), (call, clock)
    assert is_near(other['self_ns'], clock[around]), (other, clock)
    assert call.get('at_most_self_ns', 0) == other.get('at_most_self_ns', 0) == 0, (call, other)


def test_end_that_is_noticed_late():
    check_bound('leap', 'lands', 4, 1 / 4)
    check_bound('fly', 'catches', 4, 1 / 4)
    check_bound('leave', 'idles', 1, 0)


def test_end_by_longjmp_and_exception():
    check_known('leap', 'lands')
    # __cxa_end_catch ends with a jump, so its own end would be a bound.
    check_known('fly', 'catches', '--no-function', '__cxa_end_catch*')


def test_records_of_late_ends():
    text = run_to_file('late', '--stream', '--format', 'json', '--no-lib', args=['leap'])[0]
    ends = [record for record in map(json.loads, text.splitlines())
            if record['event'] == 'exit' and record['name'] == 'leap']
    assert len(ends) == 4 and all(record['unwound'] and record['at_most'] for record in ends), ends
