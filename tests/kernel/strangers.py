# SPDX-License-Identifier: GPL-2.0
"""Processes that are not root, or are root only in a namespace."""
import ctypes
import json
import os
import struct

NOBODY = 65534
PR_SET_DUMPABLE, PR_SET_KEEPCAPS = 4, 8
CAP_NET_ADMIN = 12
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def become_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def become_net_admin():
    check(libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
    become_nobody()
    bit = 1 << CAP_NET_ADMIN
    check(libc.capset(struct.pack('Ii', 0x20080522, 0),
                      struct.pack('6I', bit, bit, 0, 0, 0, 0)))


def become_root_of_namespace():
    """After the change of user, the process's files in /proc belong to root unless it is made
    dumpable."""
    become_nobody()
    check(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
    check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNET))
    for name, text in (('setgroups', 'deny'), ('uid_map', '0 %d 1' % NOBODY),
                       ('gid_map', '0 %d 1' % NOBODY)):
        with open('/proc/self/' + name, 'w') as file:
            file.write(text)


def effective():
    """Returns the effective capabilities of this process."""
    with open('/proc/self/status') as status:
        return int(next(line for line in status if line.startswith('CapEff')).split()[1], 16)


# Users who may not trace, and by what each is recognised: user and capabilities.
STRANGERS = {
    'nobody': (become_nobody, (NOBODY, 0)),
    'net_admin': (become_net_admin, (NOBODY, 1 << CAP_NET_ADMIN)),
    'root of a namespace': (become_root_of_namespace, (0, None)),
}


class Stranger:
    """A child that changes its user, reports that it is ready, and runs function() on command."""

    def __init__(self, name, function, before=None):
        become, (user, capabilities) = STRANGERS[name]
        ready, self.go_end = os.pipe(), os.pipe()
        self.answer_end = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                become()
                assert os.getuid() == user, os.getuid()
                assert capabilities is None or effective() == capabilities, effective()
                argument = before() if before else None
                os.write(ready[1], b'.')
                os.read(self.go_end[0], 1)
                result = function(argument) if before else function()
            except BaseException as error:  # pylint: disable=broad-except
                result = repr(error)
                os.write(ready[1], b'.')
            os.write(self.answer_end[1], json.dumps(result).encode())
            os._exit(0)
        os.read(ready[0], 1)
        for end in (*ready, self.go_end[0], self.answer_end[1]):
            os.close(end)

    def go(self):
        """Returns the result of function()."""
        os.write(self.go_end[1], b'.')
        with os.fdopen(self.answer_end[0]) as answer:
            result = json.load(answer)
        os.close(self.go_end[1])
        os.waitpid(self.pid, 0)
        return result
