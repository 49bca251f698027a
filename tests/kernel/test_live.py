# SPDX-License-Identifier: GPL-2.0
"""Sessions that change while programs run: functions, processes, conditions, pauses."""
import errno
import json
import mmap
import os
import re
import signal
import struct
import subprocess
import time

from cgroups import CGROUPS, cgroup
from suite import Skip
from genl import HEADER, Client, asked, u32, u64
from tool import detach_all, ktrace, limit, session_of, sessions, state_of, victim, wait_for

NAME = ('--name', 's')
OWN = ('-f', 'alpha,beta,gamma_')
PARAMETERS = '/sys/module/ktrace/parameters/'


class Live:
    """The victim; it reads one command per line."""

    def __init__(self):
        self.process = subprocess.Popen([victim('live')], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = int(self.process.stdout.readline().split()[1])
        self.worker = int(self.process.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def begin(self, line):
        self.process.stdin.write(line + '\n')

    def wait(self):
        assert self.process.stdout.readline() == 'done\n'

    def do(self, *lines):
        for line in lines:
            self.begin(line)
            self.wait()

    def end(self):
        text = self.process.communicate(timeout=limit(30))[0]
        return {name: int(n) for name, n in (line.split() for line in text.splitlines())}


def teardown():
    detach_all()
    for name, value in (('max_sessions', 64), ('max_sites', 1 << 20)):
        parameter(name, value)


def parameter(name, value):
    with open(PARAMETERS + name, 'w') as file:
        file.write(str(value))


def attach(*options):
    return ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('live'), *NAME, '--no-lib', *options)


def change(*options, status=0):
    return ktrace('ctl', 'change', 's', *options, status=status)


def refused(*args, status=1):
    _, errors = ktrace(*args, status=status)
    lines = errors.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith('ktrace: '), errors
    return lines[0]


def counts(*options):
    data = json.loads(ktrace('ctl', 'read', 's', '--format', 'json', *options)[0])
    return {row['name']: row['entries'] for row in data['rows'] if row['entries']}


def shown():
    return json.loads(ktrace('ctl', 'show', 's', '--format', 'json')[0])['rows'][0]


# --- functions ----------------------------------------------------------------


def test_functions_come_and_go():  # debug
    with Live() as live:
        attach('-f', 'alpha')
        live.do('alpha 3', 'beta 5', 'gamma 7')
        assert counts() == {'alpha': 3}
        text, _ = change('-f', 'beta')
        assert '1 function added' in text, text
        live.do('alpha 3', 'beta 5', 'gamma 7')
        assert counts() == {'alpha': 6, 'beta': 5}
        text, _ = change('-f', 'gamma_', '--remove', 'alpha')
        assert '1 function added, 1 function removed; 4 sites' in text, text
        live.do('alpha 3', 'beta 5', 'gamma 7')
        assert counts() == {'alpha': 6, 'beta': 10, 'gamma_': 7}
        # A function that is added again continues its count.
        text, _ = change('-f', 'alpha,beta')
        assert '1 function restored, 1 function already present' in text, text
        live.do('alpha 3', 'beta 5', 'gamma 7')
        assert counts() == {'alpha': 9, 'beta': 15, 'gamma_': 14}
        assert shown()['functions'] == 3 and shown()['failed'] == 0
        assert not shown()['counters']['unmatched']


def test_calls_that_were_open_are_no_losses():
    """They return like others and are not counted, not even as unmatched returns."""
    with subprocess.Popen([victim('sleeper'), 'live'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == 'ready\n'
        process.stdin.write('20 200000 0\n')
        process.stdin.flush()
        ktrace('ctl', 'attach', '--binary', victim('sleeper'), '-f', 'main,work,spin_us', '--no-lib',
               *NAME)
        process.stdin.close()
        process.stdout.read()
    assert list(counts()) == ['spin_us'], counts()
    # The entry and the return of each call, and the returns of work and main.
    assert shown()['counters']['hits'] == 2 * counts()['spin_us'] + 2
    assert not shown()['counters']['unmatched']


def test_calls_while_probes_are_set():
    """Entries are set after returns, one by one: of a call between the two, only the return is seen."""
    with subprocess.Popen([victim('sleeper'), 'live'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == 'ready\n'
        process.stdin.write('100000 20 0\n')
        process.stdin.flush()
        ktrace('ctl', 'attach', '--binary', victim('sleeper'), '--lib', 'libc.so*', *NAME)
        wait_for(lambda: counts().get('spin_us', 0) > 10)
        process.kill()
        process.stdout.read()
    assert not shown()['counters']['unmatched'], shown()['counters']


def remove_probe(pid, function):
    """Writes the instruction's own byte, as a debugger does when it removes its breakpoint."""
    plan = ktrace('ctl', 'attach', '--binary', victim('live'), '--dry-run', '-f', function)[0]
    offset = int(re.search(r'\+0x(\w+)  %s$' % function, plan, re.M).group(1), 16)
    with open('/proc/%d/maps' % pid) as maps:
        start, of_file = next((int(line.split('-')[0], 16), int(line.split()[2], 16)) for line in maps
                              if ' r-xp ' in line and line.endswith('/live\n'))
    with open(victim('live'), 'rb') as file:
        file.seek(offset)
        byte = file.read(1)
    with open('/proc/%d/mem' % pid, 'r+b', buffering=0) as memory:
        memory.seek(start + offset - of_file)
        assert memory.read(1) == b'\xcc'
        memory.seek(start + offset - of_file)
        try:
            memory.write(byte)
        except OSError as error:
            raise Skip('this kernel lets only a debugger write to code: %s' % error)


def test_returns_without_entries():
    """Calls of a function whose entry probe a debugger has removed are missing; it is reported."""
    with Live() as live:
        attach('-f', 'alpha')
        live.do('alpha 3')
        assert not ktrace('ctl', 'read', 's')[1]
        remove_probe(live.pid, 'alpha')
        live.do('alpha 4')
        assert counts() == {'alpha': 3}
        assert shown()['counters']['unmatched'] == 4
        for command in ('read', 'show'):
            errors = ktrace('ctl', command, 's')[1]
            assert errors.startswith('ktrace: 4 returns had no entry'), errors


def test_calls_go_on_while_functions_change():  # slow
    """The counts of functions that stay are complete, while others are added and removed."""
    attach('-f', 'alpha')
    with Live() as live:
        live.begin('spin')
        wait_for(lambda: counts().get('alpha', 0) > 10)
        for _ in range(5):
            change('-f', 'beta,gamma_')
            change('--remove', 'beta,gamma_')
        change('-f', 'beta')
        ktrace('ctl', 'read', 's', '--format', 'summary')
        before = counts().get('beta', 0)
        wait_for(lambda: counts().get('beta', 0) > before)
        live.begin('alpha 1')
        live.wait()
        live.wait()
        calls = live.end()
    seen = counts()
    assert seen['alpha'] == calls['alpha'], (seen, calls)
    assert 0 < seen['beta'] < calls['beta'] and seen.get('gamma_', 0) < calls['gamma_'], (seen, calls)


def test_names_that_are_not_there():
    attach('-f', 'alpha')
    assert "matches 'delta'" in refused('ctl', 'change', 's', '-f', 'delta')
    assert "No probed function of the session s matches 'beta'" in \
        refused('ctl', 'change', 's', '-f', 'beta', '-r', 'beta')
    assert 'did you mean alpha?' in refused('ctl', 'change', 's', '--remove', 'alpa')
    assert 'Change what?' in refused('ctl', 'change', 's', status=2)
    assert 'no session' in refused('ctl', 'change', 'x', '-f', 'beta')
    assert 'is gone' in refused('ctl', 'change', 's', '--pid', '4194000')
    assert 'does not map' in refused('ctl', 'change', 's', '--pid', '1')
    os.unlink('/run/ktrace/s')
    assert 'which has their names, is missing' in refused('ctl', 'change', 's', '-f', 'beta')
    with Live() as live:
        live.do('alpha 3', 'beta 3')
    assert sum(counts().values()) == 3


def test_two_change_one_session():  # slow
    """Each change happens completely or not at all; killed commands leave nothing behind."""
    attach('-f', 'main')
    with open('/run/ktrace/s') as file:
        first = json.load(file)['functions']
    jobs = [['-f', 'alpha'], ['-f', 'beta'], ['-f', 'gamma_'], ['-f', 'alpha,worker'],
            ['-f', 'by_*'], ['--comm', 'live'], ['--uid', '0,1']]
    for turn in range(6):
        running = [subprocess.Popen(['ktrace', 'ctl', 'change', 's', *job], text=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                   for job in jobs]
        if turn < 3:
            killed = running[turn::3]
            time.sleep(0.004 * turn)
            for process in killed:
                process.kill()
        for process, job in zip(running, jobs):
            _, errors = process.communicate(timeout=limit(60))
            # Others may have changed the session for as long as a command waits.
            if 'Another command is changing session' in errors:
                wait_for(lambda job=job: was_possible('change', 's', *job))
            else:
                assert process.returncode in (0, -signal.SIGKILL), (process.args, errors)
    with open('/run/ktrace/s') as file:
        names = [f.get('name') for f in json.load(file)['functions']]
    assert names[0] == first[0]['name'] == 'main'
    assert sorted(names) == ['alpha', 'beta', 'by_fork', 'by_spawn', 'by_vfork', 'gamma_',
                             'main', 'worker'], names
    with Live() as live:
        live.do('alpha 3', 'beta 4', 'gamma 5', 'worker 6', 'spawn 7')
        live.end()
    assert counts() == {'alpha': 16, 'beta': 4, 'gamma_': 5, 'worker': 1, 'main': 2,
                        'by_spawn': 1}, counts()


def test_change_copies_no_more_than_attach():  # slow
    """Text is copied in each process that maps the file; the processes here only map it. Every page
    has a fifth of the functions."""
    ktrace('ctl', 'attach', '--binary', victim('huge'), *NAME, '-f', 'h10000')
    words, ready = os.pipe(), os.pipe()
    children = []
    for _ in range(320):
        children.append(os.fork())
        if children[-1]:
            continue
        try:
            with open(victim('huge'), 'rb') as file:
                text = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC,
                                 flags=mmap.MAP_PRIVATE)
                os.write(ready[1], b'x')
                os.close(words[1])
                os.read(words[0], 1)
                text.close()
        finally:
            os._exit(0)
    for _ in children:
        os.read(ready[0], 1)
    before = shown()['sites']
    try:
        assert 'MiB of program code would be copied in 320 processes' in refused(
            'ctl', 'change', 's', '-f', '*[05]')
        assert 'no room' in refused('ctl', 'change', 's', '-f', '*[05]', '--force')
        assert shown()['sites'] == before
    finally:
        os.close(words[1])
        for child in children:
            os.waitpid(child, 0)
        for end in (words[0], *ready):
            os.close(end)


def test_room_is_finite():  # slow
    ktrace('ctl', 'attach', '--binary', victim('many'), *NAME, '-f', 'f0001')
    room = shown()['room']
    assert room >= 4096, room
    ktrace('ctl', 'detach', 's')
    ktrace('ctl', 'attach', '--binary', victim('huge'), *NAME, '-f', 'h10000', '--return', 'none')
    assert 'has no room for so many more functions' in refused('ctl', 'change', 's', '-f', '*')
    assert shown()['state'] == 'active'


def test_session_is_gone_meanwhile():  # slow
    """A session that is changed and detached at the same time ends; no command waits forever."""
    for _ in range(8):
        attach('-f', 'alpha')
        running = [subprocess.Popen(['ktrace', 'ctl', *args], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True)
                   for args in (['change', 's', '-f', 'beta,gamma_'], ['detach', 's'])]
        errors = running[0].communicate(timeout=limit(60))[1]
        assert running[0].returncode == 0 or 'session' in errors, errors
        assert running[1].communicate(timeout=limit(60))[1] == ''
        assert sessions() == []


def was_possible(*args):
    """Runs a command. One that waited in vain for another command changes nothing; it may work
    later."""
    done = subprocess.run(['ktrace', 'ctl', *args], capture_output=True, text=True)
    assert done.returncode == 0 or 'Another command is changing session' in done.stderr, done
    return done.returncode == 0


def test_change_during_attach():
    process = subprocess.Popen(['ktrace', 'ctl', 'attach', '--budget', 'none', '--binary', victim('many'), *NAME],
                               stdout=subprocess.DEVNULL)
    wait_for(sessions)
    wait_for(lambda: was_possible('change', 's', '--comm', 'many'))
    assert process.wait(timeout=limit(60)) == 0
    subprocess.run([victim('many')], stdout=subprocess.DEVNULL)
    assert counts()['main'] == 1


def stopped_while_attaching(client):
    """Returns a command that is stopped while it attaches; None if it was already done."""
    process = subprocess.Popen(['ktrace', 'ctl', 'attach', '--budget', 'none', '--binary', victim('many'), *NAME],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not client.dump('SESSION_GET'):
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: state_of(process.pid) in 'TZ')
    if shown()['state'] in ('new', 'attaching'):
        return process
    process.send_signal(signal.SIGCONT)
    assert process.communicate(timeout=limit(60))[1] == '' and process.returncode == 0
    ktrace('ctl', 'detach', 's')
    return None


def test_detach_during_attach():
    """The attaching command is stopped meanwhile, and finds its session gone."""
    client = Client()
    process = wait_for(lambda: stopped_while_attaching(client), 60)
    client.call('SESSION_DEL', SESSION=client.dump('SESSION_GET')[0]['SESSION'])
    process.send_signal(signal.SIGCONT)
    errors = process.communicate(timeout=limit(60))[1]
    assert process.returncode == 1, errors
    assert errors == ('ktrace: Another command ended or changed the session while its probes '
                      'were placed; nothing stays attached.\n'), errors
    assert sessions() == []
    client.close()


# --- processes ----------------------------------------------------------------


def test_process_comes_and_goes():  # debug
    """Breakpoints reach a running process. A process that is removed loses them."""
    with Live() as one, Live() as two:
        attach('--pid', str(one.pid), *OWN)
        one.do('alpha 3')
        two.do('alpha 10')
        assert counts() == {'alpha': 3}
        change('--pid', str(two.pid))
        one.do('alpha 3')
        two.do('alpha 10')
        assert counts() == {'alpha': 16}
        text, _ = ktrace('ctl', 'detach', 's', '--pid', str(one.pid))
        assert 'continues without 1 process' in text, text
        one.do('alpha 3')
        two.do('alpha 10')
        assert counts() == {'alpha': 26}
        change('--pid', str(one.pid), '--not-pid', str(two.pid))
        one.do('alpha 3')
        two.do('alpha 10')
        assert counts() == {'alpha': 29}


def test_process_detached_from_all():
    """The session traces all processes that map the file."""
    with Live() as one, Live() as two:
        attach(*OWN)
        ktrace('ctl', 'detach', 's', '--pid', str(one.pid))
        one.do('alpha 3', 'fork 3')
        two.do('alpha 10')
        assert counts() == {'alpha': 10}
        change('--pid', str(one.pid))
        one.do('alpha 3')
        assert counts() == {'alpha': 13}
        assert 'is gone' in refused('ctl', 'detach', 's', '--pid', '4194000')


# Children with a network namespace of their own: while it is made, they have memory but are not
# in the list of processes.
FORKER = '''
import ctypes, os, select, sys
plugin, libc = ctypes.CDLL(sys.argv[1]), ctypes.PyDLL(None)
back = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n)
while sys.stdin.readline():
    go, children = os.pipe(), []
    print('begun', flush=True)
    while not select.select([sys.stdin], [], [], 0)[0] and len(children) < 100:
        child = libc.syscall(56, 0x40000011, 0, 0, 0, 0)
        assert child >= 0
        if not child:
            os.close(go[1])
            os.read(go[0], 1)
            plugin.plugin_call(back, 1)
            os._exit(0)
        children.append(child)
    sys.stdin.readline()
    os.close(go[1])
    os.close(go[0])
    print(sum(os.waitpid(child, 0)[1] == 0 for child in children), flush=True)
'''


def test_child_that_is_just_being_forked():
    """The child has the probes that are planted meanwhile, as all processes that map the file
    have."""
    path = victim('dlopen-plugin.so')
    ktrace('ctl', 'attach', '--binary', path, *NAME, '--no-lib', '-f', 'plugin_call')
    forker = subprocess.Popen(['/usr/bin/python3', '-c', FORKER, path], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, bufsize=1)
    children = 0
    for _ in range(4):
        ktrace('ctl', 'pause', 's')
        forker.stdin.write('\n')
        assert forker.stdout.readline() == 'begun\n'
        ktrace('ctl', 'resume', 's')
        forker.stdin.write('\n')
        children += int(forker.stdout.readline())
    forker.communicate(timeout=limit(30))
    assert children and forker.returncode == 0, (children, forker.returncode)
    assert counts() == {'plugin_call': children}, (counts(), children)


FAMILY = {'fork': 2, 'vfork': 3, 'spawn': 5, 'daemon': 7}


def test_children_are_followed():
    for follows in (True, False):
        with Live() as live:
            attach('--pid', str(live.pid), *OWN, *(['--follow'] if follows else []))
            live.do('alpha 100', *('%s %d' % item for item in FAMILY.items()))
            live.end()
        # A child of vfork runs in its parent's memory, but is a process of its own.
        want = 100 + (sum(FAMILY.values()) if follows else 0)
        assert counts() == {'alpha': want}, (follows, counts())
        ktrace('ctl', 'detach', 's')


def test_records_of_families():
    with Live() as live:
        attach('--pid', str(live.pid), *OWN, '--follow', '--stream')
        live.do('alpha 1', *('%s %d' % item for item in FAMILY.items()))
        live.end()
    lines = ktrace('ctl', 'read', 's', '--format', 'json')[0]
    if not lines.startswith('{"event"'):
        lines = ktrace('ctl', 'read', 's', '--format', 'flat')[0]
        forks = [line for line in lines.splitlines() if ' fork ' in line]
        assert len(forks) == 5 and all(' process ' in line for line in forks), forks
        return
    events = [json.loads(line) for line in lines.splitlines()]
    forks = [event for event in events if event['event'] == 'fork']
    assert len(forks) == 5 and all(e['child'] == e['child_pid'] for e in forks), forks
    family = {live.pid}
    for event in forks:
        assert event['tid'] in family, (event, family)
        family.add(event['child'])


def test_program_of_a_child():
    """The program's execution is reported as the child's, and its calls belong to the new
    program."""
    with Live() as live:
        attach('--pid', str(live.pid), '-f', 'alpha,by_spawn', '--follow', '--stream')
        live.do('spawn 5')
        live.end()
    lines = [line.split() for line in
             ktrace('ctl', 'read', 's', '--format', 'flat')[0].splitlines()[1:]]
    forks = [line[1:] for line in lines if line[2] == 'fork']
    assert len(forks) == 1 and forks[0][:3] == [str(live.pid), 'fork', 'process'], lines
    child = forks[0][3]
    assert [line[1:] for line in lines if line[2] == 'exec'] == [[child, 'exec', 'live']], lines
    kinds = [line[2] for line in lines if line[1] == child]
    assert kinds[kinds.index('exec'):].count('entry') == 5, kinds
    assert 'entry' not in kinds[:kinds.index('exec')], kinds


def test_follow_needs_a_process():
    assert '--follow needs --pid' in refused('ctl', 'attach', '--budget', 'none', '--binary', victim('live'),
                                                 '--follow', status=2)


# --- conditions ---------------------------------------------------------------


def test_thread():  # debug
    with Live() as live:
        attach(*OWN, '--thread', str(live.worker))
        live.do('alpha 3', 'worker 5')
        assert counts() == {'alpha': 5}
        change('--thread', str(live.pid))
        live.do('alpha 3', 'worker 5')
        assert counts() == {'alpha': 8}
        change('--thread', 'any')
        live.do('alpha 3', 'worker 5')
        assert counts() == {'alpha': 16}
        assert 'Thread 4194000 is gone' in refused('ctl', 'change', 's', '--thread', '4194000',
                                                   status=2)


def test_comm():
    with Live() as live:
        attach(*OWN, '--comm', 'redis*')
        live.do('alpha 3')
        assert counts() == {}
        live.do('comm redis-7', 'alpha 3')
        assert counts() == {'alpha': 3}
        change('--comm', 'redis')
        live.do('alpha 3', 'comm redis', 'alpha 4')
        assert counts() == {'alpha': 7}
        change('--comm', 'any')
        live.do('comm other', 'alpha 3')
        assert counts() == {'alpha': 10}
        assert '15 bytes' in refused('ctl', 'change', 's', '--comm', 'a' * 16, status=2)
        assert 'only at the end' in refused('ctl', 'change', 's', '--comm', 'a*b', status=2)


def test_uid():
    with Live() as live:
        attach(*OWN, '--uid', 'nobody,1234')
        live.do('alpha 3')
        assert counts() == {}
        live.do('uid 1234', 'alpha 3')
        assert counts() == {'alpha': 3}
        change('--uid', 'root')
        live.do('alpha 3')
        assert counts() == {'alpha': 3}
        change('--uid', 'any')
        live.do('alpha 3')
        assert counts() == {'alpha': 6}
        assert 'no user' in refused('ctl', 'change', 's', '--uid', 'nosuch', status=2)


def test_cgroup():
    inside = cgroup('a/b')
    with Live() as live:
        attach(*OWN, '--cgroup', CGROUPS + '/a')
        live.do('alpha 3')
        assert counts() == {}
        with open(inside + '/cgroup.procs', 'w') as procs:
            procs.write(str(live.pid))
        live.do('alpha 3')
        assert counts() == {'alpha': 3}
        change('--cgroup', 'any')
        with open(CGROUPS + '/cgroup.procs', 'w') as procs:
            procs.write(str(live.pid))
        live.do('alpha 3')
        assert counts() == {'alpha': 6}
        assert 'There is no cgroup' in refused('ctl', 'change', 's', '--cgroup', 'no/such',
                                               status=2)
        assert 'version 2' in refused('ctl', 'change', 's', '--cgroup', '/tmp', status=2)


def test_run_with_conditions():
    text = ktrace('run', '--no-lib', '--comm', 'coldpart', '--uid', '0', '--format', 'json', '-o',
                  '-', '--', victim('coldpart'), status=ktrace_status('coldpart'))[0]
    assert json.loads(text)['rows']
    text = ktrace('run', '--no-lib', '--uid', '1', '--format', 'json', '-o', '-', '--',
                  victim('coldpart'), status=ktrace_status('coldpart'))[0]
    assert not json.loads(text)['rows']


def ktrace_status(name):
    return subprocess.run([victim(name)], stdout=subprocess.DEVNULL).returncode


def test_times_and_depths_change():
    with Live() as live:
        attach(*OWN)
        live.do('alpha 3')
        change('--min-time', '10s')
        live.do('alpha 3')
        data = json.loads(ktrace('ctl', 'read', 's', '--format', 'json')[0])
        assert [row['calls'] for row in data['rows']] == [3], data
        change('--min-time', '0')
        live.do('alpha 3')
        data = json.loads(ktrace('ctl', 'read', 's', '--format', 'json')[0])
        assert [row['calls'] for row in data['rows']] == [6], data
    ktrace('ctl', 'detach', 's')
    attach('--count')
    assert 'only counts calls' in refused('ctl', 'change', 's', '--min-time', '1us')


# --- pauses -------------------------------------------------------------------


def test_pause():  # debug
    with Live() as live:
        attach(*OWN)
        live.do('alpha 3')
        text, _ = ktrace('ctl', 'pause', 's')
        assert 'is paused: its 6 sites' in text, text
        hits = shown()['counters']['hits']
        live.do('alpha 5')
        seen = shown()
        assert (seen['state'], seen['counters']['hits']) == ('paused', hits), (seen, hits)
        assert ' paused ' in ktrace('ctl', 'list')[0]
        assert counts() == {'alpha': 3}
        assert 'already paused' in ktrace('ctl', 'pause', 's')[0]
        change('--remove', 'beta')
        assert shown()['state'] == 'paused'
        text, _ = ktrace('ctl', 'resume', 's')
        assert 'runs again, at 4 sites' in text, text
        live.do('alpha 7', 'beta 2')
        assert counts() == {'alpha': 10}, counts()
        assert 'already running' in ktrace('ctl', 'resume', 's')[0]
        assert shown()['state'] == 'active'


def test_pauses_under_load():  # slow
    attach(*OWN)
    with Live() as live:
        live.begin('spin')
        for _ in range(5):
            ktrace('ctl', 'pause', 's')
            before = counts()
            assert counts() == before, (before, counts(), shown()['state'])
            ktrace('ctl', 'resume', 's')
        live.begin('alpha 1')
        live.wait()
        live.wait()
        live.end()
    counters = shown()['counters']
    assert not counters['lost_pool'] and not counters['lost_nested'], counters


# --- limits -------------------------------------------------------------------


def test_limits():
    parameter('max_sessions', 1)
    attach('-f', 'alpha')
    assert 'max_sessions' in refused('ctl', 'attach', '--budget', 'none', '--binary', victim('many'))
    text = ktrace('doctor')[0]
    assert '1 of 1 sessions (max_sessions)' in text, text
    parameter('max_sessions', 64)
    parameter('max_sites', 5)
    assert 'at most 5 sites' in refused('ctl', 'attach', '--budget', 'none', '--binary', victim('many'))
    change('-f', 'beta')
    assert 'at most 5 sites' in refused('ctl', 'change', 's', '-f', 'gamma_')
    assert [s['name'] for s in sessions()] == ['s']
    with Live() as live:
        live.do('alpha 3', 'beta 4', 'gamma 5')
    assert counts() == {'alpha': 3, 'beta': 4}


def test_who_is_over_does_not_count():
    """The only session that is allowed: its memory is freed a moment after its end."""
    parameter('max_sessions', 1)
    client = Client()
    with open(victim('live')) as file:
        for _ in range(20):
            one = client.call('SESSION_NEW', **asked(
                'USER', 'HIST', TARGET={'FD': u32(file.fileno()), 'NR_FUNCS': u32(1)}))
            client.call('SESSION_DEL', SESSION=one[0]['SESSION'])
            while client.dump('SESSION_GET'):
                pass
    client.close()


# --- the netlink family -------------------------------------------------------


def error_of(function, *args, **options):
    try:
        function(*args, **options)
    except OSError as error:
        return error.errno
    return 0


def symbol_of(name):
    """Returns file offset and size of a function."""
    lines = subprocess.check_output(['readelf', '-sW', victim('live')], text=True).splitlines()
    line = [line.split() for line in lines if line.endswith(' ' + name)][0]
    address, size = int(line[1], 16), int(line[2])
    for line in subprocess.check_output(['readelf', '-lW', victim('live')], text=True).splitlines():
        words = line.split()
        if words[:1] == ['LOAD'] and int(words[2], 16) <= address < int(words[2], 16) + int(words[5], 16):
            return address - int(words[2], 16) + int(words[1], 16), size
    raise AssertionError(name)


def entry_of(number, name):
    """Returns a struct ktrace_func for an entry only, without values."""
    with open(HEADER.replace('ktrace.h', 'ktrace_record.h')) as header:
        nr_args = int(re.search(r'KTRACE_MAX_ARGS\s+(\d+)', header.read()).group(1))
    offset, size = symbol_of(name)
    return struct.pack('IHBBQQQQQ', number, 0, 0, 0, offset, offset, offset + size, 0, 0) + \
        bytes((nr_args + 2 + 7) // 8 * 8)


def test_edits_by_messages():  # debug
    attach('-f', 'alpha')
    session = u64(shown()['id'])
    mine, other = Client(), Client()
    with open(victim('live')) as file, Live() as live:
        fd = u32(file.fileno())

        def add(client, number, name):
            return error_of(client.call, 'FUNC_ADD', SESSION=session, FD=fd,
                            FUNCS=entry_of(number, name))

        def delete(client, *numbers, **options):
            return error_of(client.call, 'FUNC_DEL', SESSION=session,
                            FUNC_LIST=b''.join(map(u32, numbers)), **options)

        def commit(client, **options):
            return error_of(client.call, 'SESSION_COMMIT', SESSION=session, **options)

        def used():
            answer = mine.call('SESSION_GET', SESSION=session)[0]
            return struct.unpack('I', answer['NR_USED'])[0]

        assert add(mine, 0, 'beta') == errno.EEXIST
        assert delete(mine, 1) == errno.ENOENT and delete(mine, 1 << 30) == errno.ENOENT
        assert delete(mine, 0, FLAGS=u32(1)) == errno.ENOENT
        assert delete(mine, 0, FLAGS=u32(2)) == errno.EINVAL
        assert add(mine, 1, 'beta') == 0 and add(mine, 1, 'gamma_') == errno.EEXIST
        assert add(other, 2, 'gamma_') == errno.EBUSY
        assert delete(other, 0) == errno.EBUSY and commit(other) == errno.EBUSY
        # Conditions and processes can change meanwhile, and a pause does not commit the staged
        # functions.
        assert error_of(other.call, 'SESSION_CHANGE', SESSION=session,
                        WHO={'COMM': b'live\0'}) == 0
        ktrace('ctl', 'pause', 's')
        ktrace('ctl', 'resume', 's')
        live.do('alpha 1', 'beta 1')
        assert counts() == {'alpha': 1}, counts()
        assert used() == 1
        # When the editing client ends, the staged functions are removed.
        mine.close()
        wait_for(lambda: commit(other) == 0)
        wait_for(lambda: session_of('s')['state'] == 'active')
        live.do('beta 1')
        assert counts() == {'alpha': 1}, counts()
        mine = Client()
        assert add(mine, 1, 'beta') == 0
        # The same client stages again: the number is free.
        assert delete(mine) == 0
        assert add(mine, 1, 'gamma_') == 0 and used() == 1
        assert commit(mine, WHO={'COMM': b'nobody\0'}) == 0
        assert error_of(mine.call, 'SESSION_CHANGE', SESSION=session,
                        WHO={'COMM': b'x\0'}) in (0, errno.EBUSY)
        wait_for(lambda: session_of('s')['state'] == 'active')
        assert used() == 2
        live.do('alpha 1', 'gamma 1')
        assert counts() == {'alpha': 1}, counts()
        assert error_of(mine.call, 'SESSION_CHANGE', SESSION=session,
                        WHO={'COMM': b'\0'}) == 0
        live.do('gamma 2')
        assert counts()['alpha'] == 1 and sum(counts().values()) == 3, counts()
        assert error_of(mine.call, 'SESSION_CHANGE', SESSION=u64(9999),
                        WHO={'COMM': b'\0'}) == errno.ENOENT
        assert error_of(mine.call, 'SESSION_CHANGE', SESSION=session,
                        LIMIT={'MAX_DEPTH': u32(0)}) == errno.EINVAL
        assert error_of(mine.call, 'SESSION_RESUME', SESSION=session) == errno.EALREADY
    mine.close()
    other.close()


def test_what_is_probed_is_listed():
    attach('-f', 'alpha,beta')
    change('--remove', 'alpha')
    client = Client()
    rows = [row for row in client.dump('FUNC_GET', SESSION=u64(shown()['id']), FLAGS=u32(4))
            if 'FUNC' in row]
    client.close()
    assert [struct.unpack('I', row['FUNC'])[0] for row in rows] == [1], rows
