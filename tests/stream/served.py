# SPDX-License-Identifier: GPL-2.0
"""`ktrace serve` with the module that plays, and with a /run of its own."""
import os
import re
import signal
import socket
import subprocess

from collectors import Skip, free_ports
from played import KTRACE, Play, wait

FINAL = re.compile(r'produced (\d+) = acknowledged (\d+) \+ dropped (\d+) \+ held (\d+); '
                   r'delivered (\d+), refused (\d+), skipped (\d+)')


def is_running(pid):
    """An ended process whose parent does not look at it is not."""
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rsplit(') ', 1)[1][0] != 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return False


def name_of(pid):
    with open(f'/proc/{pid}/comm') as file:
        return file.read().rstrip()


class Serve(Play):
    """Its session "web" goes to a file of JSON lines, and to a page of metrics."""

    def __init__(self, serve='', **plan):
        super().__init__(**plan)
        self.port, = free_ports(1)
        self.out = self.path('out')
        os.makedirs(self.path('run'))
        os.makedirs(self.path('etc/sessions.d'))
        self.write('ktrace.conf', f'[Serve]\nListen=127.0.0.1:{self.port}\n{serve}\n'
                                  f'[Sink file]\nTo=json:{self.out}\n')
        self.write('sessions.d/web.conf', '[Session]\nBinary=/bin/true\n')
        self.before = ['unshare', '-m', 'sh', '-c',
                       f'mount --bind {self.folder}/run /run && exec "$0" "$@"']

    def __exit__(self, *_):
        self.kill()
        super().__exit__()

    def write(self, name, text):
        with open(self.path(f'etc/{name}'), 'w') as file:
            file.write(text)

    def words_of(self, *options):
        return [*self.before, KTRACE, 'serve', '--config', self.path('etc'), *options]

    def serve(self):
        self.errors = open(self.path('errors'), 'a+')
        self.process = subprocess.Popen(self.words_of(), env=self.env, stderr=self.errors)
        wait(lambda: self.process.poll() is not None or self.is_answering(), 10,
             lambda: f'serving: {self.words()}')
        if 'built without libmicrohttpd' in self.words():
            raise Skip('ktrace was built without libmicrohttpd')
        assert self.process.poll() is None, self.words()

    def kill(self):
        """Its processes end by themselves, and let go of the port."""
        if not self.process or self.process.poll() is not None:
            return
        children = self.children()
        self.process.kill()
        self.process.wait()
        wait(lambda: not any(map(is_running, children)))

    def children(self):
        path = f'/proc/{self.process.pid}/task/{self.process.pid}/children'
        with open(path) as file:
            return [int(pid) for pid in file.read().split()]

    def page(self):
        """Returns the pid of the process that serves metrics."""
        for pid in self.children():
            if is_running(pid) and name_of(pid) == 'ktrace-page':
                return pid
        return 0

    def is_answering(self):
        with socket.socket() as one:
            return not one.connect_ex(('127.0.0.1', self.port)) and self.page() != 0

    def get(self, path='/metrics', method='GET'):
        """Returns the status and the text."""
        with socket.create_connection(('127.0.0.1', self.port), 10) as one:
            one.settimeout(10)
            one.sendall(f'{method} {path} HTTP/1.0\r\nHost: ktrace\r\n\r\n'.encode())
            data = b''.join(iter(lambda: one.recv(1 << 16), b''))
        if not data:
            raise ConnectionResetError
        head, text = data.split(b'\r\n\r\n', 1)
        return int(head.split()[1]), text.decode()

    def figure(self, name):
        """Returns the value of a series of the page."""
        text = self.get()[1]
        for line in text.splitlines():
            if line.startswith(name + ' '):
                return float(line.rsplit(' ', 1)[1])
        raise AssertionError(f'there is no {name} in {text[:2000]}')

    def total(self, state):
        return self.figure(f'ktrace_records_total{{session="web",state="{state}"}}')

    def nr_lines(self):
        if not os.path.exists(self.out):
            return 0
        with open(self.out, 'rb') as file:
            return file.read().count(b'"id":')

    def other(self, *options):
        """Runs another ktrace serve to its end, and returns its code and words."""
        run = subprocess.run(self.words_of(*options), env=self.env, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=20)
        return run.returncode, run.stdout

    def account(self):
        """Returns the figures of --status, or None if there are none yet."""
        code, text = self.other('--status')
        assert code == 0, text
        found = FINAL.search(text)
        return found and [int(number) for number in found.groups()]

    def finish(self):
        """Waits until all records are acknowledged, and ends it."""
        nr = len(self.expected())
        wait(lambda: self.total('acknowledged') == nr, 30, lambda: f'all: {self.words()}')
        assert self.end(signal.SIGTERM) == 0, self.words()
