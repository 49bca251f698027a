# SPDX-License-Identifier: GPL-2.0
"""What messages may contain, and how wrong ones are refused."""
import errno
import os
import struct
import subprocess

from genl import ATTRS, INTERFACE, NESTS, NLM_F_ACK, NLM_F_DUMP, Client, Refused, asked, pack
from genl import COMMANDS, PROVIDERS, SINKS, FLAGS, enum_of, u32, u64
from suite import Skip
from tables import shape
from test_privilege import NAME, Traced, function, messages
from tool import RELEASE, VICTIMS, detach_all, ktrace, none_left, sessions, victim, wait_for

NLA_F_NESTED = 0x8000
MAX_MEM = '/sys/module/ktrace/parameters/max_mem'


def teardown():
    detach_all()
    none_left()


class Unsaid(str):
    """Equals any sentence, for kernels that do not pass it on."""
    __hash__ = None

    def __eq__(self, other):
        return True

    def __contains__(self, part):
        return True

    def startswith(self, *_):
        return True


def said_of(refused):
    return refused.said if RELEASE >= (4, 12) else Unsaid()


def refusal_of(client, command, flags=NLM_F_ACK, **attrs):
    try:
        client.call(command, flags, **attrs)
    except Refused as refused:
        return refused.errno, said_of(refused)
    return 0, ''


def sent_raw(client, command, attrs):
    """The same, with attributes as they are encoded in the message."""
    try:
        client.send(client.family, COMMANDS[command], attrs, NLM_F_ACK)
    except Refused as refused:
        return refused.errno, said_of(refused)
    return 0, ''


def new_raw(client, *nests, provider='SYSCALLS'):
    """Sends a SESSION_NEW with these attributes in addition."""
    given = asked(provider, 'HIST')
    packed = b''.join(pack(ATTRS[name], data) for name, data in given.items())
    return sent_raw(client, 'SESSION_NEW', packed + b''.join(nests))


def nest(name, data):
    return pack(ATTRS[name] | NLA_F_NESTED, data)


def write(path, text):
    with open(path, 'w') as file:
        file.write(text)


IN_EVERY_INTERFACE = {'INFO', 'SESSION_GET', 'SESSION_DEL'}


# --- another interface -----------------------------------------------------------------

def test_messages_of_another_interface():
    """
    All commands refuse them with a sentence, and nothing changes. The exceptions are the commands
    that report the module's interface, and those with which every command can end sessions.
    """
    with Traced() as traced:
        for interface in 0, INTERFACE - 1, INTERFACE + 1, 255:
            client = Client()
            client.interface = interface
            info, = client.call('INFO')
            assert info['ABI'] == u32(INTERFACE), info
            asked_for = [message for message in messages(traced.id, 0)
                         if message[0] not in IN_EVERY_INTERFACE]
            assert {message[0] for message in asked_for} == \
                set(COMMANDS) - {'UNSPEC', 'NOTICE'} - IN_EVERY_INTERFACE, asked_for
            for command, flags, attrs in asked_for:
                error, said = refusal_of(client, command, flags, **attrs)
                assert error == errno.EPROTONOSUPPORT, (interface, command, error)
                assert flags == NLM_F_DUMP or \
                    said.startswith('The message is not of interface %d,' % INTERFACE), said
            found, = client.call('SESSION_GET', SESSION=u64(traced.id))
            assert found['NAME'] == NAME.encode() + b'\0' and 'OWNER' in found, found
            client.close()
        assert [(s['name'], s['state']) for s in sessions()] == [(NAME, 'active')]


# --- nests -----------------------------------------------------------------------------

def test_nests_come_back():
    """SESSION_GET reports the values of SESSION_NEW."""
    client = Client()
    with open('/bin/true', 'rb') as file:
        own = client.call('SESSION_NEW', **asked(
            'USER', 'HIST', 'TREE', 'STREAM', flags=['RAW', 'OVERWRITE'],
            TARGET={'FD': u32(file.fileno()), 'NR_FUNCS': u32(7)},
            WHO={'PIDS': u32(os.getpid()), 'FOLLOW': b'', 'COMM': b'x*\0'},
            LIMIT={'MIN_TIME': u64(5000), 'MAX_DEPTH': u32(3), 'SUBBUFS_PER_CPU': u32(8),
                   'LIFETIME': u64(10 ** 12)}))[0]['SESSION']
    answer, = client.call('SESSION_GET', SESSION=own)
    assert answer['PROVIDER'] == u32(PROVIDERS['KTRACE_PROVIDER_USER'])
    assert answer['SINKS'] == u32(SINKS['HIST'] | SINKS['TREE'] | SINKS['STREAM'])
    assert answer['FLAGS'] == u32(FLAGS['RAW'] | FLAGS['OVERWRITE'])
    assert answer['TARGET'] == {'NR_FUNCS': u32(7)}, answer
    assert answer['WHO'] == {'PIDS': u32(os.getpid()), 'FOLLOW': b''}, answer
    assert answer['LIMIT'] == {'MIN_TIME': u64(5000), 'SUBBUFS_PER_CPU': u32(8)}, answer
    client.call('SESSION_CHANGE', SESSION=own, LIMIT={'MIN_TIME': u64(0)},
                WHO={'PIDS': u32(os.getppid()), 'NOT_PIDS': u32(os.getpid())})
    answer, = client.call('SESSION_GET', SESSION=own)
    assert answer['WHO'] == {'PIDS': u32(os.getppid()), 'FOLLOW': b''}, answer
    assert answer['LIMIT'] == {'SUBBUFS_PER_CPU': u32(8)}, answer
    # An empty nest has no effect.
    plain = client.call('SESSION_NEW', **asked('SYSCALLS', 'HIST', WHO={}, LIMIT={}, TARGET={}))
    answer, = client.call('SESSION_GET', SESSION=plain[0]['SESSION'])
    assert answer['WHO'] == {} and answer['LIMIT'] == {}, answer
    client.close()


def test_what_nests_refuse():
    """Nests are refused by every rule, with a sentence that names the rule."""
    client = Client()
    limit = NESTS['LIMIT']
    refused = 'A nest has an attribute that the command does not take.'
    good = pack(limit['MAX_NODES'], u32(64))
    assert new_raw(client, nest('LIMIT', good))[0] == 0
    for name in NESTS:
        unknown = pack(max(NESTS[name].values()) + 1, u32(1))
        assert new_raw(client, nest(name, unknown)) == (errno.EINVAL, refused), name
        assert new_raw(client, nest(name, pack(0, u32(1)))) == (errno.EINVAL, refused), name
        assert new_raw(client, nest(name, pack(0x3fff, b''))) == (errno.EINVAL, refused), name
    assert new_raw(client, nest('LIMIT', good + good)) == \
        (errno.EINVAL, 'A nest has a duplicate attribute.')
    assert new_raw(client, nest('LIMIT', good + b'\1\0\0\0')) == \
        (errno.EINVAL, 'A nest does not end with an attribute.')
    assert new_raw(client, nest('LIMIT', struct.pack('HH', 200, limit['MAX_NODES']) + u32(64))) == \
        (errno.EINVAL, 'A nest does not end with an attribute.')
    assert new_raw(client, pack(0, u32(1)))[0] == errno.EINVAL
    # Newer kernels check this before the module does.
    assert new_raw(client, pack(ATTRS['LIMIT'], good))[0] == errno.EINVAL
    assert new_raw(client, nest('LIMIT', good), nest('LIMIT', good)) == \
        (errno.EINVAL, 'Duplicate attribute.')
    client.close()


def test_lengths_in_nests():
    client = Client()
    wrong = errno.ERANGE, 'A nest has an attribute of a wrong length.'
    lengths = {'u32': (0, 3, 5, 8), 'u64': (0, 4, 7, 9), 'flag': (1, 4)}
    kinds = {('TARGET', 'FD'): 'u32', ('TARGET', 'NR_FUNCS'): 'u32', ('WHO', 'CGROUP'): 'u64',
             ('WHO', 'FOLLOW'): 'flag', ('WHO', 'ON_EXEC'): 'flag', ('LIMIT', 'MIN_TIME'): 'u64',
             ('LIMIT', 'MAX_DEPTH'): 'u32', ('LIMIT', 'MAX_NODES'): 'u32',
             ('LIMIT', 'SUBBUFS_PER_CPU'): 'u32', ('LIMIT', 'LIFETIME'): 'u64',
             ('LIMIT', 'BUDGET'): 'u32'}
    for (name, attr), kind in kinds.items():
        for length in lengths[kind]:
            data = pack(NESTS[name][attr], b'\1' * length)
            assert new_raw(client, nest(name, data)) == wrong, (name, attr, length)
    for data in b'', b'x', b'x' * 16, b'x' * 16 + b'\0':
        assert new_raw(client, nest('WHO', pack(NESTS['WHO']['COMM'], data))) == wrong, data
    for name, attr, most in (('WHO', 'PIDS', 512), ('WHO', 'UIDS', 512), ('TARGET', 'DEVS', 64),
                             ('TARGET', 'FILES', 64)):
        data = pack(NESTS[name][attr], u32(1) * (most + 1))
        assert new_raw(client, nest(name, data), provider='BLOCK') == wrong, (name, attr)
        data = pack(NESTS[name][attr], u32(1) + b'\0')
        assert new_raw(client, nest(name, data), provider='BLOCK')[0] == errno.EINVAL, (name, attr)
    client.close()


def test_what_a_provider_refuses():
    """Which attributes can be combined; each refusal has a sentence."""
    client = Client()
    target = {'NR_FUNCS': u32(1)}

    def said(*args, **more):
        error, text = refusal_of(client, 'SESSION_NEW', **asked(*args, **more))
        assert error == errno.EINVAL, (error, text)
        return text
    assert said('UNSPEC', 'HIST') == 'There is no such provider.'
    wrong = {**asked('USER', 'HIST'), 'PROVIDER': u32(max(PROVIDERS.values()) + 1)}
    assert refusal_of(client, 'SESSION_NEW', **wrong)[1] == 'There is no such provider.'
    assert said('SCHED', 'COUNT') == 'The provider does not take one of these sinks.'
    assert said('SCHED', 'HIST', flags=['RAW']) == 'The provider does not take one of these flags.'
    assert said('SCHED', 'HIST', NAME=b'a b\0') == 'A name has letters, digits and ._- only.'
    assert 'TARGET has an FD' in said('USER', 'HIST', TARGET=target)
    assert 'TARGET has NR_FUNCS' in said('KERNEL', 'HIST')
    assert 'TARGET has NR_FUNCS' in said('SCHED', 'HIST', TARGET=target)
    assert said('SCHED', 'HIST', TARGET={'DEVS': u32(1)}) == 'The provider does not take DEVS.'
    assert said('VIRTIO', 'HIST', TARGET={'FILES': u32(0)}) == 'The provider does not take FILES.'
    assert said('SYSENTER', 'HIST') == 'The provider needs PIDS.'
    assert said('SCHED', 'HIST', WHO={'ON_EXEC': b''}) == 'ON_EXEC needs PIDS.'
    assert 'omit WHO' in said('VIRTIO', 'HIST', WHO={'COMM': b'x\0'})
    assert 'MIN_TIME' in said('VIRTIO', 'HIST', LIMIT={'MIN_TIME': u64(1)})
    assert 'MAX_DEPTH' in said('SCHED', 'HIST', LIMIT={'MAX_DEPTH': u32(1)})
    for lifetime in 0, 1 << 63, (1 << 64) - 1:
        assert 'LIFETIME is 1 at least' in said('SCHED', 'HIST', LIMIT={'LIFETIME': u64(lifetime)})
    assert 'BUDGET needs' in said('SCHED', 'HIST', LIMIT={'BUDGET': u32(1)})
    assert 'Stacks lack' in said('SCHED', 'HIST', 'STACKS')
    assert said('BLOCK', 'TREE') == 'The provider does not take one of these sinks.'
    assert refusal_of(client, 'SESSION_NEW', PROVIDER=u32(1)) == \
        (errno.EINVAL, 'The command lacks an attribute.')
    assert refusal_of(client, 'SESSION_PAUSE', SESSION=u64(1), WHO={}) == \
        (errno.EINVAL, 'The command does not take one of these attributes.')
    own = client.call('SESSION_NEW', **asked('SCHED', 'HIST'))[0]['SESSION']
    for more in {'LIMIT': {'BUDGET': u32(1)}}, {'WHO': {'FOLLOW': b''}}:
        assert refusal_of(client, 'SESSION_CHANGE', SESSION=own, **more) == \
            (errno.EINVAL, 'A nest has an attribute that the command does not take.')
    client.close()


# --- sessions --------------------------------------------------------------------------

STATES = enum_of('ktrace_state')


def settled(client, session, state):
    """Waits until the session has this state, and returns what SESSION_GET reports then."""
    def get():
        answer, = client.call('SESSION_GET', SESSION=session)
        return answer['STATE'] == u32(STATES['KTRACE_STATE_' + state]) and answer
    return wait_for(get)


def test_a_refused_edit_leaves_no_editor():
    """A socket whose functions were refused does not keep others from editing."""
    one, other = Client(), Client()
    with open('/bin/true', 'rb') as file:
        fd = {'FD': u32(file.fileno())}
        own = one.call('SESSION_NEW', **asked('USER', 'HIST', TARGET={**fd, 'NR_FUNCS': u32(2)}))
        own = own[0]['SESSION']
        assert refusal_of(one, 'FUNC_DEL', SESSION=own, FUNC_LIST=u32(1))[0] == errno.ENOENT
        add = {**fd, 'SESSION': own, 'FUNCS': function(1, 64)}
        assert refusal_of(other, 'FUNC_ADD', **add)[0] == 0
        # Now the other one has something staged. It is not reported as probed.
        assert refusal_of(one, 'FUNC_ADD', **add)[0] == errno.EBUSY
        probed = one.call('FUNC_GET', NLM_F_DUMP, SESSION=own, FLAGS=u32(4))
        assert [answer for answer in probed if 'FUNC' in answer] == [], probed
    one.close()
    other.close()


def test_a_pause_that_cannot_end():
    """Without memory for its probes a session remains paused, and can be resumed later."""
    client = Client()
    own = client.call('SESSION_NEW', **asked('BLOCK', 'HIST'))[0]['SESSION']
    client.call('SESSION_COMMIT', SESSION=own)
    settled(client, own, 'ACTIVE')
    client.call('SESSION_PAUSE', SESSION=own)
    settled(client, own, 'PAUSED')
    with open(MAX_MEM) as file:
        usual = file.read()
    try:
        write(MAX_MEM, '0')
        client.call('SESSION_RESUME', SESSION=own)
        wait_for(lambda: client.call('SESSION_GET', SESSION=own)[0]['ERROR'] != u32(0))
        answer = settled(client, own, 'PAUSED')
        assert struct.unpack('i', answer['ERROR']) == (-errno.ENOMEM,), answer
    finally:
        write(MAX_MEM, usual)
    client.call('SESSION_RESUME', SESSION=own)
    answer = settled(client, own, 'ACTIVE')
    assert answer['ERROR'] == u32(0), answer
    client.close()


def test_a_stopped_session_has_no_processes():
    client = Client()
    own = client.call('SESSION_NEW', **asked('SCHED', 'HIST', WHO={'PIDS': u32(os.getpid())}))
    own = own[0]['SESSION']
    client.call('SESSION_COMMIT', SESSION=own)
    assert settled(client, own, 'ACTIVE')['WHO'] == {'PIDS': u32(os.getpid())}
    client.call('SESSION_STOP', SESSION=own)
    assert settled(client, own, 'STOPPED')['WHO'] == {'PIDS': b''}
    client.close()


def test_a_process_that_has_ended():
    """A session that is made for a process that nobody has waited for does not wait for it either."""
    process = subprocess.Popen(['true'])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    client = Client()
    own = client.call('SESSION_NEW', **asked('SCHED', 'HIST', WHO={'PIDS': u32(process.pid)}))
    answer = client.call('SESSION_GET', SESSION=own[0]['SESSION'])[0]
    assert answer['NR_LEFT'] == u32(0), answer
    client.close()
    process.wait()


def test_gates():
    """Sessions with a gate count from one moment to another, whenever they were attached."""
    client = Client()
    assert refusal_of(client, 'SESSION_NEW', **asked('USER', 'HIST', flags=['GATE']))[0] == errno.EINVAL
    ids = [client.call('SESSION_NEW', **asked(provider, 'HIST', flags=['GATE']))[0]['SESSION']
           for provider in ('SYSCALLS', 'SCHED', 'BLOCK', 'FAULT')]
    both, close = {'SESSIONS': b''.join(ids)}, {'FLAGS': u32(1)}

    def gate(**attrs):
        return refusal_of(client, 'SESSION_GATE', **attrs)[0]

    def answers():
        return [client.call('SESSION_GET', SESSION=one)[0] for one in ids]

    def hits():
        return [struct.unpack_from('Q', answer['COUNTERS'])[0] for answer in answers()]
    for one in ids[:-1]:
        client.call('SESSION_COMMIT', SESSION=one)
        settled(client, one, 'ACTIVE')
    assert gate(**both) == errno.EBUSY      # the last one is not attached
    client.call('SESSION_COMMIT', SESSION=ids[-1])
    settled(client, ids[-1], 'ACTIVE')
    ktrace('ctl', 'list')
    assert hits() == [0, 0, 0, 0], hits()
    assert gate(**both, **close) == errno.EBUSY
    assert gate(**both) == 0 and gate(**both) == errno.EBUSY
    subprocess.check_call(['sh', '-c', 'ls /etc >/dev/null; /bin/true; sleep 0.01'])
    assert gate(**both, **close) == 0 and gate(**both, **close) == errno.EBUSY
    counted, clocks = hits(), {answer['CLOCKS'] for answer in answers()}
    assert counted[0] > 100 and counted[1] > 4 and counted[3] > 10, counted
    assert len(clocks) == 1, clocks
    begin, end = struct.unpack('8Q', clocks.pop())[0::4]
    assert 10000000 < end - begin, (begin, end)
    subprocess.check_call(['sh', '-c', 'ls /etc >/dev/null; sleep 0.01'])
    for one in ids:
        client.call('SESSION_STOP', SESSION=one)
        settled(client, one, 'STOPPED')
    assert hits() == counted, (hits(), counted)
    assert struct.unpack_from('8Q', answers()[0]['CLOCKS'])[4] == end
    plain = client.call('SESSION_NEW', **asked('SYSCALLS', 'HIST'))[0]['SESSION']
    client.call('SESSION_COMMIT', SESSION=plain)
    settled(client, plain, 'ACTIVE')
    assert gate(SESSIONS=plain) == errno.EBUSY
    assert gate(SESSIONS=u64(1 << 60)) == errno.ENOENT
    for wrong in {'SESSIONS': b''}, {'SESSIONS': u32(1)}, {'SESSIONS': plain * 2}, \
            {'SESSIONS': plain, 'FLAGS': u32(2)}:
        assert gate(**wrong) == errno.EINVAL, wrong
    client.close()


def test_resets_of_several_sessions():
    """All sessions of a message are reset, or none."""
    client = Client()
    small, large = [client.call('SESSION_NEW', **one)[0]['SESSION'] for one in (
        asked('FAULT', 'HIST'), asked('SCHED', 'TABLE', TABLE=shape('tid', max_rows=65536)))]
    both, done = {'SESSIONS': small + large}, {'FLAGS': u32(1)}

    def reset(**attrs):
        return refusal_of(client, 'SESSION_RESET', **attrs)[0]

    def memory():
        return struct.unpack('Q', client.call('INFO')[0]['MEM'])[0]
    assert reset(**both, **done) == errno.ENOENT
    assert reset(SESSION=small) == 0
    assert reset(**both) == errno.EALREADY and reset(SESSION=large, **done) == errno.ENOENT
    assert reset(**both, **done) == errno.ENOENT and reset(SESSION=small, **done) == 0
    assert reset(**both) == 0 and reset(**both) == errno.EALREADY
    assert reset(**both, **done) == 0 and reset(**both, **done) == errno.ENOENT
    with open(MAX_MEM) as file:
        usual = file.read()
    used = memory()
    try:
        write(MAX_MEM, str((used >> 20) + 2))
        assert reset(**both) == errno.ENOMEM
    finally:
        write(MAX_MEM, usual)
    assert memory() == used, (memory(), used)
    assert reset(SESSION=small, **done) == errno.ENOENT
    assert reset(SESSIONS=small + u64(1 << 60)) == errno.ENOENT
    for wrong in {'SESSIONS': b''}, {'SESSIONS': u32(1)}, {'SESSIONS': small * 2}, \
            {'SESSION': small, **both}, {**both, 'FLAGS': u32(2)}, {'SESSION': small, 'FLAGS': u32(2)}:
        assert reset(**wrong) == errno.EINVAL, wrong
    client.close()


def test_the_command_passes_sentences_on():
    """A command that sends messages of another interface gets the module's sentence."""
    if RELEASE < (4, 12):
        raise Skip('before 4.12 the kernel carries no sentence of a refusal')
    mixed = os.path.join(os.path.dirname(VICTIMS), 'mixed', 'build', 'ktrace')
    for command in ['sched', '-d', '1'], ['ctl', 'attach', '--budget', 'none', '--binary', victim('spin')]:
        done = subprocess.run([mixed, *command], capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.endswith(
            ': The message is not of interface %d, which this module has; use the ktrace command '
            'that the module came with.\n' % INTERFACE), (command, done)
