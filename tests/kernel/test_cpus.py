# SPDX-License-Identifier: GPL-2.0
"""Machines on which very many CPUs are possible: buffers per CPU fit into the module's memory."""
import json

from tool import ktrace, none_left, run_to_file, victim

POSSIBLE = '/sys/devices/system/cpu/possible'

teardown = none_left


def test_defaults_fit():
    """Each command has its default buffers, and loses nothing."""
    with open(POSSIBLE) as file:
        assert file.read().strip() == '0-255'
    text = run_to_file('emptycall', '--format', 'json', '--stream', '-f', 'outer,empty', args=('1000',))[0]
    assert json.loads(text.splitlines()[-1])['complete'], text
    assert '} /* outer */' in run_to_file('emptycall', '-f', 'outer,seldom,empty', args=('10',))[0]
    for command in ('syscall', 'func', 'sched', 'io'):
        what = ['vfs_read'] if command == 'func' else []
        ktrace(command, *what, '--slow', '0', '-o', '/dev/null', '--', '/bin/true')


def test_buffers_that_do_not_fit():
    """A buffer that was asked for is not made smaller: the reason is reported."""
    _, errors = ktrace('run', '--buffer', '4M', '--', victim('emptycall'), '10', status=125)
    assert '--buffer for each CPU, would exceed' in errors, errors
