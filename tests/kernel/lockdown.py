# SPDX-License-Identifier: GPL-2.0
"""The kernel's lockdown, and loading of modules that it may refuse."""
import ctypes
import os
import re
import subprocess

from tool import wait_for

SECURITYFS, EFIVARS = '/sys/kernel/security', '/sys/firmware/efi/efivars'
SYS_FINIT_MODULE = 313
libc = ctypes.CDLL(None, use_errno=True)


def mount(kind, folder):
    if os.path.isdir(folder) and not os.listdir(folder):
        subprocess.check_call(['mount', '-t', kind, kind, folder])


def level():
    """Returns the level: none, integrity or confidentiality."""
    mount('securityfs', SECURITYFS)
    with open(SECURITYFS + '/lockdown') as file:
        return re.search(r'\[(\w+)\]', file.read()).group(1)


def raise_to(word):
    mount('securityfs', SECURITYFS)
    with open(SECURITYFS + '/lockdown', 'w') as file:
        file.write(word)
    assert level() == word


def load(path, parameters=''):
    """Loads a module; returns 0 or the kernel's error."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return ctypes.get_errno() if libc.syscall(SYS_FINIT_MODULE, fd, parameters.encode(),
                                                  0) else 0
    finally:
        os.close(fd)


def unload():
    """Unloads the module. Sessions that are no longer listed may take a moment to be freed."""
    wait_for(lambda: not subprocess.call(['rmmod', 'ktrace'], stderr=subprocess.DEVNULL))
