# SPDX-License-Identifier: GPL-2.0
"""Which files of the module the tests of a machine have reached, told by the kernel's function profiler."""
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
profiled = []   # the module's inode, which is another one when it was loaded again


def put(file, text):
    with open(TRACING + file, 'w') as out:
        out.write(text)


def start():
    """Begins anew if the module was loaded again: its functions are others."""
    inode = os.stat(MODULE).st_ino if os.path.exists(MODULE) else 0
    if profiled == [inode]:
        return
    profiled[:] = [inode]
    if not os.path.ismount(TRACING):
        subprocess.check_call(['mount', '-t', 'tracefs', 'trace', TRACING])
    put('function_profile_enabled', '0')
    # The second keeps the filter from being empty, which would be everything.
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
    """Those of each file; not those whose name another file has too."""
    files = {}
    for path in glob.glob(KMOD + '/*.c') + glob.glob(KMOD + '/*/*.c'):
        # Those are in a module of their own, which has its own test.
        if os.path.basename(path).startswith('selftest'):
            continue
        with open(path) as source:
            files[os.path.basename(path)] = set(DEFINED.findall(source.read()))
    count = collections.Counter(name for names in files.values() for name in names)
    return {file: {name for name in names if count[name] == 1}
            for file, names in files.items()}


def say():
    """For who puts together what several machines have reached."""
    files = functions()
    print('reached', *sorted(file for file, names in files.items() if names & hits.keys()))
    print('      %d functions of the module were called'
          % sum(name in hits for names in files.values() for name in names))
