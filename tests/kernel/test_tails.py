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
