# SPDX-License-Identifier: GPL-2.0
"""--arg and --ret: the arguments of functions and their results."""
import json
import os
import re
import subprocess

import silent_fuse
from suite import Skip
from test_run import tree_of
from tool import TMP, ktrace, run_to_file, untraced, victim, wait_for

DIGITS = ''.join(str(i % 10) for i in range(79))
BAD = {'unreadable': True}
STRINGS = [
    'plain', '', '"q" \\ \t\n\033[31m \u00e9 \ufffd', DIGITS[-63:], {'cut': DIGITS[-64:-1]},
    'end', BAD, 'cross',
    None, BAD, BAD, BAD, '', BAD, BAD, 'shared',
]
SHOWN = [
    '"plain"', '""', r'"\"q\" \\ \t\n\033[31m é \377"', '"%s"' % DIGITS[-63:],
    '"%s"...' % DIGITS[-64:-1], '"end"', '(unreadable)', '"cross"', 'NULL', '(unreadable)',
    '(unreadable)', '(unreadable)', '""', '(unreadable)', '(unreadable)',
    '"shared"',
]
INTS = '-A', 'ints@1,2,3/u,4/x,5,6', '-R', 'ints'
FACTORIAL = '-A', 'factorial@1', '-R', 'factorial'
FACTORIAL_TREE = ['factorial(4) {', '  factorial(3) {', '    factorial(2) {',
                  '      factorial(1) = 1;', '    } = 2 /* factorial */',
                  '  } = 6 /* factorial */', '} = 24 /* factorial */']


def check_alive(output, status, errors=''):
    assert (output, status) == untraced('values'), (output, status, errors)


def tree(*options):
    text, output, status, errors = run_to_file('values', *options)
    check_alive(output, status, errors)
    return list(tree_of(text).values())[0]


def records(*options):
    text, output, status, errors = run_to_file('values', '--stream', '--format', 'json', *options)
    check_alive(output, status, errors)
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[-1]['complete'], lines[-1]
    return lines[:-1]


def values(lines, event, name, key):
    return [line.get(key, 'none') for line in lines
            if (line['event'], line.get('name')) == (event, name)]


def test_integers():
    calls = ['ints(-1, -2, 18446744073709551615, 0x7f, 1099511627776, -1099511627776) = 124;',
             'ints(7, 1, 2, 0x3, 4, 5) = 19;']
    assert tree('-f', 'ints', *INTS) == calls
    assert tree('-f', 'ints', *INTS, '--return', 'uretprobe') == calls
    assert tree('-f', 'ints', *INTS, '--return', 'none') == [
        call.split(' = ')[0] + '; /* return not seen */' for call in calls]
    lines = records('-f', 'ints', *INTS)
    assert values(lines, 'entry', 'ints', 'args') == [
        [-1, -2, '18446744073709551615', '0x7f', 1099511627776, -1099511627776],
        [7, 1, 2, '0x3', 4, 5]], lines
    assert values(lines, 'exit', 'ints', 'return') == [124, 19], lines


def test_strings():  # debug
    assert tree('-f', 'text', '-A', 'text@1/s', '-R', 'text/s') == [
        'text(%s) = %s;' % (s, s) for s in SHOWN]
    lines = records('-f', 'text', '-A', 'text@1/s', '-R', 'te*t/s')
    assert values(lines, 'entry', 'text', 'args') == [[s] for s in STRINGS], lines
    assert values(lines, 'exit', 'text', 'return') == STRINGS, lines


def test_nested():
    assert tree('-f', 'factorial', *FACTORIAL) == FACTORIAL_TREE
    assert tree('-f', 'factorial', *FACTORIAL, '--return', 'uretprobe') == FACTORIAL_TREE
    assert tree('-f', 'factorial', '-A', 'factorial@1', '--max-depth', '1') == ['factorial(4);']
    assert tree('-f', 'factorial', '-R', 'factorial/x', '--min-time', '1ns')[-2:] == [
        '  } = 0x6 /* factorial */', '} = 0x18 /* factorial */']
    assert tree('-f', 'factorial,ints', *FACTORIAL, '--below', 'factorial') == FACTORIAL_TREE


def test_tail_call_has_the_last_result():  # debug
    """A function that is jumped to returns to the caller of the jumping function."""
    lines = tree('-f', 'jumps,ints,nothing', '-A', 'jumps@1', '-R', 'jumps', '-R', 'ints')
    assert lines[1:] == ['jumps(7) {', '  ints() = 19;', '} = 19 /* jumps */', 'nothing();'], lines


def test_import():
    options = '-f', 'write', '-A', 'write@libc@1,2/s,3', '-R', 'write@libc.so.6'
    # The program writes two times; the last one is to its standard output.
    assert tree(*options)[-1:] == [r'write@libc.so.6(1, "bye\n", 4) = 4;']
    lines = records(*options)
    assert values(lines, 'entry', 'write@libc.so.6', 'args')[-1:] == [[1, 'bye\n', 4]], lines
    named = records('-f', 'write', '-A', 'libc.so.6:write@1,2/s,3')
    assert values(named, 'entry', 'write@libc.so.6', 'args')[-1:] == [[1, 'bye\n', 4]], named
    text = run_to_file('values', '--format', 'flat', *options)[0]
    entry, end = (line.split(None, 2)[2] for line in text.splitlines()[3:5])
    assert entry.split(None, 1) == ['entry', r'write@libc.so.6(1, "bye\n", 4)'], text
    assert end.startswith('exit ') and end.endswith(' write@libc.so.6() = 4'), text


def test_named_session():
    """Another command shows values in the formats that the attach chose."""
    ktrace('ctl', 'attach', '--binary', victim('values'), '--name', 'values', '--stream', '-f',
           'factorial,text', *FACTORIAL, '-A', 'text@1/x')
    try:
        output = subprocess.run([victim('values')], stdout=subprocess.PIPE, text=True)
        check_alive(output.stdout, output.returncode)
        lines = list(tree_of(ktrace('ctl', 'read', 'values')[0]).values())[0]
        assert [line for line in lines if 'text' not in line] == FACTORIAL_TREE, lines
        assert [line for line in lines if 'text' in line][8:10] == ['text(0x0);', 'text(0x8);']
    finally:
        ktrace('ctl', 'detach', 'values')


def test_two_sessions():  # debug
    """One session records values at a site where the other returns in place of the instruction."""
    for name, options in (('plain', ()), ('values', INTS)):
        ktrace('ctl', 'attach', '--binary', victim('values'), '--name', name, '--stream', '-f',
               'ints', *options)
    try:
        output = subprocess.run([victim('values')], stdout=subprocess.PIPE, text=True)
        check_alive(output.stdout, output.returncode)
        trees = [list(tree_of(ktrace('ctl', 'read', name)[0]).values())[0]
                 for name in ('plain', 'values')]
        assert trees[0] == ['ints();', 'ints();'], trees
        assert [line.rsplit(' = ')[1] for line in trees[1]] == ['124;', '19;'], trees
    finally:
        ktrace('ctl', 'detach', '--all')


def test_babeltrace():
    folder = os.path.join(TMP, 'values')
    done = subprocess.run(['ktrace', 'run', '--format', 'ctf', '-o', folder, '-f',
                           'factorial,text', *FACTORIAL, '-A', 'text@1/s', '--',
                           victim('values')], capture_output=True, text=True)
    assert done.returncode == 19, done
    lines = subprocess.check_output(['babeltrace2', folder], text=True).splitlines()
    exits = [line for line in lines if ' exit: ' in line and '"factorial"' in line]
    assert ', result = 24 }' in exits[-1], exits
    entries = [line for line in lines if ' entry: ' in line and '"text"' in line]
    assert 'arg1_state = ( "whole" : container = 0 ), arg1 = "plain" }' in entries[0], entries
    who = {re.search(r'\{ tid = (\d+), pid = (\d+), comm = "(.*?)" \}', line).groups() for line in lines}
    assert len(who) == 1, who
    tid, pid, comm = who.pop()
    assert tid == pid != '0' and comm == 'values', (tid, pid, comm)


def test_refusals():
    for options, words in ((['-A', 'ints'], 'is not understood'),
                           (['-A', 'ints@7'], 'is not understood'),
                           (['-A', 'ints@1/q'], 'is not understood'),
                           (['-A', 'ints@1,1'], 'is not understood'),
                           (['-A', 'inst@1'], "'inst@1'"),
                           (['-f', 'text', '-R', 'ints'], "'ints'"),
                           (['-R', 'ints', '--format', 'summary'], '--stream'),
                           (['-A', 'ints@1', '--min-time', '1us'], 'too late'),
                           (['-R', 'ints', '--count'], '--count cannot be combined with')):
        _, errors = ktrace('run', *options, '--', victim('values'), status=125)
        assert words in errors and errors.count('\n') == 1, errors
    _, errors = ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('values'), '-R', 'ints', status=2)
    assert '--stream' in errors, errors


def looks(path):
    """Returns the values of pages of this file that are not present, as look() gets them."""
    text, output, status, errors = run_to_file('unanswered', '--stream', '--format', 'json', '-f',
                                               'look', '-A', 'look@1/s', args=[path])
    assert (output, status) == ('looked\n', 0), (output, status, errors)
    lines = map(json.loads, text.splitlines())
    return [line['args'] for line in lines
            if (line.get('event'), line.get('name')) == ('entry', 'look')]


def test_file_whose_server_never_answers():
    """The program and its session end: the content of the file is unreadable, and is not awaited."""
    with silent_fuse.mounted(os.path.join(TMP, 'silent')) as path:
        assert looks(path) == [[BAD]] * 10


def test_attach_beside_a_file_that_is_never_read():
    """A process maps it as code: its other functions are probed, and nobody waits for the file."""
    with silent_fuse.mounted(os.path.join(TMP, 'silent')) as path, \
            subprocess.Popen([victim('stacks'), 'strange', path, '100000000']) as process:
        wait_for(lambda: not subprocess.call(['grep', '-q', path, f'/proc/{process.pid}/maps']))
        errors = ktrace('ctl', 'attach', '--pid', str(process.pid), '--budget', 'none', '--name',
                        'beside', status=3)[1]
        assert f'Calls into {path} are not probed: the server' in errors, errors
        ktrace('ctl', 'detach', 'beside')
        process.kill()


def test_devices():
    """A page of a device is not awaited, here of a disk on such a file. Private memory of /dev/zero is
    memory."""
    assert looks('/dev/zero') == [['']] * 10
    if subprocess.call(['modprobe', '-q', 'loop']):
        raise Skip('this kernel has no loop devices')
    with silent_fuse.mounted(os.path.join(TMP, 'silent')) as path:
        disk = subprocess.check_output(['losetup', '--find', '--show', '--read-only', path], text=True)
        try:
            assert looks(disk.strip()) == [[BAD]] * 10
        finally:
            subprocess.check_call(['losetup', '--detach', disk.strip()])
