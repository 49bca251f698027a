# SPDX-License-Identifier: GPL-2.0
"""Finds out, by the kernel's function profiler, which files of the module the tests have
reached."""
import collections
import glob
import os
import re
import subprocess

KMOD = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../kmod')
TRACING = '/sys/kernel/tracing/'
DEFINED = re.compile(r'^\w[\w \t*]*?\b(\w+)\([^;{}=]*\n\{', re.M)

MODULE = '/sys/module/ktrace'

hits = collections.Counter()
profiled = []   # the module's inode, which changes when it is loaded again


def put(file, text):
    with open(TRACING + file, 'w') as out:
        out.write(text)


def start():
    """Begins again if the module was loaded again, because its functions are other ones then."""
    inode = os.stat(MODULE).st_ino if os.path.exists(MODULE) else 0
    if profiled == [inode]:
        return
    profiled[:] = [inode]
    if not os.path.ismount(TRACING):
        subprocess.check_call(['mount', '-t', 'tracefs', 'trace', TRACING])
    put('function_profile_enabled', '0')
    # The second pattern keeps the filter from being empty, which would mean all functions.
    put('set_ftrace_filter', ':mod:ktrace __do_sys_reboot')
    put('function_profile_enabled', '1')


def collect():
    for path in glob.glob(TRACING + 'trace_stat/function*'):
        with open(path) as stat:
            for line in stat:
                name, calls = line.split()[:2]
                if calls.isdigit():
                    hits[name] += int(calls)


def functions():
    """Returns the functions of each file, except those whose name occurs in another file too."""
    files = {}
    for path in glob.glob(KMOD + '/*.c') + glob.glob(KMOD + '/*/*.c'):
        # Self-tests are in a module of their own, which has its own test.
        if os.path.basename(path).startswith('selftest'):
            continue
        with open(path) as source:
            files[os.path.basename(path)] = set(DEFINED.findall(source.read()))
    count = collections.Counter(name for names in files.values() for name in names)
    return {file: {name for name in names if count[name] == 1}
            for file, names in files.items()}


def say():
    """Prints the files, so that tests/run.sh can combine those of several machines."""
    files = functions()
    print('reached', *sorted(file for file, names in files.items() if names & hits.keys()))
    print('      %d functions of the module were called'
          % sum(name in hits for names in files.values() for name in names))
