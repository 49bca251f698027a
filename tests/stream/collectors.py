# SPDX-License-Identifier: GPL-2.0
"""Real collectors: each an instance of its own, with its own files, sockets and ports."""
import os
import shutil
import signal
import socket
import subprocess

from played import wait

CACHE = os.path.join(os.environ.get('KTRACE_CACHE') or os.path.expanduser('~/.cache/ktrace'),
                     'collectors')


def socket_queue():
    """Returns how many datagrams are lost with the reader of a unix socket: the queue keeps one more
    than its limit, which is 10, or 512 with systemd, and the reader may have taken 10 at once."""
    with open('/proc/sys/net/unix/max_dgram_qlen') as file:
        return int(file.read()) + 1 + 10


class Skip(Exception):
    """The test cannot run here; the text is the reason."""


def program(name):
    path = shutil.which(name, path=os.environ['PATH'] + ':/usr/sbin:/sbin')
    if not path:
        raise Skip(f'{name} is not installed')
    return path


def fetched(name, *words, **more):
    """Returns a folder of the cache, in which the commands have run once."""
    folder = f'{CACHE}/{name}'
    if not os.path.exists(f'{folder}/done'):
        os.makedirs(folder, exist_ok=True)
        for one in words:
            run = subprocess.run(one, cwd=folder, shell=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, **more)
            if run.returncode:
                last = (run.stdout.strip() or 'no words').splitlines()[-1]
                raise Skip(f'{name} cannot be fetched: {last}')
        with open(f'{folder}/done', 'w'):
            pass
    return folder


def free_ports(nr):
    sockets = [socket.create_server(('127.0.0.1', 0)) for _ in range(nr)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def is_listening(port):
    with socket.socket() as one:
        return not one.connect_ex(('127.0.0.1', port))


class Program:
    """A collector that is begun and ended several times. Its words are appended to a file."""

    def __init__(self, words, log, is_ready, **more):
        self.words, self.log, self.is_ready = words, log, is_ready
        self.more = more
        self.process = None

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.end(signal.SIGKILL)

    def begin(self):
        with open(self.log, 'a') as log:
            self.process = subprocess.Popen(self.words, stdout=log, stderr=log, **self.more)
        wait(lambda: self.is_ready() or self.process.poll() is not None, 20,
             lambda: f'ready: {self.said()}')
        assert self.process.poll() is None, self.said()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(20)

    def restart(self, number):
        self.end(number)
        self.begin()

    def said(self):
        with open(self.log) as log:
            return log.read()[-3000:]
