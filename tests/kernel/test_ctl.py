# SPDX-License-Identifier: GPL-2.0
"""ktrace ctl: sessions that outlive their command, and the errors for wrong input."""
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

from tool import (SLOW, TMP, VICTIMS, balanced, detach_all, expected_calls, ktrace, limit,
                  load_module, reload_module, run_to_file, session_of, sessions, untraced, victim,
                  wait_for)


class Spin:
    """A program that runs until it is stopped."""

    def __init__(self, name='spin', *args):
        self.process = subprocess.Popen([victim(name), *(args or ['10000'])],
                                        stdout=subprocess.PIPE, text=True)
        self.pid = int(self.process.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def end(self):
        """Stops it; returns how often it called tick()."""
        self.process.send_signal(signal.SIGTERM)
        output = self.process.communicate(timeout=limit(60))[0]
        assert self.process.returncode == 23 and output.startswith('ticks '), output
        return int(output.split()[1])


def read(name, *options):
    return json.loads(ktrace('ctl', 'read', name, '--format', 'json', *options)[0])


def calls_of(data):
    return {row['name']: row['entries'] for row in data['rows']}


teardown = detach_all


def shown(name):
    return json.loads(ktrace('ctl', 'show', name, '--format', 'json')[0])['rows'][0]


def test_show_counts_what_was_named():
    """Functions that are only jumped to are counted apart."""
    text, _ = ktrace('ctl', 'attach', '--binary', victim('below'), '--name', 'jumps', '--no-lib',
                     '-f', 'enters_by_jump,leaves_by_jump')
    nr = int(re.search(r'Of (\d+) more functions', text).group(1))
    shows, _ = ktrace('ctl', 'show', 'jumps')
    assert re.search(r'^functions +2\n', shows, re.M), shows
    assert re.search(rf'^jumped to +{nr} more, not shown', shows, re.M), (text, shows)
    assert (shown('jumps')['named'], shown('jumps')['functions']) == (2, 2 + nr), shown('jumps')
    ktrace('ctl', 'detach', 'jumps')


def test_attach_to_a_running_process():
    with Spin() as spin:
        text, _ = ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'one')
        assert '1 process of' in text, text
        wait_for(lambda: calls_of(read('one')).get('step', 0) > 10 or
                 sum(calls_of(read('one')).values()) > 10)
        assert [s['name'] for s in sessions()] == ['one']
        assert shown('one')['counters']['hits'] > 0
        assert spin.process.poll() is None
        ktrace('ctl', 'show', 'one')
        summary, _ = ktrace('ctl', 'read', 'one', '--sort', 'self')
        assert summary.splitlines()[1].split()[:2] == ['TOTAL', 'SELF'], summary
        tree, _ = ktrace('ctl', 'read', 'one', '--format', 'tree')
        assert 'CALL TREE' in tree, tree
        hist, _ = ktrace('ctl', 'read', 'one', '--format', 'hist')
        assert 'distribution' in hist and '*' in hist, hist
        ktrace('ctl', 'detach', 'one')
        assert sessions() == [] and not os.listdir('/run/ktrace')
        assert spin.process.poll() is None


def test_attach_by_pid_leaves_others_alone():
    with Spin() as mine, Spin():
        ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(mine.pid), '--name', 'mine', '--stream')
        wait_for(lambda: session_of('mine')['counters']['hits'] > 20)
        text, _ = ktrace('ctl', 'read', 'mine')
        tids = {int(line.split()[0]) for line in text.splitlines()[1:]}
        assert tids == {mine.pid}, tids
        ktrace('ctl', 'detach', 'mine')


def test_later_processes_are_traced_too():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'later')
    assert subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL).returncode
    assert calls_of(read('later'))['usual'] == 27
    read('later', '--reset')
    assert calls_of(read('later')).get('usual', 0) == 0
    ktrace('ctl', 'detach', 'later')


def test_reset_loses_nothing():  # debug
    """Each call is in exactly one of the reads, whenever they happen."""
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'often', '--no-function',
           '*@*')
    rows, nodes, reads = 0, 0, 0
    with Spin('spin', '10000', '10') as spin:
        while reads < (15 if SLOW == 1 else 5):
            data = read('often', '--reset')
            rows += sum(row['calls'] for row in data['rows'] if row['name'] == 'tick')
            nodes += sum(node['calls'] for node in data['tree'] if node['name'] == 'tick')
            reads += 1
        ticks = spin.end()
    data = read('often')
    rows += sum(row['calls'] for row in data['rows'] if row['name'] == 'tick')
    nodes += sum(node['calls'] for node in data['tree'] if node['name'] == 'tick')
    assert (rows, nodes) == (ticks, ticks), (rows, nodes, ticks)
    ktrace('ctl', 'detach', 'often')


def test_reset_that_was_not_written_is_repeated():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'again')
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    ktrace('ctl', 'read', 'again', '--reset', '-o', '/dev/full', status=1)
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    text, errors = ktrace('ctl', 'read', 'again', '--reset', '--format', 'json')
    assert calls_of(json.loads(text))['usual'] == 27, text
    assert 'set aside' in errors, errors
    assert calls_of(read('again', '--reset'))['usual'] == 27
    assert calls_of(read('again')).get('usual', 0) == 0
    ktrace('ctl', 'detach', 'again')


def paths_of(tree):
    """Returns {path: [calls, own time]} of a tree in JSON; names are separated by semicolons."""
    names, paths = {}, {}
    for node in tree:
        name = node['name'].replace(';', ':')
        above = names.get(node.get('parent'))
        names[node['node']] = name if above is None else above + ';' + name
        figures = paths.setdefault(names[node['node']], [0, 0])
        figures[0] += node['calls']
        figures[1] += node['self_ns']
    return paths


def test_exports_have_the_sums_of_the_tree():
    for name in 'recursion', 'below':
        ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim(name), '--name', 'drawn')
        subprocess.run([victim(name)], stdout=subprocess.DEVNULL)
        paths = paths_of(read('drawn')['tree'])
        calls = {path: nr for path, (nr, _) in paths.items() if nr}
        times = {path: ns for path, (_, ns) in paths.items() if ns}
        assert calls and times, paths

        folded, _ = ktrace('ctl', 'read', 'drawn', '--format', 'folded')
        lines = [line.rsplit(' ', 1) for line in folded.splitlines()]
        assert {path: int(ns) for path, ns in lines} == times and len(lines) == len(times), folded

        data = json.loads(ktrace('ctl', 'read', 'drawn', '--format', 'speedscope')[0])
        names = [frame['name'].replace(';', ':') for frame in data['shared']['frames']]
        for profile, wanted in zip(data['profiles'], (times, calls)):
            found = {';'.join(names[at] for at in sample): weight
                     for sample, weight in zip(profile['samples'], profile['weights'])}
            assert found == wanted, (profile['name'], found, wanted)
            assert len(profile['samples']) == len(wanted), profile

        svg = xml.etree.ElementTree.fromstring(ktrace('ctl', 'read', 'drawn', '--format', 'flame')[0])
        title = svg.find('.//{*}svg/{*}title').text
        assert re.fullmatch(rf'all: .* \(100.00 %\), self 0 ns, {sum(calls.values())} calls', title), title
        dot, _ = ktrace('ctl', 'read', 'drawn', '--format', 'dot')
        boxes = re.findall(r'^\t"f\d+" \[label=.*\\n(\d+) calls?", fill', dot, re.M)
        assert sum(map(int, boxes)) == sum(calls.values()), dot
        if name == 'recursion':
            small, errors = ktrace('ctl', 'read', 'drawn', '--format', 'speedscope', '--max-size',
                                   '32K', status=3)
            data = json.loads(small)
            nr = int(re.search(rf'leaves out (\d+) of {len(paths)} paths', errors)[1])
            assert 20_000 < len(small) <= 32768 and nr, errors
            assert data['profiles'][0]['endValue'] < sum(times.values()), errors
        ktrace('ctl', 'detach', 'drawn')


def test_two_sessions_on_one_program():
    alone = untraced('coldpart')
    ktrace('ctl', 'attach', '--binary', victim('coldpart'), '--name', 'a', '-f', 'usual')
    ktrace('ctl', 'attach', '--binary', victim('coldpart'), '--name', 'b', '-f',
           'usual,trouble', '--return', 'uretprobe')
    output = subprocess.run([victim('coldpart')], stdout=subprocess.PIPE, text=True)
    assert (output.stdout, output.returncode) == alone
    calls = calls_of(read('a'))
    assert calls == {'usual': 27}, calls
    ktrace('ctl', 'detach', 'a')
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    calls = calls_of(read('b'))
    assert calls == {'usual': 54, 'trouble': 26}, calls
    ktrace('ctl', 'detach', '--all')
    assert sessions() == []


def test_balance_while_it_runs():  # slow
    """produced = acknowledged + dropped + held, at any moment."""
    with Spin('spin', '10000', '100'):
        ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'busy', '--stream')
        wait_for(lambda: session_of('busy')['counters']['hits'] > 20)
        for _ in range(8):
            counters = shown('busy')['counters']
            assert balanced(counters), counters
            ktrace('ctl', 'read', 'busy', '--format', 'flat', '-o', '/dev/null')
        assert shown('busy')['counters']['acknowledged'] > 0
        ktrace('ctl', 'detach', 'busy')


def test_stream_that_has_no_room():  # slow
    """Nobody reads until a ring is full: the output shows how much is missing, and where."""
    ktrace('ctl', 'attach', '--binary', victim('bench'), '--name', 'full', '-f', 'hot_push',
           '--stream', '--buffer', '512K')
    calls = 0
    while not sessions()[0]['counters']['dropped']:
        subprocess.run([victim('bench'), 'hot_push', '4000'], stdout=subprocess.DEVNULL)
        calls += 4000
    text, errors = ktrace('ctl', 'read', 'full', '--format', 'flat', status=3)
    _, *lines = text.splitlines()
    gaps = re.findall(r'^ +gap +(\d+) records of CPU \d+ are missing here$', text, re.M)
    missing, counters = sum(map(int, gaps)), sessions()[0]['counters']
    assert 'the data is incomplete: %d records dropped' % missing in errors, (missing, errors)
    assert counters['dropped_full'] == missing > 0, (missing, counters)
    assert len(lines) - len(gaps) + missing == counters['produced'] >= 2 * calls, \
        (len(lines), gaps, calls, counters)
    ktrace('ctl', 'detach', 'full')


def test_one_stream_reader():
    from genl import Client, u32, u64
    with Spin():
        ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'read', '--stream')
        client = Client()
        client.dump('STREAM_READ', SESSION=u64(shown('read')['id']), CPU=u32(0),
                    CURSOR=u64(0))
        _, errors = ktrace('ctl', 'read', 'read', status=1)
        assert 'Process %d already reads' % os.getpid() in errors, errors
        client.close()
        ktrace('ctl', 'read', 'read')
        ktrace('ctl', 'detach', 'read')


def test_short_buffer_loses_nothing():
    """A reader whose buffer is too small is told so, and can ask again."""
    import socket
    import struct
    from genl import Client, u32, u64
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('recursion'), '--name', 'small', '--stream')
    subprocess.run([victim('recursion')], stdout=subprocess.DEVNULL)
    session, seen = shown('small')['id'], 0
    for cpu in range(os.cpu_count()):
        client = Client()
        wanted = dict(SESSION=u64(session), CPU=u32(cpu), CURSOR=u64(0), FLAGS=u32(1))

        def recv(_):
            data, _, flags, _ = client.socket.recvmsg(4096)
            if flags & socket.MSG_TRUNC:
                raise BlockingIOError
            return data
        client.socket = type('Small', (), {
            'send': client.socket.send, 'close': client.socket.close,
            'recvmsg': client.socket.recvmsg, 'recv': staticmethod(recv)})()
        try:
            client.dump('STREAM_READ', **wanted)
        except BlockingIOError:
            pass
        client.close()
        client = Client()
        for message in client.dump('STREAM_READ', **wanted):
            if 'PACKET' in message:
                seen += struct.unpack_from('I', message['PACKET'], 76)[0]
        client.close()
    counters = shown('small')['counters']
    assert seen == counters['produced'] == counters['held'], (seen, counters)
    ktrace('ctl', 'detach', 'small')


def test_busy_stream_is_read_to_an_end():
    """A read returns the records that existed at its start, though more come meanwhile."""
    with Spin('spin', '10000', '1'):
        ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'busy', '--stream')
        wait_for(lambda: session_of('busy')['counters']['hits'] > 5000)
        text, _ = ktrace('ctl', 'read', 'busy', '--format', 'flat')
        assert text.count('tick()') > 1000, text[:500]
        ktrace('ctl', 'detach', 'busy')


def test_records_that_were_not_written_are_kept():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'kept', '--stream')
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    held = shown('kept')['counters']['held']
    ktrace('ctl', 'read', 'kept', '--format', 'flat', '-o', '/dev/full', status=1)
    assert shown('kept')['counters']['held'] == held
    text, _ = ktrace('ctl', 'read', 'kept', '--format', 'flat')
    assert sum('usual()' in line and 'entry' in line for line in text.splitlines()) == 27
    assert shown('kept')['counters']['held'] == 0
    ktrace('ctl', 'detach', 'kept')


def test_attach_to_a_program_that_was_deleted():
    path = os.path.join(TMP, 'gone')
    subprocess.check_call(['cp', victim('spin'), path])
    process = subprocess.Popen([path, '10000'], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    os.unlink(path)
    ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(process.pid), '--name', 'old')
    wait_for(lambda: calls_of(read('old')).get('tick', 0) > 10)
    ktrace('ctl', 'detach', 'old')
    process.kill()
    process.communicate()


def test_names_need_the_cookie():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'named')
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    with open('/run/ktrace/named') as sidecar:
        document = json.load(sidecar)
    document['cookie'] = '0'
    with open('/run/ktrace/named', 'w') as sidecar:
        json.dump(document, sidecar)
    text, errors = ktrace('ctl', 'read', 'named')
    assert 'usual' not in text and 'not known here' in errors, (text, errors)
    notes = subprocess.check_output(['readelf', '-n', victim('coldpart')], text=True)
    build_id = notes.split('Build ID: ')[1].split()[0]
    assert '[%s+0x' % build_id in text, text
    assert oct(os.stat('/run/ktrace').st_mode)[-3:] == '700'
    ktrace('ctl', 'detach', 'named')
    # The cookie shows that the file belongs to another session, so the file is kept.
    os.unlink('/run/ktrace/named')


def test_names_in_a_pipe():
    """Another thing than a file has no names, and is not waited for."""
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'named')
    os.unlink('/run/ktrace/named')
    os.mkfifo('/run/ktrace/named')
    assert 'not known here' in ktrace('ctl', 'read', 'named')[1]
    ktrace('ctl', 'detach', 'named')
    assert not os.path.exists('/run/ktrace/named')


def test_killed_reader_leaves_the_session():  # debug
    with Spin():
        ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'kept', '--stream')
        reader = subprocess.Popen(['ktrace', 'ctl', 'read', 'kept'],
                                  stdout=subprocess.DEVNULL)
        reader.send_signal(signal.SIGKILL)
        reader.wait()
        assert [s['name'] for s in sessions()] == ['kept']
        ktrace('ctl', 'read', 'kept', '-o', '/dev/null')
        assert balanced(shown('kept')['counters'])
        ktrace('ctl', 'detach', 'kept')


def test_attach_many_functions():
    """Attaches and detaches 3000 functions, and checks the module's memory."""
    text, _ = ktrace('ctl', 'attach', '--binary', victim('many'), '-f', 'f????',
                     '--name', 'many')
    assert '3000 functions' in text, text
    subprocess.run([victim('many')], stdout=subprocess.DEVNULL)
    calls, want = calls_of(read('many')), expected_calls('many')
    del want['main']
    assert calls == want, {name for name in want if want[name] != calls.get(name)}
    ktrace('ctl', 'detach', 'many')


def test_interrupt_at_any_moment():  # slow
    """A session is attached completely or not at all, whenever Ctrl-C comes."""
    # Old kernels need 15 ms per function.
    attach = ('ctl', 'attach', '--binary', victim('many'), '-f', 'f0???', '--name')
    begin = time.monotonic()
    ktrace(*attach, 'whole')
    whole = time.monotonic() - begin
    ktrace('ctl', 'detach', 'whole')
    seen = set()
    # The last attach is not interrupted.
    for part in (*range(12), 15, None):
        process = subprocess.Popen(['ktrace', *attach, 'cut'], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            process.wait(timeout=whole * part / 10 if part is not None else limit(60))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=limit(60))[1]
        seen.add(process.returncode)
        names = [session['name'] for session in sessions()]
        if process.returncode == 0:
            ktrace('ctl', 'detach', 'cut')
        else:
            assert process.returncode in (1, -signal.SIGINT), process.returncode
            assert names == [] and not os.listdir('/run/ktrace'), (names, errors)
        if process.returncode == 1:
            assert 'nothing stays attached' in errors, errors
    assert 0 in seen and len(seen) > 1, seen


def test_interrupted_run_shows_what_it_has():
    process = subprocess.Popen(['ktrace', 'run', '--format', 'summary', '--', victim('spin'), '10000'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    wait_for(lambda: sessions() and sessions()[0]['counters']['hits'] > 50)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=limit(60))
    ticks = int(output.split('ticks ')[1].split()[0])
    row = [line.split() for line in output.splitlines() if line.endswith(' tick()')][0]
    assert str(ticks) in row, (row, ticks)
    assert process.returncode == 23 and not errors, (process.returncode, errors)


def test_unloads_while_programs_run_into_probes():  # slow
    with Spin('spin', '10000', '1') as one, Spin('spin', '10000', '1') as two:
        # After the module was loaded, the first session measures the costs of probes.
        for _ in range(6 if SLOW == 1 else 2):
            ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'short', '--stream')
            wait_for(lambda: session_of('short')['counters']['hits'] > 200)
            ktrace('ctl', 'detach', 'short')
            reload_module()
        for spin in (one, two):
            spin.end()


def test_names_are_there_before_the_session_runs():  # slow
    """Each rename, which puts the names into place, is made to take long."""
    attach = subprocess.Popen(['strace', '-o', '/dev/null', '-e', 'inject=rename:delay_enter=3000000',
                               'ktrace', 'ctl', 'attach', '--binary', victim('coldpart'), '--name',
                               'early', '-f', 'usual'], stdout=subprocess.DEVNULL)
    wait_for(lambda: [session['state'] for session in sessions()] == ['active'])
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    text, errors = ktrace('ctl', 'read', 'early')
    assert 'usual()' in text and not errors, (text, errors)
    assert attach.wait(timeout=limit(60)) == 0
    ktrace('ctl', 'detach', 'early')


def test_detach_leaves_the_names_of_others():  # slow
    """The detach reaches the file of names when another session already has the name."""
    attach = ('ctl', 'attach', '--binary', victim('coldpart'), '--name', 'same', '-f', 'usual')
    ktrace(*attach)
    detach = subprocess.Popen(['strace', '-o', '/dev/null', '-P', '/run/ktrace/same', '-e',
                               'inject=openat,unlink:delay_enter=3000000', 'ktrace', 'ctl', 'detach',
                               'same'],
                              stdout=subprocess.DEVNULL)
    wait_for(lambda: not sessions())
    ktrace(*attach)
    assert detach.wait(timeout=limit(60)) == 0
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL)
    assert calls_of(read('same')) == {'usual': 27}
    ktrace('ctl', 'detach', 'same')


def test_versions_that_differ():
    """A command of another interface can only list and end sessions, which replacing the module
    needs."""
    path = os.path.join(os.path.dirname(VICTIMS), 'other', 'build', 'ktrace')

    def other(*words, status=0):
        done = subprocess.run([path, *words], capture_output=True, text=True)
        assert done.returncode == status, (words, done)
        return done.stdout or done.stderr

    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'older')
    for words, status in ((('ctl', 'show', 'older'), 1), (('ctl', 'list', '--format', 'json'), 1),
                          (('ctl', 'detach', 'older', '--pid', '1'), 1), (('run', 'true'), 125)):
        assert 'load the matching module: ktrace ctl detach --all; ' in other(*words, status=status)
    assert other('ctl', 'list') == 'older\n'
    assert other('ctl', 'detach', '--all').startswith('Session older detached')
    assert sessions() == []


def complaint(*args, status=1, **options):
    _, errors = ktrace(*args, status=status, **options)
    lines = errors.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith('ktrace: '), errors
    return lines[0]


def test_lifetime():  # slow, debug
    """A session stops by itself, without any command, and keeps its results."""
    attach = ('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name')
    text, _ = ktrace(*attach, 'long', '--for', '1h')
    assert 'The probes are removed in 3600 s' in text, text
    assert 3000 * 10 ** 9 < shown('long')['ends_in_ns'] <= 3600 * 10 ** 9
    assert 'ends in' in ktrace('ctl', 'show', 'long')[0]
    with Spin('spin', '10000', '10') as spin:
        # The time runs from the beginning of the attach, which takes long on a slow machine.
        ktrace(*attach, 'short', '--for', str(2 * SLOW))
        wait_for(lambda: session_of('short')['state'] == 'stopped')
        state = shown('short')
        assert 'ends_in_ns' not in state and state['age_ns'] >= 2 * SLOW * 10 ** 9, state
        seen = calls_of(read('short'))['tick']
        assert 0 < seen <= spin.end(), seen
        assert calls_of(read('short'))['tick'] == seen
    ktrace('ctl', 'detach', 'short')
    # A pause does not lengthen the lifetime. A session that ends before delays nothing.
    ktrace(*attach, 'paused', '--for', str(5 * SLOW))
    ktrace('ctl', 'pause', 'paused')
    wait_for(lambda: session_of('paused')['state'] == 'stopped')
    assert shown('long')['state'] == 'active'
    ktrace('ctl', 'detach', '--all')
    assert sessions() == []
    assert 'above 0' in complaint(*attach, 'none', '--for', '0', status=2)
    # Thousands of functions: probes are placed for longer than the session lives.
    assert 'was over before all probes were placed' in \
        complaint('ctl', 'attach', '--binary', '/bin/bash', '--name', 'none', '--for', '1ms')
    assert sessions() == []


def test_columns_that_say_what_they_are():
    """AVG times CALLS is TOTAL, or the line says why not; a function without a long call is not
    listed."""
    text = run_to_file('recursion', '--format', 'summary', '--no-lib')[0]
    line, = [line for line in text.splitlines() if re.search(r' down\(', line)]
    assert line.endswith('/* recursive: TOTAL of outermost calls */'), text
    assert 'recursive' not in re.search(r'.* main\(.*', text).group(0), text
    text = run_to_file('recursion', '--format', 'summary', '--no-lib', '--min-time', '10s')[0]
    assert text.splitlines()[2:] == [], text
    text = run_to_file('recursion', '--format', 'json', '--no-lib', '--min-time', '10s')[0]
    assert json.loads(text)['rows'] == [], text


def test_bad_input():
    with open(os.path.join(TMP, 'not_to_run'), 'w'):
        pass
    attach = ('ctl', 'attach', '--budget', 'none', '--binary')
    assert 'cannot be opened' in complaint(*attach, '/no/such/file')
    assert 'not an ELF file' in complaint(*attach, '/etc/passwd')
    assert 'not a regular file' in complaint(*attach, '/etc')
    assert 'is a script' in complaint(*attach, '/usr/bin/ldd')
    assert "Did you mean usual" in complaint(*attach, victim('coldpart'), '-f', 'usal')
    assert 'is gone' in complaint('ctl', 'attach', '--budget', 'none', '--pid', '4194000')
    assert 'does not map' in complaint(*attach, victim('coldpart'), '--pid', '1')
    assert 'no session' in complaint('ctl', 'read', 'nobody')
    assert 'no option' in complaint('ctl', 'read', '--nonsense', status=2)
    assert 'did you mean' in complaint('ctl', 'atach', status=2)
    assert 'time with its unit' in complaint('run', '--min-time', 'x', '--', '/bin/ls', status=125)
    assert 'needs names' in complaint(*attach, victim('coldpart'), '-f', '', status=2)
    assert 'is not executable' in complaint('run', '--', 'not_to_run', status=126,
                                            env=dict(os.environ, PATH=os.environ['PATH'] + ':' + TMP))
    ktrace(*attach, victim('coldpart'), '--name', 'taken')
    assert "'taken' exists" in complaint(*attach, victim('coldpart'), '--name', 'taken')
    assert 'keeps no stream' in complaint('ctl', 'read', 'taken', '--format', 'flat', status=2)
    ktrace('ctl', 'detach', 'taken')
    assert sessions() == []


def test_stripped_program():
    path = os.path.join(TMP, 'stripped')
    subprocess.check_call(['strip', '-o', path, victim('coldpart')])
    subprocess.check_call(['objcopy', '--remove-section=.dynsym', path])
    assert 'has no symbols' in complaint('ctl', 'attach', '--budget', 'none', '--binary', path)


def test_not_root():
    done = subprocess.run(['setpriv', '--reuid=65534', '--clear-groups', 'ktrace', 'ctl',
                           'list'], capture_output=True, text=True)
    assert done.returncode == 1 and 'needs root' in done.stderr, done


def test_module_is_needed_and_unloads():
    """Unloading is refused while a session exists, and works afterwards."""
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'held')
    busy = subprocess.run(['rmmod', 'ktrace'], capture_output=True, text=True)
    assert busy.returncode and 'in use' in busy.stderr, busy
    ktrace('ctl', 'detach', '--all')
    wait_for(lambda: not subprocess.run(['rmmod', 'ktrace'],
                                        stderr=subprocess.DEVNULL).returncode)
    assert 'not loaded' in complaint('ctl', 'list')
    assert 'modprobe ktrace' in ktrace('doctor', status=1)[0]
    load_module()


def choose_modprobe(path):
    with open('/proc/sys/kernel/modprobe', 'w') as file:
        file.write(path)


def test_module_is_loaded_when_it_is_used():
    """By the program with which the kernel loads modules; a command that does not trace loads
    none."""
    path = os.path.join(TMP, 'modprobe')
    with open(path, 'w') as script:
        script.write('#!/bin/sh\n[ "$*" = "-q -- ktrace" ] && exec insmod /run/ktrace.ko\nexit 1\n')
    os.chmod(path, 0o755)
    with open('/proc/sys/kernel/modprobe') as file:
        before = file.read()
    choose_modprobe(path)
    try:
        subprocess.check_call(['rmmod', 'ktrace'])
        assert 'not loaded' in complaint('ctl', 'list')
        assert not os.path.exists('/sys/module/ktrace')
        ktrace('run', '-o', '/dev/null', '--', 'true')
        assert os.path.exists('/sys/module/ktrace')
    finally:
        choose_modprobe(before)
        subprocess.call(['rmmod', 'ktrace'])
        load_module()
    assert ktrace('ctl', 'list')
