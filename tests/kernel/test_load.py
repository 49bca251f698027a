# SPDX-License-Identifier: GPL-2.0
"""fio, iperf3 and redis: what they say that they did is what is counted, while they do it."""
import json
import os
import subprocess

import servers
from disks import Null, of, real_disks, remove_nulls, settle, traced, write
from suite import Skip
from tool import TMP, VICTIMS, counting, documents_of, ktrace, wait_for, wait_until_asleep

PROGRAMS = os.path.join(VICTIMS, 'programs')
EPOLL_WAITS = 232, 281     # their numbers
teardown = remove_nulls


# --- fio ----------------------------------------------------------------------

def fio(*options):
    """A command, and what tells afterwards how many reads and writes it made, of how many bytes."""
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
    """Requests in flight by the dozen, reads and writes; none is merged where that is off."""
    for disk in real_disks():
        for scheduler in 'none', 'mq-deadline':
            write('/sys/block/%s/queue/scheduler' % disk, scheduler)
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
    """Fewer requests than reads, of as many bytes."""
    disk = Null(delay_ns=200000, submit_queues=1, hw_queue_depth=2)
    disk.use('mq-deadline')
    command, said = fio('--filename=' + disk.path, '--rw=read', '--bs=4k', '--ioengine=libaio',
                        '--iodepth=32', '--iodepth_batch=16', '--size=8m')
    found, made = asked_for(traced(*command), disk.name), said()
    assert found['read'][1] == made['read'][1] == 8 << 20, (found, made)
    assert found['read'][0] < made['read'][0] == 2048, (found, made)


def on_filesystem(disk, kind):
    """Twelve readers share 12,000 reads a second, one writer makes 250: of files that are there."""
    if subprocess.call(['modprobe', kind], stderr=subprocess.DEVNULL):
        raise Skip('this kernel has no ' + kind)
    force = '-F' if kind == 'ext4' else '-f'
    subprocess.check_call(['mkfs.' + kind, force, '-q', disk.path])
    folder = os.path.join(TMP, kind)
    os.mkdir(folder)
    subprocess.check_call(['mount', '-t', kind, disk.path, folder])
    try:
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
    finally:
        subprocess.check_call(['umount', folder])


def test_fio_on_ext4():
    on_filesystem(Null(memory_backed=1, size=64), 'ext4')


def test_fio_on_xfs():
    on_filesystem(Null(memory_backed=1, size=512), 'xfs')


# --- the network --------------------------------------------------------------

class Pair:
    """Two network namespaces with a wire between them, and an iperf3 server in one."""

    def __enter__(self):
        for command in ('netns add far', 'link add wire type veth peer name end netns far',
                        'addr add 10.9.0.1/24 dev wire', 'link set wire up',
                        '-n far addr add 10.9.0.2/24 dev end', '-n far link set end up',
                        '-n far link set lo up'):
            subprocess.check_call(['ip', *command.split()])
        self.server = subprocess.Popen(['ip', 'netns', 'exec', 'far', 'iperf3', '-s'],
                                       stdout=subprocess.DEVNULL)
        wait_for(lambda: ':5201' in subprocess.check_output(
            ['ip', 'netns', 'exec', 'far', 'ss', '-ltn'], text=True))
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()
        subprocess.check_call(['ip', 'netns', 'del', 'far'])


def counted_of(command, *options):
    """The document of a ktrace command, and what iperf3 says that it sent."""
    path, report = os.path.join(TMP, 'counted'), os.path.join(TMP, 'iperf3')
    ktrace(*command, '--format', 'json', '-o', path, '--', 'iperf3', '-c', '10.9.0.2', '--json',
           '--logfile', report, *options)
    with open(path) as one, open(report) as other:
        data, said = json.load(one), json.load(other)
    os.unlink(report)
    assert data['complete'] and 'error' not in said, (data, said)
    return data, said['end']


def test_iperf3_udp_of_64_bytes():
    """A system call and a call of the kernel's function for each datagram, and one to begin."""
    with Pair():
        data, said = counted_of(['syscall'], '-u', '-l', '64', '-b', '4M', '-k', '3000')
        calls = {row['name']: row for row in data['syscalls']}
        packets = said['sum']['packets']
        assert packets == 3000, said
        assert calls['write']['calls'] - packets < 40, (calls['write'], packets)
        data, said = counted_of(['func', 'udp_sendmsg'], '-u', '-l', '64', '-b', '4M', '-k', '3000')
        row, = data['functions']
        assert row['calls'] == said['sum']['packets'] + 1 == 3001, (row, said)


def test_iperf3_tcp():
    """One stream and eight: bytes that were written, but for what the two ends say to each other."""
    with Pair():
        for streams in 1, 8:
            data, said = counted_of(['syscall'], '-P', str(streams), '-n', '4M')
            written = sum(row['bytes'] for row in data['syscalls'] if row['name'] == 'write')
            sent = said['sum_sent']['bytes']
            assert sent >= 4 << 20, said
            assert 0 <= written - sent < 2048 * (1 + streams), (streams, written, sent)


def test_redis_answers():
    """It writes once for each request, and reads once, and what it looks up for itself."""
    with servers.Redis(PROGRAMS) as server:
        server.ask(0)
        process = counting('syscall', '-p', str(server.process.pid))
        for number in range(300):
            server.ask(number)
        # The last answer may be here before the call that writes it is over.
        wait_until_asleep(server.process.pid, *EPOLL_WAITS)
        data, = documents_of(process)
    calls = {row['name']: row for row in data['syscalls']}
    # To set and to get.
    assert calls['write']['calls'] == 600 <= calls['read']['calls'] < 700, calls
    assert calls['write']['errors'] == 0, calls
