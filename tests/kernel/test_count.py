# SPDX-License-Identifier: GPL-2.0
"""--count: only entries, exactly."""
import json
import subprocess

from genl import Client, asked, u32, u64
from test_ctl import calls_of, read, shown
from tool import (TMP, WINDOW, detach_all, expected_calls, ktrace, own_functions, run_to_file,
                  untraced, victim)

teardown = detach_all


def check_victim(name):
    text, output, status, errors = run_to_file(name, '--count', '--format', 'json')
    assert (output, status) == untraced(name), (output, status, errors)
    data = json.loads(text)
    found = {row['name']: row['entries'] for row in own_functions(data['rows']).values()}
    assert found == expected_calls(name), found
    assert data['complete'] and 'tree' not in data, data['session']
    counters = data['session']['counters']
    assert counters['hits'] == sum(row['entries'] for row in data['rows']), counters
    assert counters['run_cnt'] == 0 and counters['produced'] == 0, counters


def test_counts():
    for name in ('recursion', 'tailcall', 'exception', 'threads64'):
        check_victim(name)


def test_summary():
    text = run_to_file('recursion', '--count', '-f', 'down,even,odd')[0]
    window, *lines = text.splitlines()
    words = [line.split() for line in lines]
    assert WINDOW.match(window) and words[0] == ['CALLS', '/s', 'FUNCTION'], text
    assert [(calls, name) for calls, _, name in words[1:]] == [
        ('500', 'down()'), ('51', 'even()'), ('50', 'odd()')], text


def test_imports_by_caller():
    """A library's function counts when the program itself calls it."""
    data = json.loads(run_to_file('demo', '--count', '--format', 'json')[0])
    calls = calls_of(data)
    assert calls['__cxa_throw@libstdc++.so.6'] == 12, calls
    assert 'malloc@libc.so.6' not in calls, calls


def test_session():
    ktrace('ctl', 'attach', '--binary', victim('coldpart'), '--name', 'count', '--count')
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    text, _ = ktrace('ctl', 'show', 'count')
    assert 'keeps            counts\n' in text and 'not measured' in text, text
    assert shown('count')['counters']['hits'] >= 27
    assert calls_of(read('count', '--reset'))['usual'] == 27
    assert calls_of(read('count')).get('usual', 0) == 0
    for options in ['--format', 'tree'], ['--format', 'hist']:
        _, errors = ktrace('ctl', 'read', 'count', *options, status=2)
        assert 'only counts' in errors, errors
    ktrace('ctl', 'detach', 'count')


def test_refusals():
    for options in (['--stream'], ['--min-time', '1us'], ['--max-depth', '2'], ['--by', 'tid'],
                    ['--below', 'main'], ['--not-below', 'main'], ['--return', 'ret'],
                    ['--format', 'tree'], ['--format', 'ctf', '-o', TMP + '/none']):
        _, errors = ktrace('run', '--count', *options, '--', victim('recursion'), status=125)
        assert '--count cannot be combined with' in errors and errors.count('\n') == 1, errors
    _, errors = ktrace('ctl', 'attach', '--count', '--stream', '--binary', victim('recursion'),
                       status=2)
    assert '--count cannot be combined with' in errors, errors


def test_module_refuses():
    """Flags and attributes that cannot be combined with a count."""
    client = Client()
    with open(victim('recursion'), 'rb') as file:
        target = {'NR_FUNCS': u32(1), 'FD': u32(file.fileno())}
        for wrong in (asked('USER', 'COUNT', 'HIST'), asked('USER', 'COUNT', flags=['RAW']),
                      asked('USER', 'COUNT', LIMIT={'MAX_DEPTH': u32(3)}),
                      asked('USER', 'COUNT', LIMIT={'MIN_TIME': u64(1)})):
            try:
                client.call('SESSION_NEW', TARGET=target, **wrong)
            except OSError as error:
                assert error.errno == 22, error
            else:
                raise AssertionError(wrong)
        client.call('SESSION_NEW', **asked('USER', 'COUNT', TARGET=target, WHO={'FOLLOW': b''}))
    client.close()
