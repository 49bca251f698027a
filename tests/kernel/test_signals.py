# SPDX-License-Identifier: GPL-2.0
"""Signals reach the program once, whoever sends them to whom; nothing stays attached."""
import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import time

from tool import (TMP, detach_all, ktrace, limit, sessions, state_of, victim, wait_for,
                  wait_until_asleep)

# Prints the signals that it gets, and continues for a while after the first one, or after $UNTIL.
SCRIPT = '''
for name in HUP INT QUIT TERM USR1 USR2; do trap "echo got $name; n=1 last=$name" $name; done
exec 3<> <(:)
n=0
echo ready $$
while [ $n -eq 0 ] || [ "$last" != "${UNTIL:-$last}" ]; do read -rt 0.02 -u 3; done
for i in {1..30}; do read -rt 0.02 -u 3; done
echo end
exit 9
'''
RUN = ('ktrace', 'run', '-o', '/dev/null', '--no-lib', '-f', 'main', '--')
SHELL = RUN + ('/bin/bash', '-c', SCRIPT)

teardown = detach_all


def start(command=SHELL, until=''):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True, env=dict(os.environ, UNTIL=until))
    assert process.stdout.readline().startswith('ready')
    return process


def end_of(process, status=9):
    output, errors = process.communicate(timeout=limit(60))
    assert process.returncode == status, (process.returncode, output, errors)
    assert sessions() == [] and 'ktrace' not in errors, errors
    return [line.split()[1] for line in output.splitlines() if line.startswith('got')]


def test_ignored_by_a_script():
    """A shell without job control ignores SIGINT in background jobs; ktrace does not."""
    path = os.path.join(TMP, 'ignored')
    subprocess.run(['/bin/bash', '-c', '''
        ktrace syscall --format json -o "$0" &
        until ktrace ctl list --format json | grep -q '"active"'; do kill -0 $! || exit 1; done
        kill -INT $!
        wait $!''', path], check=True, timeout=limit(60))
    with open(path) as text:
        assert json.load(text)['rows'] and sessions() == []


def members(group):
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.getpgid(int(name)) == group:
                yield int(name)
        except ProcessLookupError:
            pass


def test_sent_to_ktrace():  # slow
    for name in ('TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2'):
        process = start()
        process.send_signal(getattr(signal, 'SIG' + name))
        assert end_of(process) == [name], name


def test_sent_to_the_group():
    for name in ('TERM', 'INT'):
        process = start()
        os.killpg(process.pid, getattr(signal, 'SIG' + name))
        assert end_of(process) == [name], name


def test_sent_to_each():
    """As systemd and pkill send signals: to one process after the other, and then to ktrace
    alone."""
    process = start(until='USR1')
    # ktrace checks a moment later who received the same signal; the moment may be longer here.
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: state_of(process.pid) == 'T')
    for pid in sorted(members(process.pid)):
        with contextlib.suppress(ProcessLookupError):   # <(:) may be ending
            os.kill(pid, signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    output = process.stdout.readline()
    assert output == 'got TERM\n', output
    process.send_signal(signal.SIGUSR1)
    assert end_of(process) == ['USR1']


def test_timeout():
    """timeout(1) sends a signal to its child, and at once to the whole group."""
    for name in ('TERM', 'INT'):
        process = start(('timeout', '-s', name, '100000') + SHELL)
        # ktrace finds both signals at once, because timeout lets stopped processes continue.
        with open('/proc/%d/task/%d/children' % (process.pid, process.pid)) as children:
            ktrace_pid = int(children.read())
        os.kill(ktrace_pid, signal.SIGSTOP)
        wait_for(lambda: state_of(ktrace_pid) == 'T')
        # Makes timeout believe that its time is over.
        process.send_signal(signal.SIGALRM)
        assert end_of(process, 124) == [name], name


def test_default_action():
    # Not by exec: if a program dies before it was probed, that is reported, as it should be.
    process = start(RUN + ('/bin/bash', '-c', 'exec 3<> <(:); echo ready; read -rt 60 -u 3'))
    process.send_signal(signal.SIGTERM)
    assert end_of(process, -signal.SIGTERM) == []


def on_terminal():
    if not os.path.ismount('/dev/pts'):
        os.makedirs('/dev/pts', exist_ok=True)
        subprocess.check_call(['mount', '-t', 'devpts', 'devpts', '/dev/pts'])
    pid, terminal = pty.fork()
    if not pid:
        os.execvp(SHELL[0], SHELL)
    text = b''
    while b'ready' not in text:
        text += os.read(terminal, 1000)
    return pid, terminal


def rest_of(terminal):
    text = b''
    try:
        while True:
            text += os.read(terminal, 1000)
    except OSError:
        return text.decode()


def test_typed():
    for key, name in ((b'\x03', 'INT'), (b'\x1c', 'QUIT')):
        pid, terminal = on_terminal()
        os.write(terminal, key)
        text = rest_of(terminal)
        status = os.waitpid(pid, 0)[1]
        os.close(terminal)
        assert os.WEXITSTATUS(status) == 9 and text.count('got ' + name) == 1, (status, text)
    assert sessions() == []


def test_terminal_resized_and_gone():
    pid, terminal = on_terminal()
    program = [m for m in members(pid) if m != pid]
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('4H', 10, 40, 0, 0))
    assert os.waitpid(pid, os.WNOHANG) == (0, 0)
    os.close(terminal)
    status = os.waitpid(pid, 0)[1]
    # The shell cannot write any more, but it got the signal once and ended by itself.
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) in (1, 9), status
    assert sessions() == []
    wait_for(lambda: not any(os.path.exists('/proc/%d' % m) for m in program))


def test_attach_is_ended():  # slow
    begin = time.monotonic()
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('many'), '--name', 'whole')
    whole = time.monotonic() - begin
    ktrace('ctl', 'detach', 'whole')
    for number in (signal.SIGTERM, signal.SIGHUP):
        for part in range(3, 8):
            process = subprocess.Popen(['ktrace', 'ctl', 'attach', '--budget', 'none', '--binary',
                                        victim('many'), '--name', 'cut'],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True)
            try:
                process.wait(timeout=whole * part / 10)
            except subprocess.TimeoutExpired:
                process.send_signal(number)
            errors = process.communicate(timeout=limit(60))[1]
            assert process.returncode in (0, 1, -number), (process.returncode, errors)
            assert [s['name'] for s in sessions()] == (
                ['cut'] if process.returncode == 0 else []), process.returncode
            if process.returncode == 0:
                ktrace('ctl', 'detach', 'cut')
            elif process.returncode == 1:
                assert errors.count('\n') == 1 and 'nothing stays attached' in errors, errors


WRITE = 1
F_SETPIPE_SZ = 1031


def test_read_is_ended():
    """A read that is ended by a signal leaves the session, and the records that it has not read."""
    with subprocess.Popen([victim('spin'), '10000'], stdout=subprocess.PIPE) as spin:
        spin.stdout.readline()
        ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(spin.pid), '--name', 'busy', '--stream')
        os.mkfifo(os.path.join(TMP, 'fifo'))
        # More records than a pipe can hold, so the read cannot be done before the signal comes.
        wait_for(lambda: sessions()[0]['counters']['held'] > 2000)
        reader = subprocess.Popen(['ktrace', 'ctl', 'read', 'busy', '--format', 'flat', '-o',
                                   os.path.join(TMP, 'fifo')])
        with open(os.path.join(TMP, 'fifo'), 'rb') as fifo:
            reader.send_signal(signal.SIGTERM)
            fifo.read()
        assert reader.wait(timeout=limit(60)) == -signal.SIGTERM
        assert [s['name'] for s in sessions()] == ['busy']
        ktrace('ctl', 'read', 'busy', '-o', '/dev/null')
        # Its output is not read: the command waits, and ends nevertheless.
        wait_for(lambda: sessions()[0]['counters']['held'] > 2000)
        reader = subprocess.Popen(['ktrace', 'ctl', 'read', 'busy', '--format', 'flat'],
                                  stdout=subprocess.PIPE)
        wait_until_asleep(reader.pid, WRITE)
        reader.send_signal(signal.SIGTERM)
        assert reader.wait(timeout=limit(60)) == -signal.SIGTERM
        reader.stdout.close()
        # A trace has its metadata, whenever the command ends.
        for part in range(1, 6):
            folder = os.path.join(TMP, 'ended-%d' % part)
            reader = subprocess.Popen(['ktrace', 'ctl', 'read', 'busy', '--format', 'ctf', '-o',
                                       folder], stderr=subprocess.PIPE, text=True)
            try:
                reader.wait(timeout=part / 10)
            except subprocess.TimeoutExpired:
                reader.send_signal(signal.SIGTERM)
            assert reader.wait(timeout=limit(60)) in (0, -signal.SIGTERM), reader.returncode
            assert os.path.exists(folder + '/metadata') == os.path.exists(folder)
            reader.stderr.close()
        ktrace('ctl', 'detach', 'busy')
        spin.kill()


def test_output_that_nobody_reads():
    """The first signal ends the collection, the second one the wait for a reader; nothing stays."""
    for command in (('ktrace', 'syscall', '-i', '10ms'),
                    ('ktrace', 'run', '--format', 'flat', '--', victim('spin'), '10000')):
        for last in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       start_new_session=True)
            fcntl.fcntl(process.stdout, F_SETPIPE_SZ, 4096)
            wait_until_asleep(process.pid, WRITE)
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
            assert process.poll() is None
            process.send_signal(last)
            assert process.wait(timeout=limit(60)) == -last, process.returncode
            process.stdout.close()
            process.stderr.close()
            wait_for(lambda: sessions() == [])
            with contextlib.suppress(ProcessLookupError):   # the program, which continued
                os.killpg(process.pid, signal.SIGKILL)
