# SPDX-License-Identifier: GPL-2.0
"""Only root of the machine may trace. Other users can change nothing and see nothing."""
import errno
import json
import os
import re
import shutil
import socket
import struct
import subprocess

from genl import COMMANDS, CTRL_CMD_GETFAMILY, CTRL_ATTR_NAME, GENL_ID_CTRL, NLM_F_ACK, NLM_F_DUMP
from genl import Client, Refused, asked, pack, u32, u64
from strangers import STRANGERS, Stranger, become_nobody
from test_ctl import Spin
from tool import (TMP, detach_all, expected_calls, ktrace, none_left, own_functions, sessions,
                  victim, wait_for)

SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 270, 1
CTRL_ATTR_MCAST_GROUPS = 7
STATE_ACTIVE = 3
NAME = 'of_root'


def teardown():
    detach_all()
    # Sessions without a name end a moment after their sockets.
    none_left()


# --- every command, in a form that would be accepted ----------------------------------

def function(number, offset):
    """Returns a struct ktrace_func for an entry only."""
    return struct.pack('IHBBQQQQQ', number, 0, 0, 0, offset, offset, offset + 1, 0, 0) + bytes(8)


def messages(session, program):
    """Returns (command, flags, attributes) of every command; commands that end the session come
    last."""
    one = {'SESSION': u64(session)}
    fd = {'FD': u32(program)}
    stream = {**one, 'CPU': u32(0), 'CURSOR': u64(0)}
    return [('INFO', NLM_F_ACK, {}),
            ('SESSION_GET', NLM_F_ACK, one),
            ('SESSION_GET', NLM_F_ACK, {'NAME': NAME.encode() + b'\0'}),
            ('SESSION_GET', NLM_F_DUMP, {}),
            ('FUNC_GET', NLM_F_DUMP, one),
            ('FUNC_GET', NLM_F_DUMP, {**one, 'FLAGS': u32(4)}),
            ('TREE_GET', NLM_F_DUMP, one),
            ('TABLE_GET', NLM_F_DUMP, one),
            ('STACK_GET', NLM_F_DUMP, one),
            ('STREAM_READ', NLM_F_DUMP, stream),
            ('STREAM_READ', NLM_F_DUMP, {**stream, 'FLAGS': u32(1)}),
            ('SUBSCRIBE', NLM_F_ACK, {}),
            ('SESSION_NEW', NLM_F_ACK, asked('USER', 'HIST', WHO={'FOLLOW': b''}, LIMIT={
                'MAX_DEPTH': u32(7)}, TARGET={**fd, 'NR_FUNCS': u32(1)})),
            ('FUNC_ADD', NLM_F_ACK, {**one, **fd, 'FUNCS': function(9, 64)}),
            ('FUNC_DEL', NLM_F_ACK, {**one, 'FUNC_LIST': b''}),
            ('SESSION_COMMIT', NLM_F_ACK, one),
            ('SESSION_CHANGE', NLM_F_ACK, {**one, 'LIMIT': {'MAX_DEPTH': u32(7)}}),
            ('SESSION_WATCH', NLM_F_ACK, one),
            ('TASK_CONTINUE', NLM_F_ACK, {**one, 'PID': u32(1)}),
            ('SESSION_RESET', NLM_F_ACK, one),
            ('COSTS_SET', NLM_F_ACK, {'COSTS': struct.pack('5Q', *[1000] * 5)}),
            ('SESSION_PAUSE', NLM_F_ACK, one),
            ('SESSION_RESUME', NLM_F_ACK, one),
            ('SESSION_GATE', NLM_F_ACK, {'SESSIONS': u64(session)}),
            ('SESSION_ARM', NLM_F_ACK, one),
            ('UNWIND_ADD', NLM_F_ACK, {**one, 'FD': u32(program), 'UNWIND_LEN': u32(0)}),
            ('SESSION_STOP', NLM_F_ACK, one),
            ('SESSION_DEL', NLM_F_ACK, one)]


def ask_all(client, session):
    """Returns the answer to each message: (command, error, number of answers)."""
    results = []
    program = os.open('/bin/true', os.O_RDONLY)
    for command, flags, attrs in messages(session, program):
        try:
            results.append((command, 0, len(client.call(command, flags, **attrs))))
        except Refused as error:
            results.append((command, error.errno, len(error.answers)))
    os.close(program)
    return results


class Traced:
    """A running session of root, with figures and records."""

    def __enter__(self):
        self.spin = Spin()
        ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(self.spin.pid), '--name', NAME,
               '--stream')
        self.id = wait_for(lambda: [s['id'] for s in sessions() if s['counters']['held'] > 20])[0]
        return self

    def __exit__(self, *_):
        self.spin.__exit__()


def check_refused(name, before=None, ask=ask_all):
    with Traced() as traced:
        stranger = Stranger(name, lambda client: ask(client, traced.id), before or Client)
        results = stranger.go()
        assert isinstance(results, list), results
        answered = [row for row in results if row[1:] != [errno.EPERM, 0]]
        assert answered == [], answered
        # Nothing has changed, and the messages were valid.
        assert [s['id'] for s in sessions()] == [traced.id]
        assert Client().state(traced.id) == STATE_ACTIVE
        results = ask_all(Client(), traced.id)
        assert [row for row in results if row[1] == errno.EPERM] == [], results
        assert {row[0] for row in results} == set(COMMANDS) - {'UNSPEC', 'NOTICE'}


def test_privilege_nobody():
    check_refused('nobody')


def test_privilege_net_admin():
    check_refused('net_admin')


def test_privilege_root_of_a_namespace():
    check_refused('root of a namespace')


def test_privilege_of_a_socket():
    """A socket that root opened does not help a user, and root cannot use one that a user
    opened."""
    client = Client()
    check_refused('nobody', lambda: client)
    # Its name is free again.
    none_left()
    ours, theirs = socket.socketpair()
    giver = Stranger('nobody', lambda mine: socket.send_fds(theirs, [b'.'], [mine.socket.fileno()])
                     and mine.family, Client)
    family = giver.go()
    given = Client()
    given.close()
    given.socket = socket.socket(fileno=socket.recv_fds(ours, 1, 1)[1][0])
    given.family = family
    with Traced() as traced:
        results = ask_all(given, traced.id)
    assert {row[1:] for row in results} == {(errno.EPERM, 0)}, results


# --- notices ------------------------------------------------------------------------------

def listen(client):
    """Joins every multicast group; returns what the family sends until told to stop."""
    for group in range(1, 512):
        try:
            client.socket.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
        except OSError:
            pass
    return client


def heard(client):
    kinds = []
    client.socket.setblocking(False)
    while True:
        try:
            data = client.socket.recv(65536)
        except BlockingIOError:
            return kinds.count(client.family)
        kinds.append(struct.unpack_from('IH', data)[1])


def test_privilege_notices():
    """The family has no groups: notices go to those who have subscribed with a command."""
    mine = Client()
    family = mine.send(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, pack(CTRL_ATTR_NAME, b'ktrace\0'),
                       NLM_F_ACK)[0]
    assert CTRL_ATTR_MCAST_GROUPS not in family, family
    mine.call('SUBSCRIBE')
    # One subscriber shows that all notices were sent.
    strangers = [Stranger(name, heard, lambda: listen(Client())) for name in STRANGERS]
    with Traced():
        pass
    teardown()
    assert heard(mine) > 0
    assert [stranger.go() for stranger in strangers] == [0] * len(STRANGERS)


# --- another network namespace ------------------------------------------------------------

def test_privilege_root_in_a_network_namespace():
    """Root of the machine can trace from another network namespace, and sees all sessions."""
    subprocess.check_call(['ip', 'netns', 'add', 'ktrace'])
    inside = ('ip', 'netns', 'exec', 'ktrace', 'ktrace')
    try:
        with Traced() as traced:
            text = subprocess.check_output([*inside, 'ctl', 'list', '--format', 'json'])
            assert [s['id'] for s in json.loads(text)['rows']] == [traced.id], text
        path = os.path.join(TMP, 'netns')
        done = subprocess.run([*inside, 'run', '-o', path, '--format', 'json', '--',
                               victim('recursion')], capture_output=True, text=True)
        with open(path) as out:
            rows = own_functions(json.load(out)['rows'])
        calls = {name: row['entries'] for name, row in rows.items()}
        assert calls == expected_calls('recursion'), (calls, done)
        subprocess.check_call([*inside, 'ctl', 'detach', '--all'], stdout=subprocess.DEVNULL)
        assert sessions() == []
    finally:
        subprocess.check_call(['ip', 'netns', 'del', 'ktrace'])


# --- addresses of the kernel --------------------------------------------------------------

# The kernel's half of the address space, except a hole below its image.
RANGES = (0xffff800000000000, 0xfffffffeffffffff), (0xffffffff80000000, 0xfffffffffffff000)
IN_TEXT = re.compile(r'ffff[89a-f][0-9a-f]{11}')


def addresses_in(data):
    """Returns the kernel addresses in data, at the alignment of fields, also behind shorter
    fields."""
    found = (int.from_bytes(data[at:at + 8], 'little') for at in range(0, len(data) - 7, 4))
    return [hex(value) for value in found for low, high in RANGES if low <= value < high]


def known_address():
    """Returns the address of one of our functions, as the kernel reports it."""
    with open('/proc/kallsyms') as symbols:
        return next(int(line.split()[0], 16) for line in symbols if line.endswith('[ktrace]\n'))


def all_answers(session, has_stream=True):
    """Returns every attribute of every dump and answer about a session, except random ones."""
    client = Client()
    one = {'SESSION': u64(session)}
    answers = client.call('INFO') + client.call('SESSION_GET', **one)
    answers += client.dump('SESSION_GET') + client.dump('FUNC_GET', **one)
    answers += client.dump('FUNC_GET', FLAGS=u32(4), **one) + client.dump('TREE_GET', **one)
    answers += client.dump('TABLE_GET', **one)
    answers += client.dump('STACK_GET', **one)
    for cpu in range(os.cpu_count() if has_stream else 0):
        answers += client.dump('STREAM_READ', CPU=u32(cpu), CURSOR=u64(0), FLAGS=u32(1), **one)
    nests = [nest for answer in answers for nest in answer.values() if isinstance(nest, dict)]
    assert {'NR_FUNCS'} in [set(nest) for nest in nests], nests
    return [(name, data) for answer in answers + nests for name, data in answer.items()
            if name != 'COOKIE' and not isinstance(data, dict)]


def restrict_addresses(value):
    """Sets kptr_restrict; returns the old value."""
    with open('/proc/sys/kernel/kptr_restrict', 'r+') as restrict:
        before = restrict.read()
        restrict.seek(0)
        restrict.write(value)
    return before


def test_privilege_kernel_addresses():
    before = restrict_addresses('0')
    try:
        check_addresses()
    finally:
        restrict_addresses(before)


def check_addresses():
    """Checks that no address appears when kptr_restrict hides addresses from all."""
    address = known_address()
    assert addresses_in(bytes(4) + address.to_bytes(8, 'little')) == [hex(address)]
    assert IN_TEXT.search('%x' % address)
    restrict_addresses('2')
    assert known_address() == 0
    ktrace('ctl', 'attach', '--binary', victim('values'), '--name', 'values', '--stream', '-f',
           'factorial', '-A', 'factorial@1', '-R', 'factorial')
    subprocess.run([victim('values')], stdout=subprocess.DEVNULL)
    subprocess.run([victim('values')], stdout=subprocess.DEVNULL)
    answers = all_answers(sessions()[0]['id'])
    assert {'CELLS', 'BUCKETS', 'NODES', 'PACKET', 'COUNTERS'} <= {name for name, _ in answers}
    found = [(name, addresses_in(data)) for name, data in answers if addresses_in(data)]
    assert found == [], found
    texts = [''.join(ktrace(*command.split())) for command in (
        'ctl list --format json', 'ctl show values --format json', 'ctl read values --format json', 'doctor',
        'ctl detach values')]
    texts.append('\n'.join(line for line in subprocess.check_output(['dmesg'], text=True).split('\n')
                           if 'ktrace' in line))
    assert 'ktrace' in texts[-1] or not texts[-1]
    assert [IN_TEXT.findall(text) for text in texts] == [[]] * len(texts), texts


RESULT_NONE = 1 << 63
ERRNO = re.compile(rb'.[\xf0-\xff]\xff{6}', re.S)  # a small negative number of 64 bits
REC_ENTRY, REC_TASK_EXIT, REC_FORK, REC_EXEC, REC_CALL = 1, 3, 4, 5, 8


def symbol(number, name, result):
    """Returns a struct ktrace_symbol; result: it is declared to return a number."""
    name = name.encode()
    return struct.pack('IHBBQ', number, len(name), 0, result, 0) + name + bytes(-len(name) % 8)


def kernel_session(client, *names, sinks=('HIST', 'STREAM'), **more):
    """Returns a session of kernel functions, all of which are declared to return a number."""
    session = client.call('SESSION_NEW', **asked(
        'KERNEL', *sinks, TARGET={'NR_FUNCS': u32(len(names))}, **more))[0]['SESSION']
    symbols = b''.join(symbol(i, name, 1) for i, name in enumerate(names))
    client.call('FUNC_ADD', SESSION=session, SYMBOLS=symbols)
    client.call('SESSION_COMMIT', SESSION=session)
    session, = struct.unpack('Q', session)
    wait_for(lambda: client.state(session) == STATE_ACTIVE)
    return session


def results_in(data):
    """Returns the calls of kernel functions in a packet: (number of the function, result)."""
    at, end = 80, struct.unpack_from('Q', data, 40)[0] // 8
    while at < end:
        kind, _, function, _, _, nr = struct.unpack_from('IIIHBB', data, at + 8)
        if kind == REC_CALL:
            yield function, struct.unpack_from('Q', data, at + 40)[0]
        at += (24 if kind in (REC_ENTRY, REC_TASK_EXIT, REC_FORK, REC_EXEC) else 40) + 8 * nr


def results_of(answers):
    return [result for name, data in answers if name == 'PACKET' for result in results_in(data)]


def test_privilege_no_address_in_results():
    """Only errnos of a function that returns a pointer are recorded, whatever it is declared to
    return."""
    client = Client()
    session = kernel_session(client, 'path_openat', 'vfs_read')
    subprocess.call(['cat', '/etc/passwd', '/no/such/file'], stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
    answers = all_answers(session)
    client.close()
    found = [(name, addresses_in(ERRNO.sub(bytes(8), data))) for name, data in answers]
    assert not [one for one in found if one[1]], found
    results = results_of(answers)
    assert {RESULT_NONE, (1 << 64) - errno.ENOENT} <= {ret for nr, ret in results if nr == 0}
    assert os.stat('/etc/passwd').st_size in [ret for nr, ret in results if nr == 1]
    assert not [ret for _, ret in results if 1 << 31 <= ret < (1 << 64) - 4095 and
                ret != RESULT_NONE], results
    out = ktrace('func', 'path_openat', '--slow', '0', '--', 'true')[0]
    assert 'path_openat' in out and not re.search(r'path_openat = [^-]', out), out[:2000]


# --- the command --------------------------------------------------------------------------

def own_copy():
    """Returns a copy of the command where other users can reach it."""
    os.chmod(TMP, 0o755)
    return shutil.copy(shutil.which('ktrace'), TMP)


def as_nobody(*command, **options):
    return subprocess.run([own_copy(), *command], capture_output=True, text=True,
                          preexec_fn=become_nobody, cwd='/', stdin=subprocess.DEVNULL, **options)


def test_privilege_of_the_command():
    """One sentence reports the missing rights, and the program is not run."""
    path = os.path.join(TMP, 'ran')
    with Traced():
        for command, status in ((['run', '--', '/usr/bin/touch', path], 125),
                                (['ctl', 'list'], 1), (['ctl', 'read', NAME], 1),
                                (['ctl', 'show', NAME], 1), (['ctl', 'pause', NAME], 1),
                                (['ctl', 'watch', NAME], 1),
                                (['ctl', 'change', NAME, '--max-depth', '3'], 1),
                                (['ctl', 'attach', '--budget', 'none', '--binary', '/bin/sleep'], 1),
                                (['ctl', 'detach', '--all'], 1)):
            done = as_nobody(*command)
            assert (done.returncode, done.stdout) == (status, ''), done
            assert done.stderr == 'ktrace: Tracing needs root (CAP_SYS_ADMIN in the initial ' \
                                  'user namespace); try: sudo ktrace ...\n', done
        assert [s['state'] for s in sessions()] == ['active']
    assert not os.path.exists(path)


def check_of(name, text):
    return next(check for check in json.loads(text)['rows'] if check['check'] == name)


def test_privilege_of_doctor():
    done = as_nobody('doctor', '--format', 'json')
    rights = check_of('rights', done.stdout)
    assert (done.returncode, done.stderr, rights['status']) == (1, '', 'missing'), done
    assert rights['fix'].startswith('sudo '), done
    done = subprocess.run(['unshare', '-Urn', own_copy(), 'doctor', '--format', 'json'],
                          capture_output=True, text=True, preexec_fn=become_nobody, cwd='/')
    rights = check_of('rights', done.stdout)
    assert (done.returncode, rights['status']) == (1, 'missing'), done
    assert rights['text'] == 'root of a user namespace only; tracing needs root of the machine'


def test_privilege_no_address_in_stacks():
    """The kernel's frames have names, whatever kptr_restrict is, and no addresses."""
    before = restrict_addresses('2')
    napper = subprocess.Popen([victim('stacks'), '1000000', '0', '1000'])
    tracer = subprocess.Popen(['ktrace', 'sched', '--stacks', '--format', 'json', '-p',
                               str(napper.pid)], text=True, stdout=subprocess.PIPE)
    try:
        def napped():
            """Checks a stack of a nap. The thread may have waited for something else before its
            first nap."""
            listed = [s['id'] for s in sessions() if s['state'] == 'active']
            answers = all_answers(listed[0], has_stream=False) if listed else []
            frames = b''.join(data for name, data in answers if name == 'KERNEL_FRAMES')
            return answers if b'do_nanosleep\0' in frames else None
        answers = wait_for(napped)
        found = [(name, addresses_in(data)) for name, data in answers if addresses_in(data)]
        assert found == [], found
    finally:
        napper.kill()
        napper.wait()
        out = tracer.communicate()[0]
        restrict_addresses(before)
    assert 'do_nanosleep' in out and not IN_TEXT.search(out), out[:2000]
