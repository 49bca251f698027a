# SPDX-License-Identifier: GPL-2.0
"""Servers for tests, and clients that compare every answer with the expected one."""
import http.client
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

from tool import limit, wait_for


class Server:
    """A server in the foreground, run from the folder into which its packages were unpacked."""

    def __init__(self, root, path):
        self.root, self.path = os.path.realpath(root), os.path.realpath(root) + path
        self.folder = tempfile.mkdtemp(dir='/tmp')
        self.link = None

    def start(self, *args):
        libraries = self.root + '/usr/lib/x86_64-linux-gnu'
        self.process = subprocess.Popen([self.path, *args], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, LD_LIBRARY_PATH=libraries))

    def is_up(self):
        try:
            socket.create_connection(('127.0.0.1', self.port), 1).close()
            return True
        except OSError:
            return False

    def __enter__(self):
        self.serve()
        wait_for(self.is_up)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(limit(20))
        shutil.rmtree(self.folder)


class Redis(Server):
    port = 7701

    def __init__(self, programs):
        super().__init__(programs + '/redis', '/usr/bin/redis-server')

    def serve(self):
        self.start('--port', str(self.port), '--dir', self.folder, '--save', '')

    def command(self, *words):
        self.link.write(b'*%d\r\n' % len(words))
        for word in words:
            self.link.write(b'$%d\r\n%s\r\n' % (len(word), word))
        self.link.flush()
        answer = self.link.readline()
        if answer[:1] == b'$':
            return self.link.read(int(answer[1:]) + 2)[:-2]
        return answer.rstrip()

    def ask(self, number):
        key, value = b'key%d' % (number % 50), b'value%d' % number
        if not self.link:
            self.link = socket.create_connection(('127.0.0.1', self.port), limit(20)).makefile('rwb')
        assert self.command(b'SET', key, value) == b'+OK'
        assert self.command(b'GET', key) == value


class Nginx(Server):
    port = 7702

    def __init__(self, programs):
        super().__init__(programs + '/nginx', '/usr/sbin/nginx')

    def serve(self):
        self.pages = [os.urandom(100 + 7000 * i) for i in range(5)]
        for i, page in enumerate(self.pages):
            with open('%s/%d' % (self.folder, i), 'wb') as file:
                file.write(page)
        with open(self.folder + '/conf', 'w') as file:
            file.write('user root; daemon off; worker_processes 2; pid %s/pid;\n'
                       'error_log %s/errors; events {}\n'
                       'http { access_log off; client_body_temp_path %s/a; proxy_temp_path %s/b;\n'
                       'fastcgi_temp_path %s/c; uwsgi_temp_path %s/d; scgi_temp_path %s/e;\n'
                       'gzip on; keepalive_requests 100000;\n'
                       'server { listen 127.0.0.1:%d; root %s; } }\n' % (
                           *[self.folder] * 7, self.port, self.folder))
        self.start('-e', self.folder + '/errors', '-c', self.folder + '/conf')

    def ask(self, number):
        if not self.link:
            self.link = http.client.HTTPConnection('127.0.0.1', self.port, timeout=limit(20))
        self.link.request('GET', '/%d' % (number % 5))
        answer = self.link.getresponse()
        page = answer.read()
        assert answer.status == 200 and page == self.pages[number % 5], (number, answer.status)


class Load:
    """Sends requests to a server without end; good: number of right answers, bad: the wrong
    answers."""

    def __init__(self, server):
        self.server, self.good, self.bad, self.is_over = server, 0, [], False
        self.thread = threading.Thread(target=self.ask)

    def ask(self):
        while not self.is_over:
            try:
                self.server.ask(self.good)
                self.good += 1
            except Exception as error:
                self.bad.append(repr(error))
                self.server.link = None
                if len(self.bad) > 10:
                    return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()
