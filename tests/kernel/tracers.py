# SPDX-License-Identifier: GPL-2.0
"""Tracers without a module of their own: tracefs, perf and BPF, each with its smallest probe."""
import ctypes
import os
import shutil
import struct
import subprocess

from tool import limit, victim

TRACEFS = '/sys/kernel/tracing'
SYS_PERF_EVENT_OPEN, SYS_BPF = 298, 321
BPF_PROG_LOAD, BPF_PROG_TYPE_KPROBE, PROBE_READ_KERNEL = 5, 2, 113
libc = ctypes.CDLL(None, use_errno=True)


def syscall(*args):
    """Makes a system call; closes the descriptor that it opened. Returns 0 or the error."""
    fd = libc.syscall(*args)
    if fd < 0:
        return ctypes.get_errno()
    os.close(fd)
    return 0


def append(path, line):
    """Appends to a file of tracefs. open(path, 'a') would seek to an end, which does not exist."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, line.encode())
    finally:
        os.close(fd)


def tracefs(name, probe):
    """Writes a probe to a file of tracefs, and removes it."""
    if not os.path.exists(TRACEFS + '/README'):
        subprocess.call(['mount', '-t', 'tracefs', 'tracefs', TRACEFS], stderr=subprocess.DEVNULL)
    try:
        append(os.path.join(TRACEFS, name), 'p:others/probe %s\n' % probe)
        append(os.path.join(TRACEFS, name), '-:others/probe\n')
    except OSError as error:
        return error.errno
    return 0


def perf(source, config1, config2):
    """Opens a probe by perf_event_open(2)."""
    with open('/sys/bus/event_source/devices/%s/type' % source) as file:
        kind = int(file.read())
    attr = struct.pack('IIQQQQQIIQQ', kind, 120, 0, 0, 0, 0, 0, 0, 0, config1, config2)
    return syscall(SYS_PERF_EVENT_OPEN, attr.ljust(120, b'\0'), -1, 0, -1, 0)


def bpf_reads_kernel():
    """Loads, by bpf(2), a program that reads kernel memory, like those of bpftrace."""
    code = [(0xbf, 0xa1, 0, 0), (0x07, 0x01, 0, -8), (0xb7, 0x02, 0, 8), (0xb7, 0x03, 0, 0),
            (0x85, 0x00, 0, PROBE_READ_KERNEL), (0xb7, 0x00, 0, 0), (0x95, 0x00, 0, 0)]
    program = ctypes.create_string_buffer(b''.join(struct.pack('BBhi', *one) for one in code))
    licence = ctypes.create_string_buffer(b'GPL')
    attr = struct.pack('IIQQIIQII', BPF_PROG_TYPE_KPROBE, len(code), ctypes.addressof(program),
                       ctypes.addressof(licence), 0, 0, 0, 0, 0)
    return syscall(SYS_BPF, BPF_PROG_LOAD, attr.ljust(120, b'\0'), 120)


def bpftrace(name):
    """Returns status and output of bpftrace, which ends at the first call of a running function."""
    done = subprocess.run(['bpftrace', '-e', 'uprobe:%s:%s { exit(); }' % (victim(name), 'tick')],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit(100))
    return done.returncode, done.stdout


def has_bpftrace():
    return bool(shutil.which('bpftrace'))


def all_errors():
    """Returns the error of each tracer, 0 where it is allowed."""
    path = ctypes.create_string_buffer(victim('spin').encode())
    symbol = ctypes.create_string_buffer(b'vfs_read')
    return {'tracefs uprobe': tracefs('uprobe_events', victim('spin') + ':0x1000'),
            'tracefs kprobe': tracefs('kprobe_events', 'vfs_read'),
            'perf kprobe': perf('kprobe', ctypes.addressof(symbol), 0),
            'perf uprobe': perf('uprobe', ctypes.addressof(path), 0x1000),
            'bpf': bpf_reads_kernel()}
