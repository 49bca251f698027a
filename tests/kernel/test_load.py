# SPDX-License-Identifier: GPL-2.0
"""Under load, ktrace's counts equal those that fio, iperf3, redis and a test program report."""
import contextlib
import json
import os
import re
import subprocess
import sys

import chores
import servers
from disks import Null, choose_scheduler, of, real_disks, remove_nulls, settle, traced, write
from suite import Skip
from tool import (TMP, VICTIMS, counting, documents_of, ktrace, limit, none_left, wait_for,
                  wait_until_asleep)

PROGRAMS = os.path.join(VICTIMS, 'programs')
EPOLL_WAITS = 232, 281     # numbers of system calls
teardown = remove_nulls


# --- fio ----------------------------------------------------------------------

def fio(*options):
    """Returns a command, and a function that returns its reads and writes and their bytes
    afterwards."""
    report = os.path.join(TMP, 'fio')

    def said():
        with open(report) as file:
            jobs = json.load(file)['jobs']
        return {op: (sum(job[op]['total_ios'] for job in jobs),
                     sum(job[op]['io_bytes'] for job in jobs))
                for op in ('read', 'write') if any(job[op]['total_ios'] for job in jobs)}
    return ['fio', '--output-format=json', '--output=' + report, '--direct=1', '--name=load',
            *options], said


def asked_for(data, disk):
    return {op: (row['requests'], row['bytes']) for op, row in of(data, disk).items()
            if op in ('read', 'write')}


def test_fio_on_disks():
    """Dozens of reads and writes in flight; if merging is off, none is merged."""
    for disk in real_disks():
        for scheduler in 'none', 'mq-deadline':
            choose_scheduler(disk, scheduler)
            write('/sys/block/%s/queue/nomerges' % disk, 2)
            command, said = fio('--filename=/dev/' + disk, '--rw=randrw', '--rwmixread=80',
                                '--bs=4k', '--ioengine=libaio', '--iodepth=16', '--size=16m',
                                '--number_ios=1500')
            settle(disk)
            data = traced(*command, options=['--dev', disk])
            assert asked_for(data, disk) == said(), (disk, scheduler, data, said())
            assert sum(requests for requests, _ in said().values()) == 1500, said()
            write('/sys/block/%s/queue/nomerges' % disk, 0)


def test_fio_merged():
    """Fewer requests than reads, with as many bytes."""
    disk = Null(delay_ns=200000, submit_queues=1, hw_queue_depth=2)
    disk.use('mq-deadline')
    command, said = fio('--filename=' + disk.path, '--rw=read', '--bs=4k', '--ioengine=libaio',
                        '--iodepth=32', '--iodepth_batch=16', '--size=8m')
    found, made = asked_for(traced(*command), disk.name), said()
    assert found['read'][1] == made['read'][1] == 8 << 20, (found, made)
    assert found['read'][0] < made['read'][0] == 2048, (found, made)


@contextlib.contextmanager
def mounted(path, kind):
    """Makes and mounts a new file system on a disk; returns its folder."""
    if subprocess.call(['modprobe', kind], stderr=subprocess.DEVNULL):
        raise Skip('this kernel has no ' + kind)
    force = '-F' if kind == 'ext4' else '-f'
    subprocess.check_call(['mkfs.' + kind, force, '-q', path])
    folder = os.path.join(TMP, kind)
    os.mkdir(folder)
    subprocess.check_call(['mount', '-t', kind, path, folder])
    try:
        yield folder
    finally:
        subprocess.check_call(['umount', folder])
        os.rmdir(folder)


def on_filesystem(disk, kind):
    """
    Twelve readers share 12,000 reads a second, and one writer makes 250, on existing files.
    Requests of two readers that are adjacent on the disk could be merged.
    """
    write('/sys/block/%s/queue/nomerges' % disk.name, 2)
    with mounted(disk.path, kind) as folder:
        files = ['--directory=' + folder, '--bs=4k', '--size=1m', '--ioengine=psync']
        readers = ['--rw=randread', '--numjobs=12', '--rate_iops=1000', '--number_ios=150']
        writer = ['--name=writer', *files, '--direct=1', '--rw=randwrite', '--rate_iops=250',
                  '--number_ios=100']
        lay_out, _ = fio(*files, '--rw=write', '--numjobs=12', '--end_fsync=1', '--name=writer',
                         *files, '--rw=write', '--end_fsync=1')
        subprocess.check_call(lay_out, stdout=subprocess.DEVNULL)
        settle(disk.name)
        command, said = fio(*files, *readers, *writer)
        data = traced(*command, options=['--dev', disk.name])
        assert asked_for(data, disk.name) == said(), (data, said())
        assert said() == {'read': (1800, 1800 << 12), 'write': (100, 100 << 12)}, said()


def test_fio_on_ext4():
    on_filesystem(Null(memory_backed=1, size=64), 'ext4')


def test_fio_on_xfs():
    on_filesystem(Null(memory_backed=1, size=512), 'xfs')


# --- the network --------------------------------------------------------------

class Pair:
    """Two network namespaces, connected by a pair of veth devices."""

    def __enter__(self):
        if subprocess.call(['ip', 'link', 'add', 'wire', 'type', 'veth', 'peer', 'name', 'end']):
            raise Skip('this kernel has no pairs of ethernet devices (veth)')
        for command in ('netns add far', 'link set end netns far',
                        'addr add 10.9.0.1/24 dev wire', 'link set wire up',
                        '-n far addr add 10.9.0.2/24 dev end', '-n far link set end up',
                        '-n far link set lo up'):
            subprocess.check_call(['ip', *command.split()])
        return self

    def __exit__(self, *_):
        # A namespace is freed late, with its devices; a pair of devices goes at once with its first
        # end.
        subprocess.check_call(['ip', 'link', 'del', 'wire'])
        subprocess.check_call(['ip', 'netns', 'del', 'far'])


@contextlib.contextmanager
def iperf3_server():
    """Starts a server for one client: after a client has ended, it refuses the next for a while."""
    server = subprocess.Popen(['ip', 'netns', 'exec', 'far', 'iperf3', '-s', '-1'],
                              stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: ':5201' in subprocess.check_output(
            ['ip', 'netns', 'exec', 'far', 'ss', '-ltn'], text=True))
        yield
        server.wait(limit(20))
    finally:
        server.kill()
        server.wait()


def counted_of(command, *options):
    """Returns the document of a ktrace command, the bytes and the duration that iperf3 reports."""
    path, report = os.path.join(TMP, 'counted'), os.path.join(TMP, 'iperf3')
    with iperf3_server():
        ktrace(*command, '--format', 'json', '-o', path, '--', 'iperf3', '-c', '10.9.0.2', '--json',
               '--logfile', report, *options)
    with open(path) as one, open(report) as other:
        data, said = json.load(one), json.load(other)
    length = os.path.getsize(report)
    os.unlink(report)
    assert data['complete'] and 'error' not in said, (data, said)
    return data, said['end'], length


def test_iperf3_udp_of_64_bytes():
    """One system call and one call of the kernel's function per datagram, and one at the
    beginning."""
    with Pair():
        data, said, _ = counted_of(['syscall'], '-u', '-l', '64', '-b', '4M', '-k', '3000')
        calls = {row['name']: row for row in data['rows']}
        packets = said['sum']['packets']
        assert packets == 3000, said
        assert calls['write']['calls'] - packets < 40, (calls['write'], packets)
        data, said, _ = counted_of(['func', 'udp_sendmsg'], '-u', '-l', '64', '-b', '4M', '-k', '3000')
        row, = data['rows']
        assert row['calls'] == said['sum']['packets'] + 1 == 3001, (row, said)


def test_iperf3_tcp():
    """One stream and eight: the written bytes, apart from the two ends' control messages."""
    with Pair():
        for streams in 1, 8:
            data, said, length = counted_of(['syscall'], '-P', str(streams), '-n', '4M')
            written = sum(row['bytes'] for row in data['rows'] if row['name'] == 'write')
            sent = said['sum_sent']['bytes']
            assert sent >= 4 << 20, said
            # The control messages become longer each second.
            assert 0 <= written - sent - length < 512 * (1 + streams), \
                (streams, written, sent, length)


def test_redis_answers():
    """The server writes and reads once per request, and also reads for its own purposes."""
    with servers.Redis(PROGRAMS) as server:
        server.ask(0)
        process = counting('syscall', '-p', str(server.process.pid))
        for number in range(300):
            server.ask(number)
        # The last answer may arrive before the call that writes it is over.
        wait_until_asleep(server.process.pid, *EPOLL_WAITS)
        data, = documents_of(process)
    calls = {row['name']: row for row in data['rows']}
    # To set and to get.
    assert calls['write']['calls'] == 600, calls
    assert calls['write']['errors'] == 0, calls
    # Several times a second it reads a file of /proc once, which may cross the begin or the end.
    opened = sum(row['calls'] for name, row in calls.items() if name in ('open', 'openat'))
    assert calls['read']['calls'] - 600 - opened in (-1, 0, 1), calls


# --- all functions of a part of the kernel -------------------------------------

ATTACHED = '/sys/kernel/debug/kprobes/list', '/sys/kernel/debug/tracing/enabled_functions'


def attached():
    """Returns what the kernel lists as probed, or as watched by its function tracer."""
    found = {}
    for path in ATTACHED:
        with open(path) as lines:
            found[path] = sorted(lines)
    return found


class Endless:
    """Runs rounds of chores, one after the other, beside the test."""

    def __init__(self, command):
        self.path = os.path.join(TMP, 'rounds')
        with open(self.path, 'w') as rounds:
            self.process = subprocess.Popen([*command, 'forever'], stdin=subprocess.PIPE,
                                            stdout=rounds)

    def rounds(self):
        assert self.process.poll() is None, self.process
        with open(self.path) as rounds:
            return rounds.read().splitlines()

    def wait_for_more(self):
        known = len(self.rounds())
        wait_for(lambda: len(self.rounds()) > known, 60)

    def __enter__(self):
        self.wait_for_more()
        return self

    def __exit__(self, failure, *_):
        """Lets it end by itself, if there was no failure."""
        if failure:
            self.process.kill()
        self.process.communicate(timeout=limit(60))
        assert failure or self.process.returncode == 0, self.process


def check_not_traced(data, errors):
    """Checks that each function is attached, or counts as one that is not and has its reason
    reported."""
    session = data['session']
    assert session['sites'] + session['failed'] == session['functions'], session
    named = re.findall(r'^ktrace: \S+(?: \[[\w+]+\])? is not traced: \S.*\.$', errors, re.M)
    more = re.findall(r'^ktrace: (\d+) more functions are not traced\.$', errors, re.M)
    assert len(named) + sum(map(int, more)) == session['failed'], (session, errors)


def check_calls(data, expected, *columns):
    """Checks that exactly these calls were counted, apart from those reported as lost."""
    counters = data['session']['counters']
    lost = sum(value for name, value in counters.items() if name.startswith('lost_'))
    assert data['complete'] or lost, data['session']
    rows = {row['name'].split()[0]: row for row in data['rows']}
    for name, calls in expected.items():
        # If a compiler has inlined the beginning of a function into its caller, the caller calls
        # the rest.
        name = name if name in rows else name + '.part.0'
        for column in columns:
            assert calls - lost <= rows[name][column] <= calls, (rows[name], calls, counters)


def trace_chores(glob, command, *options):
    """Traces one round of chores, and checks that its results are those of an untraced round."""
    path = os.path.join(TMP, 'chores')
    out, errors = ktrace('func', glob, '--force', *options, '--format', 'json', '-o', path, '--',
                         *command)
    assert out == chores.expected_round() + '\n', out
    with open(path) as document:
        data = json.load(document)
    check_not_traced(data, errors)
    return data


def attach_under_load(glob):
    """All matching functions are attached, counted and detached while others call them."""
    before = attached()
    with mounted('/dev/' + real_disks()[0], 'ext4') as folder:
        command = [sys.executable, '-I', '-B', chores.__file__, folder]
        with Endless(command) as load:
            for options, columns in ([], ('entries', 'calls')), (['--count'], ('entries',)):
                check_calls(trace_chores(glob, command, *options), chores.CALLS[glob], *columns)
                none_left()
                wait_for(lambda: attached() == before)
                load.wait_for_more()
            rounds = load.rounds()
        assert set(rounds) == {chores.expected_round()}, rounds
        assert os.listdir(folder) == ['lost+found'], os.listdir(folder)


def test_all_functions_of_ext4():
    attach_under_load('ext4_*')


def test_all_functions_of_vfs():
    attach_under_load('vfs_*')


def test_all_functions_of_tcp():
    attach_under_load('tcp_*')
