# SPDX-License-Identifier: GPL-2.0
"""`ktrace serve` with as many sessions as it may have, and for as many records as in a day."""
import os
import signal
import socket
import threading
import time

from played import wait
from served import Serve, name_of

SESSIONS = 64
MOST_KIB = 16 << 10     # promised for 64 sessions
GROWTH_KIB = 256        # of a process between 10 % and 100 % of a day
PAGE_KIB = 1024


def memory(pid, rings):
    """Returns the proportional and the resident KiB of a process, without those of the rings."""
    shared = resident = 0
    counts = True
    with open(f'/proc/{pid}/smaps') as file:
        for line in file:
            words = line.split()
            if not words[0].endswith(':'):
                counts = words[-1] != rings
            elif counts and words[0] == 'Pss:':
                shared += int(words[1])
            elif counts and words[0] == 'Rss:':
                resident += int(words[1])
    return shared, resident


def nr_files(pid):
    return len(os.listdir(f'/proc/{pid}/fd'))


class Processes:
    """What the processes of a ktrace serve use now, the main one first."""

    def __init__(self, serve):
        pids = [serve.process.pid, *serve.children()]
        self.names = [name_of(pid) for pid in pids]
        found = [memory(pid, serve.path('rings')) for pid in pids]
        self.shared = sum(one[0] for one in found)
        self.resident = [one[1] for one in found]
        self.files = [nr_files(pid) for pid in pids]

    def __str__(self):
        return ', '.join(f'{name} {kib} KiB {files} files' for name, kib, files in
                         zip(self.names, self.resident, self.files))


def settled(serve):
    """A sender that begins reads the end of its file, which needs files and memory for a moment."""
    found = []
    for _ in range(10):
        found.append(Processes(serve))
        time.sleep(0.05)
    return min(found, key=lambda one: (sum(one.files), sum(one.resident)))


class Counter:
    """A syslog server by TCP that counts the records, and keeps nothing."""

    WORDS = b'"id":'

    def __init__(self):
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        self.nr = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        """One after the other: a sender of the next configuration begins when the last has ended."""
        while True:
            connection, _ = self.listener.accept()
            with connection:
                self.read(connection)

    def read(self, connection):
        rest = b''
        while data := connection.recv(1 << 20):
            data = rest + data
            self.nr += data.count(self.WORDS)
            rest = data[1 - len(self.WORDS):]


def two_sinks(serve, server, lines=''):
    serve.write('ktrace.conf', f'[Serve]\nListen=127.0.0.1:{serve.port}\n{lines}'
                f'[Sink file]\nTo=json:{serve.out}\nMaxSize=8M\nKeep=2\n'
                f'[Sink tcp]\nTo=syslog:tcp:127.0.0.1:{server.port}\n')


def serve_many(serve, server):
    two_sinks(serve, server)
    for number in range(SESSIONS):
        name = f'web-{number}' if number else 'web'
        serve.write(f'sessions.d/{name}.conf', '[Session]\nBinary=/bin/true\n')
    serve.serve()


def use_of_64_sessions():
    """Returns what is used while all of them have records for both sinks, and are scraped."""
    server = Counter()
    cpus, records = 64, 300
    nr = SESSIONS * cpus * records
    with Serve(cpus=cpus, packets=1, records=records, KTRACE_PLAYED_SESSIONS=str(SESSIONS)) as serve:
        serve_many(serve, server)
        most = Processes(serve)
        while server.nr < nr:
            serve.get()
            most = max(most, Processes(serve), key=lambda one: one.shared)
            time.sleep(0.05)
        assert serve.end(signal.SIGTERM) == 0, serve.words()
        assert server.nr == nr, (server.nr, nr)
        return most


def test_memory_of_64_sessions():
    most = use_of_64_sessions()
    assert most.shared <= MOST_KIB, f'{most.shared} KiB: {most}'
    return f'{most.shared} KiB: {most}'


def test_overload_of_64_sessions():
    """They have more records than the sinks take. A scrape waits for one pass, not for 64."""
    server = Counter()
    with Serve(cpus=8, packets=1000000, period=1000, records=300,
               KTRACE_PLAYED_SESSIONS=str(SESSIONS)) as serve:
        serve_many(serve, server)
        took = []
        for _ in range(3):
            time.sleep(1.1)     # all who ask within a second get the same page
            begin = time.monotonic()
            assert serve.get()[0] == 200
            took.append(time.monotonic() - begin)
        begin = time.monotonic()
        assert serve.end(signal.SIGTERM) == 0, serve.words()
        took.append(time.monotonic() - begin)
        assert max(took) < 5, took
        return ' '.join(f'{one:.1f}' for one in took) + ' s'


# A day, in little time.
CPUS, RECORDS, PACKETS, PERIOD = 2, 100, 5000, 6000     # us
ROWS_AT_ONCE, ROW_PERIOD = 300, 3000
RELOAD_S = 2


def live(serve, server, until):
    """Scrapes it, and lets it read its configuration again, until so many records have arrived."""
    nr_scrapes = nr_reloads = 0
    next_reload = time.monotonic() + RELOAD_S
    while server.nr < until:
        if time.monotonic() > next_reload:
            page = serve.page()
            serve.process.send_signal(signal.SIGHUP)
            wait(lambda: serve.page() not in (0, page) and serve.is_answering())
            next_reload = time.monotonic() + RELOAD_S
            nr_reloads += 1
        status, text = serve.get()
        assert status == 200 and text.count('comm="task-') >= ROWS_AT_ONCE, text[:500]
        nr_scrapes += 1
        time.sleep(0.05)
    return nr_scrapes, nr_reloads


def allowed(name):
    """The process of the page begins again at a reload, and has made one page or several since."""
    return GROWTH_KIB + (PAGE_KIB if name == 'ktrace-page' else 0)


def check_equal(before, after):
    assert before.names == after.names, (before.names, after.names)
    for name, was, now in zip(before.names, before.files, after.files):
        assert was == now, f'{name}: {now} open files, and {was} before'
    for name, was, now in zip(before.names, before.resident, after.resident):
        assert now - was <= allowed(name), f'{name}: {now} KiB, and {was} KiB before'


def use_of_a_day():
    """
    A million records, ten thousand rows that come and go, scrapes, files, reloads. Returns what is
    used at 10 % and at the end, and how many scrapes and reloads there were.
    """
    server = Counter()
    nr = CPUS * RECORDS * PACKETS
    with Serve(cpus=CPUS, packets=PACKETS, records=RECORDS, period=PERIOD,
               KTRACE_PLAYED_TABLE=f'{ROWS_AT_ONCE}:{ROW_PERIOD}') as serve:
        os.mkdir(serve.path('text'))
        two_sinks(serve, server, f'Textfile={serve.path("text")}\nTextfileInterval=1s\n')
        begin = time.monotonic()
        serve.serve()
        live(serve, server, nr // 10)
        before = settled(serve)
        nr_scrapes, nr_reloads = live(serve, server, nr)
        after = settled(serve)
        rows = (time.monotonic() - begin) * 1e6 / ROW_PERIOD
        assert rows >= 10000, rows
        wait(lambda: serve.total('acknowledged') == nr)
        for state, number in ('produced', nr), ('dropped', 0):
            assert serve.total(state) == number, (state, serve.total(state))
        assert server.nr == nr, server.nr
        assert serve.end(signal.SIGTERM) == 0, serve.words()
        return before, after, nr_scrapes, nr_reloads


def test_a_day_is_flat():
    before, after, nr_scrapes, nr_reloads = use_of_a_day()
    check_equal(before, after)
    return f'{nr_scrapes} scrapes, {nr_reloads} reloads; at 10 %: {before}; at the end: {after}'
