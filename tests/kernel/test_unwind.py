# SPDX-License-Identifier: GPL-2.0
"""Stacks by tables for unwinding: what is sent, what is refused, what is freed, whose stacks are
whole."""
import contextlib
import errno
import json
import os
import re
import select
import struct
import subprocess
import time

from genl import EVENTS, Client, Refused, asked, message_in, number_of, u32
from test_profile import Samples
from tool import SLOW, TMP, ktrace, none_left, timely, undisturbed, victim, wait_for

PART = number_of('KTRACE_UNWIND_PART')
FILES = number_of('KTRACE_UNWIND_FILES')
RSP, OTHER, NR_CFAS, REG_SAME = 4, 10, 13, 0
VERSION = 2
MAX_MEM = '/sys/module/ktrace/parameters/max_mem'
STACK_END = 'start'     # of a program, or of the C library
teardown = none_left


def rule(cfa=RSP, cfa_offset=8, cfa_add=0, rbp=REG_SAME):
    return struct.pack('ihhBBBB', cfa_offset, 0, 0, cfa, cfa_add, rbp, 0)


def table(rows=((0, 0),), rules=(rule(),), nr_pages=1, **head):
    """Returns the bytes of a table; head replaces fields of its head."""
    fields = {'version': VERSION, 'first_page': 0, 'nr_pages': nr_pages, 'nr_rules': len(rules),
              'nr_rows': len(rows), 'pad': 0, **head}
    pages = [0] + nr_pages * [len(rows)]
    return struct.pack('6I', *fields.values()) + struct.pack('%dI' % len(pages), *pages) + \
        b''.join(rules) + b''.join(struct.pack('HH', *row) for row in rows)


class Session:
    """A session of samples that takes tables; it need not be attached."""

    def __init__(self, client=None, flags=('UNWIND',)):
        self.client = client or Client()
        self.id = self.client.call('SESSION_NEW', **asked(
            'PROFILE', 'TREE', 'STACKS', flags=flags))[0]['SESSION']

    def add(self, file, data, at=0, length=None, total=None, client=None):
        """Sends a part of a table, by default the rest. Returns 0 or the errno."""
        part = data[at:][:PART if length is None else length]
        attrs = {'UNWIND_LEN': u32(len(data) if total is None else total)}
        if part:
            attrs.update(UNWIND_OFFSET=u32(at), UNWIND_PART=part)
        if file is not None:
            attrs['FD'] = u32(file if isinstance(file, int) else file.fileno())
        try:
            (client or self.client).call('UNWIND_ADD', SESSION=self.id, **attrs)
        except Refused as refused:
            return refused.errno
        return 0

    def close(self):
        self.client.call('SESSION_DEL', SESSION=self.id)


def mem():
    client = Client()
    used = struct.unpack('Q', client.call('INFO')[0]['MEM'])[0]
    client.close()
    return used


@contextlib.contextmanager
def memory_comes_back():
    """A session ends in the background."""
    wait_for(lambda: mem() == 0)
    yield
    none_left()
    wait_for(lambda: mem() == 0)


def new_file(nr=0):
    path = os.path.join(TMP, 'file%d' % nr)
    with open(path, 'w') as file:
        file.write('x' * nr)
    return open(path, 'rb')


# --- messages ------------------------------------------------------------------


def test_wrong_tables():  # debug
    """Damaged tables are refused, and nothing of them stays."""
    good = table(rows=((0, 0), (16, 1), (4095, 0)), rules=(rule(), rule(cfa_offset=16)))
    wrong = [
        good[:-1], good + b'\0', b'', b'\1',
        table(version=VERSION - 1), table(version=VERSION + 1), table(pad=1), table(nr_rows=2),
        table(nr_rules=2),
        table(nr_pages=0), table(first_page=1 << 18), table(first_page=0xffffffff),
        table(rows=((0, 1),)), table(rows=((0, 0), (0, 0))), table(rows=((5, 0), (4, 0))),
        table(rows=((4096, 0),)), table(rules=(rule(cfa=NR_CFAS),)),
        table(rules=(rule(cfa=OTHER, cfa_add=16),)), table(rules=(rule(rbp=5),)),
        table(rules=()), table(nr_rows=0xffffffff), table(nr_rules=0xffffffff),
        struct.pack('6I', VERSION, 0, 0xffffffff, 1, 1, 0) + bytes(100),
        good[:24] + struct.pack('2I', 1, 3) + good[32:], good[:24] + struct.pack('2I', 0, 9) + good[32:],
    ]
    with memory_comes_back(), new_file() as file:
        session = Session()
        before = mem()
        for data in wrong:
            assert session.add(file, data, total=len(data) or 24) == errno.EINVAL, data
            assert mem() == before, data
        assert session.add(file, good) == 0
        assert mem() > before
        session.close()
        session.client.close()


def test_wrong_parts():
    """Parts come in order, from one socket, for one file."""
    data = table(rows=[(low, 0) for low in range(4000)])
    with memory_comes_back(), new_file() as file, new_file(1) as other:
        session, stranger = Session(), Client()
        assert session.add(file, data, at=100) == errno.EINVAL
        before = mem()
        for wrong in (lambda: session.add(file, data, at=999),
                      lambda: session.add(file, data, at=1001),
                      lambda: session.add(other, data, at=1000),
                      lambda: session.add(None, data, at=1000),
                      lambda: session.add(file, data, at=1000, total=len(data) - 1),
                      lambda: session.add(file, data + data, at=1000, total=len(data))):
            assert session.add(file, data, length=1000) == 0
            assert session.add(file, data, at=0, client=stranger) == errno.EBUSY
            assert wrong() == errno.EINVAL
            assert mem() == before, 'a part that was refused'
            assert session.add(file, data, at=1000) == errno.EINVAL
        assert session.add(file, b'', total=len(data)) == errno.EINVAL
        assert session.add(file, data, total=0) == errno.EINVAL
        assert session.add(file, bytes(PART + 1), length=PART + 1) in (errno.EINVAL, errno.ERANGE)
        assert session.add(file, data, total=1 << 26) == errno.E2BIG
        assert session.add(9999, data) == errno.EBADF
        assert session.add(os.open(TMP, os.O_RDONLY), data) == errno.EINVAL
        # What a socket has not sent completely does not hinder the next one.
        assert session.add(file, data, length=1000, client=stranger) == 0
        assert session.add(file, data) == errno.EBUSY
        stranger.close()
        wait_for(lambda: session.add(file, data, length=10) != errno.EBUSY)
        for at in range(10, len(data), 4000):
            assert session.add(file, data, at=at, length=4000) == 0, at
        session.close()
        session.client.close()


def test_flags():
    """Only a session with stacks and the flag takes tables."""
    client = Client()
    for sinks, flags in (('HIST',), ('UNWIND',)), (('TREE',), ('UNWIND',)):
        try:
            client.call('SESSION_NEW', **asked('PROFILE', *sinks, flags=flags))
        except Refused as refused:
            assert refused.errno == errno.EINVAL
        else:
            raise AssertionError(sinks)
    session = Session(client, flags=())
    with new_file() as file:
        assert session.add(file, table()) == errno.EINVAL
    session.close()
    client.close()


def test_files_are_shared():
    """A second session shares a table, which ends with the last of them. A file that was written
    again is another one."""
    with memory_comes_back():
        sessions = Session(), Session()
        with new_file() as file:
            assert sessions[0].add(file, table()) == 0
            assert sessions[0].add(file, table()) == errno.EEXIST
            assert sessions[1].add(file, b'') == errno.EEXIST
            sessions[0].close()
            wait_for(lambda: len(sessions[1].client.sessions()) == 1)
            time.sleep(0.1)
            third = Session()
            assert third.add(file, table()) == errno.EEXIST
            with open(file.name, 'w') as again:
                again.write('more')
            assert third.add(file, table()) == 0
        assert third.add(None, table()) == 0
        assert third.add(None, table()) == errno.EEXIST
        for one in sessions[1], third:
            one.close()
        for one in *sessions, third:
            one.client.close()


def test_memory_limit():
    """A table that does not fit in max_mem is refused."""
    with memory_comes_back():
        session = Session()
        with open(MAX_MEM) as file:
            usual = file.read()
        try:
            with open(MAX_MEM, 'w') as file:
                file.write(str((mem() >> 20) + 1))
            assert session.add(None, table(), total=2 << 20) == errno.ENOMEM
        finally:
            with open(MAX_MEM, 'w') as file:
                file.write(usual)
        session.close()
        session.client.close()


def notices(client, seconds):
    """Yields the notices MAPS until none has come for some seconds."""
    end = time.monotonic() + seconds
    while select.select([client.socket], [], [], max(end - time.monotonic(), 0))[0]:
        event = message_in(client.socket.recv(65536))
        if struct.unpack('I', event['EVENT'])[0] == EVENTS['KTRACE_EVENT_MAPS']:
            end = time.monotonic() + seconds
            yield struct.unpack('i', event['PID'])[0]


def code_files(pid):
    with open('/proc/%d/maps' % pid) as file:
        return {line.split(None, 5)[5].strip() for line in file
                if 'x' in line.split()[1] and '/' in line}


def test_notices():  # debug
    """A process with unknown files is reported once, and no more when all of them are known."""
    with memory_comes_back():
        listener = Client()
        listener.call('SUBSCRIBE')
        program = subprocess.Popen([victim('unwinds'), 'deep', '3', '100000'])
        wait_for(lambda: any('libc' in path for path in code_files(program.pid)))
        time.sleep(0.5)
        samples = Samples(999, 'TREE', 'STACKS', flags=('UNWIND',),
                          WHO={'PIDS': struct.pack('i', program.pid)})
        session = Session.__new__(Session)
        session.client, session.id = samples.client, samples.id
        assert list(notices(listener, 1)) == [program.pid]
        for path in code_files(program.pid):
            with open(path, 'rb') as file:
                assert session.add(file, b'') == 0, path
        assert not list(notices(listener, 1))
        program.kill()
        program.wait()
        samples.stop()
        samples.close()
        listener.close()


# --- stacks, with tables of the command --------------------------------------------


def profiled(*args, options=()):
    """Returns the stacks of a program, by the command, which sends the tables."""
    path = os.path.join(TMP, 'unwind')
    ktrace('profile', '-F', '499', '--mode', 'user', '--format', 'json', '-o', path, *options, '--',
           victim('unwinds'), *args)
    with open(path) as file:
        data = json.load(file)
    return [row for row in data['stacks'] if row.get('user')]


def share(rows, name, claim):
    """Returns for which share of the samples with this function a claim about the stack is true.
    The first samples of a process have no table yet."""
    rows = [row for row in rows if name in row['user']]
    nr = sum(row['count'] for row in rows)
    timely(nr >= 5, rows)
    return sum(row['count'] for row in rows if claim(row['user'])) / nr


def follow(user, *names):
    """Do these names, outermost last, follow each other in a stack?"""
    return re.search(r'(^| )%s( |$)' % ' '.join(names), ' '.join(re.sub(' .*', '', name) for name in user))


@undisturbed
def test_deep_stacks():
    """30 calls without frame pointers through stripped code, whole to the start of the program."""
    rows = profiled('deep', '30', '1000')
    assert share(rows, 'work', lambda user: follow(user, 'work', *(31 * ['down'])) and
                 STACK_END in user[-1]) > 0.8, rows


@undisturbed
def test_handler():
    """A handler on a stack of its own: below it are the interrupted function and its callers."""
    rows = profiled('handler', '1000')
    assert share(rows, 'handle', lambda user: 'raises' in user[user.index('handle'):] and
                 STACK_END in user[-1]) > 0.8, rows


@undisturbed
def test_vdso():
    """The vDSO has a table, too."""
    rows = profiled('clock', '1000')
    assert share(rows, 'clocks', lambda user: STACK_END in user[-1]) > 0.8, rows
    assert any(row['user'][1:2] and row['user'][1].startswith('clock_gettime') and
               'clocks' in row['user'] for row in rows), rows


@undisturbed
def test_loaded_later():
    """A library that is loaded while the session runs gets a table soon; unloading it and loading
    it again leads to no wrong frames."""
    # The command must have read the file and compiled the table before it is unloaded.
    rows = profiled('later', victim('libunwinds.so'), str(200 * SLOW), str(2500 * SLOW))
    ends = [row['user'] for row in rows if 'in_library' in row['user'] and STACK_END in row['user'][-1]]
    assert all(follow(user, 'in_library', 'later') for user in ends), ends
    timely(ends, rows)


@undisturbed
def test_mappings_without_code():
    """Stacks of a program that maps memory all the time are whole: the module sees that the
    mappings of code stay as they are."""
    rows = profiled('maps', '1000')
    whole = share(rows, 'work', lambda user: follow(user, 'work', *(4 * ['down']), 'maps') and
                  STACK_END in user[-1])
    print('      whole: %.1f %%' % (100 * whole))
    assert whole > 0.95, rows


@undisturbed
def test_damaged_stack():
    """A stack that leads in circles is of bounded length."""
    rows = profiled('damaged', '600')
    assert all(len(row['user']) <= 127 for row in rows), rows


@undisturbed
def test_flood():  # debug
    """9000 samples per second, while processes come and go, and tables with them."""
    with memory_comes_back():
        path = os.path.join(TMP, 'unwind')
        script = 'for i in 1 2 3 4; do %s deep 30 30 & %s later %s 200 30; done; wait' % (
            victim('unwinds'), victim('unwinds'), victim('libunwinds.so'))
        ktrace('profile', '-F', '9000', '--format', 'json', '-o', path, '--', 'sh', '-c', script)
        with open(path) as file:
            data = json.load(file)
        assert sum(row['count'] for row in data['stacks']) == data['session']['counters']['hits']


def test_number_of_files():  # slow
    """A session has KTRACE_UNWIND_FILES files at most."""
    with memory_comes_back():
        session = Session()
        path = os.path.join(TMP, 'many')
        for nr in range(FILES + 1):
            with open(path, 'w') as file:
                file.write('y' * nr)
            with open(path, 'rb') as file:
                error = session.add(file, b'', total=0)
            assert error == (errno.E2BIG if nr >= FILES else 0), (nr, error)
        session.close()
        session.client.close()
