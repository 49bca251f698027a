# SPDX-License-Identifier: GPL-2.0
"""ktrace top on a terminal, with a module that plays."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

from played import KTRACE, MEMORY, wait

SEQUENCE = re.compile(r'\x1b\[([?0-9;]*)([a-zA-Z])')
BEGUN, LEFT = '\x1b[?1049h', '\x1b[?1049l'


class Screen:
    """What a terminal shows that knows the sequences of ktrace."""

    def __init__(self, rows, columns):
        self.lines, self.columns, self.row, self.column = [''] * rows, columns, 0, 0

    def put(self, text):
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found:
                self.control(*found.groups())
                at = found.end()
            elif text[at] == '\x1b':
                return      # the rest was not read yet
            else:
                self.character(text[at])
                at += 1

    def control(self, parameter, final):
        if final == 'H':
            assert not parameter
            self.row = self.column = 0
        elif final == 'K':
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif final == 'J':
            below = 0 if parameter == '2' else self.row + 1
            self.lines[below:] = [''] * (len(self.lines) - below)
            if parameter != '2':
                self.lines[self.row] = self.lines[self.row][:self.column]
        else:
            assert final in 'mhl', (parameter, final)

    def character(self, c):
        if c == '\r':
            self.column = 0
        elif c == '\n':
            self.row += 1
            assert self.row < len(self.lines), 'the screen scrolls'
        else:
            assert self.column < self.columns, f'too long: {self.lines[self.row]!r}'
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + c + line[self.column + 1:]
            self.column += 1


PROFILE, SYSCALLS = '9', '2'     # KTRACE_PROVIDER_*


class Top:
    """ktrace top on a terminal of its own, in front of a shell."""

    def __init__(self, *options, rows=24, columns=80, before=(), **env):
        self.folder = tempfile.TemporaryDirectory(prefix='ktrace-top-', dir=MEMORY)
        self.gone = self.folder.name + '/gone'
        env = {**os.environ, 'TERM': 'xterm', 'KTRACE_PLAYED_GONE': self.gone,
               'KTRACE_PLAYED_MADE': self.folder.name + '/made',
               'KTRACE_PLAYED_SESSIONS': '64',  # one for each tab that is opened
               'KTRACE_PLAYED': f'{self.folder.name}/rings:2:10:10:10:0', **env}
        self.terminal, slave = pty.openpty()
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(slave)
        self.seen = ''
        self.process = subprocess.Popen([*before, KTRACE, 'top', '-i', '50ms', *options], env=env,
                                        stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal)
        self.slave = slave
        self.until(lambda: BEGUN in self.seen)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for fd in self.terminal, self.slave:
            if fd >= 0:
                os.close(fd)
        self.folder.cleanup()

    def made(self):
        """Returns the sessions that were made (+) and deleted (-), by their providers."""
        with open(self.folder.name + '/made') as file:
            return file.read().split()

    def cpu_ns(self):
        with open(f'/proc/{self.process.pid}/schedstat') as file:
            return int(file.read().split()[0])

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def read(self):
        while select.select([self.terminal], [], [], 0.01)[0]:
            try:
                self.seen += os.read(self.terminal, 65536).decode()
            except OSError:
                return

    def until(self, is_true, seconds=20):
        def look():
            self.read()
            return is_true()
        wait(look, seconds, lambda: f'as wanted: {self.seen[-3000:]!r}')

    def screen(self):
        """Returns the lines, of which the last may not be whole yet."""
        begin = self.seen.rfind(BEGUN)
        pictures = self.seen[begin + len(BEGUN):].split('\x1b[H')
        screen = Screen(self.rows, self.columns)
        for text in pictures[1:]:
            screen.row = screen.column = 0
            screen.put(text)
        return screen.lines

    def shows(self, *words):
        def look():
            text = '\n'.join(self.screen())
            return all(word in text for word in words)
        self.until(look)
        return self.screen()

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def clear(self):
        """Forgets what was seen: pictures that are larger cannot be shown on a smaller screen."""
        self.read()
        self.seen = ''

    def ends(self, status):
        self.until(lambda: self.process.poll() is not None)
        self.read()
        assert self.process.returncode == status, (self.process.returncode, self.seen[-300:])
        assert self.seen.rfind(LEFT) > self.seen.rfind(BEGUN), self.seen[-300:]
        assert termios.tcgetattr(self.slave) == self.modes
        for after in '\x1b[?25h', '\x1b[?7h':
            assert self.seen.rfind(after) > self.seen.rfind(BEGUN), self.seen[-300:]


def own_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_tabs_and_keys():
    with Top() as top:
        lines = top.shows('[1 Functions]', '75.00% 75.00%        75  user   live_rows', 'by self')
        assert re.match(r'\d\d:\d\d:\d\d, 0\.\d{3} s on \d+ CPUs?: all processes$', lines[0]), lines
        assert '?: help, q: quit  ktrace costs, of one CPU: probes' in lines[23], lines
        assert [line for line in lines if 'vfs_read' in line]
        raw = termios.tcgetattr(top.slave)
        assert not raw[3] & (termios.ECHO | termios.ICANON) and raw[3] & termios.ISIG
        top.press('\t')
        lines = top.shows('[2 System calls]', 'by total', ' write')
        assert lines.index([one for one in lines if one.endswith('write')][0]) < \
            lines.index([one for one in lines if one.endswith('read')][0])
        top.press('s')
        lines = top.shows('by calls')
        top.until(lambda: [one.split()[-1] for one in top.screen()[5:7]] == ['read', 'write'])
        top.press('\x1b[C')
        top.shows('[3 Disks]', '259:4242 read          5', '20.0 KiB')
        top.press('1')
        top.shows('[1 Functions]', 'live_rows')
        top.press('?')
        top.shows('this text')
        top.press('?/vfs')
        top.until(lambda: '/vfs_' in top.screen()[1] and 'live_rows' not in '\n'.join(top.screen()))
        top.press('\x7f\x7f*_read\n')
        top.until(lambda: top.screen()[1].endswith('/v*_read'))
        assert '25.00% 25.00%' in '\n'.join(top.screen())
        top.press('\x1b')
        top.shows('live_rows')
        top.press('q')
        top.ends(0)


def test_pause():
    with Top() as top:
        top.shows('live_rows')
        top.press('p')
        lines = top.shows('Paused')
        time.sleep(0.3)
        top.press('s')
        assert top.shows('by total')[0] == lines[0]
        top.press('p')
        top.until(lambda: top.screen()[0] not in (lines[0], '') and 'Paused' not in '\n'.join(top.screen()))
        top.press('q')
        top.ends(0)


def test_only_what_is_shown_counts():
    with Top() as top:
        top.shows('live_rows')
        assert top.made() == ['+' + PROFILE]
        top.press('2')
        top.shows(' write')
        assert top.made() == ['+' + PROFILE, '-' + PROFILE, '+' + SYSCALLS]
        top.press('p')
        top.until(lambda: top.made()[3:] == ['-' + SYSCALLS])
        top.press('3')
        top.shows('[3 Disks]', 'Paused')
        assert len(top.made()) == 4
        top.press('pq')
        top.ends(0)
        made = top.made()
        assert sorted(one[1:] for one in made if one[0] == '+') == \
            sorted(one[1:] for one in made if one[0] == '-'), made


def test_tables_for_unwinding():
    """Each session of the functions is given the tables, unless frame pointers are asked for."""
    with Top('-p', str(os.getpid()), KTRACE_PLAYED_TABLES='1') as top:
        top.shows('live_rows')
        top.press('2')
        top.shows(' write')
        top.press('1')
        top.shows('live_rows', '[1 Functions]')
        top.press('q')
        top.ends(0)
        functions = ['+' + PROFILE, 't' + PROFILE, '-' + PROFILE]
        assert top.made() == [*functions, '+' + SYSCALLS, '-' + SYSCALLS, *functions], top.made()
    with Top('--unwind', 'fp', KTRACE_PLAYED_TABLES='1') as top:
        top.shows('live_rows')
        top.press('q')
        top.ends(0)
        assert top.made() == ['+' + PROFILE, '-' + PROFILE], top.made()


def test_notices_keep_no_cpu_busy():
    """Notices of other sessions, too, wake those who wait for one."""
    for tab in 'functions', 'disks':
        with Top('-i', '1', '--tab', tab, KTRACE_PLAYED_NOTICE='1') as top:
            top.shows('ktrace costs, of one CPU: ')
            before = top.cpu_ns()
            time.sleep(1)
            assert top.cpu_ns() - before < 50e6, (tab, top.cpu_ns() - before)
            top.press('q')
            top.ends(0)


def test_a_tab_that_is_refused():
    with Top(KTRACE_PLAYED_REFUSED=SYSCALLS) as top:
        top.shows('live_rows')
        top.press('2')
        top.shows('[2 System calls]', "The session would exceed the module's memory limit")
        top.press('1')
        top.shows('live_rows')
        top.press('q')
        top.ends(0)
    with Top(KTRACE_PLAYED_REFUSED=PROFILE) as top:
        top.ends(1)


def test_full_sessions_are_replaced():
    """The module keeps at most 8192 stacks of one session."""
    for stacks, is_replaced in (4095, False), (4096, True):
        with Top(KTRACE_PLAYED_STACKS=str(stacks)) as top:
            top.until(lambda: top.seen.count('live_rows') > 2)
            assert (len(top.made()) > 1) == is_replaced, top.made()
            top.shows('75.00% 75.00%        75  user   live_rows')
            top.press('q')
            top.ends(0)


def test_sizes():
    with Top() as top:
        top.shows('live_rows')
        for rows, columns in (10, 40), (60, 200), (6, 20), (24, 80):
            top.press('p')
            top.shows('Paused')
            top.clear()
            top.resize(rows, columns)
            top.until(lambda: top.seen.count('\x1b[H') > 1)
            top.press('p')
            top.until(lambda rows=rows: re.match(r'\d\d:', top.screen()[0]) and
                      top.screen()[rows - 1].startswith('?: help'))
            assert rows < 10 or 'live_rows' in '\n'.join(top.screen()), top.screen()
        top.press('q')
        top.ends(0)


def test_ends():
    """The terminal is what it was before, however the command ends."""
    for number, status in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0),
                           (signal.SIGQUIT, -signal.SIGQUIT), (signal.SIGSEGV, -signal.SIGSEGV),
                           (signal.SIGABRT, -signal.SIGABRT), (signal.SIGUSR1, -signal.SIGUSR1)):
        with Top() as top:
            top.shows('live_rows')
            if number == signal.SIGINT:
                top.press('\x03')
            else:
                top.process.send_signal(number)
            top.ends(status)


def test_stopped_output():
    """Ctrl-S stops the output. The second signal ends the process, and it sets the modes back."""
    with Top() as top:
        top.shows('live_rows')
        top.press('\x13')
        top.read()
        time.sleep(0.3)
        for _ in range(20):
            if top.process.poll() is None:
                top.process.send_signal(signal.SIGTERM)
                time.sleep(0.2)
        assert top.process.poll() in (0, -signal.SIGTERM), top.process.poll()
        assert termios.tcgetattr(top.slave) == top.modes


def test_no_shell():
    """Without a shell, Ctrl-Z stops nobody: the screen is there again at once."""
    with Top() as top:
        top.shows('live_rows')
        top.press('\x1a')
        top.until(lambda: LEFT in top.seen)
        top.until(lambda: top.seen.rfind(BEGUN) > top.seen.rfind(LEFT))
        top.shows('live_rows')
        top.press('q')
        top.ends(0)


def test_stop_and_go_on():
    """Ctrl-Z gives the terminal back to the shell, and fg takes it again."""
    with Top(before=['bash', '--norc', '-c', 'set -m; "$@"; echo "stopped $?"; stty -a; fg; echo "ended $?"', '-']) as top:
        for _ in range(2):
            top.shows('live_rows')
            top.process.send_signal(signal.SIGCONT)
        top.press('\x1a')
        top.until(lambda: 'stopped 148' in top.seen)
        top.until(lambda: top.seen.rfind(BEGUN) > top.seen.rfind('stopped 148'))
        stopped = top.seen[top.seen.rfind('stopped 148'):]
        assert ' icanon' in stopped and ' echo ' in stopped, stopped
        top.shows('live_rows')
        top.press('q')
        top.until(lambda: 'ended 0' in top.seen)
        top.ends(0)


def test_terminal_closed():
    with Top() as top:
        top.shows('live_rows')
        os.close(top.slave)
        os.close(top.terminal)
        top.terminal = top.slave = -1
        assert top.process.wait(20) == 0


def test_session_deleted():
    with Top() as top:
        top.shows('live_rows')
        with open(top.gone, 'w'):
            top.ends(1)
        assert 'ktrace: The session has ended: another command deleted it' in top.seen[top.seen.rfind(LEFT):]


def test_processes_ended():
    with subprocess.Popen(['sleep', '100']) as sleep:
        with Top('-p', str(sleep.pid)) as top:
            lines = top.shows('live_rows')
            assert f': sleep ({sleep.pid})' in lines[0], lines
            sleep.kill()
            sleep.wait()
            top.shows('live_rows', 'The processes have ended.')
            top.press('q')
            top.ends(0)


def test_losses_are_reported():
    with Top(KTRACE_PLAYED_LOST='1') as top:
        top.shows('live_rows', 'The data is incomplete: ')
        top.press('q')
        top.ends(3)
        assert 'ktrace: the data is incomplete: ' in top.seen[top.seen.rfind(LEFT):]


def test_count():
    with Top('-n', '2') as top:
        top.ends(0)


def batch(*options, status=0, **env):
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        env = {**os.environ, 'KTRACE_PLAYED': folder + '/rings:2:10:10:10:0', **env}
        done = subprocess.run([KTRACE, 'top', *options], env=env, capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == status, done
        return done.stdout, done.stderr


def test_batch():
    text, errors = batch('--batch', '-n', '2', '-i', '50ms')
    assert not errors and '\x1b' not in text
    assert text.count('live_rows') == text.count('ktrace costs, of one CPU: probes') == 2, text
    text, _ = batch('--batch', '-n', '1', '-i', '50ms', '--tab', 'disks')
    assert '259:4242 read          5' in text, text
    _, errors = batch('-n', '1', status=2)
    assert 'Standard output is not a terminal' in errors and errors.count('\n') == 1, errors


def test_batch_ends_with_its_reader():
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        env = {**os.environ, 'KTRACE_PLAYED': folder + '/rings:2:10:10:10:0'}
        with subprocess.Popen([KTRACE, 'top', '--batch', '-i', '50ms'], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            assert process.wait(20) == 1
            assert 'closed by its reader' in process.stderr.read()
