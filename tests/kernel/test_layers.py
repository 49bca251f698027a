# SPDX-License-Identifier: GPL-2.0
"""ktrace io: the layers above and below requests of disks, which all see the same calls."""
import json
import os
import re
import subprocess

from disks import (MS, Null, choose_scheduler, dd_read, dd_write, nvmes, of, read,
                   real_disks, remove_nulls, run, write)
from suite import Skip
from tool import (TMP, begin, documents_in, documents_of, ktrace, layer, sessions,
                  threads_together, timely, undisturbed, wait_for)

teardown = remove_nulls


def layers_of(*command, layers=None, may_miss=False):
    """
    Returns the document of a program's run, and checks that each layer adds up to the counts of its
    session. The program's status does not show whether the kernel missed calls.
    """
    path = os.path.join(TMP, 'layers')
    some = ['--layers', layers] if layers else []
    ktrace('io', '--format', 'json', '-o', path, *some, '--', *command)
    with open(path) as document:
        data = json.load(document)
    lost = [session['counters']['lost_missed'] for session in data['sessions'].values()]
    assert data['complete'] or any(lost), data['sessions']
    timely(may_miss or not any(lost), lost)
    return data


def names_of(data):
    return {row['layer'] for row in data['rows']}


def calls_of(rows):
    return {row['name'].split(' ')[0]: row['calls'] for row in rows}


def function(data, where, name):
    return next(row for row in layer(data, where) if row['name'].split(' ')[0] == name)


def read_calls(data):
    return sum(row['calls'] for row in layer(data, 'syscall') if row['name'] in ('read', 'pread64'))


@undisturbed
def test_each_layer_sees_each_read():  # debug
    """Each layer has as many calls, none of which is shorter than its wait for the layer below."""
    disk = Null()
    data = layers_of(*dd_read(disk.name, 200))
    request = of(data, disk.name)['read']
    device = function(data, 'fs', 'blkdev_read_iter')
    assert request['requests'] == device['calls'] == 200, (request, device)
    vfs = function(data, 'fs', 'vfs_read')
    assert vfs['calls'] == read_calls(data) >= 200, (vfs, layer(data, 'syscall'))
    reads = sum(row['total_ns'] for row in layer(data, 'syscall') if row['name'] in ('read', 'pread64'))
    assert reads > vfs['total_ns'] > device['total_ns'] > request['total_ns'], data
    thread, = layer(data, 'sched')
    assert thread['comm'] == 'dd' and thread['run_ns'] > 0, thread


def under_load(disk, *options):
    """Returns the documents of a command, during which the disk is always read."""
    load = subprocess.Popen(dd_read(disk.name, 100000000), stderr=subprocess.DEVNULL)
    path = os.path.join(TMP, 'under-load')
    try:
        ktrace('io', '--layers', 'syscall,fs,sched,block', '--format', 'json', '-o', path,
               '-p', str(load.pid), *options)
    finally:
        load.kill()
        load.wait()
    with open(path) as file:
        return documents_in(file.read())


def check_one_window(disk, documents):
    """All layers have the same reads: at most one was under way when the window began, and one when
    it ended. Returns how many reads each layer has at least."""
    fs = [calls_of(layer(data, 'fs')) for data in documents]
    found = {'read': sum(map(read_calls, documents)),
             'vfs_read': sum(calls.get('vfs_read', 0) for calls in fs),
             'blkdev_read_iter': sum(calls.get('blkdev_read_iter', 0) for calls in fs),
             'requests': sum(of(data, disk.name)['read']['requests'] for data in documents
                             if 'read' in of(data, disk.name))}
    assert max(found.values()) - min(found.values()) <= 2, found
    return min(found.values())


@undisturbed
def test_layers_have_one_window():
    """All layers count in one window, which is as long as was asked."""
    disk = Null()
    data, = under_load(disk, '-d', '0.7')
    assert check_one_window(disk, [data]) > 10, data
    windows = {(session['started_monotonic_ns'], session['age_ns'])
               for session in data['sessions'].values()}
    assert len(windows) == 1, windows
    (_, length), = windows
    assert abs(length - data['window_s'] * 1e9) < 1000, (length, data['window_s'])
    timely(0.7 <= data['window_s'] < 0.8, data['window_s'])


@undisturbed
def test_delay_is_seen_in_all_layers_above():  # slow
    """When a disk is slower, each layer above is slower by this time, and no thread waits for a
    CPU."""
    def times(disk):
        data = layers_of(*dd_read(disk.name, 40))
        row = of(data, disk.name)['read']
        return {'read': next(r['total_ns'] for r in layer(data, 'syscall') if r['name'] == 'read'),
                'vfs_read': function(data, 'fs', 'vfs_read')['total_ns'],
                'blocked': threads_together(data)['blocked_ns'],
                'q2c': row['total_ns'], 'd2c': row['stages']['d2c']['total_ns'],
                'q2d': row['total_ns'] - row['stages']['d2c']['total_ns'],
                'wait': threads_together(data)['wait_ns']}
    fast, slow = Null(delay_ns=100000), Null(delay_ns=100 * MS)
    before, after = times(fast), times(slow)
    moved = {name: after[name] - before[name] for name in before}
    added = 40 * (100 * MS - 100000)
    for name in 'read', 'vfs_read', 'blocked', 'q2c', 'd2c':
        timely(abs(moved[name] - added) < added / 10, (name, moved, added))
    for name in 'q2d', 'wait':
        timely(abs(moved[name]) < added / 10, (name, moved, added))


def test_eight_threads():
    """All layers, of eight threads that read and write as fast as they can: nothing is lost."""
    disk = Null(memory_backed=1, size=64)
    write('/sys/block/%s/queue/nomerges' % disk.name, 2)
    data = layers_of('fio', '--output=/dev/null', '--name=load', '--filename=' + disk.path,
                     '--thread', '--numjobs=8', '--ioengine=psync', '--direct=1', '--rw=randrw',
                     '--bs=4k', '--size=16m', '--number_ios=500')
    assert data['complete'], data['sessions']
    assert sum(row['requests'] for row in of(data, disk.name).values()) == 8 * 500, layer(data, 'block')


def on_filesystem(kind, disk):
    if subprocess.call(['modprobe', kind], stderr=subprocess.DEVNULL):
        raise Skip('this kernel has no ' + kind)
    subprocess.check_call(['mkfs.' + kind, '-F' if kind == 'ext4' else '-f', '-q', disk.path])
    folder = os.path.join(TMP, 'on-' + kind)
    os.mkdir(folder)
    subprocess.check_call(['mount', '-t', kind, disk.path, folder])
    try:
        file = folder + '/file'
        data = layers_of('dd', 'if=/dev/zero', 'of=' + file, 'bs=4k', 'count=100', 'conv=fsync',
                         'status=none')
        calls = calls_of(layer(data, 'fs'))
        assert calls[kind + '_file_write_iter'] == 100 == calls_of(layer(data, 'syscall'))['write'], data
        assert calls_of(layer(data, 'syscall'))['fsync'] == 1, data
        assert calls[{'ext4': 'ext4_sync_file', 'xfs': 'xfs_file_fsync'}[kind]] == 1, layer(data, 'fs')
        data = layers_of('dd', 'if=' + file, 'of=/dev/null', 'bs=4k', 'iflag=direct', 'count=100',
                         'status=none')
        assert calls_of(layer(data, 'fs'))[kind + '_file_read_iter'] == 100, layer(data, 'fs')
        assert of(data, disk.name)['read']['bytes'] == 100 * 4096, layer(data, 'block')
    finally:
        subprocess.check_call(['umount', folder])
        os.rmdir(folder)


@undisturbed
def test_ext4():
    on_filesystem('ext4', Null(memory_backed=1, size=64))


@undisturbed
def test_xfs():  # slow
    on_filesystem('xfs', Null(memory_backed=1, size=512))


@undisturbed
def test_drivers():
    """Each request is passed to its driver once, in the task that submits it."""
    drivers = {'vda': ('virtio', 'virtio_queue_rq'), 'nvme': ('nvme', 'nvme_queue_rq'),
               'sda': ('scsi', 'scsi_queue_rq')}
    for name in real_disks():
        driver, submit = drivers.get(name, drivers['nvme'])
        choose_scheduler(name)
        data = layers_of(*dd_read(name, 100), layers='block,' + driver, may_miss=True)
        assert names_of(data) == {'block', driver}, names_of(data)
        calls = calls_of(layer(data, driver))
        # Requests come singly, or as a list of one. A busy device gets a request again. A kretprobe
        # misses calls in interrupts of another probe, and reports it.
        submitted = calls.get(submit, 0) + calls.get(submit + 's', 0) or calls['scsi_dispatch_cmd']
        missed = data['sessions']['functions']['counters']['lost_missed']
        assert 100 <= submitted + missed and submitted < 110, (name, calls, missed)
        assert of(data, name)['read']['requests'] == 100, layer(data, 'block')


def needs_nvme_module():
    if not nvmes(True):
        raise Skip('the machine has no NVMe disk: DISK=nvme')
    if not re.search('^nvme ', read('/proc/modules'), re.M):
        raise Skip('the driver of NVMe is no module of this kernel')


def unload(*command):
    """Unloads a driver, which waits for programs that read a new disk to identify its content."""
    wait_for(lambda: not subprocess.call(command, stderr=subprocess.DEVNULL))


@undisturbed
def test_driver_that_is_not_there():
    needs_nvme_module()
    unload('modprobe', '-r', 'nvme')
    try:
        errors = ktrace('io', '--layers', 'block,nvme', '-d', '1', status=2)[1]
        assert "no layer 'nvme'" in errors and 'not loaded' in errors and 'D2C' in errors, errors
        assert 'nvme' not in layers_of('true')
    finally:
        subprocess.check_call(['modprobe', 'nvme'])
        wait_for(lambda: nvmes(True))


@undisturbed
def test_module_comes_and_goes_meanwhile():
    """Functions of an unloaded module are no longer counted, and no error is reported."""
    needs_nvme_module()
    disk, = nvmes(True)
    number = read('/sys/block/%s/dev' % disk).strip()
    process = begin(['ktrace', 'io', '--format', 'json'], nr=4)
    run(*dd_read(disk, 20))
    unload('rmmod', 'nvme')
    subprocess.check_call(['modprobe', 'nvme'])
    # The driver looks for its disks later. The number of the first disk may still be in use then.
    wait_for(lambda: nvmes(True))
    data, = documents_of(process)
    reads, = [row['requests'] for row in layer(data, 'block')
              if row['dev'] == number and row['operation'] == 'read']
    assert reads >= 20, layer(data, 'block')
    assert calls_of(layer(data, 'nvme'))['nvme_queue_rq'] >= 20, layer(data, 'nvme')


@undisturbed
def test_layers_have_the_same_intervals():
    """A new interval begins at the same moment in all layers, and no call is lost between two."""
    disk = Null()
    documents = under_load(disk, '-i', '0.2', '-d', '2')
    reads = [check_one_window(disk, [data]) for data in documents]
    timely(len(reads) > 3 and sum(reads) > 30, reads)
    check_one_window(disk, documents)


@undisturbed
def test_intervals():
    """All intervals together have all calls."""
    disk = Null()
    path = os.path.join(TMP, 'intervals')
    ktrace('io', '--layers', 'syscall,fs,block', '--format', 'json', '-i', '100ms', '-o', path, '--',
           *dd_read(disk.name, 3000))
    with open(path) as lines:
        documents = [json.loads(line) for line in lines]
    requests = sum(of(data, disk.name)['read']['requests'] for data in documents
                   if 'read' in of(data, disk.name))
    calls = sum(calls_of(layer(data, 'fs')).get('blkdev_read_iter', 0) for data in documents)
    assert requests == calls == 3000, (requests, calls)
    reads = sum(read_calls(data) for data in documents)
    assert reads == sum(calls_of(layer(data, 'fs')).get('vfs_read', 0) for data in documents), reads
    timely(len(documents) > 2, len(documents))


@undisturbed
def test_tables():
    disk = Null()
    out = ktrace('io', '--', *dd_write(disk.name, 50))[0]
    titles = [line.split(':')[0] for line in out.splitlines() if ': ' in line]
    assert titles[1:5] == ['syscall', 'fs', 'sched', 'block'], out
    for text in 'blkdev_write_iter', 'bytes/call', 'STOPPED', 'D2C p99':
        assert text in out, (text, out)
    assert 'fs: ' not in ktrace('io', '--layers', 'fs', '-d', '10ms')[0]
    assert sessions() == []


def complaint(*options, status=2):
    return ktrace('io', *options, '-d', '10ms', status=status)[1]


def test_default_layers():  # slow
    default = names_of(layers_of(*dd_read(Null().name, 3)))
    assert {'block', 'syscall', 'fs', 'sched'} <= default, default


def test_layers_that_are_wrong():
    assert "There is no layer 'blok'; the layers are: syscall,fs" in complaint('--layers', 'blok')
    for name in 'qemu', 'host':
        assert "'%s' does not exist yet" % name in complaint('--layers', name)
    assert 'omit them' in complaint('--layers', 'fs', '--dev', Null().name)
    assert 'add it to --layers' in complaint('--layers', 'fs', '--hist', 'd2c')
