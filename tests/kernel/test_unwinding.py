# SPDX-License-Identifier: GPL-2.0
"""Stacks of programs without frame pointers."""
import functools
import json
import os
import sys

from suite import Skip
from tool import TMP, ktrace, none_left, undisturbed, victim

SORTS = ['main', 'sort_all', 'compare']
teardown = none_left


def folded(*options, args):
    """Returns the samples of each path, its outermost frame first."""
    path = os.path.join(TMP, 'unwound')
    ktrace('profile', '-F', '499', '--mode', 'user', '--format', 'folded', '-o', path, *options,
           '--', *args)
    with open(path) as file:
        lines = [line.rsplit(' ', 1) for line in file.read().splitlines()]
    return {tuple(path.split(';')): int(ns) for path, ns in lines}


def share(paths, chosen):
    """Returns the share of the samples whose path is chosen, in percent."""
    assert sum(paths.values()) >= 20 * 10**9 // 499, paths
    return 100 * sum(ns for path, ns in paths.items() if chosen(path)) / sum(paths.values())


def has_in_order(path, names):
    rest = iter(path)
    return all(name in rest for name in names)


def comparing(*options, args):
    """Returns how many of the samples in compare() have its callers, in percent."""
    paths = folded(*options, args=args)
    return share({path: ns for path, ns in paths.items() if path[-1] == 'compare'},
                 lambda path: has_in_order(path, SORTS))


def is_of_loader(path):
    """Whether the loader, before it calls the program: its first function has no table."""
    return any(name.startswith('ld-linux') for name in path[1:3])


def document(*options, args):
    path = os.path.join(TMP, 'unwound')
    ktrace('profile', '-F', '499', '--format', 'json', '-o', path, *options, '--', *args)
    with open(path) as file:
        return json.load(file)


@functools.lru_cache(maxsize=None)
def need_tables():
    data = document(args=['/bin/true'])
    if data['samples']['unwind'] != 'tables':
        raise Skip('the module finds stacks by frame pointers only')
    return data


@undisturbed
def test_callers_through_the_library():
    """The callers of a comparison that qsort() calls, which frame pointers lose."""
    need_tables()
    args = [victim('sorts'), '800']
    whole, by_fp = comparing(args=args), comparing('--unwind', 'fp', args=args)
    print('      whole: %.1f %%; by frame pointers: %.1f %%' % (whole, by_fp))
    assert whole >= 95 and by_fp <= 5, (whole, by_fp)


@undisturbed
def test_an_interpreter():
    """Every path of a stripped interpreter begins at its start."""
    need_tables()
    code = 'sum(sorted(range(60000), key=lambda x: -x)); "".join(str(i) for i in range(60000))'
    paths = folded(args=[sys.executable, '-S', '-c', code])
    paths = {path: ns for path, ns in paths.items() if not is_of_loader(path)}
    whole = share(paths, lambda path: any(name.startswith('__libc_start_main') for name in path))
    print('      whole: %.1f %% of %d paths' % (whole, len(paths)))
    assert whole >= 90, paths


@undisturbed
def test_files():
    """The report says how each file went; code that is loaded later has a table, too."""
    data = need_tables()
    assert {'[vdso]'} < {file['file'] for file in data['unwind']}, data['unwind']
    for file in data['unwind']:
        assert file['method'] == 'table' and file['rows'] and file['bytes'] > 4 * file['rows'], file
    out, _ = ktrace('profile', '--', victim('sorts'), '100')
    assert 'Stacks of programs were found by tables of ' in out, out
    assert 'by frame pointers in' not in out, out
    out, _ = ktrace('profile', '--unwind', 'fp', '--', victim('sorts'), '100')
    assert 'Stacks of programs were found by frame pointers, which some' in out, out
    data = document(args=['sh', '-c', '%s 500; :' % victim('sorts')])
    assert any(file['file'].endswith('/sorts') for file in data['unwind']), data['unwind']
    assert any(has_in_order(row.get('user', [])[::-1], SORTS) for row in data['stacks']), data['stacks']
