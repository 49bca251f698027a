# SPDX-License-Identifier: GPL-2.0
"""ktrace sched --stacks: where threads leave their CPU."""
import errno
import json
import os
import struct
import subprocess

import silent_fuse
from genl import COUNTERS, Client, Refused, asked, u32
from suite import SLOW
from test_sched import BLOCKED, check, figures
from tool import RELEASE, TMP, ktrace, sessions, timely, undisturbed, victim, wait_for

NAP = ['hrtimer_nanosleep', 'do_nanosleep']


def check_known(rows, what):
    """If a program ends before its maps are read, its frames have no names."""
    timely(not [row for row in rows if row and row == len(row) * ['[gone]']], what)


def by_stack(*options):
    """Returns what --stacks shows, and checks that the stacks have all time that threads were
    off."""
    path = os.path.join(TMP, 'stacks')
    out = ktrace('sched', '--stacks', '--format', 'json', '-o', path, *options)[0]
    with open(path) as document:
        data = json.load(document)
    timely(not data['session']['counters']['lost_stacks'], data['session'])
    check(data)
    check_known([row['user'] for row in data['stacks'] if row.get('comm') == 'stacks' and
                 row['kind'] == 'sleep' and 'user' in row], data['stacks'])
    for kind in ('preempted',) + BLOCKED:
        rows = [row for row in data['stacks'] if row['kind'] == kind]
        assert sum(row['count'] for row in rows) == data['all'][kind]['count'], kind
        assert sum(row['total_ns'] for row in rows) == data['all'][kind]['total_ns'], kind
        assert max([row.get('max_ns', 0) for row in rows], default=0) == \
            data['all'][kind]['max_ns'], kind
    return data, out


def napping(data):
    return [row for row in data['stacks']
            if row['kind'] == 'sleep' and row.get('user', [])[:1] == ['nap']]


def of_nap(data, caller):
    rows = [row for row in napping(data) if row['user'][1] == caller]
    # The first stack of a process may be found by frame pointers.
    timely(len(rows) == 1, (caller, data['stacks']))
    return rows[0]


@undisturbed
def test_stacks_of_two_callers():  # debug
    """The same sleep from two places: each is counted as often and as long as it was called."""
    data, out = by_stack('--', victim('stacks'), '7', '3', '20000')
    said, slept = figures(out)['slept_ns'], 0
    for caller, times in ('via_a', 7), ('via_b', 3):
        row = of_nap(data, caller)
        assert row['count'] <= times and (row['kind'], row['comm']) == ('sleep', 'stacks'), row
        # A thread that is stalled until its timer has expired does not sleep at all.
        timely(row['count'] == times, row)
        assert row['user'][2] == 'main' and row['kernel'][0] == '__schedule', row
        assert [name for name in row['kernel'] if name in NAP] == NAP[::-1], row
        assert {'do_syscall_64', 'system_call_fastpath'} & set(row['kernel']), row
        # The timer of a nap is set before the CPU is left.
        assert row['max_ns'] <= row['total_ns'], row
        timely(times * 18e6 <= row['total_ns'], row)
        assert not any('[ktrace]' in name for name in row['kernel']), row
        slept += row['total_ns']
    assert slept <= said, (slept, said)
    timely(said <= 1.5 * slept, (slept, said))


@undisturbed
def test_stacks_where_the_cpu_was_taken():
    """Two tasks on one CPU: both are preempted in the function that spins, in the child too."""
    # Before 4.1 the program's frame pointer is lost when an interrupt returns.
    frames = ['spin_here', 'main'] if RELEASE >= (4, 1) else ['spin_here']
    data = by_stack('--', victim('stacks'), 'spin', '300')[0]
    rows = [row for row in data['stacks'] if row['kind'] == 'preempted' and
            row.get('user', [])[:2] == frames]
    assert all(row['comm'] == 'stacks' for row in rows), data['stacks']
    whole, spun = data['all']['preempted'], sum(row['total_ns'] for row in rows)
    timely(rows and spun > 0.5 * whole['total_ns'], (rows, whole, data['stacks']))


@undisturbed
def test_stacks_of_functions_without_frames():
    """The caller of a function like those of libc: rbp leads to the caller of this caller."""
    data = by_stack('--', victim('stacks'), 'bare', '5', '20000')[0]
    rows = [row['user'] for row in data['stacks'] if row['kind'] == 'sleep' and
            row.get('user', [''])[0] in ('bare_nap', 'pushing_nap')]
    timely(rows, data['stacks'])
    # Before 4.1 the kernel does not save the program's stack pointer.
    callers = ['on_call', 'on_pointer', 'on_pushing'] if RELEASE >= (4, 1) else 3 * ['main']
    assert {(row[0], row[1]) for row in rows} == \
        set(zip(('bare_nap', 'bare_nap', 'pushing_nap'), callers)), rows
    assert all('main' in row for row in rows), rows


@undisturbed
def test_stacks_deeper_than_kept():
    rows = napping(by_stack('--', victim('stacks'), 'deep', '200', '300000')[0])
    timely(rows, rows)
    assert len(rows) == 1 and rows[0]['count'] == 1, rows
    assert rows[0]['user'][1:] == 126 * ['go_down'] and rows[0]['user_end'] == '[truncated]', rows
    rows = napping(by_stack('--', victim('stacks'), 'deep', '100', '300000')[0])
    timely(rows, rows)
    assert rows[0]['user'][1:102] == 101 * ['go_down'] and rows[0]['user'][102] == 'main', rows
    assert rows[0].get('user_end') is None, rows


@undisturbed
def test_stacks_in_a_file_that_is_never_read():
    """No name is waited for: the frame is a place in its file. No server of a file can stop the
    command."""
    with silent_fuse.mounted(os.path.join(TMP, 'silent')) as path:
        data = by_stack('--unwind', 'fp', '--', victim('stacks'), 'strange', path, '50000')[0]
        rows = [row for row in data['stacks'] if row['kind'] == 'sleep' and row.get('user', [])[:1] == ['strange']]
        assert [row['user'][1] for row in rows] == ['file+0xf'], rows


@undisturbed
def test_stacks_of_all():
    """Threads of the kernel too, which have no frames of a program."""
    data = by_stack('-d', '500ms')[0]
    rows = [row for row in data['stacks'] if 'kthread' in row.get('kernel', [])]
    assert all(row['user'] == [] for row in rows), rows
    timely(rows, data['stacks'])


@undisturbed
def test_stacks_folded():
    path = os.path.join(TMP, 'folded')
    ktrace('sched', '--stacks', '--format', 'folded', '-o', path, '--', victim('stacks'), '4', '0',
           '20000')
    with open(path) as file:
        lines = [line.rsplit(' ', 1) for line in file.read().splitlines()]
    check_known([stack.split(';')[1:3] for stack, _ in lines
                 if stack.startswith('stacks;') and '[sleep]' in stack], lines)
    found = [(stack, int(ns)) for stack, ns in lines
             if ';main;via_a;nap;' in stack and '[sleep]' in stack]
    # The map of a process is made within a tick; until then frame pointers are used.
    timely(len(found) == 1, lines)
    assert found[0][0].startswith('stacks;') and found[0][0].endswith(';__schedule;[sleep]'), found
    timely(80_000_000 <= found[0][1] < 800_000_000, found)


@undisturbed
def test_stacks_intervals_add_up():
    """Stacks keep their numbers over a reset."""
    naps = 40 * SLOW
    out = ktrace('sched', '--stacks', '--format', 'json', '-i', '100ms', '-o',
                 os.path.join(TMP, 'parts'), '--', victim('stacks'), str(naps), '0',
                 '20000')[0]
    with open(os.path.join(TMP, 'parts')) as lines:
        parts = [json.loads(line) for line in lines]
    check_known([row['user'] for part in parts for row in part['stacks']
                 if row.get('comm') == 'stacks' and row['kind'] == 'sleep' and 'user' in row], parts)
    rows = [row for part in parts for row in napping(part)]
    assert sum(row['count'] for row in rows) <= naps, (out, rows)
    timely(sum(row['count'] for row in rows) == naps, (out, rows))
    timely(len(parts) > 2, parts)


def test_stacks_that_have_no_room():  # debug
    """Eight stacks are kept; periods with other stacks count without one, and are reported."""
    client = Client()
    session = client.call('SESSION_NEW', **asked(
        'SCHED', 'HIST', 'TREE', 'STACKS', LIMIT={'MAX_NODES': u32(64)}))[0]['SESSION']
    client.call('SESSION_COMMIT', SESSION=session)
    wait_for(lambda: [s['state'] for s in sessions()] == ['active'])
    subprocess.run([victim('stacks'), '2', '2', '1000'], stdout=subprocess.DEVNULL)

    def lost():
        counters = client.call('SESSION_GET', SESSION=session)[0]['COUNTERS']
        return dict(zip(COUNTERS, struct.unpack('%dQ' % len(COUNTERS), counters)))['lost_stacks']
    wait_for(lost)
    stacks = [answer for answer in client.dump('STACK_GET', SESSION=session) if 'STACK' in answer]
    assert [u32(nr) for nr in range(8)] == [stack['STACK'] for stack in stacks], stacks
    later = client.dump('STACK_GET', SESSION=session, CURSOR=struct.pack('Q', 6))
    assert [answer for answer in later if 'STACK' in answer] == stacks[6:], later
    for beyond in 8, 1 << 40:
        answers = client.dump('STACK_GET', SESSION=session, CURSOR=struct.pack('Q', beyond))
        assert [answer for answer in answers if 'STACK' in answer] == [], answers
    client.call('SESSION_DEL', SESSION=session)
    client.close()


def test_stacks_need_a_tree():
    client = Client()
    for wrong in (asked('SCHED', 'HIST', 'STACKS'), asked('SCHED', 'HIST', 'TREE'),
                  asked('SYSCALLS', 'TREE', 'STACKS')):
        try:
            client.call('SESSION_NEW', **wrong)
            raise AssertionError('%r was accepted' % wrong)
        except Refused as refused:
            assert refused.errno == errno.EINVAL, refused
    client.close()
    for options in (('--format', 'folded'), ('--stacks', '--wide'), ('--stacks', '--sort', 'run'),
                    ('--stacks', '--by', 'tid'), ('--wide', '--by', 'tid')):
        assert 'ktrace: ' in ktrace('sched', '-d', '1', *options, status=2)[1]
