# SPDX-License-Identifier: GPL-2.0
"""journald: an instance of its own, with its folders mounted in a namespace of its own."""
import json
import os
import signal
import socket
import subprocess
import time

from collectors import Program, Skip, program, socket_queue
from played import Play, wait

JOURNALD = '/usr/lib/systemd/systemd-journald'
SOCKET = '/run/systemd/journal/socket'
CONFIG = '''[Journal]
Storage=persistent
Seal=no
Audit=no
ReadKMsg=no
ForwardToSyslog=no
RateLimitIntervalSec=0
'''
BEGIN = '''
mount --bind {folder}/run /run && mount --bind {folder}/log /var/log || exit 1
mount --bind {folder}/journald.conf /etc/systemd/journald.conf || exit 1
exec 3<&{fd}
export LISTEN_FDS=1 LISTEN_PID=$$
exec ''' + JOURNALD
MESSAGE_IDS = {'begin': 'b51adff5092b4c52903d98fc62941729', 'end': 'ac24d1a5c7cc49599dd4c2a47f4b13ee',
               'exit': '80cea62259ea46c389081e7da1924b3f'}


def bind(root):
    """Returns a socket that has its name, but in another root: systemd keeps it over restarts."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    child = os.fork()
    if not child:
        os.chroot(root)
        sock.bind(SOCKET)
        os.chmod(SOCKET, 0o666)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    return sock


class Journald(Program):
    def __init__(self, play):
        if not os.path.exists(JOURNALD) or not os.path.exists('/etc/systemd/journald.conf'):
            raise Skip('systemd-journald is not installed')
        program('journalctl')
        self.play = play
        os.chmod(play.folder, 0o755)
        os.makedirs(play.path('run/systemd/journal'))
        os.makedirs(play.path('log/journal'))
        with open(play.path('run/systemd/journal/flushed'), 'w'):
            pass
        with open(play.path('journald.conf'), 'w') as file:
            file.write(CONFIG)
        self.socket = bind(play.folder)
        fd = self.socket.fileno()
        play.before = ['unshare', '-m', 'sh', '-c', f'mount --bind {play.folder}/run /run && exec "$0" "$@"']
        words = ['unshare', '-m', 'bash', '-c', BEGIN.format(folder=play.folder, fd=fd)]
        super().__init__(words, play.path('journald.log'), self.is_there, pass_fds=[fd])

    def __exit__(self, *_):
        super().__exit__()
        self.socket.close()

    def is_there(self):
        """The program has begun, and has a journal."""
        if self.process.poll() is not None:
            return False
        with open(f'/proc/{self.process.pid}/comm') as file:
            return file.read().startswith('systemd-journal') and any(
                'system.journal' in names for _, _, names in os.walk(self.play.path('log')))

    def entries(self):
        folder, = os.listdir(self.play.path('log/journal'))
        return entries_of('-D', self.play.path(f'log/journal/{folder}'))

    def wait_for_end(self):
        """Returns all entries. The socket's queue is empty a moment before the last one is there."""
        found = []

        def has_end():
            found[:] = self.entries()
            return any(one['KTRACE_EVENT'] == 'end' for one in found)
        wait(has_end, 20, lambda: 'the end of the stream')
        return found


def entries_of(*where):
    text = subprocess.check_output(['journalctl', '-q', '--all', '-o', 'json', *where,
                                    'SYSLOG_IDENTIFIER=ktrace'])
    return [json.loads(line) for line in text.splitlines()]


def lost_and_twice(play, entries):
    found = [one['KTRACE_ID'] for one in entries if 'KTRACE_ID' in one]
    assert not set(found) - play.expected()
    return len(play.expected() - set(found)), len(found) - len(set(found))


def restart(number):
    with Play(packets=60, period=25000) as play, Journald(play) as journald:
        play.begin('--to', 'journald')
        time.sleep(0.7)
        journald.restart(number)
        assert play.process.wait(30) == 0, play.words()
        assert 'handed over' in play.words()
        return lost_and_twice(play, journald.wait_for_end())


def test_each_record_once():
    with Play(packets=50) as play, Journald(play) as journald:
        assert play.run('--to', 'journald') == 0, play.words()
        entries = journald.wait_for_end()
        assert lost_and_twice(play, entries) == (0, 0), lost_and_twice(play, entries)
        for one in entries:
            assert one['MESSAGE_ID'] == MESSAGE_IDS[one['KTRACE_EVENT']], one
            assert one['KTRACE_SESSION'] == 'web' and one['PRIORITY'] == '6', one
            assert one['KTRACE_TIME'].endswith('Z') and one['_TRANSPORT'] == 'journal', one
        one = next(one for one in entries if one.get('KTRACE_ID', '').endswith('.0.0.1'))
        assert one['MESSAGE'] == 'exit [00+0x10], 1001 ns', one
        assert one['KTRACE_DURATION_NS'] == '1001' and one['KTRACE_TID'] == '4711', one


def test_an_orderly_restart():
    lost, twice = restart(signal.SIGTERM)
    assert (lost, twice) == (0, 0), (lost, twice)


def test_a_kill():
    lost, twice = restart(signal.SIGKILL)
    assert lost <= socket_queue() and not twice, (lost, twice)
    return f'lost {lost} twice {twice}'


def test_a_stopped_collector():
    with Play(packets=60, period=25000) as play, Journald(play) as journald:
        play.begin('--to', 'journald')
        time.sleep(0.7)
        os.kill(journald.process.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(journald.process.pid, signal.SIGCONT)
        assert play.process.wait(30) == 0, play.words()
        assert lost_and_twice(play, journald.wait_for_end()) == (0, 0)


def test_a_journald_that_is_not_there_yet():
    with Play(packets=20) as play, Journald(play) as journald:
        path, away = play.path('run/systemd/journal/socket'), play.path('run/systemd/journal/away')
        os.rename(path, away)
        play.begin('--to', 'journald')
        play.wait_for_words('takes no records now')
        os.rename(away, path)
        assert play.process.wait(30) == 0, play.words()
        assert lost_and_twice(play, journald.wait_for_end()) == (0, 0)
        assert play.words().count('takes records again') == 1
