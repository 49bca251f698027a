# SPDX-License-Identifier: GPL-2.0
"""ktrace diff of what was traced here: two builds of a program, several runs of each."""
import json
import os
import subprocess

from tool import TMP, detach_all, ktrace, limit, victim

RUNS = 4
OWN = 'main', 'work', 'parse', 'check', 'search', 'look_up'

teardown = detach_all


def documents(program, absent):
    """Returns paths of documents with commas between."""
    paths = [os.path.join(TMP, '%s-%d.json' % (program, run)) for run in range(RUNS)]
    names = ','.join(name for name in OWN if name != absent)
    for path in paths:
        subprocess.run(['ktrace', 'run', '--no-lib', '-f', names, '--format', 'json', '-o', path, '--',
                        victim(program)], check=True, stdin=subprocess.DEVNULL, timeout=limit(60))
    return ','.join(paths)


def compared(old, new, *options):
    return json.loads(ktrace('diff', old, new, '--format', 'json', *options)[0])


def test_two_builds():
    old, new = documents('twobuilds', 'look_up'), documents('twobuilds-slow', 'search')
    data = compared(old, new)
    assert [one['what'] for one in data['differences']] == ['options', 'programs'], data['differences']
    rows = {row['name']: row for row in data['rows']}
    assert set(rows) == set(OWN), rows
    assert {name: row['in'] for name, row in rows.items() if row['in'] != 'both'} == \
        {'search': 'a', 'look_up': 'b'}, rows
    for name, row in rows.items():
        assert row['calls']['change'] == {'search': -10, 'look_up': 10}.get(name, 0), row
    # Sleeps are at least that long, and four runs of each build do not overlap.
    parse = rows['parse']['self_ns']
    assert data['rows'][0]['name'] == 'parse' and parse['a_min'] >= 30e6 and parse['b_min'] >= 300e6, parse
    assert parse['is_significant'] and parse['p'] < 0.029, parse
    assert rows['work']['total_ns']['change'] > 200e6, rows['work']

    errors = ktrace('diff', old, new, '--fail-above', '50%', '-f', 'parse,work', status=1)[1]
    assert 'parse got slower: self' in errors and 'work got slower: total' in errors, errors
    ktrace('diff', new, old, '--fail-above', '50%', '-f', 'parse')
    ktrace('diff', old, old, '--fail-above', '0')

    paths = {row['name']: row for row in compared(old, new, '--paths')['rows']}
    assert 'main;work;parse' in paths and 'main;work;search' in paths, paths
    assert paths['main;work;parse']['calls']['a'] == 10, paths
    picture = ktrace('diff', old, new, '--format', 'flame')[0]
    assert '<title>parse: ' in picture and 'only in A: main;work;search' in picture, picture[:2000]


def test_repeated_runs():
    """The runs of record --repeat are those of a side."""
    sides = []
    for program in 'twobuilds', 'twobuilds-slow':
        folder = os.path.join(TMP, program)
        ktrace('record', '-o', folder, '--force', '--repeat', '3', 'run', '--no-lib', '-f', ','.join(OWN), '--',
               victim(program))
        assert sorted(os.listdir(folder)) == ['0001', '0002', '0003']
        sides.append(folder)
    rows = {row['name']: row for row in compared(*sides)['rows']}
    assert set(rows) == set(OWN), rows
    parse = rows['parse']
    assert (parse['a_runs'], parse['b_runs'], parse['calls']['change']) == (3, 3, 0), parse
    assert 30e6 <= parse['self_ns']['a_min'] <= parse['self_ns']['a_max'] < 300e6 <= parse['self_ns']['b_min'], parse
    assert 'parse got slower: self' in ktrace('diff', *sides, '--fail-above', '50%', '-f', 'parse', status=1)[1]
    ktrace('diff', *reversed(sides), '--fail-above', '50%', '-f', 'parse')


def test_kernel_documents():
    """System calls, kernel functions and trees of other programs are compared, but not with each other."""
    path = os.path.join(TMP, 'syscall.json')
    ktrace('syscall', '--format', 'json', '-o', path, '--', '/bin/true')
    rows = {row['name']: row for row in compared(path, path)['rows']}
    assert rows['mmap']['calls']['change'] == 0 and rows['mmap']['calls']['a'] > 0, rows
    tree = os.path.join(TMP, 'graph.json')
    ktrace('graph', 'ksys_read', '--include', 'vfs_read', '--format', 'json', '-o', tree, '--', '/bin/cat', '/etc/passwd')
    names = [row['name'] for row in compared(tree, tree, '--paths')['rows']]
    assert 'ksys_read;vfs_read' in names, names
    errors = ktrace('diff', path, tree, status=2)[1]
    assert 'they have nothing in common' in errors, errors
