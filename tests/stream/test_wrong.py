# SPDX-License-Identifier: GPL-2.0
"""Collectors that end connections at each byte, answer nonsense, half an answer or nothing."""
import collections
import concurrent.futures
import re
import socket
import threading
import time

from played import Play, wait

ID = re.compile(rb'feed0{8}cafe(?:\.\d+){3}')
# In JSON, and in MessagePack: a small number is its own byte.
DELIVERED = re.compile(rb'"delivered":(\d+)|\xa9delivered([\0-\x7f])')
SYSLOG = re.compile(rb'(\d+) ')
RELP = re.compile(rb'(\d+) (open|syslog|close) (\d+)( ?)')
FLUENT = re.compile(rb'\x93\xa6ktrace(?:\xc4(.)|\xc5(..)|\xc6(....))', re.DOTALL)
FLUENT_OPTIONS = re.compile(rb'\x82\xa5chunk(?:[\xa0-\xbf]|\xd9.)([\w.+]+)\xa4size.', re.DOTALL)


# --- protocols: the first message, the rest and the answer, or None -----------------------------

def syslog_tcp(data):
    head = SYSLOG.match(data)
    end = head and head.end() + int(head[1])
    assert head or len(data) < 8, data[:80]
    return None if not head or len(data) < end else (data[head.end():end], data[end:], b'')


def relp(data):
    head = RELP.match(data)
    end = head and head.end() + int(head[3])
    if not head or len(data) <= end:
        return None
    assert data[end:end + 1] == b'\n', data[:end + 1]
    answer = b'200 OK\ncommands=syslog' if head[2] == b'open' else b'200 OK'
    return data[head.end():end], data[end + 1:], b'%s rsp %d %s\n' % (head[1], len(answer), answer)


def fluent(data):
    head = FLUENT.match(data)
    if not head:
        return None
    end = head.end() + int.from_bytes(head[1] or head[2] or head[3], 'big')
    options = FLUENT_OPTIONS.match(data, end)
    if not options:
        assert len(data) < end + 100, data[end:]
        return None
    chunk = options[1]
    return data[head.end():end], data[options.end():], b'\x81\xa3ack\xd9%c%s' % (len(chunk), chunk)


PROTOCOLS = {'relp': relp, 'fluent': fluent, 'syslog:tcp': syslog_tcp}


# --- the server ---------------------------------------------------------------------------------

Fault = collections.namedtuple('Fault', 'reads writes answer does_end is_silent', defaults=(
    1 << 30,    # bytes that are read before the connection ends
    1 << 30,    # bytes that are written before
    None,       # changes an answer
    False,      # the connection ends with a changed answer
    False))     # does not end it, but says nothing more
NONE = Fault()


class Wrong:
    """Each connection has the next one of its faults. It takes each message that it has as a whole."""

    def __init__(self, sink, *faults, port=0):
        self.take, self.faults = PROTOCOLS[sink], list(faults)
        self.messages = []
        self.nr_unanswered = 0      # records without their whole answer
        self.listener = socket.create_server(('127.0.0.1', port))
        self.kind, self.port = sink, self.listener.getsockname()[1]
        self.sink = f'{sink}:127.0.0.1:{self.port}'
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            fault = self.faults.pop(0) if self.faults else NONE
            threading.Thread(target=self.serve, args=(connection, fault), daemon=True).start()

    def serve(self, connection, fault):
        data, reads, writes = b'', fault.reads, fault.writes
        with connection:
            while reads > 0 and (more := receive(connection, reads)):
                reads -= len(more)
                data += more
                while taken := self.take(data):
                    message, data, right = taken
                    self.messages.append(message)
                    answer = fault.answer(right) if fault.answer else right
                    if len(answer) > writes or answer != right:
                        self.nr_unanswered += len(ID.findall(message))
                    send(connection, answer[:writes])
                    writes -= len(answer)
                    if right and (writes <= 0 or (fault.does_end and answer != right)):
                        finish(connection, fault)
                        return

    def ids(self):
        return [one.decode() for message in self.messages for one in ID.findall(message)]

    def delivered(self):
        """Returns the account in the last event of the stream."""
        found = [number for message in self.messages for number in DELIVERED.findall(message)]
        return int(found[-1][0] or ord(found[-1][1])) if found else None

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def receive(connection, most):
    try:
        return connection.recv(min(most, 1 << 16))
    except OSError:
        return b''


def send(connection, data):
    try:
        connection.sendall(data)
    except OSError:
        pass


def finish(connection, fault):
    """What was written arrives: a connection that is closed with something unread is reset."""
    if not fault.is_silent:
        try:
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    while receive(connection, 1 << 16):
        pass


def run(sink, *faults, code=0, of=Wrong, **plan):
    """Delivers a few records. Returns the server, and its streamer's words."""
    server = of(sink, *faults)
    with Play(**{'cpus': 1, 'packets': 1, 'records': 3, **plan}) as play:
        assert play.run('--to', server.sink, timeout=20) == code, play.words()
        server.expected = play.expected()
        wait(lambda: server.delivered() is not None, 5, lambda: f'the end: {server.messages}')
        server.close()
        return server, play.words()


def check(server, nr_twice=None):
    found = server.ids()
    assert set(found) == server.expected, (server.expected - set(found), found)
    twice = len(found) - len(set(found))
    assert twice <= (server.nr_unanswered if nr_twice is None else nr_twice), twice
    assert server.delivered() == len(server.expected), server.messages[-1]
    return twice


def sum_up(sink, faults, nr_twice=None):
    """Streamers wait for most of their time, so several run at once."""
    faults = list(faults)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        twice = sum(pool.map(lambda fault: check(run(sink, fault)[0], nr_twice), faults))
    return f'{sink}: {len(faults)} times, lost 0 twice {twice}'


# --- connections that end -----------------------------------------------------------------------

def test_an_end_at_each_byte_of_answers():
    """No record is lost; only a message without its whole answer comes twice."""
    return ', '.join(sum_up(sink, (Fault(writes=count) for count in range(size)))
                     for sink, size in (('relp', 33 + 4 * 15 + 1), ('fluent', 2 * 35 + 1)))


def test_an_end_among_messages():
    return ', '.join(sum_up(sink, (Fault(reads=count) for count in range(1, size, 23)), 3)
                     for sink, size in (('relp', 2000), ('fluent', 1000)))


def test_an_end_among_messages_of_syslog():
    """
    TCP confirms nothing, so what was on its way is lost. The next connection begins with a message.
    """
    def lost(count):
        server = Wrong('syslog:tcp', Fault(reads=count))
        with Play(cpus=1, packets=6, records=3, period=50000) as play:
            assert play.run('--to', server.sink, timeout=20) == 0, play.words()
            wait(lambda: server.delivered() is not None, 5)
            server.close()
            found = server.ids()
            assert server.delivered() == 18 and len(found) == len(set(found)), found
            return len(play.expected() - set(found))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lost, range(1, 3000, 71)))
    return f'{len(found)} times, lost up to {max(found)} twice 0'


# --- wrong answers ------------------------------------------------------------------------------

NONSENSE = {
    'relp': (b'HTTP/1.1 400 Bad Request\r\n\r\n', b'1 rsp', b'1 rsp 0\n', b'2 rsp 6 200 OK\n',
             b'1 rsp 6 200 OK!', b'1 rsp 9999999 200 OK\n', b'0 serverclose 0\n', b'1 rsp 2 OK\n',
             b'99999999999999999999 rsp 6 200 OK\n', b'1 rsp -6 200 OK\n', b'1 open 6 200 OK\n'),
    'fluent': (b'HTTP/1.1 400 Bad Request\r\n\r\n', b'\x81\xa3ack\xa1x', b'\x81\xa3ack\xc0',
               b'\x81\xa3ack\xdb\xff\xff\xff\xffx', b'\xdf\xff\xff\xff\xff', b'\xc1', b'\x80',
               b'\x92\xa4HELO\x80'),
}


def test_nonsense():
    """Nothing counts as delivered by it, and the whole message comes again."""
    def faults(sink):
        for data in (*NONSENSE[sink], b'\0' * 300, b'\xff' * 100000, b'9' * 2000):
            yield Fault(answer=lambda _, data=data: data, does_end=True)
            if sink == 'relp':
                # Behind a session that was accepted.
                yield Fault(answer=lambda answer, data=data:
                            answer if b'commands' in answer else data, does_end=True)
    return ', '.join(sum_up(sink, faults(sink)) for sink in NONSENSE)


def test_what_a_syslog_server_says_is_not_read():
    """It stops nothing. The kernel may drop what such a server has not read at the end."""
    server = Wrong('syslog:tcp', Fault(answer=lambda _: b'what?\r\n' * 10000))
    with Play(packets=20) as play:
        assert play.run('--to', server.sink, timeout=20) == 0, play.words()
        assert 'takes no records' not in play.words(), play.words()
    found = server.ids()
    assert found and len(found) == len(set(found))


def test_answers_in_single_bytes():
    class Slow(Wrong):
        """Each byte is a segment of its own."""
        def serve(self, connection, fault):
            super().serve(Bytewise(fileno=connection.detach()), fault)

    class Bytewise(socket.socket):
        def sendall(self, data):
            for byte in data:
                super().sendall(bytes([byte]))
                time.sleep(0.001)

    for sink in 'relp', 'fluent':
        check(run(sink, of=Slow)[0], 0)


def test_a_message_that_is_refused():
    """It is counted, reported once and never sent again; the others are delivered."""
    refusals = []

    def refuse(answer):
        if b'commands' in answer or not answer.startswith((b'4 ', b'6 ')):
            return answer
        refusals.append(answer)
        return answer.replace(b'6 200 OK', b'11 500 too odd')
    server, words = run('relp', Fault(answer=refuse), code=3, packets=2)
    found = server.ids()
    assert len(refusals) == 2 and len(found) == 6 and set(found) == server.expected, found
    assert server.delivered() == 4, server.messages[-1]
    assert words.count('has refused') == 1 and '500 too odd' in words, words
    assert '2 records of web were refused by relp' in words, words


def test_half_an_answer_delays_no_end():
    """The rest never comes. Ctrl-C ends the command, and the next one delivers."""
    half = Fault(writes=7, is_silent=True)
    servers = [Wrong(sink, half) for sink in ('relp', 'fluent')]
    options = [word for server in servers for word in ('--to', server.sink)]
    with Play(cpus=1, packets=1, records=3) as play:
        play.begin(*options)
        wait(lambda: all(server.messages for server in servers))
        begin = time.monotonic()
        assert play.end() == 3
        assert time.monotonic() - begin < 8 and 'stay in the module' in play.words()
        assert play.run(*options) == 0, play.words()
        for server in servers:
            server.expected = play.expected()
            check(server)


def test_collectors_that_are_not_there_yet():
    servers = [Wrong(sink) for sink in PROTOCOLS]
    for server in servers:
        server.close()
    with Play(cpus=1, packets=20, records=3) as play:
        play.begin(*[word for server in servers for word in ('--to', server.sink)])
        wait(lambda: play.words().count('takes no records now') == 3)
        servers = [Wrong(server.kind, port=server.port) for server in servers]
        assert play.process.wait(20) == 0, play.words()
        assert play.words().count('takes records again') == 3, play.words()
        for server in servers:
            server.expected = play.expected()
            wait(lambda server=server: server.delivered() is not None, 5)
            check(server, 0)


def test_ctrl_c_with_many_sessions():
    """Each of them has more records than its collector takes in a second."""
    def answer_late(answer):
        time.sleep(0.09)
        return answer
    server = Wrong('relp', Fault(answer=answer_late))
    with Play(packets=1000, records=1, KTRACE_PLAYED_SESSIONS='40') as play:
        play.sessions = ['web', *(f'web-{number}' for number in range(1, 40))]
        play.begin('--to', server.sink)
        wait(lambda: len(server.messages) > 5)
        begin = time.monotonic()
        assert play.end() == 3
        assert time.monotonic() - begin < 9, time.monotonic() - begin
        assert play.words().count('stay in the module') == 40, play.words()
