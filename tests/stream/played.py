# SPDX-License-Identifier: GPL-2.0
"""`ktrace stream` with a module that plays (module.c), and what arrives at collectors."""
import collections
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KTRACE = os.environ.get('KTRACE_FAKE') or '/tmp/ktrace-played/ktrace'
# Disks differ too much in how long they take to be synchronized.
MEMORY = '/dev/shm' if os.path.isdir('/dev/shm') else None
RANDOM = random.Random(os.environ.get('KTRACE_SEED', '1'))


class Play:
    """A session "web", and the streamers that read it, one after the other."""

    def __init__(self, cpus=2, packets=100, records=50, ring=1000, period=0, **env):
        self.folder = tempfile.mkdtemp(prefix='ktrace-stream-', dir=MEMORY)
        self.cpus, self.packets, self.records = cpus, packets, records
        played = f'{self.folder}/rings:{cpus}:{packets}:{records}:{ring}:{period}'
        self.env = {**os.environ, 'KTRACE_PLAYED': played, **env}
        self.sessions = ['web']
        self.before = []    # words before the command's
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder)

    def path(self, name):
        return f'{self.folder}/{name}'

    def begin(self, *options, **more):
        self.errors = open(self.path('errors'), 'a+')
        self.process = subprocess.Popen([*self.before, KTRACE, 'stream', *self.sessions, *options],
                                        env=self.env, stderr=self.errors, **more)
        return self.process

    def run(self, *options, timeout=60, **more):
        self.begin(*options, **more)
        return self.process.wait(timeout)

    def end(self, number=signal.SIGINT, timeout=30):
        self.process.send_signal(number)
        return self.process.wait(timeout)

    def words(self):
        with open(self.path('errors')) as file:
            return file.read()

    def wait_for_words(self, words, seconds=20):
        wait(lambda: words in self.words(), seconds, lambda: f'{words!r} in {self.words()!r}')

    def expected(self):
        return {f'feed00000000cafe.{cpu}.{packet}.{record}' for cpu in range(self.cpus)
                for packet in range(self.packets) for record in range(self.records)}

    def senders(self):
        """Returns the pids of the senders."""
        with open(f'/proc/{self.process.pid}/task/{self.process.pid}/children') as file:
            return [int(pid) for pid in file.read().split()]

    def sender(self):
        """Returns the pid of the only sender."""
        return self.senders()[0]


def wait(is_true, seconds=20, what=lambda: ''):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, f'after {seconds} s still not {what()}'
        time.sleep(0.01)


def lines(*paths):
    """Returns the documents of files of JSON lines."""
    found = []
    for path in paths:
        with open(path) as file:
            for line in file:
                assert line.endswith('\n'), f'half a line: {line[:80]!r}'
                found.append(json.loads(line))
    return found


def ids(documents):
    return [one['id'] for one in documents if 'id' in one]


def gaps(documents):
    return sum(one['missing'] for one in documents if one['event'] == 'gap')


def check_each_once(play, documents, twice=0):
    """No record is missing; at most so many came twice."""
    counts = collections.Counter(ids(documents))
    missing = play.expected() - set(counts)
    assert not missing, f'{len(missing)} records are missing, such as {sorted(missing)[:3]}'
    assert not set(counts) - play.expected()
    more = sum(counts.values()) - len(counts)
    assert more <= twice, f'{more} records came twice'


def check_order(documents):
    """Each CPU's records come in the order in which they were recorded."""
    last = {}
    for one in ids(documents):
        _, cpu, packet, index = one.split('.')
        at = (int(packet), int(index))
        assert at > last.get(cpu, (-1, -1)), f'{one} comes behind {last[cpu]}'
        last[cpu] = at


def files(path):
    return sorted(glob.glob(path + '*'))
