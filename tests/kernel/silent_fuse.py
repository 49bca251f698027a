# SPDX-License-Identifier: GPL-2.0
"""A FUSE file system with one file, whose content is never delivered; see include/uapi/linux/fuse.h
of Linux."""
import contextlib
import ctypes
import errno
import os
import signal
import stat
import struct
import subprocess

from suite import Skip

LOOKUP, FORGET, GETATTR, OPEN, READ, FLUSH, RELEASE, INIT, INTERRUPT, BATCH_FORGET = \
    1, 2, 3, 14, 15, 25, 18, 26, 36, 42
ROOT, FILE = 1, 2
LEN = 4096


def attributes(node):
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o444
    return struct.pack('<6Q10I', node, LEN, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, LEN, 0)


def answer_of(opcode, node):
    """Returns the error and the body of an answer; None if there is none."""
    if opcode in (READ, FORGET, INTERRUPT, BATCH_FORGET):
        return None
    if opcode == INIT:
        return 0, struct.pack('<4I2H2I2H8I', 7, 31, 65536, 0, 12, 9, 65536, 1, 16, 0, *[0] * 8)
    if opcode == LOOKUP:
        return 0, struct.pack('<4Q2I', FILE, 0, 60, 60, 0, 0) + attributes(FILE)
    if opcode == GETATTR:
        return 0, struct.pack('<Q2I', 60, 0, 0) + attributes(node)
    if opcode == OPEN:
        return 0, struct.pack('<Q2I', 1, 0, 0)
    return (0, b'') if opcode in (FLUSH, RELEASE) else (-errno.ENOSYS, b'')


def serve(device):
    while True:
        request = os.read(device, 1 << 17)
        _, opcode, unique, node = struct.unpack_from('<2I2Q', request)
        answer = answer_of(opcode, node)
        if answer:
            error, body = answer
            os.write(device, struct.pack('<IiQ', 16 + len(body), error, unique) + body)


@contextlib.contextmanager
def mounted(folder):
    """Gives the path of the file."""
    subprocess.call(['modprobe', '-q', 'fuse'])
    if not os.path.exists('/dev/fuse'):
        raise Skip('this kernel has no FUSE')
    os.makedirs(folder, exist_ok=True)
    device = os.open('/dev/fuse', os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = 'fd=%d,rootmode=40755,user_id=0,group_id=0' % device
    if libc.mount(b'silent', folder.encode(), b'fuse', 0, options.encode()):
        raise OSError(ctypes.get_errno(), 'mount')
    server = os.fork()
    if not server:
        try:
            serve(device)
        finally:
            os._exit(1)
    os.close(device)
    try:
        yield os.path.join(folder, 'file')
    finally:
        # Without its server, the kernel ends all requests.
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)
        subprocess.check_call(['umount', folder])
