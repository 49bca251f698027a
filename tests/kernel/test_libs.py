# SPDX-License-Identifier: GPL-2.0
"""Libraries: whose functions are counted, and from when on. The numbers are those of nested.c."""
import json
import os
import subprocess

from tool import (TMP, detach_all, expected_calls, ktrace, run_to_file, sessions, untraced, victim,
                  with_leaves)

LIB = 'libnested.so'
OWN = {'main': 1, 'work': 1, 'back': 15}
CALLED = {'lib_outer@' + LIB: 5, 'lib_leaf@' + LIB: 2}
INSIDE = {'lib_outer@' + LIB: 5, 'lib_leaf@' + LIB: 7, 'lib_inner@' + LIB: 15}

teardown = detach_all


def counts(text):
    return {row['name']: row['entries'] for row in json.loads(text)['rows']}


def run(*options):
    text, output, status, errors = run_to_file('nested', '--format', 'json', *options)
    assert (output, status) == untraced('nested'), (output, status, errors)
    return counts(text)


def complaint(*args, status=1):
    errors = ktrace(*args, status=status)[1].splitlines()
    assert len(errors) == 1 and errors[0].startswith('ktrace: '), errors
    return errors[0]


def test_lib():
    assert OWN == expected_calls('nested')
    assert run('--lib', LIB) == {**OWN, **CALLED}
    calls = run('--lib', 'libc.so*')
    assert {name for name in calls if '@' in name} >= {'printf@libc.so.6'}, calls
    assert not [name for name in calls if LIB in name], calls


def test_no_lib():
    assert run('--no-lib') == OWN


def test_nest_lib():
    """Calls count whether the program makes them, or the library itself, by its import table or
    directly."""
    assert run('--no-lib', '--nest-lib', 'libnested*') == {**OWN, **INSIDE}
    calls = run('--nest-lib', LIB)
    assert calls.pop('printf@libc.so.6') == 1, calls
    assert {name: calls[name] for name in INSIDE} == INSIDE, calls


def test_nest_lib_tree():  # debug
    text = run_to_file('nested', '--no-lib', '--nest-lib', LIB)[0]
    calls = with_leaves(line.split('| ', 1)[1] for line in text.splitlines()[1:])
    outer = ['    lib_outer@%s() {' % LIB, '      lib_leaf@%s();' % LIB] + [
        '      back();', '      lib_inner@%s();' % LIB] * 3 + ['    } /* lib_outer@%s */' % LIB]
    want = ['main() {', '  work() {'] + outer * 5 + ['    lib_leaf@%s();' % LIB] * 2 + [
        '  } /* work */', '} /* main */']
    assert calls == want, '\n'.join(calls)


def test_functions_and_libraries():
    """-f and --no-function select from the names of all files."""
    assert run('--nest-lib', LIB, '-f', 'lib_*,back') == {'back': 15, **INSIDE}
    assert run('--nest-lib', LIB, '--lib', LIB, '--no-function', '*leaf,ma*') == {
        'work': 1, 'back': 15, 'lib_outer@' + LIB: 5, 'lib_inner@' + LIB: 15}


def test_no_such_lib():
    program = victim('nested')
    text = complaint('run', '--lib', 'libmested.so', '--', program, status=125)
    assert "matches 'libmested.so'. Did you mean libnested.so" in text, text
    # A library that is loaded later must be waited for.
    _, text = ktrace('ctl', 'attach', '--budget', 'none', '--nest-lib', 'libnested', '--binary', program)
    assert 'Did you mean libnested.so' in text and 'ktrace ctl watch nested' in text, text
    ktrace('ctl', 'detach', 'nested')
    text = complaint('run', '--lib', LIB, '--no-lib', '--', program, status=125)
    assert 'cannot be combined' in text, text
    text = complaint('ctl', 'attach', '--budget', 'none', '--lib', 'a', '--no-lib', '--binary', program, status=2)
    assert sessions() == []


def test_pattern_that_fits_nothing():
    """A library that is loaded later may match the pattern; if none did, this is reported at the
    end."""
    def told(name, *options, status=None):
        text, output, ended, errors = run_to_file(name, '--format', 'json', *options)
        usual, its_own = untraced(name)
        assert (output, ended) == (usual, its_own if status is None else status), (output, ended)
        return counts(text), errors

    nested = 'ktrace: no function of %s, or of what it loaded, matches' % victim('nested')
    calls, errors = told('nested', '--nest-lib', LIB, '-f', 'work,lib_lef,lib_leaf')
    assert calls == {'work': 1, 'lib_leaf@' + LIB: 7}, calls
    assert errors.startswith(nested + " 'lib_lef' of -f;") and errors.count('\n') == 1, errors
    calls, errors = told('nested', '--nest-lib', LIB, '-f', 'lib_lef', status=3)
    assert not calls and errors.startswith(nested), (calls, errors)
    for fits in ('work,lib_leaf@*', 'w*,work', '%s:lib_leaf,work' % LIB):
        assert told('nested', '--nest-lib', LIB, '-f', fits)[1] == '', fits
    calls, errors = told('dlopen', '--nest-lib', '*plugin*', '-f', 'plugin_call')
    assert calls == {'plugin_call@dlopen-plugin.so': 120} and not errors, (calls, errors)


def test_nested_library_of_another_program():
    """A session counts a library's functions only in processes that map its FILE."""
    subprocess.check_call(['cp', victim(LIB), TMP])
    programs = [os.path.join(TMP, name) for name in ('one', 'two')]
    for program in programs:
        subprocess.check_call(['cp', victim('nested'), program])
        ktrace('ctl', 'attach', '--binary', program, '--name', os.path.basename(program),
               '--no-lib', '--nest-lib', LIB, '-f', 'lib_*')
    for program in programs + programs[1:] * 2:
        subprocess.run([program], stdout=subprocess.DEVNULL)
    one, two = [counts(ktrace('ctl', 'read', name, '--format', 'json')[0])
                for name in ('one', 'two')]
    assert one == INSIDE, one
    assert two == {name: 3 * n for name, n in INSIDE.items()}, two


def limited(option, number, *command):
    done = subprocess.run(['bash', '-c', 'ulimit %s %d; exec "$@"' % (option, number), 'bash',
                           *command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout, done.stderr, done.returncode


def opened(text):
    """Returns the files of a plan."""
    return [line.split(':')[0] for line in text[text.index('Symbols were taken'):].splitlines()]


def test_descriptors_run_out():
    """The soft limit limits only the program; if the hard limit is reached, this is reported."""
    text, errors, status = limited('-Sn', 6, 'ktrace', 'run', '-o', '/dev/null', '--nest-lib',
                                   'libc.so*', '-f', 'main', '--', '/bin/bash', '-c',
                                   'ulimit -Sn; ulimit -Hn')
    hard = subprocess.check_output(['bash', '-c', 'ulimit -Hn'], text=True)
    assert (text, errors, status) == ('6\n' + hard, '', 0)
    attach = ('ktrace', 'ctl', 'attach', '--budget', 'none', '--binary', victim('nested'), '--dry-run')
    every = ktrace(*attach[1:])[0]
    assert limited('-Sn', 6, *attach) == (every, '', 0)
    # With four descriptors the program's own file cannot be opened: it is examined before.
    for number in range(9, 4, -1):
        text, errors, status = limited('-n', number, *attach)
        lines = errors.splitlines()
        assert status == 0 and all('no file descriptors left' in line for line in lines), errors
        # Debug files and targets of IFUNCs need descriptors too; their lack is reported separately.
        assert (opened(text) == opened(every)) == (not lines), (number, text, errors)
    assert len(lines) == 1 and 'into any library are not probed' in errors, errors
