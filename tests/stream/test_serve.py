# SPDX-License-Identifier: GPL-2.0
"""`ktrace serve`: its page, its configuration, and what it does when processes are killed."""
import json
import os
import signal
import socket
import struct
import threading
import time

from collectors import free_ports
from played import RANDOM, check_each_once, check_order, ids, lines, wait
from served import Serve, is_running, name_of
from test_network import Server
from test_wrong import Fault, Wrong


def test_pages_and_sentences():
    with Serve(packets=2000, records=5, period=5000) as serve:
        serve.serve()
        status, text = serve.get()
        assert status == 200 and text.startswith('# HELP ktrace_build_info'), text[:200]
        status, text = serve.get('/nonsense')
        assert (status, text) == (404, 'There is nothing here; metrics are at /metrics.\n')
        status, text = serve.get(method='POST')
        assert status == 405 and 'can only be read' in text, text
        assert serve.end(signal.SIGTERM) == 0, serve.words()


def test_too_many_series_are_refused():
    with Serve('MaxScrape=10', packets=400, period=2000) as serve:
        serve.serve()
        status, text = serve.get()
        assert status == 503 and text.endswith('.\n') and text.count('\n') == 1, text
        assert 'more than the limit of 10' in text and 'session web' in text, text
        wait(lambda: serve.nr_lines() == 40000)
        assert serve.end(signal.SIGTERM) == 0, serve.words()
        check_each_once(serve, lines(serve.out))


def test_silent_clients_delay_no_records():
    with Serve(packets=150, period=10000) as serve:
        serve.serve()
        # The last ones may be accepted late, when the kernel sends their SYN again.
        begin, nr = time.monotonic(), serve.nr_lines()
        clients = [socket.create_connection(('127.0.0.1', serve.port)) for _ in range(12)]
        clients[0].sendall(b'GET /metrics HTTP/1.1\r\nHost: half')
        wait(lambda: serve.nr_lines() == 15000, 10)
        assert nr < 10000 and time.monotonic() - begin < 3, nr
        for one in clients:
            one.close()
        serve.finish()
        check_each_once(serve, lines(serve.out))


class Slow(threading.Thread):
    """Clients of an address that send a byte a second."""

    def __init__(self, serve, address):
        super().__init__(daemon=True)
        self.clients = [socket.create_connection(('127.0.0.1', serve.port), 10, (address, 0))
                        for _ in range(20)]
        self.start()

    def run(self):
        for byte in b'GET /metrics HTTP/1.1' * 2:
            for client in self.clients:
                try:
                    client.send(bytes([byte]))
                except OSError:
                    pass
            time.sleep(1)


def test_slow_clients_hold_no_page():
    """Other addresses are served meanwhile; the same address when 10 s are over."""
    with Serve(packets=4000, records=5, period=10000) as serve:
        serve.serve()
        Slow(serve, '127.0.0.2')
        begin = time.monotonic()
        assert serve.get()[0] == 200
        assert time.monotonic() - begin < 3
        Slow(serve, '127.0.0.1')

        def is_served():
            try:
                return serve.get()[0] == 200
            except OSError:
                return False
        wait(is_served, 15)
        return f'after {time.monotonic() - begin:.1f} s'


def test_a_killed_page_is_reported():
    with Serve(packets=150, period=10000) as serve:
        serve.serve()
        wait(serve.is_answering)
        assert serve.get()[0] == 200    # it has begun
        os.kill(serve.page(), signal.SIGKILL)
        serve.wait_for_words('The process that serves metrics has ended')
        wait(lambda: serve.nr_lines() == 15000, 10)
        wait(serve.is_answering)
        assert serve.get()[0] == 200
        serve.finish()
        check_each_once(serve, lines(serve.out))


def test_a_killed_serve_writes_each_record_once():
    with Serve(packets=300, period=10000) as serve:
        for _ in range(6):
            serve.serve()
            time.sleep(RANDOM.uniform(0.05, 0.4))
            serve.kill()
        assert serve.nr_lines() < 30000
        serve.serve()
        serve.finish()
        documents = lines(serve.out)
        check_each_once(serve, documents)
        check_order(documents)


def test_what_an_optional_sink_misses_is_counted():
    """It delays no acknowledgement, so what goes by while it is absent is skipped."""
    port, = free_ports(1)
    with Serve(packets=200, period=10000) as serve:
        serve.write('ktrace.conf', f'[Serve]\nListen=127.0.0.1:{serve.port}\n'
                    f'[Sink away]\nTo=syslog:tcp:127.0.0.1:{port}\nRequire=no\n'
                    f'[Sink file]\nTo=json:{serve.out}\n')
        serve.serve()
        wait(lambda: serve.total('acknowledged') > 3000)
        server = Server(port=port)
        serve.wait_for_words('takes records again')
        serve.finish()
        check_each_once(serve, lines(serve.out))
        server.wait_for_end()
        found = server.documents()
        missing = [one['missing'] for one in found if one['event'] == 'gap']
        assert len(set(ids(found))) == len(ids(found))
        assert sum(missing) > 1000 and sum(missing) + len(ids(found)) == 20000, missing


def test_what_an_optional_sink_misses_at_the_end_is_told():
    port, = free_ports(1)
    with Serve(cpus=1, packets=100, records=10, period=10000, ring=1000) as serve:
        serve.write('ktrace.conf', f'[Serve]\nListen=127.0.0.1:{serve.port}\n[Sink file]\nTo=json:{serve.out}\n'
                    f'[Sink away]\nTo=relp:127.0.0.1:{port}\nRequire=no\n')
        serve.serve()
        wait(lambda: serve.nr_lines() == 1000)
        server = Wrong('relp', port=port)
        serve.wait_for_words('takes records again')
        serve.wait_for_words('session web has ended')
        wait(lambda: any(b'"event":"end"' in one for one in server.messages))
        own = [json.loads(one[one.find(b'@cee:') + 5:]) for one in server.messages
               if b'@cee' in one and b'"id"' not in one]
        got = len(set(server.ids()))
        gap, end = own[-2:]
        assert (gap['event'], gap['reason'], gap['missing']) == ('gap', 'skipped', 1000 - got), own
        assert (end['event'], end['delivered'], end['skipped']) == ('end', got, 1000 - got), own
        assert serve.end(signal.SIGTERM) == 0, serve.words()


def test_a_second_serve_is_refused():
    with Serve(packets=1000, period=10000) as serve:
        serve.serve()
        code, text = serve.other()
        assert code == 1 and 'runs already' in text and '--status' in text, text
        assert serve.get()[0] == 200
        assert serve.end(signal.SIGTERM) == 0
        code, text = serve.other('--status')
        assert code == 1 and 'does not run' in text, text


def test_a_wrong_configuration_is_not_taken():
    with Serve(packets=200, period=10000) as serve:
        serve.serve()
        page = serve.page()
        serve.write('sessions.d/web.conf', '[Session]\nBinary=/bin/true\nMaxDeth=3\n')
        serve.process.send_signal(signal.SIGHUP)
        serve.wait_for_words('The old configuration stays in use')
        assert 'web.conf:3: ' in serve.words() and 'did you mean MaxDepth?' in serve.words(), \
            serve.words()
        code, text = serve.other('--check')
        assert code == 1 and 'web.conf:3: ' in text, text
        assert serve.page() == page and serve.get()[0] == 200
        serve.write('sessions.d/web.conf', '[Session]\nBinary=/bin/true\nMaxDepth=3\n')
        serve.process.send_signal(signal.SIGHUP)
        wait(lambda: serve.page() not in (0, page) and serve.is_answering())
        serve.finish()
        check_each_once(serve, lines(serve.out))


def test_the_status_adds_up():
    with Serve(packets=250, period=10000) as serve:
        serve.serve()
        wait(lambda: serve.account() and serve.account()[1] > 0)
        for _ in range(5):
            produced, acknowledged, dropped, held, delivered, refused, skipped = serve.account()
            assert produced == acknowledged + dropped + held, serve.account()
            assert acknowledged <= delivered <= produced, serve.account()
            assert not refused + skipped + dropped, serve.account()
            time.sleep(0.1)
        serve.finish()
        check_each_once(serve, lines(serve.out))


def test_few_sessions_begin_at_once():
    """Each is begun by a command that reads a program, so 30 of them would need much memory."""
    with Serve(packets=2000, records=1, period=10000) as serve:
        for number in range(30):
            serve.write(f'sessions.d/new-{number}.conf', '[Session]\nBinary=/bin/true\n')
        serve.serve()
        most = 0
        while serve.words().count('could not begin') < 30:
            most = max(most, sum(map(is_running, serve.children())))
        assert 1 < most - 2 <= 4, most      # besides the page and the sender
        assert serve.end(signal.SIGTERM) == 0, serve.words()


def test_accounts_go_on_behind_another_reader():
    with Serve(packets=500, period=10000) as serve:
        serve.serve()
        wait(lambda: serve.account() and serve.account()[4] > 1000)
        # As if this process had read the stream. Its number is behind two numbers of 64 bits.
        with open(serve.path('rings'), 'r+b', buffering=0) as rings:
            rings.seek(16)
            rings.write(struct.pack('i', os.getpid()))
            serve.wait_for_words(f'Process {os.getpid()} already reads')
            before = serve.account()[4]
            assert before > 1000
            rings.seek(16)
            rings.write(bytes(4))
        now = before
        while now < before + 5000:
            assert now >= before, (before, now)
            time.sleep(0.1)
            now = serve.account()[4]
        serve.finish()
        documents = lines(serve.out)
        twice = len(ids(documents)) - 50000
        check_each_once(serve, documents, twice=2 * 50)
        return f'lost 0 twice {twice}'


def test_what_is_no_configuration():
    """It is named, and nothing is waited for."""
    with Serve() as serve:
        sessions = serve.path('etc/sessions.d')
        os.mkfifo(f'{sessions}/pipe.conf')
        check_refused(serve, 'sessions.d/pipe.conf is no file')
        os.rename(f'{sessions}/pipe.conf', f'{sessions}/pipe')
        serve.write('sessions.d/web.conf', '[Session]\nBinary=true\n')
        check_refused(serve, 'needs Binary=, the whole path')
        serve.write('sessions.d/web.conf', '[Session]\nMaxDepth=3\nCommand=syscal\n')
        check_refused(serve, 'web.conf:3: Command=syscal keeps no session; did you mean syscall?\n')
        serve.write('sessions.d/web.conf', '#' + 'x\\\n' * 40000)
        check_refused(serve, 'sessions.d/web.conf:1: The line is longer than 65536 characters')
        serve.write('ktrace.conf', '[Sink a]\nTo=json:/a\n[Sink b]\nTo=json:/a\n')
        check_refused(serve, '[Sink a] and [Sink b] are the same')
        serve.write('ktrace.conf', '[Sink a]\nTo=json:/a\n[Sink a]\nTo=json:/b\n')
        check_refused(serve, 'ktrace.conf:4: [Sink a] has To=json:/a already')
        serve.write('ktrace.conf', '[Sink a]\nTo=relp:h:99999\n')
        check_refused(serve, "ktrace.conf:2: 'h:99999' is no address")
        serve.write('ktrace.conf', '\ufeff[Serve]\nListen=abc:x\n')
        check_refused(serve, "ktrace.conf:2: Listen is PORT")
        os.rename(sessions, sessions + '.former')
        serve.write('sessions.d', '')
        serve.write('ktrace.conf', '')
        check_refused(serve, 'sessions.d cannot be read: Not a directory')
        os.remove(serve.path('etc/ktrace.conf'))
        os.mkdir(serve.path('etc/ktrace.conf'))
        check_refused(serve, 'ktrace.conf is no file')


def test_kept_files_need_a_size():
    with Serve() as serve:
        serve.write('ktrace.conf', f'[Sink file]\nTo=json:{serve.out}\nKeep=3\n')
        check_refused(serve, 'ktrace.conf:3: Keep= is the number of former files')


def check_refused(serve, words):
    code, text = serve.other('--check')
    assert code == 1 and words in text, text


def test_an_ended_sink_begins_again():
    """Its sender ends ten times with the same part. What it misses stays in the module."""
    server = Wrong('relp', *[Fault(writes=0, is_silent=True)] * 11)
    with Serve(packets=200, period=10000) as serve:
        serve.write('ktrace.conf', f'[Serve]\nListen=127.0.0.1:{serve.port}\n[Sink file]\n'
                    f'To=json:{serve.out}\n[Sink other]\nTo={server.sink}\n')
        serve.serve()
        for nr in range(10, -1, -1):
            wait(lambda nr=nr: len(server.faults) == nr)
            os.kill(sender_of_nobody(serve), signal.SIGKILL)
        serve.wait_for_words('takes no more records: its sender has ended ten times')
        serve.finish()
        found = server.ids()
        assert set(found) == serve.expected() and len(found) == len(set(found)), len(found)
        check_each_once(serve, lines(serve.out))
        assert server.delivered() == 20000, server.messages[-1]


def sender_of_nobody(serve):
    """Returns the pid of the sender that is not root: the other one writes a file."""
    pid, = [pid for pid in serve.children() if name_of(pid) == 'ktrace-sender'
            and os.stat(f'/proc/{pid}').st_uid]
    return pid


def test_the_watchdog_is_told_in_time():
    """A collector that answers each message late, and many sessions, delay no report to systemd."""
    def answer_late(answer):
        time.sleep(0.09)
        return answer
    server = Wrong('relp', Fault(answer=answer_late))
    with Serve(packets=400, records=1, KTRACE_PLAYED_SESSIONS='5') as serve, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        serve.write('ktrace.conf', f'[Serve]\nListen=127.0.0.1:{serve.port}\n'
                    f'[Sink late]\nTo={server.sink}\n')
        for number in range(1, 5):
            serve.write(f'sessions.d/web-{number}.conf', '[Session]\nBinary=/bin/true\n')
        manager.bind(serve.path('notify'))
        serve.env.update(NOTIFY_SOCKET=serve.path('notify'), WATCHDOG_USEC='3000000')
        serve.serve()
        manager.settimeout(3)
        while manager.recv(100) != b'WATCHDOG=1':
            pass
        for _ in range(3):
            assert manager.recv(100) == b'WATCHDOG=1'
