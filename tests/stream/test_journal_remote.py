# SPDX-License-Identifier: GPL-2.0
"""systemd-journal-remote: restarted, killed and stopped in the middle, wrong, with a full disk."""
import glob
import os
import signal
import time

from collectors import Program, fetched, free_ports, is_listening, program
from played import Play
from test_file import small_disk
from test_journald import MESSAGE_IDS, entries_of, lost_and_twice
from test_otlp import Server

# Installed, Debian's package would upgrade systemd, so it is unpacked.
PACKAGES = 'systemd-journal-remote', 'libsystemd-shared', 'libmicrohttpd12'
PART = 50       # records


class JournalRemote(Program):
    def __init__(self, play, folder=None):
        self.folder = folder or play.folder
        program('apt-get')
        cache = fetched('journal-remote', 'apt-get download ' + ' '.join(PACKAGES),
                         'for package in *.deb; do dpkg -x "$package" root || exit 1; done')
        library, = glob.glob(f'{cache}/root/usr/lib/*/systemd/')
        self.play, (self.port,) = play, free_ports(1)
        words = [f'{cache}/root/lib/systemd/systemd-journal-remote', '--split-mode=none',
                 f'--listen-http=127.0.0.1:{self.port}', f'--output={self.folder}/remote.journal']
        libraries = f'{library}:{os.path.dirname(library[:-1])}'
        super().__init__(words, play.path('remote.log'), lambda: is_listening(self.port),
                         env={**os.environ, 'LD_LIBRARY_PATH': libraries})

    def sink(self):
        return '--to', f'journal-remote:http://127.0.0.1:{self.port}'

    def lost_and_twice(self):
        return lost_and_twice(self.play, self.entries())

    def entries(self):
        """
        Files are renamed when they are full, or were not closed. Each is read by itself: journalctl
        merges files by times, and skips entries whose times are not in order.
        """
        return [one for path in glob.glob(f'{self.folder}/remote*.journal*')
                for one in entries_of('--file', path)]


def test_each_record_once():
    with Play(packets=50) as play, JournalRemote(play) as remote:
        assert play.run(*remote.sink()) == 0, play.words()
        assert 'confirmed' in play.words()
        assert remote.lost_and_twice() == (0, 0), remote.lost_and_twice()
        entries = remote.entries()
        for one in entries:
            assert one['MESSAGE_ID'] == MESSAGE_IDS[one['KTRACE_EVENT']], one
            assert one['KTRACE_SESSION'] == 'web' and one['_HOSTNAME'] == os.uname().nodename, one
        one = next(one for one in entries if one.get('KTRACE_ID', '').endswith('.0.0.1'))
        assert one['MESSAGE'] == 'exit [00+0x10], 1001 ns', one
        assert one['__MONOTONIC_TIMESTAMP'] == '1000001', one
        with open('/proc/sys/kernel/random/boot_id') as file:
            assert one['_BOOT_ID'] == file.read().replace('-', '').strip(), one


def restart(number):
    with Play(packets=100, period=10000) as play, JournalRemote(play) as remote:
        play.begin(*remote.sink())
        time.sleep(0.4)
        remote.restart(number)
        assert play.process.wait(30) == 0, play.words()
        lost, twice = remote.lost_and_twice()
        assert not lost and twice <= PART, (lost, twice)
        return f'lost 0 twice {twice}'


def test_an_orderly_restart():
    return restart(signal.SIGTERM)


def test_a_kill():
    return restart(signal.SIGKILL)


def test_a_stopped_collector():
    with Play(packets=100, period=10000) as play, JournalRemote(play) as remote:
        play.begin(*remote.sink())
        time.sleep(0.4)
        os.kill(remote.process.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(remote.process.pid, signal.SIGCONT)
        assert play.process.wait(30) == 0, play.words()
        assert remote.lost_and_twice() == (0, 0)


def test_answers():
    """A temporary failure is tried again; what the server refuses is counted, and never comes again."""
    server = Server(*[(202, {}, b'OK.\n')] * 2, *[(500, {}, b'Processing failed.\n')] * 2,
                    *[(202, {}, b'OK.\n')] * 2, (417, {}, b'Trailing data.\n'),
                    *[(202, {}, b'OK.\n')] * 1000)
    with Play(cpus=1, packets=20) as play:
        assert play.run('--to', f'journal-remote:{server.url}') == 3, play.words()
        assert 'answered 500: Processing failed. They stay in the module' in play.words(), play.words()
        assert 'has refused 50 records' in play.words() and 'answered 417: Trailing data' in play.words()
    bodies = [request.body for request in server.requests]
    assert bodies[2] == bodies[3] == bodies[4] and len(bodies) == len(set(bodies)) + 2
    assert {request.path for request in server.requests} == {'/upload'}
    assert {request.headers['Content-Type'] for request in server.requests} == \
        {'application/vnd.fdo.journal'}


def test_a_full_disk():
    """systemd-journal-remote ends then, and systemd would begin it again."""
    with Play(packets=100, period=10000) as play, small_disk(play, '2m') as (out, enlarge), \
            JournalRemote(play, os.path.dirname(out)) as remote:
        play.begin(*remote.sink())
        play.wait_for_words('takes no records now')
        assert 'No space left' in remote.said(), remote.said()
        remote.process.wait(10)
        enlarge()
        remote.begin()
        assert play.process.wait(30) == 0, play.words()
        lost, twice = remote.lost_and_twice()
        assert not lost and twice <= 2 * PART, (lost, twice)
        return f'lost 0 twice {twice}'
