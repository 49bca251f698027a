# SPDX-License-Identifier: GPL-2.0
"""Cgroups of version 2, like those of services and containers."""
import os
import subprocess

from disks import run
from suite import Skip

CGROUPS = '/run/cgroup'


def with_known(*keys):
    """Returns lists of keys, without cgroups if the kernel has no version 2."""
    with open('/proc/filesystems') as file:
        has_cgroups = 'cgroup2' in file.read()
    return [one for one in keys if has_cgroups or 'cgroup' not in one]


def cgroup(name):
    """Creates a cgroup."""
    os.makedirs(CGROUPS, exist_ok=True)
    if not os.path.ismount(CGROUPS) and \
            subprocess.call(['mount', '-t', 'cgroup2', 'cgroup2', CGROUPS]):
        raise Skip('this kernel mounts no cgroups of version 2')
    path = os.path.join(CGROUPS, name)
    os.makedirs(path, exist_ok=True)
    return path


def run_in(path, *command):
    """Runs a command in a cgroup: a shell moves itself there and executes the command."""
    run('sh', '-c', 'echo $$ >%s/cgroup.procs && exec "$@"' % path, 'sh', *command)
