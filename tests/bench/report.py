#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py FIGURES FOLDER: reads figures, lines "kernel key value", and writes costs.md, costs.svg
and costs-appendix.md into FOLDER."""
import contextlib
import os
import sys
import textwrap

ROWS = [
    ('sites', 'ktrace, exits probed (the default), histogram', (2800, 3450)),
    ('sites_tree', 'ktrace, exits probed, histogram and tree', (2920, 3570)),
    ('sites_stream', 'ktrace, exits probed, histogram and every call streamed', (3000, 3650)),
    ('uretprobe', 'ktrace, --return uretprobe, histogram', (2350, 2950)),
    ('count', 'ktrace, --count (one probe, no clock)', None),
    ('libbpf', 'minimal libbpf program (hash for the start, per-CPU log2 histogram)', None),
    ('bpftrace', 'bpftrace, hist()', None),
]
SYSCALL_ROWS = [
    ('ktrace', 'ktrace syscall', '250'),
    ('bpftrace', 'bpftrace, hist() and count() by number', ''),
    ('strace', 'strace -c', ''),
]
KFUNC_ROWS = [
    ('ktrace', 'ktrace func', '560 by kretprobe, 400 by fprobe'),
    ('count', 'ktrace func --count (entries, no clock)', ''),
    ('graph', 'ktrace graph (a tree of one)', ''),
    ('bpftrace', 'bpftrace, hist() and count()', ''),
]
IO_KINDS = [
    ('direct', 'direct, sequential, 1 reader'),
    ('direct12', 'direct, sequential, 12 readers'),
    ('random', 'direct, random, 1 reader'),
    ('random12', 'direct, random, 12 readers'),
    ('buffered', 'buffered, sequential, 1 reader'),
    ('buffered12', 'buffered, sequential, 12 readers'),
    ('anywhere', 'buffered, random, 1 reader'),
    ('anywhere12', 'buffered, random, 12 readers'),
]
IO_ROWS = [
    ('alone', 'untraced, in all'),
    ('switches', 'untraced, switches of a CPU from one task to another'),
    ('block', 'ktrace io --layers block'),
    ('layers', 'ktrace io --layers syscall,fs,sched,block'),
    ('looked', 'ktrace io --slow 10s (the queueing task is noted, no read is slow)'),
    ('recorded', 'ktrace io --slow 0 (each read is recorded, and printed afterwards)'),
    ('by_comm', 'ktrace io --by comm'),
    ('bpftrace', 'bpftrace, one hist() from issue to completion'),
    ('bcc', 'BCC, one histogram from issue to completion'),
]
IO_TARGETS = {'block': '600', 'layers': '2800'}
WALL_DISKS = [('virtio', 'virtio'), ('nvme', 'NVMe'), ('scsi', 'SCSI')]
WALL_ROWS = [('block', 'ktrace io --layers block'), ('layers', 'ktrace io')]
DELAYS = [
    ('cgroup', "before it is queued: a cgroup's io.max"),
    ('cpu', 'on the CPU: another program has it'),
    ('tag', 'before it gets a request: another has the only one'),
    ('plug', 'in the plug: the task goes on with something else'),
    ('scheduler', "in the scheduler: the device is busy with another's"),
    ('null_blk', "in the driver: null_blk's timer"),
    ('scsi_debug', "in the driver: scsi_debug's timer"),
    ('virtio', 'in the device: virtio-blk, throttled by QEMU'),
    ('nvme', 'in the device: NVMe, throttled by QEMU'),
    ('scsi', 'in the device: SCSI, throttled by QEMU'),
]
DELAY_FIGURES = [('said', 'added'), ('q2g', 'Q2G'), ('g2i', 'G2I'), ('i2d', 'I2D'), ('d2c', 'D2C'),
                 ('wait', 'waiting for a CPU'), ('blocked', 'blocked'), ('run', 'running'),
                 ('syscall', 'in system calls')]
SYSENTER_ROWS = [
    ('untraced', 'untraced call'),
    ('entry_exit', 'entry and exit of it'),
    ('entry', 'traced: entry'),
    ('handler', 'traced: handler'),
    ('exit', 'traced: exit'),
]
EQUAL_CALLS = ['ls', 'dd', 'perl', 'sqlite3', 'sh', 'syscalls32']
EQUAL_REQUESTS = [
    ('fio_virtio', 'virtio-blk, 16 in flight'),
    ('fio_nvme', 'NVMe, 16 in flight'),
    ('fio_scsi', 'SCSI, 16 in flight'),
    ('ext4_virtio', 'ext4 on virtio-blk, 12 jobs'),
    ('ext4_nvme', 'ext4 on NVMe, 12 jobs'),
    ('ext4_scsi', 'ext4 on SCSI, 12 jobs'),
    ('xfs_null', 'xfs on null_blk, 12 jobs'),
]


def measured(figures, kernels, prefix):
    """Returns the kernels that have figures with this prefix."""
    return [k for k in kernels if any(key.startswith(prefix) for at, key in figures if at == k)]


def print_io(figures, kernels):
    for kernel in kernels:
        print('\n| Linux %s | ' % figures[kernel, 'release'] +
              ' | '.join(text for _, text in IO_KINDS) + ' | target |')
        print('|---|' + '---|' * (len(IO_KINDS) + 1))
        for row, text in IO_ROWS:
            cells = [figures.get((kernel, 'io_%s.%s' % (kind, row)), '-') for kind, _ in IO_KINDS]
            print('| %s | %s | %s |' % (text, ' | '.join(cells), IO_TARGETS.get(row, '')))


def print_wall(figures, kernels):
    for kernel in measured(figures, kernels, 'wall_'):
        print('\n| Linux %s | ' % figures[kernel, 'release'] +
              ' | '.join(text for _, text in WALL_DISKS) + ' |')
        print('|---|' + '---|' * len(WALL_DISKS))
        print('| untraced, us per read | ' + ' | '.join(
            figures.get((kernel, 'wall_%s.alone' % disk), '-') for disk, _ in WALL_DISKS) + ' |')
        for row, text in WALL_ROWS:
            found = [[figures.get((kernel, 'wall_%s.%s%s' % (disk, row, which)), '-')
                      for which in ('', '_least', '_most')] for disk, _ in WALL_DISKS]
            cells = ['%s (%s to %s)' % tuple(cell) if '-' not in cell else '-' for cell in found]
            print('| %s | %s |' % (text, ' | '.join(cells)))


def print_delays(figures, kernels):
    for kernel in kernels:
        print('\n| Linux %s, ms | ' % figures[kernel, 'release'] +
              ' | '.join(text for _, text in DELAY_FIGURES) + ' |')
        print('|---|' + '---|' * len(DELAY_FIGURES))
        for case, text in DELAYS:
            print('| %s | %s |' % (text, ' | '.join(
                figures.get((kernel, 'delay_%s.%s' % (case, key)), '-')
                for key, _ in DELAY_FIGURES)))


def print_sysenter(figures, kernels):
    for kernel in measured(figures, kernels, 'sysenter_'):
        print('\n| Linux %s | instructions, off | on | ratio | ns, off | on | ratio |'
              % figures[kernel, 'release'])
        print('|---|' + '---|' * 6)
        for row, text in SYSENTER_ROWS:
            cells = []
            for unit in '', '_ns':
                off, auto = [figures.get((kernel, 'sysenter_%s%s.%s' % (which, unit, row)))
                             for which in ('off', 'auto')]
                cells += [off, auto, '%.2f' % (int(auto) / int(off))] if off and auto else ['-'] * 3
            print('| %s | %s |' % (text, ' | '.join(cells)))


def print_equality(others, what, rows, figures, kernels):
    """Prints two columns per kernel: the other tool's counts and ktrace's."""
    print('\n| %s | ' % what + ' | '.join('%s, Linux %s | ktrace' % (others, figures[k, 'release'])
                                         for k in kernels) + ' |')
    print('|---|' + '---|---|' * len(kernels))
    for key, text in rows:
        cells = [figures.get((k, 'equal_%s.%s' % (key, who)), '-').replace(',', ' / ')
                 for k in kernels for who in ('other', 'ktrace')]
        print('| %s | %s |' % (text, ' | '.join(cells)))


def print_table(what, prefix, rows, figures, kernels):
    print('| %s | ' % what + ' | '.join('Linux %s' % figures[k, 'release'] for k in kernels) +
          ' | target |')
    print('|---|' + '---|' * (len(kernels) + 1))
    for key, text, target in rows:
        print('| %s | %s | %s |' % (text, ' | '.join(figures.get((k, prefix + key), '-')
                                                    for k in kernels), target))


def print_disk(figures, kernels):
    """Prints one kind of read for each kernel; the appendix has all kinds."""
    print('| one read | ' + ' | '.join('Linux %s' % figures[k, 'release'] for k in kernels) +
          ' | target |')
    print('|---|' + '---|' * (len(kernels) + 1))
    for row, text in IO_ROWS:
        if row != 'switches':
            print('| %s | %s | %s |' % (text, ' | '.join(figures.get((k, 'io_direct.' + row), '-')
                                                        for k in kernels), IO_TARGETS.get(row, '')))


def read(path):
    """Returns the figures, by kernel and key, and the kernels."""
    figures, kernels = {}, []
    with open(path) as lines:
        for line in lines:
            kernel, key, value = line.split()
            figures[kernel, key] = value
            if kernel not in kernels:
                kernels.append(kernel)
    return figures, kernels


def say(text):
    print(textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False))


def print_main(figures, kernels):
    print('# What tracing costs\n')
    say('Written by `make bench`. This page compares the cost of ktrace with the cost of other '
        'tracers, in instructions above the untraced program. They were measured in a virtual '
        'machine whose time is the number of executed instructions (`ICOUNT=1`), all tracers in '
        'the same boot. [costs-reasons.md](costs-reasons.md) explains the figures, and '
        '[costs-appendix.md](costs-appendix.md) has the others. What it costs to pass records on '
        'to collectors is in [costs-streams.md](costs-streams.md), and profiles are compared in '
        '[costs-samples.md](costs-samples.md).')
    print()
    print('![instructions per event, newest kernel](costs.svg)\n')
    say('One call of a user function, entry and return. The first figure of a pair is of a '
        'function that begins with an instruction which the kernel emulates (push), the second '
        'of a function that begins with one which it must single-step (sub).')
    print()
    print('| one call | ' + ' | '.join('Linux %s' % figures[k, 'release'] for k in kernels) +
          ' | target (6.1) |')
    print('|---|' + '---|' * (len(kernels) + 1))
    for key, text, target in ROWS:
        cells = ['%s / %s' % (figures.get((k, 'hot_push.' + key), '-'),
                              figures.get((k, 'hot_sub.' + key), '-')) for k in kernels]
        cells.append('%d / %d' % target if target else '')
        print('| %s | %s |' % (text, ' | '.join(cells)))
    print()
    say('One system call (getppid), counted in its histogram, while the calls of all processes '
        'are counted:')
    print()
    print_table('one system call', 'syscall.', SYSCALL_ROWS, figures, kernels)
    print()
    say('One call of a kernel function, entry and return (fprobe from 6.12 on, kretprobe '
        'before):')
    print()
    print_table('one kernel function', 'kfunc.', KFUNC_ROWS, figures, kernels)
    print()
    say('One direct, sequential read of 4 KiB by one reader, from a disk that answers at once '
        '(null_blk, its timer set to 1 ns):')
    print()
    print_disk(figures, kernels)
    print()
    say('A program with 3000 functions (9000 sites). No process runs it during the attach; '
        'afterwards each function is called once:')
    print()
    print_table('', '', [
            ('attach_3000_ms', 'attach, ms at a billion instructions per second', '500'),
            ('detach_3000_ms', 'detach, ms at a billion instructions per second', '500'),
            ('module_3000_kib', 'memory that the module accounts for, KiB', ''),
            ('system_3000_kib', 'reduction of the memory available in the system, KiB', ''),
            ('module_4cpu_kib', 'memory that the module accounts for with 4 CPUs, KiB', '65536'),
            ('command_kib', 'highest memory of the command, KiB', '')], figures, kernels)


def print_appendix(figures, kernels):
    print('# What tracing costs: appendix\n')
    say('Written by `make bench`. This page has the figures that [costs.md](costs.md) leaves '
        'out.')
    print()
    print('## Entry and exit of the kernel\n')
    say("A system call that does nothing (`ktrace sysenter`, medians), with the kernel's "
        'mitigations off and on, on a processor that needs them (`CPU=Skylake-Client`). '
        'Instructions do not show the cost of a new CR3, of a cleared branch predictor or of '
        'emptied buffers. By the clock, an emulator pays far more for a new CR3 than a '
        'processor does:')
    print_sysenter(figures, kernels)
    print('\n## Reads of a disk\n')
    say('One read of 4 KiB from a disk that answers at once (null_blk, its timer set to 1 ns), in '
        'instructions above the untraced read. Buffered reads cause few requests, because the '
        'kernel reads ahead. A figure below 0 means that untraced runs differ from one boot to '
        'the next by more than tracing adds:')
    print_io(figures, kernels)
    print()
    say('The next tables compare times: direct reads of 4 KiB, 4 at a time, from disks that '
        'QEMU emulates, on emulated CPUs. A figure is the time of traced reads divided by that '
        'of untraced reads: the median of seven rounds, with the minimum and the maximum in '
        'brackets. Each round reads in all three ways, one after the other. "-" means that QEMU '
        'lost requests of that disk, which its NVMe sometimes does, traced or not.')
    print_wall(figures, kernels)
    print('\n## What a delay moves\n')
    say('40 reads one after the other, first without a delay, then with a delay in one place of '
        'their path. The column "added" is the time that the delay added, as the reader '
        'measures it. The other columns show by how much the figures of ktrace io grew:')
    print_delays(figures, kernels)
    print('\n## What is counted\n')
    say('The first table compares the system calls of a program as strace and ktrace count them: '
        'kinds / calls / errors. The second table compares direct reads and writes, and their '
        'bytes, as fio and ktrace count them. The two columns of a kernel must be equal:')
    print_equality('strace -c -f', 'kinds / calls / errors', [(key, key) for key in EQUAL_CALLS],
                   figures, kernels)
    print_equality('fio', 'reads / bytes / writes / bytes', EQUAL_REQUESTS, figures, kernels)


BARS = [
    ('one call of a user function (push)', 'hot_push.', [
        ('count', 'ktrace --count'), ('sites', 'ktrace'), ('libbpf', 'libbpf'),
        ('bpftrace', 'bpftrace')]),
    ('one system call', 'syscall.', [
        ('ktrace', 'ktrace'), ('bpftrace', 'bpftrace'), ('strace', 'strace -c')]),
    ('one call of a kernel function', 'kfunc.', [
        ('count', 'ktrace --count'), ('ktrace', 'ktrace'), ('bpftrace', 'bpftrace')]),
    ('one read of a disk', 'io_direct.', [
        ('block', 'ktrace'), ('bcc', 'BCC'), ('bpftrace', 'bpftrace')]),
]
BAR_PIXELS, BAR_MOST = 400, 5000


def print_picture(figures, kernel):
    """Prints a bar for each tracer. A bar that is too long is cut and marked with "..."."""
    y, lines = 30, []
    for title, prefix, bars in BARS:
        lines.append('<text x="8" y="%d" font-weight="bold">%s</text>' % (y, title))
        for key, text in bars:
            y += 20
            value = figures.get((kernel, prefix + key))
            if value is None:
                continue
            is_cut = int(value) > BAR_MOST
            width = BAR_PIXELS * min(int(value), BAR_MOST) // BAR_MOST
            colour = '#2a6fb0' if text.startswith('ktrace') else '#b0b0b0'
            lines.append('<text x="120" y="%d" text-anchor="end">%s</text>' % (y, text))
            lines.append('<rect x="128" y="%d" width="%d" height="14" fill="%s"/>'
                         % (y - 11, width, colour))
            lines.append('<text x="%d" y="%d">%s%s</text>'
                         % (134 + width, y, '... ' if is_cut else '', value))
        y += 30
    print('<svg xmlns="http://www.w3.org/2000/svg" width="640" height="%d" '
          'font-family="sans-serif" font-size="13">' % (y - 10))
    print('<rect width="100%" height="100%" fill="white"/>')
    print('<text x="8" y="14">instructions added, Linux %s</text>' % figures[kernel, 'release'])
    print('<g transform="translate(0 10)">')
    print('\n'.join(lines))
    print('</g>\n</svg>')


def main(path, folder):
    figures, kernels = read(path)
    for name, write, what in (('costs.md', print_main, kernels),
                              ('costs-appendix.md', print_appendix, kernels),
                              ('costs.svg', print_picture, kernels[-1])):
        with open(os.path.join(folder, name), 'w') as file, contextlib.redirect_stdout(file):
            write(figures, what)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
