# SPDX-License-Identifier: GPL-2.0
"""One record per call (KTRACE_F_NO_ENTRIES): the EXITs alone give the tree that the module has."""
import collections
import heapq
import json
import os
import struct
import subprocess

from genl import RECORD_HEADER, Client, Refused, asked, bits_of, u32, u64
from tool import TMP, balanced, detach_all, ktrace, limit, session_of, victim, wait_for

REC = bits_of('KTRACE_REC_F_', RECORD_HEADER)
ENTRY, EXIT, TASK_EXIT, SYSCALL = 1, 2, 3, 6
ROOT = 0xffffffff
Record = collections.namedtuple('Record', 'time kind tid func depth flags nr duration')

teardown = detach_all


def attach(name, *options):
    """The session s of all functions of a victim, with one record per call."""
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim(name), '--name', 's', '--no-lib',
           '--stream', '--buffer', '16M', *options,
           env=dict(os.environ, LD_PRELOAD=victim('one_record.so')))


def run(name, *args):
    return subprocess.run([victim(name), *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          timeout=limit(60)).returncode


def records_in(data):
    at, end = 80, struct.unpack_from('Q', data, 40)[0] // 8
    while at < end:
        time, kind, tid, func, depth, flags, nr = struct.unpack_from('QIIIHBB', data, at)
        nr_times = 2 if kind >= SYSCALL else kind == EXIT
        duration = struct.unpack_from('Q', data, at + 24)[0] if nr_times else 0
        yield Record(time, kind, tid, func, depth, flags, nr, duration)
        at += 24 + 8 * (nr + nr_times)


def packets_of(client, session, cpu, cursor=0):
    """Yields the packets of a CPU from number cursor on, (number, packet), and keeps them."""
    first = cursor
    while True:
        answers = client.dump('STREAM_READ', SESSION=u64(session), CPU=u32(cpu), CURSOR=u64(cursor),
                              KEEP=u64(first), FLAGS=u32(1))
        packets = [one for one in answers if 'PACKET' in one]
        if not packets:
            return
        for one in packets:
            cursor, = struct.unpack('Q', one['CURSOR'])
            yield cursor, one['PACKET']
        cursor += 1


def records():
    """All records of s, none of which is lost, in order of time."""
    client, session = Client(), session_of('s')
    cpus = [[record for _, packet in packets_of(client, session['id'], cpu)
             for record in records_in(packet)] for cpu in range(os.cpu_count())]
    client.close()
    for one in cpus:
        assert all(a.time <= b.time for a, b in zip(one, one[1:]))
    found = list(heapq.merge(*cpus, key=lambda record: record.time))
    counters = session_of('s')['counters']
    assert balanced(counters) and counters['dropped'] == 0, counters
    assert counters['produced'] == len(found), (counters, len(found))
    return found


def add(node, func, calls, below):
    """node: by function, [calls, node]."""
    one = node.setdefault(func, [0, {}])
    one[0] += calls
    for callee, (nr, deeper) in below.items():
        add(one[1], callee, nr, deeper)


def tree_of(found):
    """Builds the tree of all threads from calls in the order of their ends."""
    threads, root = collections.defaultdict(list), {}
    for record in found:
        pending = threads[record.tid]
        if record.kind == ENTRY and record.flags & REC['NO_RETURN']:
            pending.append((record.depth, record.func, 1, {}))
        elif record.kind == EXIT:
            below = {}
            while pending and pending[-1][0] > record.depth:
                depth, func, calls, deeper = pending.pop()
                assert depth == record.depth + 1, (record, depth, func)
                add(below, func, calls, deeper)
            pending.append((record.depth, record.func,
                            0 if record.flags & REC['INHERITED'] else 1, below))
    for tid, pending in threads.items():
        for depth, func, calls, below in pending:
            assert depth == 0, (tid, depth, func)
            add(root, func, calls, below)
    return root


def paths_of(node, path=()):
    for func, (calls, below) in node.items():
        if calls:
            yield (*path, func), calls
        yield from paths_of(below, (*path, func))


def module_paths():
    """The calls of each path, as the module counts them."""
    client = Client()
    answers = client.dump('TREE_GET', SESSION=u64(session_of('s')['id']))
    client.close()
    nodes = {node: (parent, func, calls) for one in answers
             for node, parent, func, _, calls, _, _ in struct.iter_unpack('IIIIQQq', one['NODES'])}
    paths = collections.Counter()
    for parent, func, calls in nodes.values():
        path = [func]
        while parent != ROOT:
            parent, func, _ = nodes[parent]
            path.append(func)
        paths[tuple(reversed(path))] += calls
    return {path: calls for path, calls in paths.items() if calls}


def rows():
    return json.loads(ktrace('ctl', 'read', 's', '--format', 'json')[0])['rows']


def stop():
    client = Client()
    client.call('SESSION_STOP', SESSION=u64(session_of('s')['id']))
    client.close()
    wait_for(lambda: session_of('s')['state'] == 'stopped')


def check():
    """Returns the records of the session, which has stopped."""
    found = records()
    entries = sum(row['entries'] for row in rows())
    alone = [record for record in found if record.kind == ENTRY]
    assert all(record.flags & REC['NO_RETURN'] for record in alone), alone[:3]
    exits = [record for record in found
             if record.kind == EXIT and not record.flags & REC['INHERITED']]
    assert len(exits) + len(alone) == entries > 0, (len(exits), len(alone), entries)
    built = dict(paths_of(tree_of(found)))
    assert built == module_paths(), (sorted(built.items())[:20], sorted(module_paths().items())[:20])
    return found


def check_program(name, *args, status=None):
    attach(name)
    got = run(name, *args)
    assert status is None or got == status, got
    stop()
    found = check()
    assert not [record for record in found if record.flags & REC['OPEN']], found[-3:]
    ktrace('ctl', 'detach', 's')
    return found


def test_recursion():
    check_program('recursion')
    check_program('mutual')


def test_tail_calls():
    found = check_program('tailcall')
    exits = [record for record in found if record.kind == EXIT]
    assert 0 < len([record for record in exits if record.flags & REC['TAIL']]) < len(exits)
    check_program('tails-O2')


def test_exceptions_and_longjmp():
    found = check_program('exception')
    assert [record for record in found if record.flags & REC['UNWOUND']]
    check_program('longjmp')


def test_threads_and_forks():
    assert len({record.tid for record in check_program('threads64')}) > 60
    found = check_program('forknoexec')
    assert [record for record in found if record.flags & REC['INHERITED']]
    check_program('vforkchild')


def test_killed():
    """A process that is killed, and one that executes another program."""
    found = check_program('unfinished', 'kill', status=-9)
    assert len([record for record in found if record.flags & REC['KILLED']]) == 2, found
    check_program('unfinished', 'exec')


def staying():
    """Starts a program in which main and work stay open."""
    process = subprocess.Popen([victim('unfinished'), 'stay'], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == '50 ms\n'
    return process


def end(process):
    process.kill()
    process.communicate()


def test_open_at_stop():
    """Calls that are open when the session ends have an EXIT each, innermost first per thread."""
    attach('unfinished')
    processes = [staying() for _ in range(3)]
    try:
        stop()
    finally:
        for process in processes:
            end(process)
    found = check()
    opened = [record for record in found if record.flags & REC['OPEN']]
    assert len(opened) == 6 and not [one for one in found if one.flags & REC['KILLED']], found
    for process in processes:
        inner, outer = [record for record in opened if record.tid == process.pid]
        assert (inner.depth, outer.depth) == (1, 0)
        assert 50000000 < inner.duration < outer.duration, (inner, outer)


def test_open_at_pause():
    attach('unfinished')
    process = staying()
    try:
        ktrace('ctl', 'pause', 's')
        opened = [record for record in records() if record.flags & REC['OPEN']]
        assert len(opened) == 2, opened
        ktrace('ctl', 'resume', 's')
    finally:
        end(process)
    stop()
    check()


def test_min_time():
    """A shorter call has no record, and a caller of a longer one has one, and no late ENTRY."""
    attach('unfinished', '--min-time', '40ms')
    run('unfinished', 'exit')
    stop()
    found = [record for record in records() if record.kind != TASK_EXIT]
    assert [(one.kind, one.depth) for one in found] == [(EXIT, 1), (EXIT, 0)], found
    assert dict(paths_of(tree_of(found))) == module_paths()


def test_min_time_changes():
    """Whether a call is kept is decided when it ends, also if the limit came or went meanwhile."""
    attach('unfinished', '--min-time', '1000s')
    process = staying()
    try:
        ktrace('ctl', 'change', 's', '--min-time', '0')
        stop()
    finally:
        end(process)
    found = [record for record in records() if record.kind != TASK_EXIT]
    assert [(one.kind, one.depth) for one in found] == [(EXIT, 1), (EXIT, 0)], found
    detach_all()
    attach('unfinished')
    process = staying()
    try:
        ktrace('ctl', 'change', 's', '--min-time', '1000s')
        stop()
    finally:
        end(process)
    found = [record for record in records() if record.kind != TASK_EXIT]
    # main, once and work began without a limit.
    assert sorted((one.kind, one.depth) for one in found) == [(EXIT, 0), (EXIT, 1), (EXIT, 1)], found


def test_values():
    """A call with recorded arguments has an ENTRY with them."""
    attach('values', '-f', 'factorial', '-A', 'factorial@1', '-R', 'factorial')
    run('values')
    stop()
    found = [record for record in records() if record.kind in (ENTRY, EXIT)]
    assert [one.kind for one in found] == [ENTRY] * 4 + [EXIT] * 4, found
    assert all(one.flags & REC['VALUES'] for one in found), found


def test_readers():
    """Outputs that expect entries show the calls all the same."""
    attach('recursion')
    run('recursion')
    stop()
    calls = len([record for record in records() if record.kind == EXIT])
    path = TMP + '/exits.json'
    ktrace('stream', 's', '--entries', '--to', 'json:' + path)
    with open(path) as file:
        events = collections.Counter(json.loads(line)['event'] for line in file)
    assert events['exit'] == calls > 0 and not events['entry'], events


def test_refused():
    """The flag needs a stream, and is one of user functions."""
    client = Client()
    with open('/bin/sh', 'rb') as file:
        target = {'FD': u32(file.fileno()), 'NR_FUNCS': u32(1)}
        for provider, sinks, more in (('USER', ('HIST',), {'TARGET': target}),
                                      ('SYSCALLS', ('STREAM',), {})):
            try:
                client.call('SESSION_NEW', **asked(provider, *sinks, flags=('NO_ENTRIES',), **more))
                raise AssertionError('not refused: ' + provider)
            except Refused as refused:
                assert refused.errno == 22 and refused.said, refused.said
    client.close()
