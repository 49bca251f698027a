# SPDX-License-Identifier: GPL-2.0
"""ktrace virtio: the content of the queues of disks and of the host's files, to the byte."""
import json
import os
import signal
import subprocess

from delays import throttle
from disks import MS, settle
from genl import Client, Refused, asked, u32
from suite import Skip
from tool import (TMP, WINDOW, begin, check_ended, counting, counting_intervals, documents_of,
                  ktrace, layer, limit, none_left, read_documents, reload_module, timely,
                  undisturbed)
from virtio_rings import SECTOR, Network, Scattered, disk_with, ip

HEADER, STATUS = 16, 1     # of a virtio_blk request: its header, and its status byte
NET_HEADER = 12            # of a packet of virtio_net
RING = 16                  # descriptors of the smallest one, see tests/vm/vm.sh


def need(path):
    if not os.path.exists(path):
        raise Skip('the machine has no %s: DISK=virtio,nvme' % path)


def start(*options):
    return counting('virtio', '--hist', *options)


def check(data):
    """Checks what is true of all figures."""
    assert data['complete'], data['session']
    for row in data['rows']:
        time = row['time']
        assert sum(b['count'] for b in time.get('histogram', [])) == \
            (time['requests'] if 'histogram' in time else 0), row
        assert time['requests'] <= row['used'], row
        assert time['requests'] <= row['requests'] or data['is_later'], row
        assert time['min_ns'] <= time['p50_ns'] <= time['p99_ns'] <= time['max_ns'], row
    return data


def finish(process):
    """Returns the documents of a command: one, or one per interval."""
    return [check(dict(data, is_later=at > 0)) for at, data in enumerate(documents_of(process))]


def counted(action, *options):
    process = start(*options)
    action()
    return finish(process)[0]


def read_disk(disk, count, size=4096):
    """Makes reads of a size, one after the other."""
    subprocess.run(['dd', 'if=/dev/' + disk, 'of=/dev/null', 'bs=%d' % size, 'count=%d' % count,
                    'iflag=direct'], check=True, stderr=subprocess.DEVNULL, timeout=limit(60))


def stat_reads(disk):
    settle(disk)
    with open('/sys/block/%s/stat' % disk) as file:
        return int(file.read().split()[0])


def total(data, device, *keys):
    """Returns the sum of a figure over all queues of a device."""
    found = 0
    for row in data['rows']:
        value = row
        for key in keys if row['is'] == device else ():
            value = value[key]
        found += value if value is not row else 0
    return found


@undisturbed
def test_each_virtio_request():
    """N reads are N requests, each with its header, its data and its status."""
    need('/dev/vda')
    count = 200
    read_disk('vda', 1)
    before = stat_reads('vda')
    data = counted(lambda: read_disk('vda', count), '--dev', 'vda')
    assert stat_reads('vda') - before == count
    assert {row['is'] for row in data['rows']} == {'vda'}, data['rows']
    assert total(data, 'vda', 'requests') == total(data, 'vda', 'used') == count, data['rows']
    assert total(data, 'vda', 'time', 'requests') == count, data['rows']
    assert total(data, 'vda', 'refused') == 0, data['rows']
    assert total(data, 'vda', 'out', 'bytes') == count * HEADER, data['rows']
    assert total(data, 'vda', 'in', 'bytes') == count * (4096 + STATUS), data['rows']
    assert total(data, 'vda', 'out', 'parts') == count, data['rows']
    assert 2 * count <= total(data, 'vda', 'in', 'parts') <= 3 * count, data['rows']
    assert 0 < total(data, 'vda', 'kicks') <= count, data['rows']
    assert 0 < total(data, 'vda', 'interrupts') <= count, data['rows']
    row = data['rows'][0]
    assert row['driver'] == 'virtio_blk' and row['name'].startswith('req'), row


@undisturbed
def test_virtio_is_what_the_block_layer_asks_for():
    """Other reads: as many requests, and the bytes that virtio_blk adds."""
    need('/dev/vda')
    io = begin(['ktrace', 'io', '--dev', 'vda', '--format', 'json'])
    try:
        data = counted(lambda: read_disk('vda', 8, 4 << 20), '--dev', 'vda')
    finally:
        io.send_signal(signal.SIGINT)
        out = io.communicate(timeout=limit(60))[0]
    row, = layer(json.loads(out), 'block')
    requests = total(data, 'vda', 'requests')
    assert row['requests'] == requests > 8, (row, data['rows'])
    assert row['bytes'] == 8 * 4 << 20, row
    assert total(data, 'vda', 'in', 'bytes') == row['bytes'] + requests * STATUS, data['rows']


@undisturbed
def test_time_is_the_devices():
    """From add to used takes less than the request, and as long as a throttled device takes."""
    need('/dev/vda')
    throttle('virtio', 20)
    io = counting('io', '--layers', 'block', '--dev', 'vda')
    try:
        data = counted(lambda: read_disk('vda', 12), '--dev', 'vda')
    finally:
        throttle('virtio', 0)
        row, = layer(documents_of(io)[0], 'block')
    device, used = row['stages']['d2c']['total_ns'], total(data, 'vda', 'time', 'total_ns')
    assert 400 * MS < used <= device, (used, device)
    timely(device - used < device / 10, (used, device))


@undisturbed
def test_others_add_nothing():
    """Reads of a disk that is not virtio are in no queue; chosen devices are shown alone."""
    need('/dev/vda')
    need('/dev/nvme0n1')
    data = counted(lambda: read_disk('nvme0n1', 50), '--dev', 'vda')
    assert not data['rows'], data['rows']


def check_scattered(disk):
    """Requests, their pieces and their bytes are those read and written, whatever the ring."""
    pieces, reads, writes = 7, 60, 40
    with Scattered(disk, pieces) as scattered:
        scattered.read(1)
        data = counted(lambda: (scattered.read(reads), scattered.write(writes)), '--dev', disk)
    count, size = reads + writes, pieces * SECTOR
    for figure in 'requests', 'used':
        assert total(data, disk, figure) == count, data['rows']
    assert total(data, disk, 'time', 'requests') == count, data['rows']
    assert total(data, disk, 'refused') == 0, data['rows']
    assert total(data, disk, 'out', 'bytes') == count * HEADER + writes * size, data['rows']
    assert total(data, disk, 'in', 'bytes') == count * STATUS + reads * size, data['rows']
    assert total(data, disk, 'out', 'parts') == count + writes * pieces, data['rows']
    assert total(data, disk, 'in', 'parts') == count + reads * pieces, data['rows']
    assert total(data, disk, 'written_bytes') == total(data, disk, 'in', 'bytes'), data['rows']
    # One request at a time: the device is notified of each of them.
    assert 0 < total(data, disk, 'kicks') <= count, data['rows']
    assert 0 < total(data, disk, 'interrupts') <= count, data['rows']


@undisturbed
def test_packed_ring():
    check_scattered(disk_with(packed=True, indirect=True))


@undisturbed
def test_direct_descriptors():
    check_scattered(disk_with(packed=False, indirect=False))


@undisturbed
def test_split_ring():
    check_scattered(disk_with(packed=False, indirect=True))


@undisturbed
def test_small_ring():
    """If large requests have no room, they are refused and added again."""
    disk = disk_with(packed=False, indirect=False)
    pieces, reads = 100, 4
    before = stat_reads(disk)
    with Scattered(disk, pieces) as scattered:
        data = counted(lambda: scattered.read(reads), '--dev', disk)
    count = stat_reads(disk) - before
    assert total(data, disk, 'requests') == total(data, disk, 'used') == count, data['rows']
    assert count >= reads * pieces / RING, data['rows']
    assert total(data, disk, 'in', 'parts') == reads * pieces + count, data['rows']
    assert total(data, disk, 'in', 'bytes') == reads * pieces * SECTOR + count * STATUS, data['rows']


def queues_of(data, network):
    """Returns {name: row} of the network interface, and checks that there are no others."""
    assert {row['is'] for row in data['rows']} <= {network.name}, data['rows']
    return {row['name']: row for row in data['rows']}


@undisturbed
def test_packets_sent():
    """Each packet is a request: the header, and as many bytes as the interface counts."""
    count, size = 100, 700
    with Network() as network:
        before = network.figures()
        data = counted(lambda: (network.send(count, size), network.wait_for_taken(before, count)),
                       '--dev', network.name)
        sent = network.since(before)
    queue = queues_of(data, network)['output.0']
    assert sent['tx_packets'] >= count, sent
    assert queue['requests'] == queue['used'] == sent['tx_packets'], (sent, queue)
    assert queue['time']['requests'] == sent['tx_packets'], (sent, queue)
    assert queue['out']['bytes'] == sent['tx_bytes'] + NET_HEADER * sent['tx_packets'], (sent, queue)
    assert queue['out']['parts'] >= sent['tx_packets'], (sent, queue)
    assert queue['in'] == {'parts': 0, 'bytes': 0}, queue
    assert queue['written_bytes'] == queue['refused'] == 0, queue
    assert 0 < queue['kicks'] <= queue['requests'], queue
    assert 0 < queue['interrupts'] + queue['interrupts_idle'] <= queue['used'], queue


@undisturbed
def test_packets_received():
    """Buffers from before the start count without a time when a packet comes; others with a
    time."""
    count, size = 300, 56
    with Network() as network:
        before = network.figures()
        data = counted(lambda: (network.ping(count, size),
                                network.wait_for_taken(before, count, count)),
                       '--dev', network.name)
        had = network.since(before)
    queues = queues_of(data, network)
    queue = queues['input.0']
    assert had['rx_packets'] >= count, had
    assert queue['used'] == had['rx_packets'], (had, queue)
    assert queue['written_bytes'] == had['rx_bytes'] + NET_HEADER * had['rx_packets'], (had, queue)
    assert 0 < queue['time']['requests'] < queue['used'], queue
    assert queue['out'] == {'parts': 0, 'bytes': 0}, queue
    assert 0 < queue['interrupts'] <= queue['used'], queue
    assert queues['output.0']['used'] == had['tx_packets'] >= count, (had, queues)


@undisturbed
def test_network_control():  # slow
    """A command has its class, its data and an answer, for which the driver waits without
    interrupts."""
    count = 20
    network = Network()
    own = network.read('address')

    def change():
        for at in range(count):
            ip('link', 'set', network.name, 'address', '52:54:00:00:00:%02x' % at)
    try:
        data = counted(change, '--dev', network.name)
    finally:
        ip('link', 'set', network.name, 'address', own)
    queue, = queues_of(data, network).values()
    assert queue['name'] == 'control', queue
    assert queue['requests'] == queue['used'] == queue['kicks'] == count, queue
    assert queue['time']['requests'] == count, queue
    assert queue['out'] == {'parts': 2 * count, 'bytes': 8 * count}, queue
    assert queue['in'] == {'parts': count, 'bytes': count}, queue
    assert queue['written_bytes'] == count and queue['interrupts'] == 0, queue


@undisturbed
def test_host_files():  # debug
    """The machine's root is a 9p file system: each request has an answer."""
    path = os.path.join('/out', 'virtio')
    with open(path, 'wb') as file:
        file.write(bytes(1 << 20))
    data = counted(lambda: subprocess.check_call(['cat', path], stdout=subprocess.DEVNULL),
                   '--dev', 'out')
    os.unlink(path)
    row, = data['rows']
    assert row['driver'] == '9pnet_virtio' and row['requests'] == row['used'] > 0, row
    assert row['in']['bytes'] > 1 << 20, row


@undisturbed
def test_two_virtio_sessions():
    """The session that began later counts what came since then."""
    need('/dev/vda')
    early = start('--dev', 'vda')
    read_disk('vda', 30)
    late = start('--dev', '/dev/vda')
    read_disk('vda', 12)
    try:
        first = finish(early)[0]
    finally:
        second = finish(late)[0]
    assert total(first, 'vda', 'used') == total(first, 'vda', 'time', 'requests') == 42, first
    assert total(second, 'vda', 'used') == total(second, 'vda', 'time', 'requests') == 12, second


@undisturbed
def test_virtio_intervals():
    """Each request is in exactly one interval."""
    need('/dev/vda')
    made = []

    def read_some():
        read_disk('vda', 40)
        made.append(40)
    process, path = counting_intervals('virtio', '--dev', 'vda', '-i', '200ms', action=read_some)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=limit(60))
    check_ended(process.returncode, 0, errors)
    documents = [check(dict(data, is_later=at > 0)) for at, data in enumerate(read_documents(path))]
    assert len(documents) > 3, len(documents)
    assert sum(total(data, 'vda', 'requests') for data in documents) == sum(made)
    assert sum(total(data, 'vda', 'used') for data in documents) == sum(made)


@undisturbed
def test_virtio_table():
    need('/dev/vda')
    path = os.path.join(TMP, 'virtio')
    process = begin(['ktrace', 'virtio', '--dev', 'vda', '--hist', '-o', path])
    read_disk('vda', 25)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=limit(60))
    check_ended(process.returncode, 0, errors)
    with open(path) as file:
        out = file.read()
    assert WINDOW.match(out.splitlines()[0]), out
    loads = out.split('refused')[1].split('\n\n')[0]
    lines = [line.split() for line in loads.splitlines() if line.startswith('virtio')]
    assert sum(int(line[5]) for line in lines) == 25, out
    assert '->' in out and 'p99' in out, out


def test_virtio_refusals():
    """Impossible requests are refused: a device that does not exist, a program, processes."""
    errors = ktrace('virtio', '--dev', 'vdzz', '-d', '1', status=2)[1]
    assert "no virtio device 'vdzz'" in errors and '9pnet' not in errors, errors
    assert 'virtio0' in errors, errors
    assert 'omit it' in ktrace('virtio', 'ls', status=2)[1]
    ktrace('virtio', '-p', '1', status=2)
    client = Client()
    for wrong in ({'WHO': {'FOLLOW': b''}}, {'WHO': {'PIDS': u32(1)}}, {'WHO': {'TIDS': u32(1)}},
                  {'TARGET': {'NR_FUNCS': u32(1)}}):
        try:
            client.call('SESSION_NEW', **asked('VIRTIO', 'HIST', **wrong))
            raise AssertionError(wrong)
        except Refused as refused:
            assert refused.errno == 22, (wrong, refused)
    number = client.call('SESSION_NEW', **asked('VIRTIO', 'HIST'))[0]['SESSION']
    try:
        client.call('SESSION_CHANGE', SESSION=number, WHO={'PIDS': u32(1)})
        raise AssertionError('processes were chosen')
    except Refused as refused:
        assert refused.errno == 22, refused
    client.call('SESSION_DEL', SESSION=number)
    client.close()


def test_killed_virtio():
    """A killed command leaves nothing behind, and the module can be unloaded and loaded."""
    process = start()
    process.kill()
    process.communicate()
    none_left()
    reload_module()
