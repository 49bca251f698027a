# SPDX-License-Identifier: GPL-2.0
"""Processes that are not root, or are root only in a namespace."""
import ctypes
import json
import os
import struct

NOBODY = 65534
PR_SET_DUMPABLE, PR_SET_KEEPCAPS = 4, 8
CAP_NET_ADMIN = 12
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
GROUP = 4242    # of the members, if the module is loaded with it
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


def become_member():
    os.setgroups([GROUP])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def become_member_in_container():
    """A new pid namespace begins with the next child."""
    check(libc.unshare(CLONE_NEWPID))
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os._exit(0)
    become_member()


def become_member_of_namespace():
    """A user namespace in which the group has its number."""
    ready, mapped = os.pipe(), os.pipe()
    parent = os.getpid()
    if not os.fork():
        os.read(ready[0], 1)
        for name in 'uid_map', 'gid_map':
            with open(f'/proc/{parent}/{name}', 'w') as file:
                file.write('0 0 65536')
        os.write(mapped[1], b'.')
        os._exit(0)
    check(libc.unshare(CLONE_NEWUSER))
    os.write(ready[1], b'.')
    os.read(mapped[0], 1)
    become_member()


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
# Users of whom the first may read if the module is loaded with GROUP.
MEMBERS = {
    'member': (become_member, (NOBODY, 0)),
    'member in a container': (become_member_in_container, (NOBODY, 0)),
    'member in a user namespace': (become_member_of_namespace, (NOBODY, 0)),
}


class Stranger:
    """A child that changes its user, reports that it is ready, and runs function() on command."""

    def __init__(self, name, function, before=None):
        become, (user, capabilities) = {**STRANGERS, **MEMBERS}[name]
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
