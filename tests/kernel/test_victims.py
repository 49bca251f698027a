# SPDX-License-Identifier: GPL-2.0
"""Programs that are hard to trace: each call is counted, and the program does not notice."""
import json
import subprocess

from tool import (RELEASE, balanced, expected_calls, ktrace, own_functions, run_to_file, sessions,
                  untraced, victim, with_leaves)

BUILDS = ('O0', 'O1', 'O2', 'O3', 'Os', 'Og', 'lto', 'cf', 'nocf', 'fp', 'nofp', 'static',
          'static-pie', 'nopie')
BUILDS_CXX = ('O0', 'O3', 'Os', 'lto', 'cf', 'fp', 'static')
alone = {}


def run(name, *options):
    """Returns the data of a traced victim, which must behave as it does untraced."""
    if name not in alone:
        alone[name] = untraced(name)
    text, output, status, errors = run_to_file(name, *options)
    assert (output, status) == alone[name], (output, status, alone[name], errors)
    return text


def of_the_program(rows):
    """Returns the program's own functions; those that children call, after an exec or not, are
    child_*."""
    return {name: row for name, row in own_functions(rows).items()
            if not name.startswith('child_')}


def check_counts(name, calls, *options):
    data = json.loads(run(name, '--format', 'json', '--hist', *options))
    rows = of_the_program(data['rows'])
    found = {function: row['entries'] for function, row in rows.items() if function in calls}
    assert found == calls, {f: (found.get(f), calls.get(f)) for f in {*found, *calls}
                            if found.get(f) != calls.get(f)}
    for row in rows.values():
        if 'histogram' in row:
            assert row['calls'] == row['entries'], row
    assert data['complete'] is True, data['session']
    return data


def check_records(name, calls, only_entries=()):
    """Checks one record per entry and per exit, by function, and no loss."""
    text = run(name, '--stream', '--format', 'json', '-f', ','.join(calls))
    records = [json.loads(line) for line in text.splitlines()]
    count = {'entry': {}, 'exit': {}}
    for record in records[:-1]:
        # A return in a child from a call of its parent does not count: the call counts in the
        # parent.
        if record['event'] in count and not record.get('inherited'):
            kind = count[record['event']]
            kind[record['name']] = kind.get(record['name'], 0) + 1
    assert count['entry'] == calls, (count['entry'], calls)
    assert count['exit'] == {function: number for function, number in calls.items()
                             if function not in only_entries}, (count['exit'], calls)
    counters = records[-1]['session']['counters']
    assert records[-1]['complete'] and balanced(counters), counters
    assert counters['held'] == counters['dropped'] == 0, counters
    return counters


def check(name, only_entries=(), refused=()):
    calls = {function: number for function, number in expected_calls(name).items()
             if function not in refused}
    data = check_counts(name, calls)
    assert {row['name'] for row in data['rows']
            if row['name'] in calls and 'histogram' not in row and 'at_most' not in row} == \
        set(only_entries), data
    return check_records(name, calls, only_entries)


def check_tree(name):
    """Checks that the lines of the single thread's tree are those that the victim prints."""
    want = [line for line in
            subprocess.check_output([victim(name), '--expect-tree'], text=True).splitlines()
            if line]
    text = run(name, '-f', ','.join(expected_calls(name)))
    found = with_leaves(line.split('| ', 1)[1] for line in text.splitlines()[1:])
    for i, (a, b) in enumerate(zip(found, want)):
        assert a == b, 'line %d is %r, not %r' % (i, a, b)
    assert len(found) == len(want), (len(found), len(want))


def left_out(name):
    """Returns {function: reason} of functions that are not probed."""
    text = ktrace('run', '--dry-run', '--', victim(name))[0]
    lines = text.split(' functions would not be probed:\n')[1].split('\n\n')[0].splitlines()
    return dict(line.strip().split(': ', 1) for line in lines)


REFUSED_BEFORE_4_1 = ('i_crc32', 'i_mfence', 'i_pcmpistri', 'i_popcnt', 'i_prefetch', 'i_pshufb',
                      'i_rdtscp', 'i_stmxcsr')


def test_every_class_of_instructions():
    """A probe on it changes no register, flag, or memory; without such a probe it is left out."""
    reasons = left_out('instructions')
    refused = REFUSED_BEFORE_4_1 if RELEASE < (4, 1) else ()
    assert all('the kernel refuses' in reasons[function] for function in refused), reasons
    counters = check('instructions', refused=refused)
    assert counters['lost_fault'] == 0, counters
    names = subprocess.check_output(['nm', victim('instructions')], text=True).split('\n')
    popf = int([line for line in names if line.endswith(' t i_popf')][0].split()[0], 16) + 1
    run('instructions', '--no-lib', '-f', 'instructions:+%#x' % (popf - 0x400000), '--count')
    for name in ('pushf', 'rep_movs', 'syscall', 'vzeroupper', 'xchg_r8', 'mov_to_ss'):
        assert 'another result' in reasons['i_' + name], reasons


def test_mutual_recursion():  # slow
    check('mutual')


def test_uncaught_exception():
    check('terminate')


def test_exception_meets_noexcept():
    check('terminate-noexcept')


def test_exception_across_c_frames():
    check('cframes')
    check_tree('cframes')


def test_pthread_exit_and_cancel():
    check('threadexit')


def test_nested_signals_on_an_alternate_stack():
    check('nestedsignals')


def test_signals_while_single_stepped():
    check('interrupted')


def test_contexts_that_migrate_between_threads():
    check('migrate')


def test_vfork_spawn_and_daemon():
    check('spawn')


def test_bursts_of_threads_and_processes():  # slow
    check('bursts')


def test_dlopen_in_a_loop():
    check('dlopen')


def test_plugin_that_is_loaded_in_a_loop():
    """The library's functions count, however often it is mapped and unmapped."""
    before = untraced('dlopen')
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('dlopen-plugin.so'), '--name', 'plugin',
           '--no-function', '*@*')
    try:
        for _ in range(2):
            done = subprocess.run([victim('dlopen')], stdout=subprocess.PIPE, text=True)
            assert (done.stdout, done.returncode) == before, done
        data = json.loads(ktrace('ctl', 'read', 'plugin', '--format', 'json')[0])
    finally:
        ktrace('ctl', 'detach', '--all')
    calls = {row['name']: (row['entries'], row['calls']) for row in data['rows']}
    want = 2 * expected_calls('dlopen')['back']
    assert calls == {'plugin_call': (want, want), 'plugin_inner': (want, want)}, calls


def test_gotos():
    check('gotos')
    check_tree('gotos')


def test_handmade_functions():
    check('handmade')
    reasons = left_out('handmade')
    assert 'no size' in reasons['no_size'], reasons
    assert 'head of a loop' in reasons['loops_and_calls'], reasons
    assert 'no_type' not in expected_calls('handmade')


def check_builds(source, builds):
    """Options of compilers change the code, not the calls."""
    calls = expected_calls('%s-%s' % (source, builds[0]))
    for build in builds:
        name = '%s-%s' % (source, build)
        assert expected_calls(name) == calls, name
        check_counts(name, calls, '-f', ','.join(calls))
    for build in ('O0', 'lto'):
        check_records('%s-%s' % (source, build), calls)


def test_builds():  # slow
    check_builds('builds', BUILDS)


def test_builds_with_exceptions():  # slow
    check_builds('exception', BUILDS_CXX)


def test_static_programs_with_all_their_functions():  # slow
    """Functions of the C library, which begin, resolve and end the program, are included."""
    for name in ('builds-static', 'exception-static', 'builds-static-pie'):
        data = check_counts(name, expected_calls(name))
        assert len(data['rows']) > 50, len(data['rows'])


def test_sessions_with_different_filters_and_returns():
    """Four sessions at once on one program: each has its own counts, and the program its result."""
    name = 'builds-O2'
    before, calls = untraced(name), expected_calls(name)
    want = {'ret': (calls, ['--return', 'ret']),
            'uretprobe': (calls, ['--return', 'uretprobe']),
            'some': ({f: calls[f] for f in ('leaf', 'tail', 'by_table')}, []),
            'none': (calls, ['--return', 'none', '--stream'])}
    for session, (functions, options) in want.items():
        ktrace('ctl', 'attach', '--binary', victim(name), '--name', session,
               '-f', ','.join(functions), *options)
    try:
        for runs in (1, 2):
            done = subprocess.run([victim(name)], stdout=subprocess.PIPE, text=True)
            assert (done.stdout, done.returncode) == before, done
            for session, (functions, _) in want.items():
                data = json.loads(ktrace('ctl', 'read', session, '--format', 'json')[0])
                found = {row['name']: (row['entries'], row['calls'])
                         for row in data['rows']}
                assert found == {f: (runs * n, runs * n * (session != 'none'))
                                 for f, n in functions.items()}, (session, found)
        # it was the last session read: one record per entry, none per exit, one for the task's end
        assert data['session']['counters']['produced'] == 2 * (sum(calls.values()) + 1), data
    finally:
        ktrace('ctl', 'detach', '--all')
    assert sessions() == []


def test_sessions_at_functions_of_one_instruction():
    """Entry and return are one place, at which a handler may return by itself."""
    before, calls = untraced('handmade'), expected_calls('handmade')
    calls = {name: calls[name] for name in ('only_ret', 'only_repz_ret', 'target')}
    for session in ('one', 'two', 'three'):
        functions = ['only_ret'] if session == 'three' else calls
        ktrace('ctl', 'attach', '--binary', victim('handmade'), '--name', session,
               '-f', ','.join(functions))
    try:
        done = subprocess.run([victim('handmade')], stdout=subprocess.PIPE, text=True)
        assert (done.stdout, done.returncode) == before, done
        for session in ('one', 'two', 'three'):
            data = json.loads(ktrace('ctl', 'read', session, '--format', 'json')[0])
            for row in data['rows']:
                assert row['entries'] == row['calls'] == calls[row['name']], row
            counters = data['session']['counters']
            assert counters['unmatched'] == counters['unwound'] == 0, (session, counters)
    finally:
        ktrace('ctl', 'detach', '--all')
