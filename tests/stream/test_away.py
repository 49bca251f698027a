# SPDX-License-Identifier: GPL-2.0
"""Senders of another unit (away.h): what they take from a reader, and when they end."""
import array
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

from played import HERE, KTRACE, Play, wait
from served import Serve

SENDER, PAGE, PUSH = 1, 2, 3
TEXT, VARIABLES = 4096, 8192


def version():
    with open(f'{HERE}/../../include/version.h') as file:
        return re.search(r'KTRACE_VERSION "(.*)"', file.read())[1]


def work(kind=SENDER, text=b'syslog:tcp:127.0.0.1:9', of=None, variables=b''):
    return struct.pack(f'32sIIQ{TEXT}s{VARIABLES}s', (of or version()).encode(), kind, 0, 0, text, variables)


class Sender:
    """A process as systemd starts it, for a reader that this test plays."""

    def __init__(self, message, files=(), **env):
        self.connection, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen([KTRACE, 'serve', '--sender'], stdin=end, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **env})
        end.close()
        if message is not None:
            self.connection.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', files))]
                                    if files else [])

    def end(self):
        """Returns its status and its words."""
        words = self.process.communicate(timeout=10)[1]
        return self.process.returncode, words


def part_len():
    """The length of a part is the one that a sender accepts, as a reader shows it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, Play(packets=1) as play:
        listener.bind(play.path('socket'))
        listener.listen()
        play.env['KTRACE_SEND'] = play.path('socket')
        play.begin('--to', 'syslog:tcp:127.0.0.1:9')
        connection, _ = listener.accept()
        message, files, flags, _ = socket.recv_fds(connection, 1 << 16, 4)
        assert message == work(), message.strip(b'\0')
        assert len(files) == 2 and not flags
        length = os.fstat(files[1]).st_size
        for change in (0, length - 1, length + 1):
            try:
                os.ftruncate(files[1], change)
                raise AssertionError('a sender can change the length of the part')
            except PermissionError:
                pass
        for one in files:
            os.close(one)
        connection.close()
    return length


def memory(length):
    file = os.memfd_create('part')
    os.ftruncate(file, length)
    return file


def pair(kind=socket.SOCK_SEQPACKET):
    return socket.socketpair(socket.AF_UNIX, kind)


def test_wrong_work():
    """One line says what is wrong; nothing is begun."""
    length = part_len()
    ours, its = pair()
    stream = pair(socket.SOCK_STREAM)
    part, longer, shorter = memory(length), memory(length + 1), memory(length - 1)
    good = its.fileno(), part
    not_understood = 'is not understood'
    cases = [
        (None, (), 'No work came'),
        (work()[:-1], good, not_understood),
        (work() + b'\0', good, not_understood),
        (b'', good, 'No work came'),
        (b'x', good, not_understood),
        (work(of='0.0.0'), good, 'another version'),
        (work(of='9' * 32), good, 'another version'),
        (work(kind=0), good, not_understood),
        (work(kind=99), good, not_understood),
        (work(text=b'x' * TEXT), good, not_understood),
        (work(variables=b'x' * VARIABLES), good, not_understood),
        (work(variables=b'x' * (VARIABLES - 1)), good, not_understood),
        (work(), (), not_understood),
        (work(), (its.fileno(),), not_understood),
        (work(), (part, its.fileno()), not_understood),
        (work(), (its.fileno(), its.fileno()), not_understood),
        (work(), (its.fileno(), longer), not_understood),
        (work(), (its.fileno(), shorter), not_understood),
        (work(), (*good, part), not_understood),
        (work(), (stream[0].fileno(), part), not_understood),
        (work(kind=PUSH), good, not_understood),
        (work(kind=PAGE), (stream[0].fileno(), part), not_understood),
        (work(text=b'nowhere:1'), good, 'is no sink'),
        (work(text=b'relp:'), good, 'needs an address'),
        (work(text=b'json:/tmp/x'), good, 'not written by a sender'),
    ]
    for message, files, words in cases:
        sender = Sender(message, files)
        if message is None:
            sender.connection.close()
        status, said = sender.end()
        assert status == 1 and words in said and said.count('\n') == 1, (message and message[:60], files, status, said)
    run = subprocess.run([KTRACE, 'serve', '--sender'], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         check=False)
    assert run.returncode == 1 and 'only systemd starts' in run.stderr, run.stderr
    ours.close()
    return f'{len(cases)} cases'


def test_killed_with_the_connection():
    """Also one that waits for a collector, also in a library, and one that is stopped."""
    length = part_len()
    with open(f'{HERE}/../../user/stream/identity.h') as file:
        identity = int(re.search(r'define IDENTITY_LEN (\d+)', file.read())[1])
    for kind, stops in (('relp:', False), ('otlp:http://', False), ('syslog:tcp:', True)):
        with socket.create_server(('127.0.0.1', 0)) as collector:
            ours, its = pair()
            part = memory(length)
            # struct part: the id, the number of messages, the ends of 1024, and their bytes
            os.pwrite(part, struct.pack('II', 1, 5), identity)
            os.pwrite(part, b'words', identity + 4 + 4096)
            to = f'{kind}127.0.0.1:{collector.getsockname()[1]}'
            sender = Sender(work(text=to.encode()), (its.fileno(), part))
            its.close()
            ours.send(struct.pack('I', 1))
            collector.settimeout(10)
            waits = collector.accept()[0]
            assert waits.recv(1)
            if stops:
                sender.process.send_signal(signal.SIGSTOP)
            assert sender.process.poll() is None
            sender.connection.close()
            assert sender.process.wait(2) == -signal.SIGKILL
            ours.close()
            waits.close()
            os.close(part)


def check_variables(sink, expected):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, Play(packets=1) as play:
        listener.bind(play.path('socket'))
        listener.listen()
        play.env.update(KTRACE_SEND=play.path('socket'), OTEL_EXPORTER_OTLP_HEADERS='a=b', no_proxy='*', OTHER='c')
        play.begin('--to', sink)
        connection, _ = listener.accept()
        message, files, _, _ = socket.recv_fds(connection, 1 << 16, 4)
        assert message[-VARIABLES:].rstrip(b'\0') == expected, message[-VARIABLES:]
        sender = Sender(message, files, OTEL_EXPORTER_OTLP_HEADERS='')
        with open(f'/proc/{sender.process.pid}/comm') as file:
            wait(lambda: (file.seek(0), file.read())[1] == 'ktrace-sender\n')
        sender.connection.close()
        connection.close()
        for one in files:
            os.close(one)


def test_variables():
    """Those of the reader's unit hold for its senders, and passwords of OTLP for OTLP only."""
    check_variables('otlp:http://127.0.0.1:9', b'OTEL_EXPORTER_OTLP_HEADERS=a=b\0no_proxy=*')
    check_variables('syslog:tcp:127.0.0.1:9', b'no_proxy=*')


def test_no_unit():
    """It is not replaced in silence by a sender that the unit of the reader would not let connect."""
    with Play(packets=1) as play:
        play.env['KTRACE_SEND'] = play.path('nothing')
        assert play.run('--to', 'syslog:tcp:127.0.0.1:9') == 2, play.words()
        assert 'systemctl start ktrace-send.socket' in play.words(), play.words()
        assert play.words().count('\n') == 1, play.words()


def test_odd_sockets():
    """One sentence, and no other socket than the one that was meant."""
    with Play(packets=1) as play, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        long = play.path('x' * 200)
        listener.bind(long[:107])
        listener.listen()
        with open(play.path('file'), 'w'):
            pass
        for nr, path in enumerate((long, '/' + 'x' * 2000, play.folder, play.path('file')), 1):
            play.env['KTRACE_SEND'] = path
            assert play.run('--to', 'syslog:tcp:127.0.0.1:9', timeout=10) == 2, play.words()
            assert play.words().count('systemctl start ktrace-send.socket.\n') == nr, play.words()


def nr_unread(connection):
    number = array.array('i', [0])
    fcntl.ioctl(connection, termios.FIONREAD, number)
    return number[0]


def take(listener):
    """Takes the work of a process in its stead. Returns its connection and its socket."""
    listener.settimeout(10)
    connection, _ = listener.accept()
    _, files, _, _ = socket.recv_fds(connection, 1 << 16, 4)
    for one in files[1:]:
        os.close(one)
    return connection, socket.socket(fileno=files[0])


def test_a_sender_that_does_not_read():
    """It answers all the same. Its queue becomes full, and another process is asked for."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, \
            Play(cpus=1, packets=1500, records=1, ring=2000) as play:
        listener.bind(play.path('socket'))
        listener.listen()
        play.env['KTRACE_SEND'] = play.path('socket')
        play.begin('--to', 'syslog:tcp:127.0.0.1:9')
        connection, reader = take(listener)
        listener.settimeout(0.001)
        another, nr, end = None, 0, time.monotonic() + 20
        while not another and time.monotonic() < end:
            try:
                if nr_unread(reader) > 4 * nr:
                    nr += 1
                    reader.send(struct.pack('III256s', 0, nr, 0, b''))
                another = listener.accept()[0]
            except (TimeoutError, BrokenPipeError):
                pass
        assert another and nr > 100, (nr, play.words())
        for one in connection, reader, another:
            one.close()
    return f'after {nr} parts'


def test_a_page_that_holds_its_reader():
    """It takes no answer, and sends without an end: records go on, and the reader ends."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, \
            Serve(packets=4000, records=1, period=5000) as serve:
        listener.bind(serve.path('socket'))
        listener.listen()
        serve.env['KTRACE_SEND'] = serve.path('socket')
        with open(serve.path('errors'), 'w') as errors:
            serve.process = subprocess.Popen(serve.words_of(), env=serve.env, stderr=errors)
        connection, reader = take(listener)
        listener.close()
        reader.send(bytes(1024))    # it has begun
        wait(lambda: serve.nr_lines() > 100)

        def flood():
            try:
                while True:
                    reader.send(b'x' * 100)
                    time.sleep(0.01)
            except OSError:
                pass
        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        serve.wait_for_words('The process that serves metrics has ended')
        nr = serve.nr_lines()
        wait(lambda: serve.nr_lines() > nr)
        assert serve.end(signal.SIGTERM) == 0, serve.words()
        thread.join()
        connection.close()
        reader.close()


def test_a_sender_that_ends():
    """Another is asked for; what was not answered is passed on again."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, Play(packets=20) as play, \
            socket.create_server(('127.0.0.1', 0)) as collector:
        listener.bind(play.path('socket'))
        listener.listen()
        play.env['KTRACE_SEND'] = play.path('socket')
        play.begin('--to', f'syslog:tcp:127.0.0.1:{collector.getsockname()[1]}')
        got, senders = bytearray(), []
        for _ in range(2):
            connection, _ = listener.accept()
            sender = subprocess.Popen([KTRACE, 'serve', '--sender'], stdin=connection)
            senders.append(sender)
            connection.close()
            there, _ = collector.accept()
            got += there.recv(1 << 16)
            if len(senders) == 1:
                sender.kill()
                sender.wait()
            # What it has handed over is in the buffers of the connection.
            while data := there.recv(1 << 16):
                got += data
        assert play.process.wait(20) == 0, play.words()
        found = set(re.findall(rb'"id":"([^"]*)"', bytes(got)))
        assert found >= {one.encode() for one in play.expected()}, len(found)
        senders[1].wait(5)
