#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
streams.py [figures...]: measures on this host what streams to collectors cost, with a module that
plays (tests/stream/module.c). Prints one line "key value" per figure.
"""
import contextlib
import os
import re
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, f'{TESTS}/stream')

import test_long
from collectors import CACHE, Skip, program
from played import KTRACE, Play, wait
from served import Serve
from test_fluent import Fluent
from test_journald import Journald
from test_otlp import Server
from test_rsyslog import Rsyslog
from test_syslog_ng import SyslogNg

RUNS = 3
RECORDS = 350           # of a packet, which is full then
NOTE = re.compile(r'note: (\d+) instructions per (\w+)(?: for (\S+))?')


def give(key, value):
    print(key, value, flush=True)


# --- sinks: a sink, and a function that counts the records that have arrived -------------------

def count(path, words=b'"id"'):
    if not os.path.exists(path):
        return 0
    with open(path, 'rb') as file:
        return file.read().count(words)


@contextlib.contextmanager
def file_in_memory(play):
    out = play.path('out')
    yield f'json:{out}', lambda: count(out)


@contextlib.contextmanager
def file_on_disk(_):
    out = f'{CACHE}/out'
    os.makedirs(CACHE, exist_ok=True)
    try:
        yield f'json:{out}', lambda: count(out)
    finally:
        os.remove(out)


def of_rsyslog(name, sink):
    @contextlib.contextmanager
    def begin(play):
        with Rsyslog(play) as rsyslog:
            yield sink(play, rsyslog), lambda: count(play.path(name))
    return begin


@contextlib.contextmanager
def of_syslog_ng(play):
    with SyslogNg(play) as syslog_ng:
        yield f'syslog:tcp:127.0.0.1:{syslog_ng.port}', lambda: count(play.path('tcp'))


@contextlib.contextmanager
def of_journald(play):
    with Journald(play) as journald:
        yield 'journald', lambda: sum('KTRACE_ID' in one for one in journald.wait_for_end())


@contextlib.contextmanager
def of_fluent(play):
    with Fluent(play) as fluent:
        yield fluent.sink()[1], lambda: count(play.path('fluent'))


@contextlib.contextmanager
def of_otlp(_):
    server = Server()
    try:
        yield f'otlp:{server.url}', lambda: sum(body.count(b'ktrace.id') for body in server.taken)
    finally:
        server.close()


# Name, number of records, how it begins, and whether much is in buffers when the streamer has ended.
SINKS = [
    ('json', 800000, file_in_memory, False),
    ('disk', 400000, file_on_disk, False),
    ('relp', 70000, of_rsyslog('relp', lambda _, at: f'relp:127.0.0.1:{at.relp}'), False),
    ('tcp', 70000, of_rsyslog('tcp', lambda _, at: f'syslog:tcp:127.0.0.1:{at.tcp}'), True),
    ('local', 70000, of_rsyslog('local', lambda play, _: f'syslog:{play.path("log")}'), False),
    ('syslog_ng', 70000, of_syslog_ng, True),
    ('journald', 21000, of_journald, False),
    ('fluent', 70000, of_fluent, False),
    ('otlp', 140000, of_otlp, False),
]


def cpu_ns(pid):
    """Returns the CPU time of a process, or 0 if it has ended."""
    total = 0
    try:
        for thread in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{thread}/schedstat') as file:
                total += int(file.read().split()[0])
    except (FileNotFoundError, ProcessLookupError):
        pass
    return total


class Watch:
    """Reads the CPU times of a streamer and its sender until they end."""

    def __init__(self, play):
        self.play, self.streamer, self.sender = play, 0, 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        pid = self.play.process.pid
        while self.play.process.poll() is None:
            self.streamer = max(self.streamer, cpu_ns(pid))
            with contextlib.suppress(OSError, IndexError):
                self.sender = max(self.sender, cpu_ns(self.play.sender()))
            time.sleep(0.005)


def measure_once(nr, begin, is_buffered):
    """Returns records a second, ns of the streamer and of the sender a record, and the losses."""
    packets = nr // RECORDS // 2
    with Play(cpus=2, packets=packets, records=RECORDS, ring=200) as play, begin(play) as (sink, arrived):
        nr = 2 * packets * RECORDS
        start = time.monotonic()
        play.begin('--to', sink)
        watch = Watch(play)
        assert play.process.wait(120) == 0, play.words()
        took = time.monotonic() - start
        with contextlib.suppress(AssertionError):
            wait(lambda: arrived() >= nr, 10)
        if is_buffered:
            took = time.monotonic() - start
        watch.thread.join()
        return nr / took, watch.streamer / nr, watch.sender / nr, nr - arrived()


def measure_sink(name, *how):
    found = [measure_once(*how) for _ in range(RUNS)]
    rates, streamer, sender, lost = zip(*found)
    give(f'sink.{name}.rate', f'{statistics.median(rates):.0f}')
    give(f'sink.{name}.least', f'{min(rates):.0f}')
    give(f'sink.{name}.most', f'{max(rates):.0f}')
    give(f'sink.{name}.streamer', f'{statistics.median(streamer):.0f}')
    give(f'sink.{name}.sender', f'{statistics.median(sender):.0f}')
    give(f'sink.{name}.lost', max(lost))


def sinks():
    for name, *how in SINKS:
        try:
            measure_sink(name, *how)
        except Skip as reason:
            print(f'{name} is left out: {reason}', file=sys.stderr)


# --- instructions -------------------------------------------------------------------------------

def formats():
    """Those of tests/unit/run.sh, which has limits for them."""
    run = subprocess.run([f'{TESTS}/unit/run.sh', 'test_record'], stdout=subprocess.PIPE, text=True,
                         check=False)
    seen = set()
    for number, event, sink in NOTE.findall(run.stdout):
        key = f'format.{sink or "line"}.{event}'
        if key not in seen:
            give(key, number)
        seen.add(key)
    assert seen, run.stdout


# --- ktrace serve -------------------------------------------------------------------------------

def scrape():
    """Of the largest table that the default limit allows."""
    rows = 1783
    with Serve(packets=1000000, period=1000000, KTRACE_PLAYED_TABLE=f'{rows}:0') as serve:
        serve.serve()
        took = []
        for _ in range(7):
            begin = time.monotonic()
            status, text = serve.get()
            took.append(time.monotonic() - begin)
            assert status == 200, text
    give('scrape.series', sum(not line.startswith('#') for line in text.splitlines()))
    give('scrape.bytes', len(text))
    give('scrape.ms', f'{1000 * statistics.median(took):.0f}')


def memory():
    most = test_long.use_of_64_sessions()
    give('memory.shared', most.shared)
    for name, kib in zip(label(most.names), most.resident):
        give(f'memory.{name}', kib)


def label(names):
    """The file's sender is the first one."""
    return [names[0], names[1], 'sender-file', 'sender-tcp']


def day():
    before, after, nr_scrapes, nr_reloads = test_long.use_of_a_day()
    give('day.scrapes', nr_scrapes)
    give('day.reloads', nr_reloads)
    for when, use in ('before', before), ('after', after):
        for name, kib, files in zip(label(use.names), use.resident, use.files):
            give(f'day.{name}.{when}', kib)
            give(f'day.{name}.files_{when}', files)


# --- where ---------------------------------------------------------------------------------------

VERSIONS = [
    ('rsyslog', ['rsyslogd', '-v'], r'rsyslogd +(\S+)'),
    ('systemd-journald', ['journalctl', '--version'], r'systemd (\d+)'),
    ('node', ['node', '--version'], r'v(\S+)'),
]


def host():
    with open('/proc/cpuinfo') as file:
        give('host.processor', re.search(r'model name\s*: (.*)', file.read())[1])
    give('host.cpus', os.cpu_count())
    give('host.load', f'{os.getloadavg()[0]:.1f}')
    give('host.kernel', '.'.join(os.uname().release.split('.')[:2]))
    give('host.disk', subprocess.check_output(['findmnt', '-no', 'FSTYPE', '-T', os.path.dirname(CACHE)],
                                              text=True).strip())
    give('host.python', sys.version.split()[0])
    for name, words, pattern in VERSIONS:
        with contextlib.suppress(FileNotFoundError, Skip):
            words[0] = program(words[0])
            text = subprocess.check_output(words, text=True)
            give(f'version.{name}', re.search(pattern, text)[1])
    for package in os.listdir(f'{CACHE}/syslog-ng') if os.path.exists(f'{CACHE}/syslog-ng') else []:
        found = re.match(r'syslog-ng-core_([^-]+)-', package)
        if found:
            give('version.syslog-ng', found[1])


PARTS = [host, sinks, formats, scrape, memory, day]


def main():
    assert os.path.exists(KTRACE), f'tests/stream/build.sh builds {os.path.dirname(KTRACE)}'
    wanted = sys.argv[1:]
    for part in PARTS:
        if not wanted or part.__name__ in wanted:
            print(f'measuring {part.__name__} ...', file=sys.stderr)
            part()


if __name__ == '__main__':
    main()
