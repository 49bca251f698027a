# SPDX-License-Identifier: GPL-2.0
"""
Hostile messages, and failing allocations.

FUZZ_MESSAGES (100000) and SEED say how much, and which.
"""
import os
import signal
import subprocess
import sys
import time

from genl import Client
from suite import Skip
from tool import ktrace, victim, wait_for

SEED = int(os.environ.get('SEED') or time.time())
SECONDS = int(os.environ.get('STRESS_SECONDS') or 60)
MESSAGES = int(os.environ.get('FUZZ_MESSAGES') or 100000)




def allow(seconds):
    """A test that is told how long to take has that time, and more to end."""
    signal.alarm(int(seconds + 120) * int(os.environ.get('KTRACE_SLOW') or 1))


def module_memory():
    client = Client()
    memory = int.from_bytes(client.call('INFO')[0]['MEM'], 'little')
    client.close()
    return memory


def teardown():
    ktrace('ctl', 'detach', '--all')
    wait_for(lambda: module_memory() == 0)


def show(text):
    """Figures are for whoever reads the log, failed or not."""
    print('\n'.join('# ' + line for line in text.splitlines()), file=sys.stderr, flush=True)


def run_program(name, *args):
    done = subprocess.run([victim(name), *args], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode == 77:
        raise Skip(done.stdout.strip())
    show(done.stdout)
    assert done.returncode == 0, done.stdout


def test_netlink_fuzz():
    allow(MESSAGES / 500)
    run_program('genl_fuzz', str(MESSAGES), str(SEED))


def test_failing_allocations():
    allow(SECONDS)
    run_program('fail_nth')
