# SPDX-License-Identifier: GPL-2.0
"""
Hostile messages, failing allocations, and everything at once.

FUZZ_MESSAGES (100000), STRESS_SECONDS (20) and SEED (1, or a random one with FULL=1) set the
amounts and the seed.
"""
import os
import re
import signal
import subprocess
import sys
import time

from genl import Client
from storm import Storm
from suite import Skip
from tool import detach_all, reload_module, sessions, victim, wait_for

SEED = int(os.environ.get('SEED') or (time.time() if os.environ.get('FULL') else 1))
SECONDS = int(os.environ.get('STRESS_SECONDS') or 20)
MESSAGES = int(os.environ.get('FUZZ_MESSAGES') or 100000)


def allow(seconds):
    """Sets the time limit of a test with a given duration: this time, and more time to end."""
    signal.alarm(int(3 * seconds + 900) * int(os.environ.get('KTRACE_SLOW') or 1))


def module_memory():
    client = Client()
    memory = int.from_bytes(client.call('INFO')[0]['MEM'], 'little')
    client.close()
    return memory


def teardown():
    detach_all()
    wait_for(lambda: module_memory() == 0)


def show(text):
    """Prints figures, for readers of the log, whether the test failed or not."""
    print('\n'.join('# ' + line for line in text.splitlines()), file=sys.stderr, flush=True)


def run_program(name, *args):
    done = subprocess.run([victim(name), *args], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode == 77:
        raise Skip(done.stdout.strip())
    show(done.stdout)
    assert done.returncode == 0, done.stdout


def test_netlink_fuzz():  # debug
    allow(MESSAGES / 500)
    run_program('genl_fuzz', str(MESSAGES), str(SEED))


def test_failing_allocations():  # debug
    allow(SECONDS)
    run_program('fail_nth', '1' if os.environ.get('FULL') else '3')


# --- everything at once ---------------------------------------------------------

def memory():
    """Returns /proc/meminfo in kB, after the caches were dropped."""
    with open('/proc/sys/vm/drop_caches', 'w') as drop:
        drop.write('3')
    with open('/proc/meminfo') as file:
        return {name: int(kb) for name, kb in re.findall(r'^(\w+):\s+(\d+) kB', file.read(), re.M)}


def compare(before, after):
    return ', '.join('%s %+d kB' % (name, after[name] - before[name])
                     for name in before if abs(after[name] - before[name]) >= 1024)


def is_given_back(before):
    after = memory()
    return (after['Percpu'] <= before['Percpu'] and
            after['MemAvailable'] >= before['MemAvailable'] * .99)


def stuck():
    """Returns processes that were found waiting in the kernel twice in a row."""
    def waiting():
        found = {}
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open('/proc/%s/stat' % pid) as stat:
                    name, state = re.match(r'\d+ \((.*)\) (.)', stat.read()).groups()
            except (OSError, AttributeError):
                continue
            if state == 'D':
                found[pid] = name
        return found
    first = waiting()
    time.sleep(0.5)
    return {pid: name for pid, name in waiting().items() if pid in first}


def limit_free_lists():
    """Pages in a CPU's own lists are in no figure of /proc/meminfo, so the lists are kept short."""
    for name in ('percpu_pagelist_high_fraction', 'percpu_pagelist_fraction'):
        if os.path.exists('/proc/sys/vm/' + name):
            with open('/proc/sys/vm/' + name, 'w') as fraction:
                fraction.write('100000')


def test_storm():
    allow(2 * SECONDS)
    limit_free_lists()
    storm = Storm(SEED)
    # After this, memory that is allocated once and kept has been allocated.
    storm.round(5)
    reload_module(200)
    before = memory()
    end = time.time() + SECONDS
    while time.time() < end:
        storm.round(min(15, max(5, SECONDS / 4)))
        teardown()
        assert sessions() == []
        reload_module(200)
    # A process that waits forever is found later, too.
    wait_for(lambda: not stuck())
    show('seed %d: %s' % (SEED, ', '.join('%s %d' % item for item in storm.tally.items())))
    for line, nr in storm.errors.most_common(40):
        show('%4d  %s' % (nr, line))
    assert all(storm.tally[what] for what in Storm.TALLIED), storm.tally
    try:
        wait_for(lambda: is_given_back(before))
    finally:
        show('of %d kB available: %s' % (before['MemAvailable'], compare(before, memory())))
