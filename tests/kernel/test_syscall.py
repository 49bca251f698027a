# SPDX-License-Identifier: GPL-2.0
"""ktrace syscall: counts and errors are those of strace, and programs are not stopped."""
import errno
import json
import os
import re
import signal
import struct
import subprocess
import time

from genl import Client, Refused, asked, u32, u64
from suite import Skip
from tool import (MANY, TMP, WINDOW, begin, check_killed, come_and_go, counting, counting_intervals,
                  documents_of, ktrace, limit, none_left, read_documents, sessions, split_gaps, state_of, timely,
                  undisturbed, victim, wait_for, wait_until_asleep)

PROGRAMS = [
    ['ls', '-l', '/etc'],
    ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1k', 'count=500'],
    ['perl', '-e', 'for (1..20) { open F, "<", "/etc/$_"; open G, "<", "/etc/passwd"; @a = <G> }'],
    ['sqlite3', ':memory:', 'create table t(a); insert into t values(1),(2); select * from t'],
    # One child at a time: of two that end at once, the shell's handler may see one signal only.
    ['sh', '-c', 'for i in 1 2 3; do /bin/true; done; (cat; exit 4) </etc/passwd; exit 3'],
]


def strace_counts(text):
    """Returns {(abi, name): (calls, errors)} of the output of strace -c."""
    abi, found = 'x86-64', {}
    for line in text.splitlines():
        if line.startswith('System call usage summary for'):
            abi = 'i386' if '32 bit' in line else 'x86-64'
        words = line.split()
        if len(words) not in (5, 6) or not re.match(r'[\d.]+$', words[0]) or words[-1] == 'total':
            continue
        errors = int(words[4]) if len(words) == 6 else 0
        found[abi, words[-1]] = int(words[3]), errors
    return found


def strace(*command):
    path = os.path.join(TMP, 'strace')
    done = subprocess.run(['strace', '-c', '-f', '-o', path, *command], timeout=limit(100),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    with open(path) as text:
        return strace_counts(text.read()), done.returncode


def counted(*options, status=0):
    """Returns what ktrace syscall counts, as json."""
    path = os.path.join(TMP, 'syscalls')
    done = subprocess.run(['ktrace', 'syscall', '--format', 'json', '-o', path, *options],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=limit(100))
    assert done.returncode == status, (options, done.returncode)
    with open(path) as document:
        data = json.load(document)
    assert data['complete'], data['session']
    assert data['session']['counters']['hits'] == sum(r['calls'] for r in data['rows'])
    return data


def table(data):
    return {(row['abi'], row['name']): (row['calls'], row['errors']) for row in data['rows']}


def check_like_strace(*command):
    expected, status = strace(*command)
    found = table(counted('--', *command, status=status))
    assert found == expected, {key: (expected.get(key), found.get(key))
                               for key in set(found) | set(expected)
                               if found.get(key) != expected.get(key)}
    return found


def test_like_strace():
    for command in PROGRAMS:
        check_like_strace(*command)


def test_threads_and_children_like_strace():
    """Eight threads and a child; calls that do not exist have a number as their name, or no
    name."""
    command = victim('syscalls')
    expected, status = strace(command, '8', '500')
    found = table(counted('--', command, '8', '500', status=status))
    names = 'getppid', 'umask', 'read', 'open', 'execve', 'clone3', 'clone', 'wait4', 'close'
    for name in names:
        key = 'x86-64', name
        assert found.get(key) == expected.get(key), (name, found.get(key), expected.get(key))
    assert found['x86-64', 'getppid'] == (9 * 500, 0), found
    assert found['x86-64', 'read'][1] == 9 * 250, found
    assert found['x86-64', 'open'] == (9 * 50, 9 * 50), found
    assert found['x86-64', '[no such call]'] == (9 * 100, 9 * 100), found


def test_calls_of_x32_have_names():
    """A kernel without x32 refuses them with ENOSYS. The second has a number of its own in x32."""
    calls = 'call = __import__("ctypes").CDLL(None).syscall; ' + 3 * 'call(0x40000000 + 155, 0, 0); ' + \
        2 * 'call(0x40000000 + 532, -1, 0, 0, 0); ' + 'call(0x40000000 + 600); call(-1)'
    found = table(counted('--', 'python3', '-c', calls))
    assert found['x86-64', 'pivot_root'] == (3, 3), found
    assert found['x86-64', 'vmsplice'] == (2, 2), found
    assert found['x86-64', '[no such call]'] == (2, 2), found


def skip_without_32_bits():
    try:
        subprocess.call([victim('syscalls32')], stdout=subprocess.DEVNULL)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        raise Skip('this kernel runs no programs of 32 bits') from error


def test_of_32_bits():
    name = victim('syscalls32')
    skip_without_32_bits()
    found = check_like_strace(name)
    assert found == {('x86-64', 'execve'): (1, 0), ('i386', 'getpid'): (7, 0),
                     ('i386', 'write'): (8, 3)}, found
    write = [row for row in counted('--', name, status=9)['rows'] if row['name'] == 'write']
    assert write[0]['bytes'] == 15, write


READ = 0    # number of the system call


class Live:
    """A program with threads that makes calls when told to."""

    def __init__(self, threads):
        self.threads = threads
        self.process = subprocess.Popen([victim('syscalls'), 'live', str(threads)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == 'ready\n'

    def call(self, calls):
        self.process.stdin.write('%d\n' % calls)
        self.process.stdin.flush()
        assert self.process.stdout.readline() == 'done\n'
        return calls * self.threads

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def start(*options):
    return counting('syscall', *options)


def finish(process, status=0):
    return documents_of(process, status)[0]


def test_running_threads():
    """Counts are exact for a program with threads that keeps running; other programs' calls are not
    counted."""
    live, other = Live(8), Live(2)
    process = start('-p', str(live.process.pid))
    expected = sum(live.call(calls) for calls in (1, 10, 2000))
    other.call(1000)
    found = table(finish(process))
    live.call(100)
    live.end()
    other.end()
    assert found['x86-64', 'getppid'] == (expected, 0), found


def test_what_began_before_does_not_count():
    """A read that already waits when counting begins is not counted when it ends, as by strace."""
    live = Live(1)
    wait_until_asleep(live.process.pid, READ)
    process = start('-p', str(live.process.pid))
    live.call(7)
    live.call(7)
    found = table(finish(process))
    live.end()
    assert found['x86-64', 'read'] == (1, 0), found
    assert found['x86-64', 'getppid'] == (14, 0), found


def test_two_sessions_at_once():
    live = Live(4)
    first = start('-p', str(live.process.pid))
    live.call(100)
    second = start('-p', str(live.process.pid))
    live.call(1000)
    late = table(finish(second))
    live.call(10)
    early = table(finish(first))
    live.end()
    assert late['x86-64', 'getppid'] == (4000, 0), late
    assert early['x86-64', 'getppid'] == (4440, 0), early


def test_intervals_lose_nothing():
    live, made = Live(4), []
    process, path = counting_intervals('syscall', '-p', str(live.process.pid), '-i', '100ms',
                                       action=lambda: made.append(live.call(50)))
    live.end()
    _, errors = process.communicate(timeout=limit(60))
    assert process.returncode == 0, errors
    documents = read_documents(path)
    assert len(documents) > 5, len(documents)
    calls = [table(document).get(('x86-64', 'getppid'), (0, 0))[0] for document in documents]
    assert sum(calls) == sum(made), (calls, made)


def test_the_shortest_intervals_can_be_ended():
    process = start('-i', '10ms')
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=limit(60))
    assert process.returncode == 0 and out, errors


def test_errors_by_name():
    data = counted('--errors', '--', victim('syscalls'), '2', '100', status=3)
    found = {(row['name'], row['errno']): row['calls'] for row in data['errors']}
    assert found['read', 'EBADF'] == 3 * 50, found
    assert found['open', 'EISDIR'] == 3 * 5, found
    assert found['open', 'ENOENT'] == 3 * 5, found
    assert found['[no such call]', 'ENOSYS'] == 3 * 20, found
    errors = {}
    for (name, _), calls in found.items():
        errors[name] = errors.get(name, 0) + calls
    assert errors == {row['name']: row['errors'] for row in data['rows'] if row['errors']}


def test_by_thread():  # debug
    data = counted('--by', 'tid,syscall', '--', victim('syscalls'), '8', '100', status=3)
    threads = {}
    for row in data['rows']:
        threads.setdefault(row['tid'], {})[row['syscall']] = row['calls'], row['errors']
    assert len(threads) == 10, threads.keys()
    assert {row['comm'] for row in data['rows']} == {'syscalls'}, data
    workers = [calls for calls in threads.values() if calls.get('getppid')]
    assert len(workers) == 9, threads
    for calls in workers:
        assert calls['getppid'] == (100, 0) and calls['read'][1] == 50, calls
    assert not any('histogram' in row for row in data['rows']), data
    first = [calls for calls in threads.values() if 'execve' in calls]
    assert len(first) == 1 and 'getppid' not in first[0], threads


def test_bytes_and_gaps():
    data = counted('--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1000', 'count=500')
    rows = {row['name']: row for row in data['rows']}
    assert rows['read']['bytes'] >= 500 * 1000, rows['read']
    assert rows['write']['bytes'] >= 500 * 1000, rows['write']
    # It reads and writes in turn: except for the loader's reads, no two reads follow each other.
    assert rows['read']['gaps'] < 5 and rows['write']['gaps'] < 5, rows
    data = counted('--', 'sh', '-c', 'while read line; do :; done </etc/passwd')
    read = [row for row in data['rows'] if row['name'] == 'read'][0]
    assert read['gap_ns'] > 0 and read['gaps'] >= 10, read


SOCKETS = '''
import socket
one, other = socket.socketpair()
for _ in range(40):
    one.send(b'x' * 100)
for _ in range(30):
    other.recv(50)
one.sendmsg([b'y' * 70, b'z'])
assert len(other.recvmsg(10000)[0]) == 2571
'''


def test_bytes_and_gaps_of_sockets():
    rows = {row['name']: row for row in counted('--', 'python3', '-c', SOCKETS)['rows']}
    found = {name: [rows[name][key] for key in ('calls', 'bytes', 'gaps')]
             for name in ('sendto', 'recvfrom', 'sendmsg', 'recvmsg')}
    assert found == {'sendto': [40, 4000, 39], 'recvfrom': [30, 1500, 29], 'sendmsg': [1, 71, 0],
                     'recvmsg': [1, 2571, 0]}, found


def test_table():
    out = ktrace('syscall', '--wide', '--errors', '--hist', 'read', '--raw', '--', victim('syscalls'),
                 '1', '100', status=3)[0]
    window, *lines = out.splitlines()
    assert WINDOW.match(window), out
    assert lines[0].split()[:6] == ['%', 'time', 'total', 'calls', '/s', 'errors'], out
    assert lines[0].split()[-1] == 'syscall' and 'p99' in lines[0], out
    assert any(line.endswith(' getppid') for line in lines), out
    assert [line for line in lines if line.split()[:1] == ['100.00']][0].endswith('total'), out
    assert any(line.split() == ['100', 'EBADF', 'read'] for line in lines), out
    assert 'distribution' in out and 'nsecs' in out, out


def test_ends():
    """With the program, with its status or signal; with the processes; after a time."""
    assert table(counted('--', 'sh', '-c', 'exit 42', status=42))
    assert table(counted('--', 'sh', '-c', 'kill -KILL $$', status=-signal.SIGKILL))
    sleeper = subprocess.Popen(['sleep', '1000'])
    process = start('-p', str(sleeper.pid))
    sleeper.kill()
    sleeper.wait()
    assert process.wait(timeout=limit(20)) == 0
    begun = time.time()
    ktrace('syscall', '-d', '500ms')
    assert time.time() - begun >= 0.5
    assert not sessions()


def test_killed_command_leaves_nothing():
    check_killed(start())


def complaint(*args, status=2):
    return ktrace('syscall', *args, status=status)[1]


def test_bad_input():
    assert "did you mean 'read'?" in complaint('--hist', 'raed')
    assert 'a time above 0' in complaint('-i', '0')
    assert 'a time above 0' in complaint('-d', 'soon')
    assert 'cannot be combined' in complaint('-p', '1', '--', 'true', status=125)
    assert 'is gone' in complaint('-p', '4194000', status=1)
    assert 'no such program' in complaint('--', 'no-such-program', status=127)
    assert '--by' in complaint('--by', 'tid', '--wide')
    assert 'There is no option' in complaint('--bogus')
    assert 'There is no option' in complaint('--bogus', '--', 'true', status=125)
    assert '--user' in complaint('--user', 'root')
    with open('/dev/full', 'w') as full:
        done = subprocess.run(['ktrace', 'syscall', '--', 'true'], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 125 and 'No space' in done.stderr, done
    none_left()


def test_filters():
    """Only the calls of a user, or of a task name, are counted."""
    if not os.path.exists('/usr/bin/setpriv'):
        raise Skip('there is no setpriv')
    live = Live(1)
    process = start('--comm', 'syscalls')
    expected = live.call(300)
    subprocess.check_call([victim('syscalls'), 'null', '5'], stdout=subprocess.DEVNULL)
    subprocess.check_call(['sh', '-c', ':'])
    found = table(finish(process))
    assert found['x86-64', 'getppid'] == (expected + 5, 0), found
    process = start('--uid', '65534')
    live.call(300)
    subprocess.check_call(['setpriv', '--reuid', '65534', '--clear-groups', victim('syscalls'),
                           'null', '11'], stdout=subprocess.DEVNULL)
    found = table(finish(process))
    live.end()
    assert found['x86-64', 'getppid'] == (11, 0), found


def records_of(*options, status=0):
    """Returns the lines of --slow, and the document after them."""
    path = os.path.join(TMP, 'records')
    done = subprocess.run(['ktrace', 'syscall', '--format', 'json', '-o', path, *options],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=limit(100))
    assert done.returncode == status, (options, done.returncode, done.stderr)
    with open(path) as lines:
        documents = [json.loads(line) for line in lines]
    assert documents[-1]['complete'], documents[-1]['session']
    return documents[:-1], documents[-1]


def test_slow_shows_each_call():  # debug
    """With 0, each counted call is shown, with its arguments and its result."""
    name = os.path.join(TMP, 'a file with a name that is longer than what is kept of it')
    with open(name, 'w') as file:
        file.write('x' * 3000)
    records, data = records_of('--slow', '0', '--', 'dd', 'if=' + name, 'of=/dev/null', 'bs=1000')
    calls = {}
    for record in records:
        calls[record['name']] = calls.get(record['name'], 0) + 1
    assert calls == {row['name']: row['calls'] for row in data['rows']}, calls
    reads = [record for record in records if record['name'] == 'read' and record['args'][2] == 1000]
    assert [record['return'] for record in reads] == [1000, 1000, 1000, 0], reads
    assert all(record['path'] == name[-48:] and record['comm'] == 'dd' for record in reads), reads
    times = [record['time_ns'] for record in records]
    assert times == sorted(times), times
    assert [r for r in records if r['name'] == 'access' and r['errno'] == 'ENOENT'], records


@undisturbed
def test_slow_leaves_fast_ones_out():
    out = ktrace('syscall', '--slow', '290ms', '--', 'perl', '-e',
                 'select(undef, undef, undef, 0.3); getppid for 1..100; '
                 'select(undef, undef, undef, 0.01)')[0]
    head = out.split('% time')[0].splitlines()
    selects = [line for line in head if 'select' in line]
    assert selects, out
    timely(len(selects) == 1 and 'getppid' not in out.split('% time')[0], out)
    assert re.match(r' *[\d.]+ +\d+ perl +[\d.]+ (?:ms| s)  p?select6?\(0, .*\) = 0$', selects[0]), out
    live = Live(1)
    process = begin(['ktrace', 'syscall', '--slow', '1ns', '-p', str(live.process.pid)])
    live.call(1)
    live.call(1)
    process.send_signal(signal.SIGINT)
    out = process.communicate(timeout=limit(60))[0]
    live.end()
    assert re.search(r'read\(0<pipe:\[\d+\]>, 0x[0-9a-f]+, \d+\) = 2$', out, re.M), out


PATHS = """
import ctypes, os
call = ctypes.CDLL(None).syscall
for path in b'/nowhere/plain', b'/nowhere/\\x1b[2J"\\\\\\n\\xff\\xc3\\xa4', b'/nowhere/' + 100 * b'x':
    call(2, path, 0)
call(257, -100, b'/nowhere/at', 0)
call(87, b'/nowhere/96'.ljust(96, b'y'))
call(82, b'/nowhere/from', b'/nowhere/to')
call(59, b'/nowhere/program', None, None)
call(84, ctypes.c_void_p(4096))
call(84, None)
"""


def test_slow_shows_paths_that_are_given():
    """Paths are quoted and escaped; of a path that cannot be read, the address is shown."""
    program = os.path.join(TMP, 'paths.py')
    with open(program, 'w') as file:
        file.write(PATHS)
    out = ktrace('syscall', '--slow', '0', '--', 'python3', program)[0]
    assert '\x1b' not in out
    calls = re.findall(r'  (\w+\(.*)$', out, re.M)
    expected = ['open("/nowhere/plain", 0', 'open("/nowhere/\\033[2J\\"\\\\\\n\\377ä", 0',
                'open("/nowhere/%s"..., 0' % (87 * 'x'), 'openat(AT_FDCWD, "/nowhere/at", 0',
                'unlink("/nowhere/96%s") = -1 ENOENT' % (85 * 'y'), 'rename("/nowhere/from", 0x',
                'execve("/nowhere/program") = -1 ENOENT', 'rmdir(0x1000) = -1 EFAULT',
                'rmdir(NULL) = -1 EFAULT']
    for text in expected:
        assert [call for call in calls if call.startswith(text)], (text, calls)
    assert re.search(r'  execve\(\?\) = 0$', out, re.M), out[:500]
    # As many arguments as these calls have; permissions that were not given are 0.
    assert re.search(r'  getrandom\(0x\w+, \d+, \w+\) = \d+$', out, re.M), calls
    assert re.search(r'  rt_sigaction\(\d+, \w+, \w+, 8\) = 0$', out, re.M), calls
    assert re.search(r'  openat\(AT_FDCWD, ".*", 0x80000, 0\) = ', out), calls
    records = records_of('--slow', '0', '--', 'python3', program)[0]
    given = [r for r in records if '/nowhere' in (r.get('filename') or '') and r['name'] != 'openat']
    found = [(r['name'], r['filename'], r.get('is_filename_cut')) for r in given if r['errno'] == 'ENOENT']
    for record in (('open', '/nowhere/plain', None),
                   ('open', '/nowhere/\x1b[2J"\\\n\ufffdä', None),
                   ('open', '/nowhere/' + 87 * 'x', True),
                   ('rename', '/nowhere/from', None), ('execve', '/nowhere/program', None)):
        assert record in found, (record, found)
    assert [r['filename'] for r in records if r['name'] == 'rmdir'] == [None, None], records


def slow_stacks(form, *naps):
    """Returns three lines, or as many lines of text, of a victim that naps until all are shown."""
    nr = 3 if form == 'json' else 12
    napper = subprocess.Popen([victim('stacks'), *naps], stdout=subprocess.DEVNULL)
    wait_until_asleep(napper.pid, 35)
    process = subprocess.Popen(['ktrace', 'syscall', '--format', form, '--slow', '20ms', '--stacks',
                                '-p', str(napper.pid)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    lines = [process.stdout.readline() for _ in range(nr)]
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=limit(60))[1]
    napper.kill()
    napper.wait()
    assert process.returncode == 0, (process.returncode, errors, lines)
    return lines


def test_slow_says_on_which_stack():
    """The same sleep from two places; frames are the program's, the innermost first."""
    for naps, caller in (('1000000', '0', '30000'), 'via_a'), (('0', '1000000', '30000'), 'via_b'):
        for line in slow_stacks('json', *naps):
            record = json.loads(line)
            assert record['name'] == 'nanosleep', record
            stack = record['stack']
            assert stack['user'][:3] == ['nap', caller, 'main'], record
            assert stack['kernel'] == [] and 'kernel_end' not in stack, record
    lines = [line.rstrip('\n') for line in slow_stacks('table', '1000000', '0', '30000')]
    heads = [n for n, line in enumerate(lines) if 'nanosleep(' in line]
    assert heads and heads[0] == 0, lines
    assert [line.strip() for line in lines[1:4]] == ['nap', 'via_a', 'main'], lines
    assert all(line.startswith(16 * ' ') for n, line in enumerate(lines) if n not in heads), lines
    error = ktrace('syscall', '--stacks', '-d', '1', status=2)[1]
    assert error.count('\n') == 1 and 'add --slow' in error, error


def syscall_records(packet):
    """Returns (flags, last word of the payload) of each record."""
    at, found = 80, []
    end = struct.unpack_from('Q', packet, 40)[0] // 8
    while at < end:
        kind, flags, nr = struct.unpack_from('8xI10xBB', packet, at)
        words = struct.unpack_from('%dQ' % (nr + 2 * (kind == 6)), packet, at + 24)
        if kind == 6:
            found.append((flags, words[-1]))
        at += 24 + 8 * len(words)
    return found


def test_stacks_that_have_no_room():  # debug
    """Two stacks are kept; calls with other stacks are recorded without one, and are counted."""
    client = Client()
    live = Live(1)
    session = client.call('SESSION_NEW', **asked(
        'SYSCALLS', 'HIST', 'STREAM', 'STACKS', WHO={'PIDS': u32(live.process.pid)},
        LIMIT={'MAX_NODES': u32(16), 'SUBBUFS_PER_CPU': u32(64)}))[0]['SESSION']
    client.call('SESSION_COMMIT', SESSION=session)
    number = struct.unpack('Q', session)[0]
    wait_for(lambda: client.state(number) == 3)
    live.call(50)
    live.end()
    client.call('SESSION_STOP', SESSION=session)
    wait_for(lambda: client.state(number) == 4)
    records = []
    for cpu in range(os.cpu_count()):
        for answer in client.dump('STREAM_READ', SESSION=session, CPU=u32(cpu), CURSOR=u64(0),
                                  FLAGS=u32(1)):
            records += syscall_records(answer['PACKET']) if 'PACKET' in answer else []
    stacks = [a for a in client.dump('STACK_GET', SESSION=session) if 'STACK' in a]
    counters = client.counters(number)
    client.call('SESSION_DEL', SESSION=session)
    assert len(stacks) == 2 and counters['dropped'] == 0, (stacks, counters)
    assert len(records) == counters['produced'] > 50, (len(records), counters)
    assert all(flags == 1 << 6 for flags, _ in records), records
    kept = [stack for _, stack in records if stack != 0xffffffff]
    assert set(kept) == {0, 1}, records
    assert len(records) - len(kept) == counters['lost_stacks'] > 0, (records, counters)


def test_slow_calls_that_have_no_room():  # slow
    """The reader is stopped until the ring is full: the output shows how much is missing, and
    where."""
    live, path = Live(1), os.path.join(TMP, 'slow-full')
    forms = [begin(['ktrace', 'syscall', '--slow', '0', '--buffer', '512K', '-p',
                    str(live.process.pid), '--format', form, '-o', path + form]) for form in ('json', 'table')]
    for process in forms:
        process.send_signal(signal.SIGSTOP)
        wait_for(lambda pid=process.pid: state_of(pid) == 'T')
    while not all(session['counters']['dropped'] for session in sessions()):
        live.call(4000)
    for process in forms:
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
    errors = [process.communicate(timeout=limit(100))[1] for process in forms]
    live.end()
    assert [process.returncode for process in forms] == [3, 3], errors
    *records, data = read_documents(path + 'json')
    records, missing = split_gaps(records)
    counters, lost = data['session']['counters'], [
        int(re.search(r'the data is incomplete: (\d+) ', said)[1]) for said in errors]
    assert not data['complete'] and counters['dropped_full'] == lost[0] > 0, (counters, errors)
    assert missing == lost[0], (missing, lost)
    assert sum(row['calls'] for row in data['rows']) == counters['produced'] == \
        len(records) + lost[0], (len(records), lost, counters)
    with open(path + 'table') as text:
        gaps = re.findall(r'^(\d+) calls of CPU \d+ are missing here$', text.read(), re.M)
    assert sum(map(int, gaps)) == lost[1] > 0, (gaps, errors)


def test_stacks_need_records():
    for provider in 'SYSCALLS', 'BLOCK':
        try:
            Client().call('SESSION_NEW', **asked(provider, 'HIST', 'TREE', 'STACKS'))
            raise AssertionError('a tree has no stacks of ' + provider)
        except Refused as refused:
            assert refused.errno == errno.EINVAL, refused


@undisturbed
def test_cpu_time():  # debug
    """A thread that sleeps is not on the CPU."""
    rows = counted('--cpu-time', '--', 'sleep', '0.5')['rows']
    slept = [row for row in rows if row['name'] == 'clock_nanosleep'][0]
    assert slept['total_ns'] >= 5e8 and slept['cpu_ns'] > 0, slept
    timely(5e8 > 5 * slept['cpu_ns'], slept)
    busy = counted('--cpu-time', '--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=10M',
                   'count=20')['rows']
    read = [row for row in busy if row['name'] == 'read'][0]
    assert read['total_ns'] >= read['cpu_ns'], read
    timely(read['cpu_ns'] > 0.5 * read['total_ns'], read)
    seconds = ktrace('syscall', '--raw', '--cpu-time', '--', 'sleep', '0.5')[0].split('\n')
    slept = [line.split() for line in seconds if line.endswith('clock_nanosleep')][0]
    timely(int(slept[1]) < 1e8, slept)


def test_many_tasks():  # slow, debug
    """Tasks start and end while all are counted; none is taken for another."""
    live = Live(2)
    process = start('--cpu-time')
    come_and_go(MANY)
    expected = live.call(100)
    data = finish(process)
    live.end()
    found = table(data)
    # The shell makes this call once.
    assert found['x86-64', 'getppid'] == (expected + 1, 0), found
    assert found['x86-64', 'execve'][0] > MANY, found
