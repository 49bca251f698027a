# SPDX-License-Identifier: GPL-2.0
"""--below and --not-below: what belongs to the inside of a call, and what does not."""
import json
import os

from test_ctl import Spin
from test_run import tree_of
from tool import TMP, ktrace, run_to_file, untraced, victim

GATE = ['gate() {', '  leaf();', '} /* gate */']
GATE_2 = ['gate() {', '  leaf();', '  middle() {', '    gate() {', '      leaf();',
          '    } /* gate */', '    leaf();', '  } /* middle */', '} /* gate */']
THROUGH = ['through() {', '  throws() {', '    leaf();', '  } /* throws */ /* unwound, at most */',
           '} /* through */ /* unwound, at most */']


def deeper(lines):
    return ['  ' + line for line in lines]


MUTE = ['mute() {', '  leaf();', '  runs_on(); /* at most */'] + deeper(GATE) + ['} /* mute */']
CATCHES = ['catches() {'] + deeper(THROUGH) + ['  leaf();', '} /* catches */']
JUMPS = ['leaves_by_jump() {', '  leaf();', '} /* leaves_by_jump */', 'enters_by_jump() {']
JUMPS += deeper(GATE) + ['} /* enters_by_jump */']


def in_main(lines):
    return ['main() {'] + deeper(lines) + ['} /* main */']


def check(want, *options):
    """Checks that the tree is the same, whether calls are recorded at their entry or their
    return."""
    for more in ([], ['--min-time', '1ns']):
        text, output, status, errors = run_to_file('below', '--no-function', '*@*', *options,
                                                   *more)
        assert (output, status) == untraced('below'), (output, status, errors)
        threads = list(tree_of(text).values())
        assert threads == ([want] if want else []), '\n'.join(sum(threads, []))


def figures(*options):
    """Returns calls by function, and by path in the kernel's tree."""
    data = json.loads(run_to_file('below', '--format', 'json', '--no-function', '*@*',
                                  *options)[0])
    calls = {row['name']: row['entries'] for row in data['rows']}
    for row in data['rows']:
        assert row['calls'] == row['entries'], row
        assert row['self_ns'] <= row['total_ns'] <= 10 ** 10, row
    nodes = {node['node']: node for node in data['tree']}

    def path(node):
        above = path(nodes[node['parent']]) + '/' if 'parent' in node else ''
        return above + node['name']
    return calls, {path(node): node['calls'] for node in nodes.values()}


def test_all_without():
    check(in_main(['leaf();'] + GATE_2 + MUTE + JUMPS + CATCHES + ['leaf();']))


def test_below():
    check(GATE_2 + GATE + GATE, '--below', 'gate')
    calls, nodes = figures('--below', 'gate')
    assert calls == {'gate': 4, 'leaf': 5, 'middle': 1}, calls
    assert nodes == {'gate': 3, 'gate/leaf': 3, 'gate/middle': 1, 'gate/middle/gate': 1,
                     'gate/middle/gate/leaf': 1, 'gate/middle/leaf': 1}, nodes


def test_below_itself_not_shown():
    check(['leaf();'] * 5, '--below', 'gate', '-f', 'leaf')
    check(['leaf();', 'middle() {', '  leaf();', '  leaf();', '} /* middle */', 'leaf();',
           'leaf();'], '--below', 'gate', '-f', 'leaf,middle')
    calls, nodes = figures('--below', 'gate', '-f', 'leaf,middle')
    assert calls == {'leaf': 5, 'middle': 1}, calls
    assert nodes == {'leaf': 3, 'middle': 1, 'middle/leaf': 2}, nodes


def test_not_below():
    check(in_main(['leaf();'] + GATE_2 + JUMPS + ['leaf();']), '--not-below', 'mute,catches')
    calls, nodes = figures('--not-below', 'gate,catches', '-f', 'leaf,mute')
    assert calls == {'leaf': 4, 'mute': 1}, calls
    assert nodes == {'leaf': 3, 'mute': 1, 'mute/leaf': 1}, nodes
    check([], '--not-below', 'main')


def test_never_is_stronger():
    check(GATE_2 + GATE, '--below', 'gate', '--not-below', 'mute')
    check(GATE + GATE + ['gate() {', '  leaf();', '} /* gate */'], '--below', 'gate',
          '--not-below', 'middle')
    check([], '--below', 'gate', '--not-below', 'gate')


def test_depth_counts_from_there():  # slow
    check(['gate() {', '  leaf();', '  middle();', '} /* gate */'] + GATE + GATE,
          '--below', 'gate', '--max-depth', '2')
    check(['gate();'] * 3, '--below', 'gate', '--max-depth', '1')
    check(['leaf();', 'middle();', 'leaf();', 'leaf();'], '--below', 'gate', '-f',
          'leaf,middle', '--max-depth', '1')
    check(GATE + GATE + GATE + ['through() {', '  throws(); /* unwound, at most */',
                                '} /* through */ /* unwound, at most */'],
          '--below', 'gate,through', '--not-below', 'middle', '--max-depth', '2')


def test_exception_leaves():
    """An exception that passes through the function ends its inside."""
    check(THROUGH, '--below', 'through')
    check(['leaf();'], '--below', 'through', '-f', 'leaf')
    check(in_main(['leaf();'] + GATE_2 + MUTE + JUMPS +
                  ['catches() {', '  leaf();', '} /* catches */', 'leaf();']),
          '--not-below', 'through')


def test_flat_lines_say_so():
    text = run_to_file('below', '--format', 'flat', '--no-function', '*@*', '--below',
                       'through')[0]
    lines = [' '.join(line.split()[2:]) for line in text.splitlines()[1:]]
    assert lines[0] == 'entry through()' and lines[-1] == 'end thread', text
    assert [line.split(' ', 3)[3] for line in lines if line.startswith('exit')] == [
        'leaf()', 'throws() /* unwound, at most */', 'through() /* unwound, at most */'], text
    assert 'unwound' not in ''.join(line for line in lines if line.startswith('entry')), text


def test_tail_call_is_below():  # debug
    check(JUMPS[:3], '--below', 'leaves_by_jump')
    check(['leaf();'] + GATE, '--below', 'enters_by_jump,leaves_by_jump', '-f', 'gate,leaf')


def test_functions_without_returns():
    """Calls whose end is not seen are hidden like others."""
    check(MUTE, '--below', 'mute')
    check(['runs_on(); /* at most */'], '--below', 'mute', '-f', 'runs_on')
    check(['runs_on(); /* at most */'], '--below', 'runs_on')
    check([], '--not-below', 'mute', '-f', 'runs_on')
    assert figures('--below', 'gate', '-f', 'runs_on') == ({}, {})


def test_reset_with_hidden_callers():
    """Each call is in exactly one of the reads, and hidden calls have no node."""
    ktrace('ctl', 'attach', '--binary', victim('spin'), '--name', 'hidden', '-f', 'tick',
           '--below', 'main')
    calls = 0
    with Spin('spin', '10000', '10') as spin:
        for _ in range(10):
            data = json.loads(ktrace('ctl', 'read', 'hidden', '--format', 'json', '--reset')[0])
            calls += sum(node['calls'] for node in data['tree'])
            assert all('parent' not in node for node in data['tree']), data['tree']
        ticks = spin.end()
    data = json.loads(ktrace('ctl', 'read', 'hidden', '--format', 'json')[0])
    calls += sum(node['calls'] for node in data['tree'])
    assert calls == ticks, (calls, ticks)
    ktrace('ctl', 'detach', 'hidden')


def test_below_in_a_program_that_is_executed():
    """As with -f: the first program has no such function, and nothing of it is shown."""
    path = os.path.join(TMP, 'below')
    errors = ktrace('run', '-o', path, '--no-function', '*@l*', '--below', 'gate', '--', 'env',
                    victim('below'), status=untraced('below')[1])[1]
    assert "matches 'gate'" in errors and 'are searched as well' in errors, errors
    with open(path) as out:
        text = out.read()
    calls = [line.replace('@below', '') for line in sum(tree_of(text).values(), [])
             if not line.startswith('/*')]
    assert calls == GATE_2 + GATE + GATE, text


def test_patterns_that_match_more():
    """no_entry, which cannot be probed, limits nothing; other functions that match the pattern
    do."""
    for option, glob, want in (('--below', 'n[o]_entry,gate', GATE_2 + GATE + GATE),
                               ('--not-below', '[mn][uo]*', in_main(
                                   ['leaf();'] + GATE_2 + JUMPS + CATCHES + ['leaf();']))):
        text, output, status, errors = run_to_file('below', '--no-function', '*@*', option, glob)
        assert (output, status) == untraced('below'), (output, status, errors)
        assert list(tree_of(text).values()) == [want], text
        assert f'{option} does not apply to no_entry, whose calls cannot be followed' in errors, errors


def test_refusals():
    for options, words in ((['--below', 'gate', '--return', 'none'], 'cannot be seen'),
                           (['--not-below', 'gat'], 'Did you mean gate'),
                           (['--not-below', 'no_entry'], 'every return of no_entry'),
                           (['--not-below', 'no_e*'], 'every return of no_entry'),
                           (['--below', 'gate', '-f', 'nothing_like_it', '--no-follow'], 'No function')):
        _, errors = ktrace('run', *options, '--', victim('below'), status=125)
        assert words in errors and errors.count('\n') == 1, errors
