# SPDX-License-Identifier: GPL-2.0
"""
Everything at once: programs that call probed functions as fast as they can, fork and are killed,
while commands run in random order, some of which are killed, and a CPU goes offline and online.
"""
import collections
import errno
import json
import os
import random
import struct
import subprocess
import threading
import time

from genl import SINKS, Client, u32, u64
from tool import TMP, balanced, limit, victim, wait_for

NAMES = ['storm%d' % n for n in range(5)]
STOPPED, GONE = 4, 'gone'
CPU1 = '/sys/devices/system/cpu/cpu1/online'
RECORDS_AT = 76     # of struct ktrace_packet's nr_records


# --- commands, each a list of arguments --------------------------------------

def attach(rng, name, pids):
    args = ['ctl', 'attach', '--budget', 'none', '--binary', victim('storm'), '--name', name]
    kind = rng.choice(['stream', 'stream', 'stream', 'hist', 'count'])
    if kind == 'count':
        return args + ['--count']
    args += ['--stream'] if kind == 'stream' else []
    if kind == 'hist' and rng.random() < .3:
        args += ['--min-time', '1us']
    if rng.random() < .4:
        args += ['--pid', str(rng.choice(pids))]
        args += rng.choice([[], ['--follow']])
    args += rng.choice([[], [], ['--max-depth', '3'], ['--no-tree'], ['--below', 'outer'],
                        ['--return', 'uretprobe'], ['-f', 'inner,leaf'], ['--no-lib']])
    if kind == 'stream':
        args += rng.choice([[], ['-A', 'leaf@1', '-R', 'leaf']])
    return args


def change(rng, name, pids):
    return ['ctl', 'change', name] + rng.choice([
        ['-r', rng.choice(['leaf', 'inner', 'deep', 'outer'])],
        ['-f', rng.choice(['leaf', 'inner', 'deep', 'outer'])],
        ['--pid', str(rng.choice(pids))], ['--not-pid', str(rng.choice(pids))],
        ['--max-depth', '2'], ['--min-time', '0'], ['--uid', 'root'], ['--uid', 'any'],
        ['--comm', 'storm'], ['--comm', 'any']])


def read(rng, name, _pids):
    return ['ctl', 'read', name] + rng.choice([
        ['--reset'], ['--reset', '--format', 'summary'], ['--format', 'json'],
        ['--format', 'flat', '-o', '/dev/null'], ['--format', 'flat', '-o', '/dev/null'],
        ['--format', 'hist']])


def simple(command):
    return lambda rng, name, pids: ['ctl', command, name]


def show(_rng, name, _pids):
    return ['ctl', 'show', name, '--format', 'json']


def run_one(rng, _name, _pids):
    return ['run', '-o', '/dev/null', *rng.choice([[], ['--format', 'summary'], ['--no-follow']]),
            '--', victim(rng.choice(['bursts', 'threads64', 'forknoexec']))]


COMMANDS = [attach] * 5 + [change] * 4 + [read] * 5 + [show] * 4 + [run_one] + [
    simple('pause'), simple('resume'), simple('resume'), simple('detach')]


# --- accounts to the last record ----------------------------------------------

def wait_until_stopped(client, session):
    end = time.time() + limit(60)
    while client.state(session) != STOPPED:
        if time.time() > end:
            raise AssertionError('session %d does not stop' % session)
        time.sleep(0.02)


def read_out(client, session, cpu):
    """Reads and acknowledges all records of a CPU; returns their number."""
    cursor, records = 0, 0
    while True:
        answers = client.dump('STREAM_READ', SESSION=u64(session), CPU=u32(cpu),
                              CURSOR=u64(cursor), FLAGS=u32(1))
        packets = [a for a in answers if 'PACKET' in a]
        if not packets:
            return records
        for answer in packets:
            records += struct.unpack_from('I', answer['PACKET'], RECORDS_AT)[0]
        cursor = struct.unpack('Q', packets[-1]['CURSOR'])[0] + 1


def is_there(client, session):
    return session in [answer['SESSION'] for answer in client.dump('SESSION_GET')]


def stop(client, session):
    """Stops a session. If a killed command has already begun its end, waits and returns False."""
    try:
        client.call('SESSION_STOP', SESSION=u64(session))
        return True
    except OSError as error:
        if error.errno not in (errno.EBUSY, errno.ENOENT):
            raise
    wait_for(lambda: not is_there(client, u64(session)))
    return False


def settle(client, session):
    """Reads all records of a stopped session, and checks its account; returns its counters."""
    wait_until_stopped(client, session)
    before = client.counters(session)
    assert balanced(before), before
    if not has_stream(client, session):
        return before
    nr_cpus = os.sysconf('SC_NPROCESSORS_CONF')
    records = sum(read_out(client, session, cpu) for cpu in range(nr_cpus))
    after = client.counters(session)
    assert balanced(after) and after['held'] == 0, after
    assert after['produced'] == before['produced'], (before, after)
    assert after['acknowledged'] == before['acknowledged'] + records, (before, after, records)
    return after


def has_stream(client, session):
    answer = client.call('SESSION_GET', SESSION=u64(session))[0]
    return struct.unpack('I', answer['SINKS'])[0] & SINKS['STREAM']


# --- all of it ------------------------------------------------------------------

class Storm:
    # Each of these must occur in a storm.
    TALLIED = ('attached', 'killed', 'settled', 'hits', 'acknowledged', 'calls')

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.tally = collections.Counter()
        self.errors = collections.Counter()
        self.failures = []
        self.lock = threading.Lock()

    def fail(self, text):
        with self.lock:
            self.failures.append(text)

    def begin(self):
        self.victims = [subprocess.Popen(['nice', '-n', '19', victim('storm'), *args],
                                         stdout=subprocess.PIPE, text=True)
                        for args in (['8', '0'], ['1', '2'])]
        self.pids = [int(v.stdout.readline().split()[1]) for v in self.victims]

    def end_victims(self):
        for process in self.victims:
            process.terminate()
            output = process.communicate(timeout=limit(60))[0]
            self.tally['calls'] += int(output.split()[-1])
            if process.returncode != 23:
                self.fail('storm ended with %s, %s' % (process.returncode, output))

    def command(self, rng, make):
        args = make(rng, rng.choice(NAMES), self.pids)
        process = subprocess.Popen(['ktrace', *args], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=TMP)
        try:
            # A command that hangs is a failure. One in six is killed before it ends.
            output, errors = process.communicate(
                timeout=rng.uniform(0, .4) if rng.random() < .17 else limit(60))
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
        self.judge(args, process.returncode, output, errors)

    def judge(self, args, status, output, errors):
        with self.lock:
            self.tally['commands'] += 1
            self.tally['killed'] += status == -9
            self.tally['done'] += status == 0
            self.tally['attached'] += status == 0 and args[1] == 'attach'
            for line in errors.splitlines():
                self.errors[line] += 1
        # If nobody has read a ring for long, it may be full, which a read reports.
        is_told = status == 3 and args[1] == 'read' and 'the data is incomplete' in errors
        if status not in (0, 1, 2, -9) and not is_told and args[0] != 'run':
            self.fail('%s ended with %d: %s' % (args, status, errors))
        if status == 0 and args[1] == 'show':
            counters = json.loads(output)['rows'][0]['counters']
            if not balanced(counters):
                self.fail('%s: %s' % (args, counters))

    def commands(self, seed, end):
        rng = random.Random(seed)
        make = attach
        while time.time() < end and not self.failures:
            try:
                self.command(rng, make)
                make = rng.choice(COMMANDS)
            except Exception as error:  # pylint: disable=broad-except
                self.fail('%s: %s' % (type(error).__name__, error))

    def unplug(self, end):
        """Takes CPU 1 offline and online."""
        online = '0'
        while time.time() < end and os.path.exists(CPU1):
            with open(CPU1, 'w') as cpu:
                cpu.write(online)
            self.tally['cpu changes'] += 1
            online = '1' if online == '0' else '0'
            time.sleep(0.3)
        if os.path.exists(CPU1):
            with open(CPU1, 'w') as cpu:
                cpu.write('1')

    def settle_all(self):
        client = Client()
        # Sessions without a name end with their commands, all of which have ended.
        wait_for(lambda: all(answer['NAME'] != b'\0' for answer in client.dump('SESSION_GET')))
        for answer in client.dump('SESSION_GET'):
            session = struct.unpack('Q', answer['SESSION'])[0]
            if not stop(client, session):
                continue
            counters = settle(client, session)
            self.tally['settled'] += 1
            for name in ('hits', 'produced', 'acknowledged', 'dropped'):
                self.tally[name] += counters[name]
            client.call('SESSION_DEL', SESSION=u64(session))
        client.close()

    def round(self, seconds):
        end = time.time() + seconds
        self.begin()
        threads = [threading.Thread(target=self.commands, args=(self.rng.random(), end))
                   for _ in range(4)]
        threads.append(threading.Thread(target=self.unplug, args=(end,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.settle_all()
        self.end_victims()
        self.tally['rounds'] += 1
        assert not self.failures, '\n'.join(self.failures)
