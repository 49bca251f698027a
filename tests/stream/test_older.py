# SPDX-License-Identifier: GPL-2.0
"""Streams with a kernel that has no more than Linux 3.10 (older.c)."""
import contextlib
import json
import os
import socket
import threading

from collectors import Skip
from played import KTRACE, Play, check_each_once, check_order, lines, wait
from served import Serve
from test_otlp import Server, taken_ids
from test_wrong import PROTOCOLS, Wrong

OLDER = os.path.join(os.path.dirname(KTRACE), 'older')


def is_older(play):
    """Whatever runs before the command may use newer calls."""
    if os.spawnl(os.P_WAIT, OLDER, OLDER, 'true') == 77:
        raise Skip('a filter of system calls cannot be installed')
    play.before = [*play.before, OLDER]


class Datagrams:
    """A local socket, as journald or a syslog server has it."""

    def __init__(self, path):
        self.path, self.found = path, []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o666)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            self.found.append(self.socket.recv(1 << 18))

    def wait_for_end(self, words):
        wait(lambda: self.found and words in self.found[-1], 20, lambda: f'the end: {self.found[-1:]}')


def journal_ids(entries):
    return [field[len(b'KTRACE_ID='):].decode() for entry in entries
            for field in entry.split(b'\n') if field.startswith(b'KTRACE_ID=')]


def test_each_sink():
    """All at once: each record arrives once at each of them."""
    with Play(packets=20, period=2000) as play:
        os.chmod(play.folder, 0o755)
        os.makedirs(play.path('run/systemd/journal'))
        play.before = ['unshare', '-m', 'sh', '-c',
                       f'mount --bind {play.folder}/run /run && exec "$0" "$@"']
        is_older(play)
        out = play.path('out')
        journald = Datagrams(play.path('run/systemd/journal/socket'))
        syslog = Datagrams(play.path('syslog'))
        servers = [Wrong(sink) for sink in PROTOCOLS]
        otlp, remote = Server(), Server(*[(202, {}, b'OK.\n')] * 1000)
        sinks = [f'json:{out}', 'journald', f'syslog:{syslog.path}',
                 f'otlp:{otlp.url}', f'journal-remote:{remote.url}', *(one.sink for one in servers)]
        assert play.run(*[word for sink in sinks for word in ('--to', sink)]) == 0, play.words()
        check_each_once(play, lines(out))
        check_order(lines(out))
        assert sorted(taken_ids(otlp)) == sorted(play.expected())
        assert sorted(journal_ids(one.body for one in remote.requests)) == sorted(play.expected())
        journald.wait_for_end(b'KTRACE_EVENT=end')
        assert sorted(journal_ids(journald.found)) == sorted(play.expected())
        syslog.wait_for_end(b'"event":"end"')
        check_each_once(play, [json.loads(one.split(b'@cee: ')[1]) for one in syslog.found])
        for server in servers:
            wait(lambda server=server: len(server.ids()) == 2000, 5,
                 lambda server=server: f'all: {len(server.ids())} of {server.sink}')
            assert sorted(server.ids()) == sorted(play.expected()), server.sink


def text_of(path):
    with contextlib.suppress(FileNotFoundError), open(path) as file:
        return file.read()
    return ''


def test_serve():
    """The page, files of metrics and sent metrics have all records."""
    server = Server()
    with Serve(packets=200, period=5000, records=10) as serve:
        is_older(serve)
        os.mkdir(serve.path('text'))
        with open(serve.path('etc/ktrace.conf'), 'a') as file:
            file.write(f'[Serve]\nTextfile={serve.path("text")}\nCollectd={serve.folder}\nTextfileInterval=1s\n'
                       f'OtlpMetrics={server.url}\nOtlpInterval=1s\n')
        serve.serve()
        wait(lambda: serve.total('acknowledged') == 4000, 30, lambda: f'all: {serve.words()}')
        total = 'ktrace_records_total{session="web",state="acknowledged"} 4000\n'
        wait(lambda: total in text_of(serve.path('text/ktrace.prom')), 20,
             lambda: f'all: {os.listdir(serve.path("text"))} {serve.words()}')
        wait(lambda: 'records.acknowledged' in text_of(serve.path('ktrace.collectd')), 20,
             lambda: 'in the file of collectd')
        wait(lambda: any(b'ktrace.records' in one for one in server.taken), 20,
             lambda: f'metrics: {serve.words()}')
        serve.finish()
        check_each_once(serve, lines(serve.out))
