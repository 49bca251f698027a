# SPDX-License-Identifier: GPL-2.0
"""Collectors behind a socket: slow, absent, wrong, restarted."""
import json
import os
import re
import signal
import socket
import threading
import time

from played import Play, check_each_once, ids, lines, wait

FRAME = re.compile(rb'(\d+) ')


class Server:
    """A syslog server by TCP. It reads when it is told to."""

    def __init__(self, does_read=True, port=0):
        self.listener = socket.create_server(('127.0.0.1', port))
        self.port = self.listener.getsockname()[1]
        self.may_read = threading.Event()
        if does_read:
            self.may_read.set()
        self.data = []      # bytes of each connection
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.data.append(bytearray())
            self.connections.append(connection)
            threading.Thread(target=self.read, args=(len(self.data) - 1, connection),
                             daemon=True).start()

    def read(self, number, connection):
        while True:
            self.may_read.wait()
            try:
                data = connection.recv(1 << 16)
            except OSError:
                return
            if not data:
                return
            self.data[number] += data

    def close(self):
        """Closes everything, as a server does that ends."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()

    def count(self, words=b'"id":'):
        return sum(data.count(words) for data in self.data)

    def wait_for_end(self):
        wait(lambda: self.data and self.data[-1].endswith(b'}')
             and b'"event":"end"' in self.data[-1][-1000:])

    def documents(self):
        found = []
        for data in self.data:
            at = 0
            while frame := FRAME.match(data, at):
                end = frame.end() + int(frame[1])
                if end > len(data):
                    break
                found.append(parse(data[frame.end():end]))
                at = end
        return found


def parse(message):
    """Returns the JSON of a message of RFC 5424."""
    head, text = message.split(b' @cee: ')
    fields = head.split(b' ')
    assert fields[0] == b'<30>1' and fields[3] == b'ktrace' and fields[6] == b'-', head
    assert re.fullmatch(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z', fields[1]), head
    document = json.loads(text)
    assert fields[5].decode() == document['event'] and fields[2].decode() == document['host']
    assert len(message) <= 8096
    return document


def test_syslog_by_tcp():
    server = Server()
    with Play() as play:
        assert play.run('--to', f'syslog:tcp:127.0.0.1:{server.port}') == 0, play.words()
        assert 'handed over' in play.words()
        server.wait_for_end()
        check_each_once(play, server.documents())


def test_a_stalled_sink_delays_no_other():
    server = Server(does_read=False)
    with Play(packets=500, period=2000) as play:
        out = play.path('out')
        begin = time.monotonic()
        play.begin('--to', f'syslog:tcp:127.0.0.1:{server.port}', '--to', f'json:{out}')
        wait(lambda: os.path.exists(out) and nr_so_far(out) == 50000)
        took = time.monotonic() - begin
        assert took < 5, took
        assert play.process.poll() is None
        server.may_read.set()
        assert play.process.wait(30) == 0, play.words()
        check_each_once(play, lines(out))
        server.wait_for_end()
        check_each_once(play, server.documents())


def test_an_absent_sink_misses_nothing():
    """What another sink has is not acknowledged before an absent one has it, too."""
    server = Server()
    server.close()
    with Play() as play:
        out = play.path('out')
        play.begin('--to', f'syslog:tcp:127.0.0.1:{server.port}', '--to', f'json:{out}')
        wait(lambda: os.path.exists(out) and nr_so_far(out) == 10000)
        server = Server(port=server.port)
        assert play.process.wait(30) == 0, play.words()
        server.wait_for_end()
        check_each_once(play, server.documents())


def nr_so_far(path):
    with open(path, 'rb') as file:
        return file.read().count(b'"id":')


def test_a_stalled_only_sink_fills_the_ring():
    """What the ring cannot hold is lost, counted and told; the rest arrives."""
    server = Server(does_read=False)
    with Play(packets=2000, period=1000, ring=300) as play:
        play.begin('--to', f'syslog:tcp:127.0.0.1:{server.port}')
        time.sleep(2.5)
        server.may_read.set()
        assert play.process.wait(30) == 3, play.words()
        server.wait_for_end()
        documents = server.documents()
        lost = sum(one['missing'] for one in documents if one['event'] == 'gap')
        assert lost > 0
        assert len(set(ids(documents))) + lost == 2 * 2000 * 50


def test_a_server_that_is_not_there_yet():
    server = Server()
    server.close()
    with Play() as play:
        play.begin('--to', f'syslog:tcp:127.0.0.1:{server.port}')
        play.wait_for_words('takes no records now')
        assert 'Connection refused' in play.words()
        server = Server(port=server.port)
        assert play.process.wait(30) == 0
        server.wait_for_end()
        check_each_once(play, server.documents())
        assert play.words().count('takes no records now') == 1
        assert play.words().count('takes records again') == 1


def test_ctrl_c_does_not_wait_for_an_absent_server():
    server = Server()
    server.close()
    with Play() as play:
        play.begin('--to', f'syslog:tcp:127.0.0.1:{server.port}')
        play.wait_for_words('takes no records now')
        begin = time.monotonic()
        assert play.end() == 3
        assert time.monotonic() - begin < 8
        assert 'stay in the module' in play.words()
        out = play.path('out')
        assert play.run('--to', f'json:{out}') == 0
        check_each_once(play, lines(out))


def test_a_server_that_is_restarted():
    """By TCP, what lay in the buffers of the connection is lost: at most some packets."""
    server = Server()
    with Play(packets=400, period=5000) as play:
        play.begin('--to', f'syslog:tcp:127.0.0.1:{server.port}')
        wait(lambda: server.count() > 1000)
        server.close()
        other = Server(port=server.port)
        assert play.process.wait(30) in (0, 3), play.words()
        other.wait_for_end()
        found = set(ids(server.documents() + other.documents()))
        assert len(play.expected() - found) <= 500, len(play.expected() - found)


def test_the_local_syslog():
    with Play() as play:
        path = play.path('log')
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.bind(path)
            os.chmod(play.folder, 0o755)
            os.chmod(path, 0o666)
            messages = []

            def read():
                while not messages or b'"event":"end"' not in messages[-1]:
                    messages.append(log.recv(1 << 16))
            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            assert play.run('--to', f'syslog:{path}') == 0, play.words()
            reader.join(10)
        head = re.compile(rb'<30>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ktrace\[%d\]: @cee: '
                          % play.process.pid)
        documents = []
        for message in messages:
            begin = head.match(message)
            assert begin and len(message) <= 8096, message[:80]
            documents.append(json.loads(message[begin.end():]))
        check_each_once(play, documents)


def test_senders_have_no_rights():
    server = Server(does_read=False)
    with Play(packets=1000) as play:
        play.begin('--to', f'syslog:tcp:127.0.0.1:{server.port}')
        wait(lambda: server.connections)
        with open(f'/proc/{play.sender()}/status') as file:
            status = dict(line.rstrip().split(':\t', 1) for line in file)
        assert status['Uid'].split()[0] != '0', status['Uid']
        assert status['CapEff'] == status['CapPrm'] == '0' * 16, status['CapEff']
        assert status['NoNewPrivs'] == '1'
        files = [os.readlink(f'/proc/{play.sender()}/fd/{fd}')
                 for fd in os.listdir(f'/proc/{play.sender()}/fd')]
        assert len([one for one in files if one.startswith('socket:')]) == 2, files
        sender = play.sender()
        play.process.send_signal(signal.SIGKILL)
        play.process.wait()
        wait(lambda: not os.path.exists(f'/proc/{sender}'))
