# SPDX-License-Identifier: GPL-2.0
"""ktrace ctl watch, and libraries that are loaded while a session is watched."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

from suite import Skip
from genl import Client, u32, u64
from test_live import NAME, OWN, Live, attach, change, counts, entry_of, parameter, refused, shown
from tool import (RELEASE, TMP, WINDOW, detach_all, expected_calls, ktrace, limit, state_of, victim,
                  wait_for)

teardown = detach_all


class Watch:
    """ktrace ctl watch, whose output is searched."""

    def __init__(self, *options):
        self.process = subprocess.Popen(['ktrace', 'ctl', 'watch', 's', *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until(self, *words):
        """Returns the next line that contains all of these."""
        seen = []   # printed if no such line comes
        for line in self.process.stdout:
            seen.append(line)
            if all(word in line for word in words):
                return line
        raise AssertionError('it ended without a line of %s' % (words,))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.errors = self.process.communicate(timeout=limit(30))[1]
        return self.process.returncode


def test_watch_a_table():
    with Live() as live:
        attach('-f', 'alpha')
        watch = Watch('--interval', '50ms')
        live.do('alpha 3')
        watch.until(' 3 ', 'alpha()')
        live.do('alpha 4')
        watch.until(' 7 ', 'alpha()')
        change('-f', 'beta')
        live.do('beta 2')
        watch.until(' 2 ', 'beta()')
        ktrace('ctl', 'pause', 's')
        watch.until('s  paused  4 sites')
        assert watch.end() == 0


def test_watch_names_what_was_staged_before():
    with Live() as live, open(victim('live')) as file:
        attach('-f', 'alpha')
        watch = Watch('--interval', '50ms')
        client = Client()
        client.call('FUNC_ADD', SESSION=u64(shown()['id']), FD=u32(file.fileno()),
                    FUNCS=entry_of(1, 'gamma_'))
        live.do('alpha 3')
        watch.until(' 3 ', 'alpha()')
        client.close()
        change('-f', 'beta')
        live.do('beta 2')
        watch.until(' 2 ', ' beta()')
        assert watch.end() == 0


def test_watch_a_tree():
    with Live() as live:
        attach(*OWN)
        watch = Watch('--interval', '50ms', '--format', 'tree')
        live.do('alpha 3')
        watch.until('CALL TREE')
        watch.until(' 3 ', 'alpha()')
        ktrace('ctl', 'detach', 's')
        watch.until('The session s has ended.')
        assert watch.process.wait(timeout=limit(30)) == 0


def test_watch_a_stream():
    with Live() as live:
        attach(*OWN, '--stream')
        watch = Watch('--format', 'tree')
        live.do('alpha 2', 'beta 1')
        # One line of each has parentheses, whether it is shown before or after its return.
        for name in ('alpha()', 'alpha()', 'beta()'):
            watch.until(name)
        assert 'already reads the stream of s' in refused('ctl', 'watch', 's', '--format', 'tree')
        assert watch.end() == 0


def mount_terminals():
    if not os.path.ismount('/dev/pts'):
        os.makedirs('/dev/pts', exist_ok=True)
        subprocess.check_call(['mount', '-t', 'devpts', 'devpts', '/dev/pts'])


def on_terminal(rows, columns):
    """Starts ktrace ctl watch on a terminal of its own; returns its pid and the terminal's other
    end."""
    mount_terminals()
    pid, master = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        os.execvp('ktrace', ['ktrace', 'ctl', 'watch', 's', '--interval', '1000s'])
    return pid, master


def picture(master, rows):
    """Returns the lines of the next screen: it fills all rows, or ends with a clear to the
    bottom."""
    text = b''
    while True:
        text += os.read(master, 4096)
        last = text[text.rfind(b'\033[H') + 3:]
        if last.endswith(b'\033[J'):
            break
        if last.count(b'\033[K') == rows and not select.select([master], [], [], 1)[0]:
            break
    lines = last.decode().replace('\r\n\033[J', '').split('\r\n')
    assert all(line.startswith('\033[K') for line in lines), lines
    return [line[3:] for line in lines]


def uncoloured(lines):
    return [re.sub(r'\033\[[0-9;]*m', '', line) for line in lines]


def test_watch_on_a_terminal():
    """The output is cut to the terminal's size and redrawn when it changes; it ends with the
    terminal."""
    with Live() as live:
        attach(*OWN)
        live.do('alpha 1', 'beta 1', 'gamma 1')
        pid, master = on_terminal(3, 40)
        lines = uncoloured(picture(master, 3))
        assert len(lines) == 3 and max(map(len, lines)) <= 40, lines
        assert lines[1].split()[-1] == 'FUNCTION' and lines[2].endswith('()'), lines
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
        coloured = picture(master, 24)
        lines = uncoloured(coloured)
        assert len(lines) == 5 and max(map(len, lines)) <= 80, lines
        assert {'TOTAL', 'SELF', 'CALLS', 'P50', 'P99'} <= set(lines[1].split()), lines
        assert {line.split()[-1] for line in lines[2:]} == {'alpha()', 'beta()', 'gamma_()'}, lines
        assert coloured[1].startswith('\033[1m'), coloured
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 200, 0, 0))
        lines = uncoloured(picture(master, 24))
        assert len(lines) == 5 and lines[0].startswith('s  active  6 sites  6 hits'), lines
        assert lines[1].split()[-3:] == ['MIN', 'MAX', 'FUNCTION'], lines
        os.close(master)
        status = wait_for(lambda: os.waitpid(pid, os.WNOHANG)[0] and 'ended')
        assert status == 'ended' and shown()['state'] == 'active'


def test_tables_on_a_terminal():
    """A table is as wide as the terminal, with colours unless they are off, and shows how to end
    it."""
    mount_terminals()
    busy = subprocess.Popen(['sh', '-c', 'while :; do read word </dev/null; done'])
    for variables, is_coloured in ({}, True), ({'NO_COLOR': '1'}, False):
        pid, master = pty.fork()
        if not pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
            os.execvpe('ktrace', ['ktrace', 'syscall', '--wide', '-d', '1'],
                       {**os.environ, 'TERM': 'xterm', **variables})
        text = b''
        while True:
            try:
                text += os.read(master, 4096)
            except OSError:     # the terminal's last process has ended
                break
        assert os.waitpid(pid, 0)[1] == 0, text
        os.close(master)
        lines = text.decode().replace('\r', '').splitlines()
        assert lines[0] == 'ktrace: counting system calls of all processes; Ctrl-C ends.', lines
        assert max(len(line) for line in uncoloured(lines)) <= 80, lines
        assert WINDOW.match(lines[1]) and uncoloured(lines)[2].endswith(' syscall'), lines
        assert lines[2].startswith('\033[1m') == is_coloured, lines
        assert ('\033' in text.decode()) == is_coloured, lines
    busy.kill()
    busy.wait()


# --- libraries that are loaded while the session is watched ------------------------


class Loading(Live):
    """A program that loads its plugin, makes three calls of each function, and unloads it."""

    def __init__(self, program=None):
        self.process = subprocess.Popen([program or victim('dlopen'), 'wait'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = int(self.process.stdout.readline().split()[1])

    def attach(self, *options):
        """Attaches to it. Held tasks wait for long, because emulated machines are slow."""
        parameter('hold_ms', 20000)
        return ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('dlopen'), *NAME, '--no-lib',
                      '--nest-lib', '*plugin*', *options)


def loaded(times, missed=0):
    """Returns the counts of this many turns; in some of them the plugin's functions are not
    probed."""
    calls = {'load_and_call': times, 'back': 3 * times}
    for name in ('plugin_call', 'plugin_inner'):
        calls[name + '@dlopen-plugin.so'] = 3 * (times - missed)
    return calls


def test_watch_probes_what_is_loaded():
    """Functions are probed before their first call, in running and new processes; names stay."""
    for is_selected in (False, True):
        with Loading() as one, Loading() as other:
            _, errors = one.attach(*(['--pid', str(one.pid)] if is_selected else []))
            assert 'No library of' in errors and 'ktrace ctl watch s' in errors, errors
            watch = Watch('--interval', '300ms')
            watch.until('s  active')
            one.do('', '')
            watch.until(' 6 ', 'plugin_call@dlopen-plugin.so()')
            other.do('')
            with Loading() as third:
                third.do('', '')
            assert watch.end() == 0 and not watch.errors, watch.errors
            begun = {} if is_selected else {'main': 1}
            assert counts() == {**begun, **loaded(2 if is_selected else 5)}, counts()
            one.do('')
            assert counts() == {**begun, **loaded(3 if is_selected else 6)}, counts()
        assert not shown()['counters']['gaps'] and not shown()['failed'], shown()
        ktrace('ctl', 'detach', 's')


def test_watch_begins_late_and_again():
    """Nothing is probed twice, whoever probed it first; missed calls are reported."""
    with Loading() as one:
        one.attach()
        one.do('keep')
        watch = Watch('--interval', '300ms')
        watch.until('s  active')
        one.do('')
        watch.process.kill()
        assert 'earlier calls of %s-plugin.so were missed' % victim('dlopen') in \
            watch.process.communicate()[1]
        used = len(json.load(open('/run/ktrace/s'))['functions'])
        watch = Watch('--interval', '300ms')
        watch.until('s  active')
        one.do('')
        assert watch.end() == 0 and not watch.errors, watch.errors
        assert len(json.load(open('/run/ktrace/s'))['functions']) == used
        assert counts() == loaded(3, missed=1), counts()
    assert not shown()['failed'], shown()


def test_callers_that_take_anothers_place():
    """Calls of a library that is mapped in the place of the traced one do not count."""
    if RELEASE < (4, 14):
        raise Skip('before 4.14 a mapping of the same length in its place cannot be told from it')
    program = os.path.join(TMP, 'dlopen')
    plugin = program + '-plugin.so'
    shutil.copy(victim('dlopen'), program)
    shutil.copy(victim('dlopen-plugin.so'), plugin)
    with Loading(program) as one:
        one.do('keep')
        ktrace('ctl', 'attach', '--pid', str(one.pid), '--binary', plugin, *NAME,
               '--lib', 'libc.so*', '-f', 'srand@*')
        one.do('')
        assert counts() == {'srand@libc.so.6': 3}, counts()
        one.do('drop')
        os.rename(shutil.copy(plugin, plugin + '.new'), plugin)
        one.do('')
        assert counts() == {'srand@libc.so.6': 3}, counts()


def test_a_wider_filter_does_not_wait_for_held_tasks():
    """The watcher has stopped: what the tasks mapped is a gap, and the change takes no time."""
    with Loading() as one, Loading() as other:
        one.attach('--pid', str(one.pid))
        parameter('hold_ms', 100000)
        watch = Watch('--interval', '300ms')
        watch.until('s  active')
        watch.process.send_signal(signal.SIGSTOP)
        one.begin('')
        wait_for(lambda: state_of(one.pid) == 'D')
        before = time.monotonic()
        change('--pid', str(other.pid))
        took = time.monotonic() - before
        watch.process.send_signal(signal.SIGCONT)
        assert took < 60, took
        one.wait()
        assert watch.end() == 0, watch.errors
    text = ktrace('ctl', 'show', 's', '--format', 'json', status=3)[0]
    assert json.loads(text)['rows'][0]['counters']['gaps'], text


def test_watch_a_stream_of_what_is_loaded():
    with Loading() as one:
        one.attach('--stream', '-A', 'plugin_inner@1')
        watch = Watch('--format', 'tree')
        watch.until('FUNCTION CALLS')
        one.do('')
        watch.until('load_and_call() {')
        for n in range(3):
            watch.until('plugin_inner@dlopen-plugin.so(%d)' % (1000 + n))
        assert watch.end() == 0 and not watch.errors, watch.errors
        assert 'plugin_call@dlopen-plugin.so()' in \
            ktrace('ctl', 'read', 's', '--format', 'summary')[0]


def test_watch_programs_that_are_executed():
    """Executed programs are probed as by ktrace run, in a session with --follow."""
    parameter('hold_ms', 20000)
    calls = expected_calls('coldpart')['usual']
    shell = subprocess.Popen(['/bin/bash', '-c', 'echo ready; read x; "$0" >/dev/null; exit 5',
                              victim('coldpart')], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    assert shell.stdout.readline() == 'ready\n'
    ktrace('ctl', 'attach', '--pid', str(shell.pid), '--follow', *NAME, '--no-lib',
           '-f', 'main,usual')
    watch = Watch('--interval', '300ms')
    watch.until('s  active')
    shell.communicate('\n', timeout=limit(60))
    assert shell.returncode == 5
    assert watch.end() == 0 and not watch.errors, watch.errors
    assert counts() == {'main@coldpart': 1, 'usual@coldpart': calls}, counts()


def is_held(pid):
    with open('/proc/%d/stack' % pid) as stack:
        return 'kt_hold_wait' in stack.read()


def test_who_is_held_while_functions_leave():
    """The change does not wait for the held task, which continues without being looked at: a
    gap."""
    with Loading() as one:
        one.attach()
        watch = Watch('--interval', '300ms')
        watch.until('s  active')
        watch.process.send_signal(signal.SIGSTOP)
        wait_for(lambda: state_of(watch.process.pid) == 'T')
        one.begin('')
        wait_for(lambda: is_held(one.pid))
        assert not shown()['counters']['gaps'], shown()
        change('--remove', 'back')
        watch.process.send_signal(signal.SIGCONT)
        one.wait()
        assert watch.end() == 0
        _, errors = ktrace('ctl', 'show', 's', status=3)
        assert 'before its new code was probed' in errors, errors


def test_two_watch():
    """The first command probes what is loaded; the second one shows the session, and reports
    that."""
    with Loading() as one:
        one.attach()
        watch = Watch('--interval', '300ms')
        watch.until('s  active')
        other = Watch('--interval', '300ms')
        other.until('s  active')
        pid, master = on_terminal(24, 200)
        says = 'ktrace: Another command already watches the session and probes what its ' \
            'processes load.'
        assert picture(master, 24)[1] == says
        os.close(master)
        wait_for(lambda: os.waitpid(pid, os.WNOHANG)[0] and 'ended')
        one.do('')
        other.until(' 3 ', 'plugin_inner@dlopen-plugin.so()')
        assert other.end() == 0 and other.errors == says + '\n', other.errors
        assert watch.end() == 0 and not watch.errors, watch.errors
        assert counts() == loaded(1), counts()
