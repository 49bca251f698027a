# SPDX-License-Identifier: GPL-2.0
"""ktrace run: programs whose expected output is their trace, and how runs end."""
import json
import os
import re
import select
import signal
import subprocess

from tool import (TMP, balanced, expected, expected_calls, ktrace, limit, none_left, own_functions,
                  run_to_file, sessions, untraced, victim, with_leaves)


def check_calls(name, calls, *options):
    document, output, status, _ = run_to_file(name, '--format', 'json', '--hist', *options)
    data = json.loads(document)
    assert (output, status) == untraced(name), (output, status)
    found = {row['name']: row['entries'] for row in own_functions(data['rows']).values()}
    assert found == calls, (found, calls)
    assert any('histogram' in row for row in data['rows']) == ('none' not in options), data
    for row in own_functions(data['rows']).values():
        if 'histogram' in row:
            assert row['calls'] == row['entries'], row
            timed = sum(b['count'] for b in row['histogram'])
            assert row['calls'] == timed + row.get('at_most', 0), row
    assert data['complete'] is True
    return data


def tree_of(text):
    """Returns the lines of each thread of a tree, without columns and imports."""
    threads = {}
    for line in text.splitlines()[1:]:
        tid, call = int(line.split()[0]), line.split('| ', 1)[1]
        threads.setdefault(tid, []).append(call)
    return {tid: with_leaves(calls) for tid, calls in threads.items()}


def check_records(name, calls):
    """Checks one record per entry, one per exit, and no loss."""
    text, output, status, errors = run_to_file(name, '--stream', '--format', 'json',
                                               '-f', ','.join(calls))
    assert (output, status) == untraced(name), (output, status, errors)
    records = [json.loads(line) for line in text.splitlines()]
    count = {}
    for record in records[:-1]:
        count[record['event']] = count.get(record['event'], 0) + 1
    assert count['entry'] == count['exit'] == sum(calls.values()), count
    counters = records[-1]['session']['counters']
    assert records[-1]['complete'] and balanced(counters), counters
    assert counters['held'] == counters['dropped'] == 0, counters


def test_paths_of_a_run():
    """The calls of a run, as speedscope gets them, are those that the program makes."""
    calls = expected_calls('recursion')
    document, output, status, _ = run_to_file('recursion', '--format', 'speedscope', '-f', ','.join(calls))
    assert (output, status) == untraced('recursion'), (output, status)
    data = json.loads(document)
    names = [frame['name'] for frame in data['shared']['frames']]
    found = {}
    for sample, nr in zip(data['profiles'][1]['samples'], data['profiles'][1]['weights']):
        found[names[sample[-1]]] = found.get(names[sample[-1]], 0) + nr
    assert found == calls, (found, calls)
    assert max(map(len, data['profiles'][1]['samples'])) > 500


def check_tree(name):
    calls = expected_calls(name)
    text, output, status, _ = run_to_file(name, '-f', ','.join(calls))
    assert (output, status) == untraced(name), (output, status)
    threads = list(tree_of(text).values())
    assert len(threads) == 1, len(threads)
    found, want = threads[0], expected(name, '--expect-tree').splitlines()
    want = [line for line in want if line]
    for i, (a, b) in enumerate(zip(found, want)):
        assert a == b, 'line %d is %r, not %r' % (i, a, b)
    assert len(found) == len(want), (len(found), len(want))


def check_victim(name, with_tree=False):
    calls = expected_calls(name)
    check_calls(name, calls)
    check_records(name, calls)
    if with_tree:
        check_tree(name)


def test_recursion():
    check_victim('recursion', True)


def test_tailcall():
    check_victim('tailcall', True)


def test_exception():
    check_victim('exception', True)


def test_longjmp():
    check_victim('longjmp', True)


def test_coroutine():
    check_victim('coroutine')


def test_stacks_in_local_variables():  # debug
    """No open call is taken for one that longjmp left, and the one that longjmp left is
    recognised."""
    check_victim('localstack')
    text = run_to_file('localstack', '--stream', '--format', 'json', '-f',
                       ','.join(expected_calls('localstack')))[0]
    records = [json.loads(line) for line in text.splitlines()][:-1]
    marked = [record['name'] for record in records if record['event'] == 'exit' and
              (record.get('unwound') or record.get('at_most'))]
    assert marked == ['leave', 'leave_from_below'], marked


def test_altstack():
    check_victim('altstack')


def test_besidestack():
    """A mapping next to a thread's stack does not belong to it."""
    text, output, status, errors = run_to_file('besidestack', '--format', 'json', '--no-lib')
    assert (output, status) == untraced('besidestack'), (output, status, errors)
    data = json.loads(text)
    rows = own_functions(data['rows'])
    calls = {name: row['calls'] for name, row in rows.items()}
    assert calls == expected_calls('besidestack'), calls
    assert rows['turn']['min_ns'] >= 4e6 and 'at_most' not in rows['turn'], rows['turn']
    assert rows['in_thread']['min_ns'] >= 2e6, rows['in_thread']
    # The handler interrupts in_thread(), though the coroutine has the nearest frame above.
    nodes = {node['name']: node for node in data['tree']}
    assert len(nodes) == len(data['tree']), data['tree']
    assert nodes['on_signal']['parent'] == nodes['in_thread']['node'], nodes
    assert 4e6 <= rows['in_thread']['self_ns'] <= rows['in_thread']['total_ns'] - 4e6, rows
    assert data['session']['counters']['unwound'] == 1, data['session']     # coroutine()


def check_unfinished(data):
    """work() took its time after the last hit of its thread."""
    rows = own_functions(data['rows'])
    assert rows['work']['total_ns'] > 40e6, rows
    assert rows['work']['self_ns'] > 0.9 * rows['work']['total_ns'], rows
    if rows['main']['calls']:
        assert rows['main']['self_ns'] < 0.2 * rows['main']['total_ns'], rows


def test_self_time_of_calls_that_do_not_return():
    """The function that runs at the end of a program has its time."""
    for end, expects in ('exit', 3), ('exec', 3), ('kill', -signal.SIGKILL):
        text, _, status, errors = run_to_file('unfinished', '--format', 'json', '--no-lib',
                                              args=[end])
        assert status == expects, (end, status, errors)
        check_unfinished(json.loads(text))


def test_self_time_at_a_pause():
    """The function that runs during a pause, or at the end of a session, has its time."""
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('unfinished'), '--name', 's', '--no-lib')
    process = subprocess.Popen([victim('unfinished'), 'stay'], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == '50 ms\n'
        ktrace('ctl', 'pause', 's')
        check_unfinished(json.loads(ktrace('ctl', 'read', 's', '--format', 'json')[0]))
    finally:
        process.kill()
        process.communicate()
        ktrace('ctl', 'detach', 's')


def test_threads64():
    check_victim('threads64')


def test_coldpart():
    check_victim('coldpart', True)


def test_tailcall_without_pie():
    calls = expected_calls('tailcall-nopie')
    check_calls('tailcall-nopie', calls)


def test_fork_without_exec():
    """The child is not followed, and behaves as if untraced."""
    _, output, status, _ = run_to_file('forknoexec', '--format', 'summary')
    assert (output, status) == untraced('forknoexec'), (output, status)


def test_vfork_child():
    """The child's hits in the shared memory do not remove the parent's probes."""
    check_calls('vforkchild', expected_calls('vforkchild'), '--no-follow')


def test_imports():
    """Functions of libraries count when the program calls them, and only then."""
    document, _, _, _ = run_to_file('demo', '--format', 'json')
    calls = {row['name']: row['entries'] for row in json.loads(document)['rows']}
    assert calls['pthread_create@libc.so.6'] == calls['Worker::start(int)'], calls
    assert calls['__cxa_throw@libstdc++.so.6'] == 12, calls
    # calls of malloc by the C++ runtime, for exceptions, are not calls by the program
    assert 'malloc@libc.so.6' not in calls, calls


def test_uretprobe():
    check_calls('coldpart', expected_calls('coldpart'), '--return', 'uretprobe')


def test_return_none():
    data = check_calls('exception', expected_calls('exception'), '--return', 'none')
    assert not any('histogram' in row for row in data['rows']), data


def test_max_depth():
    text = run_to_file('recursion', '--max-depth', '7')[0]
    depths = [len(call) - len(call.lstrip()) for call in tree_of(text).popitem()[1]]
    assert max(depths) == 2 * 6, max(depths)


def test_min_time():
    """Slow calls are shown with their callers, fast calls are not."""
    text = run_to_file('demo', '--min-time', '30ms')[0]
    names = set(re.findall(r'\| +([\w:]+)\(.*[;{]', text))
    assert names >= {'main', 'run', 'Worker::finish', 'Worker::loop', 'Worker::step',
                     'pause_ms'}, names
    document = run_to_file('demo', '--min-time', '30ms', '--format', 'json')[0]
    for row in json.loads(document)['rows']:
        assert row.get('min_ns', 30000000) >= 30000000, row


def test_self_time_fits():
    """The sum of self times is at most the wall time times the number of threads."""
    data = json.loads(run_to_file('demo', '--format', 'json')[0])
    total = sum(row.get('self_ns', 0) for row in data['rows'])
    # Functions that are called after main() are not part of its time.
    wall = sum(row.get('total_ns', 0) for row in data['rows']
               if row['name'] == 'main' or row['name'].startswith('__cxa_finalize@'))
    assert total <= wall * 4 * 1.001, (total, wall)
    tree = {node['node']: node for node in data['tree']}
    for name in ('Worker::step(int)', 'check(int)'):
        row = [row for row in data['rows'] if row['name'] == name][0]
        assert row['calls'] == sum(n['calls'] for n in tree.values() if n['name'] == name)


def test_entry_lines_are_live():
    """A call that still runs is shown within a second, through a pipe too."""
    run = subprocess.Popen(['ktrace', 'run', '-f', 'main', '--', victim('spin'), '10000'],
                           stdout=subprocess.PIPE)
    try:
        text = b''
        while b'main() {' not in text:
            assert select.select([run.stdout], [], [], limit(20))[0], text
            text += os.read(run.stdout.fileno(), 4096)
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
        text += run.stdout.read()
        assert run.wait(limit(20)) == 23, run.returncode
        assert b'} /* main */' in text, text
    finally:
        run.kill()
    assert sessions() == []


def test_exit_statuses():
    ktrace('run', '--', '/no/such/program', status=127)
    ktrace('run', '--', 'no-such-program', status=127)
    ktrace('run', '--', '/etc/passwd', status=126)
    ktrace('run', status=125)
    ktrace('run', '--format', 'nonsense', '--', '/bin/ls', status=125)
    ktrace('run', '-f', 'malloc', '--', '/bin/bash', '-c', 'exit 42', status=42)
    ktrace('run', '-f', 'malloc', '--', '/bin/bash', '-c', 'kill -9 $$',
           status=-signal.SIGKILL)


def test_killed_program_closes_its_calls():
    run = subprocess.Popen(['ktrace', 'run', '-f', 'main', '--', victim('spin'), '10000'],
                           stdout=subprocess.PIPE, text=True)
    lines = []
    while not lines or not lines[-1].startswith('ready'):
        lines.append(run.stdout.readline())
    os.kill(int(lines[-1].split()[1]), signal.SIGKILL)
    text = ''.join(lines) + run.stdout.read()
    assert run.wait(limit(20)) == -signal.SIGKILL, run.returncode
    assert 'ended with the thread */' in text, text


def test_killed_run_leaves_nothing():
    run = subprocess.Popen(['ktrace', 'run', '--', victim('spin'), '10000'],
                           stdout=subprocess.PIPE, text=True)
    line = run.stdout.readline()
    while not line.startswith('ready'):
        line = run.stdout.readline()
    program = int(line.split()[1])
    run.kill()
    run.wait()
    none_left()
    assert os.path.exists('/proc/%d' % program)
    os.kill(program, signal.SIGKILL)


def test_full_disk():
    _, errors = ktrace('run', '-o', '/dev/full', '--', '/bin/ls', '/', status=125)
    assert 'No space left' in errors, errors


def test_closed_stdout():
    """The output's reader ends before the program's last call, whose failing write is then the
    first."""
    run = subprocess.Popen(['ktrace', 'run', '--no-lib', '--', victim('live')], text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout.readline()
    run.stdout.close()
    run.stdin.write('alpha 1\n')
    run.stdin.close()
    text = run.stderr.read()
    assert 'closed by its reader' in text, text
    # The program's own output was closed as well.
    assert run.wait(limit(20)) == -signal.SIGPIPE, run.returncode


def test_status_is_the_programs():
    """It is no failure if the reader stops reading: the program ends as it would untraced."""
    status = untraced('recursion')[1]
    for command in ['run', '-f', 'main'], ['run', '--format', 'summary'], ['syscall'], \
            ['syscall', '--slow', '0'], ['run', '--format', 'json']:
        run = subprocess.Popen(['ktrace', *command, '-o', '-', '--', victim('recursion')], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.stdout.close()
        text = run.stderr.read()
        assert text.count('closed by its reader') == 1, (command, text)
        assert run.wait(limit(20)) == status, (command, run.returncode, text)


def test_data_apart_from_the_program():
    output, status = untraced('demo')
    options = 'run', '--format', 'json', '-f', 'main'
    text, errors = ktrace(*options, '-o', '-', '--', victim('demo'), status=status)
    assert json.loads(text)['rows'] and errors == output, (text, errors)
    path = os.path.join(TMP, 'descriptor')
    done = subprocess.run('exec ktrace %s --output-fd 7 -- %s 7>%s' %
                          (' '.join(options), victim('demo'), path), shell=True,
                          capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == (output, '', status), done
    with open(path) as file:
        assert json.load(file)['rows']
    errors = ktrace(*options, '--output-fd', '9', '--', victim('demo'), status=125)[1]
    assert 'Descriptor 9 cannot be written' in errors, errors


def test_ctf_is_read_by_babeltrace():
    calls = expected_calls('recursion')
    folder = os.path.join(TMP, 'trace')
    done = subprocess.run(['ktrace', 'run', '--format', 'ctf', '-o', folder, '-f',
                           ','.join(calls), '--', victim('recursion')],
                          capture_output=True, text=True)
    assert done.returncode == 11, done
    text = subprocess.check_output(['babeltrace2', folder], text=True)
    lines = text.splitlines()
    assert sum(' entry: ' in line for line in lines) == sum(calls.values()), len(lines)
    assert sum(' exit: ' in line for line in lines) == sum(calls.values())
    assert sum(' entry: ' in line and '( "down" ' in line for line in lines) == calls['down']


# --- long runs ------------------------------------------------------------------

def most_memory(rounds):
    """Returns the largest memory of ktrace, in KiB, while 64 threads per round start and end."""
    command = ['ktrace', 'run', '-f', 'thread_main', '-o', '/dev/null', '--', victim('threads64'),
               str(rounds)]
    traced = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(traced.pid, 0)
    assert os.WEXITSTATUS(status) == 17, status
    return usage.ru_maxrss


def test_ended_threads_take_no_memory():  # slow
    few, many = most_memory(10), most_memory(80)
    assert many < few + 1024, (few, many)
