# SPDX-License-Identifier: GPL-2.0
"""TRIGGER: the event that freezes a ring is in it, with its callers, and nothing that came later."""
import errno
import os
import struct
import subprocess
import time

from disks import MS, Null, dd_read, remove_nulls
from genl import EVENTS, Client, Refused, asked, counters_of, message_in, u32, u64
from test_exits import EXIT, REC, attach, packets_of, records_in
from test_privilege import symbol
from tool import balanced, detach_all, limit, session_of, victim, wait_for

ANY, ERROR = 0xffffffff, 1
D2C = 3
NANOSLEEP, OPENAT = 230, 257
RUN, RUN_OUT, WAKEUP, PREEMPTED, SLEEP, RUN_CUT = 0, 1, 2, 3, 4, 7
SLOW, AT_LEAST = 400, 200       # ms
CALLS = 10000


def teardown():
    detach_all()
    remove_nulls()


def trigger(func=ANY, flags=0, min_ns=0, after_ns=0):
    return struct.pack('IIQQ', func, flags, min_ns, after_ns)


class Session:
    """A session as a reader of its ring sees it."""

    def __init__(self, number, client=None):
        self.client = client or Client()
        self.number = number
        self.next = [0] * os.cpu_count()

    def answer(self):
        return self.client.call('SESSION_GET', SESSION=u64(self.number))[0]

    def counters(self):
        return counters_of(self.answer())

    def seen(self):
        """Returns time, frozen_from, duration, func, tid, error of the event; None: it is armed."""
        words = struct.unpack('QQQIIII', self.answer()['TRIGGERED'])[:6]
        return words if words[0] else None

    def arm(self):
        self.client.call('SESSION_ARM', SESSION=u64(self.number))

    def read(self):
        """Returns the records that were not read before, in order of time."""
        found = []
        for cpu, cursor in enumerate(self.next):
            for number, packet in packets_of(self.client, self.number, cpu, cursor):
                found += records_in(packet)
                self.next[cpu] = number + 1
            self.client.dump('STREAM_READ', SESSION=u64(self.number), CPU=u32(cpu),
                             CURSOR=u64(self.next[cpu]))
        return sorted(found, key=lambda record: record.time)


class Outlier:
    """The victim: many quick calls, one slow call, many quick ones."""

    def __init__(self, *options, depth=0, **wanted):
        os.environ['KTRACE_TRIGGER'] = '%d %d %d %d' % struct.unpack('IIQQ', trigger(**wanted))
        try:
            attach('outlier', *options)
        finally:
            del os.environ['KTRACE_TRIGGER']
        self.session = Session(session_of('s')['id'])
        self.process = subprocess.Popen([victim('outlier'), *[str(depth)] * bool(depth)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def run(self, calls=CALLS, ms=SLOW):
        self.process.stdin.write('%d %d\n' % (calls, ms))
        assert self.process.stdout.readline() == 'done\n'


def check_calls(victim_, records, seen):
    """The slow call and its callers are the last records, innermost first."""
    when, frozen_from, duration, func, tid, error = seen
    assert when == frozen_from and tid == victim_.process.pid and not error, seen
    assert SLOW * MS <= duration < 10 * SLOW * MS * limit(1), seen
    assert all(record.time <= frozen_from for record in records), (records[-3:], seen)
    inner, outer, main = records[-3:]
    assert (inner.func, inner.duration, inner.depth, inner.flags) == (func, duration, 2, 0), inner
    assert (outer.depth, outer.flags, main.depth, main.flags) == (1, REC['OPEN'], 0, REC['OPEN'])
    assert inner.duration <= outer.duration < main.duration
    assert {record.kind for record in records} == {EXIT}
    quick = records[:-3]
    assert len(quick) > 100 and len({record.func for record in quick}) <= 2, len(quick)


def test_slow_call():
    """It is found among many, each time, though the ring holds a few of them."""
    with Outlier('--buffer', '64K', min_ns=AT_LEAST * MS) as slow:
        session = slow.session
        for turn in range(3):
            before = session.counters()
            assert session.seen() is None
            slow.run()
            seen, after = session.seen(), session.counters()
            check_calls(slow, session.read(), seen)
            assert session.read() == []
            # After the slow call: outer, and the quick calls.
            assert after['after_trigger'] - before['after_trigger'] == CALLS + 1, (before, after)
            counters = session.counters()
            assert counters['dropped_full'] == 0 and balanced(counters), counters
            assert counters['held'] == 0 and counters['dropped_overwritten'] > turn * CALLS / 2
            produced = counters['produced']
            slow.run(ms=0)
            counters = session.counters()
            assert counters['produced'] == produced and session.seen() == seen, counters
            session.arm()
            session.arm()


def test_more_callers_than_half_a_ring():
    """The innermost callers are recorded, those that have no room are counted, and calls before stay."""
    depth, room = 1000, 2 * (15872 // 32 // 2)
    with Outlier('--buffer', '32K', depth=depth, min_ns=AT_LEAST * MS) as slow:
        slow.run()
        records, after = slow.session.read(), slow.session.counters()
        at = next(i for i, record in enumerate(records) if record.flags & REC['OPEN'])
        inner, opened = records[at - 1], records[at:]
        assert (inner.depth, inner.flags) == (depth + 2, 0) and inner.duration >= SLOW * MS, inner
        # outer() and nest(), from the innermost one outwards.
        assert [record.depth for record in opened] == list(range(depth + 1, depth + 1 - room, -1)), len(opened)
        assert all(record.flags == REC['OPEN'] for record in opened)
        assert len({record.func for record in opened[1:]}) == 1 != opened[0].func, opened[:2]
        # Two callers more than nest(), less those with room; then all calls that ended later.
        assert after['after_trigger'] == depth + 2 - room + CALLS + depth + 1, (after, room)
        assert at > 100 and balanced(after), (at, after)


def test_figures_go_on():
    with Outlier('--buffer', '64K', min_ns=AT_LEAST * MS) as slow:
        slow.run()
        slow.run()
        rows = {row['ENTRIES'] for row in functions(slow.session)}
        assert rows == {4 * CALLS, 2, 1}, rows


def functions(session):
    """Returns the rows of the table by function."""
    answers = session.client.dump('TABLE_GET', SESSION=u64(session.number))
    columns = next(one['COLUMNS'] for one in answers if 'COLUMNS' in one)
    names = [columns[at:at + 16].rstrip(b'\0').decode().upper() for at in range(0, len(columns), 32)]
    for one in answers:
        if 'CELLS' in one:
            yield dict(zip(names, struct.unpack('%dQ' % (len(one['CELLS']) // 8), one['CELLS'])))


def test_records_after_the_event():
    """With after_ns records are written for that long."""
    with Outlier('--buffer', '4M', min_ns=AT_LEAST * MS, after_ns=50 * MS) as slow:
        slow.run()
        when, frozen_from, *_ = slow.session.seen()
        assert frozen_from - when == 50 * MS
        wait_for(lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC) > frozen_from)
        slow.run(ms=0)
        times = [record.time for record in slow.session.read()]
        assert when < max(times) <= frozen_from, (when, frozen_from, max(times))
        assert slow.session.counters()['after_trigger'] > 0


def test_call_of_a_function():
    """A function without a limit: its first call fires."""
    with Outlier('--buffer', '64K') as slow:
        slow.run(calls=1, ms=0)
        _, _, _, func, _, _ = slow.session.seen()
        records = slow.session.read()
        assert [(one.func, one.depth, one.flags) for one in records[:1]] == [(func, 1, 0)], records
        assert [(one.depth, one.flags) for one in records[1:]] == [(0, REC['OPEN'])], records


def test_end_of_the_session():
    """Calls that the end of the session closes fire nothing."""
    with Outlier('--buffer', '64K', min_ns=1) as slow:
        client = slow.session.client
        wait_for(lambda: slow.session.counters()['hits'])
        client.call('SESSION_STOP', SESSION=u64(slow.session.number))
        wait_for(lambda: session_of('s')['state'] == 'stopped')
        assert slow.session.seen() is None
        main, = slow.session.read()
        assert main.flags == REC['OPEN'], main


def made(provider, wanted, **more):
    client = Client()
    number = client.call('SESSION_NEW', **asked(provider, 'HIST', 'STREAM', flags=('OVERWRITE',),
                                                TRIGGER=wanted, **more))[0]['SESSION']
    return Session(struct.unpack('Q', number)[0], client)


def commit(session):
    session.client.call('SESSION_COMMIT', SESSION=u64(session.number))
    wait_for(lambda: session.client.state(session.number) == 3)


def test_system_calls():  # debug
    session = made('SYSCALLS', trigger(NANOSLEEP, min_ns=50 * MS))
    commit(session)
    subprocess.check_call(['sleep', '0.01'])
    assert session.seen() is None
    subprocess.check_call(['sleep', '0.1'])
    _, frozen_from, duration, func, tid, error = session.seen()
    assert func == NANOSLEEP and duration >= 100 * MS and not error
    last = session.read()[-1]
    assert (last.func, last.tid) == (NANOSLEEP, tid) and last.time <= frozen_from, last
    session.client.close()


def test_errors():
    session = made('SYSCALLS', trigger(OPENAT, ERROR))
    commit(session)
    subprocess.call(['cat', '/no/such/file'], stderr=subprocess.DEVNULL)
    assert session.seen()[3::2] == (OPENAT, errno.ENOENT), session.seen()
    session.client.close()
    session = made('KERNEL', trigger(0, ERROR), TARGET={'NR_FUNCS': u32(1)})
    session.client.call('FUNC_ADD', SESSION=u64(session.number), SYMBOLS=symbol(0, 'path_openat', 0))
    commit(session)
    subprocess.check_call(['cat', '/etc/hostname'], stdout=subprocess.DEVNULL)
    subprocess.call(['cat', '/no/such/file'], stderr=subprocess.DEVNULL)
    assert session.seen()[3] == 0 and session.seen()[5] in (errno.ENOENT, errno.ECHILD), session.seen()
    session.client.close()


def test_requests():  # debug
    """The time of one stage can be the condition."""
    disk = Null(delay_ns=50 * MS)
    session = made('BLOCK', trigger(D2C, min_ns=40 * MS))
    commit(session)
    subprocess.check_call(dd_read(disk.name, 1), stderr=subprocess.DEVNULL)
    _, _, duration, func, _, error = wait_for(session.seen)
    assert func & 7 == D2C and duration >= 50 * MS and not error, session.seen()
    session.client.close()


def fired_by(wanted, *command):
    """Returns func, duration of the period that fired, which is the last record."""
    session = made('SCHED', wanted)
    commit(session)
    subprocess.check_call(command)
    _, frozen_from, duration, func, tid, error = wait_for(session.seen)
    records = session.read()
    last = records[-1]
    assert (last.func, last.tid, last.duration) == (func, tid, duration) and not error, (last, session.seen())
    assert all(record.time <= frozen_from for record in records), records[-3:]
    session.client.close()
    return func, duration


def test_periods():
    """Without a kind, the condition is a wait for a CPU."""
    assert fired_by(trigger(SLEEP, min_ns=100 * MS), 'sleep', '0.2')[0] == SLEEP
    assert fired_by(trigger(), 'true')[0] in (WAKEUP, PREEMPTED)
    func, duration = fired_by(trigger(RUN), 'true')
    assert func in (RUN, RUN_OUT) and duration, func


def test_notice():
    """One for each event."""
    listener = Client()
    listener.call('SUBSCRIBE')
    session = made('SYSCALLS', trigger(NANOSLEEP, min_ns=50 * MS))
    commit(session)
    for _ in range(2):
        subprocess.check_call(['sleep', '0.1'])
        subprocess.check_call(['sleep', '0.1'])
        wait_for(session.seen)
        session.arm()
    wait_for(lambda: session.seen() is None)
    listener.socket.settimeout(limit(2))
    events = []
    try:
        while True:
            event = message_in(listener.socket.recv(65536))
            events.append(struct.unpack('I', event['EVENT'])[0])
    except TimeoutError:
        pass
    assert events.count(EVENTS['KTRACE_EVENT_TRIGGERED']) == 2, events
    session.client.close()
    listener.close()


def refused(client, provider, *sinks, wanted, **more):
    try:
        client.call('SESSION_NEW', **asked(provider, *sinks, TRIGGER=wanted, **more))
    except Refused as error:
        assert error.errno == errno.EINVAL, error
        return error.said
    raise AssertionError('not refused')


def test_refused():
    client = Client()
    with open('/bin/sh', 'rb') as file:
        user = {'TARGET': {'FD': u32(file.fileno()), 'NR_FUNCS': u32(3)}}
        assert 'stream' in refused(client, 'USER', 'HIST', wanted=trigger(), **user)
        assert 'function' in refused(client, 'USER', 'STREAM', wanted=trigger(3), **user)
        assert 'failed' in refused(client, 'USER', 'STREAM', wanted=trigger(0, ERROR), **user)
        assert 'flag' in refused(client, 'USER', 'STREAM', wanted=trigger(0, 2), **user)
    assert 'function' in refused(client, 'BLOCK', 'STREAM', wanted=trigger(5))
    assert 'function' in refused(client, 'SCHED', 'STREAM', wanted=trigger(RUN_CUT))
    assert 'failed' in refused(client, 'SCHED', 'STREAM', wanted=trigger(SLEEP, ERROR))
    assert 'function' in refused(client, 'FAULT', 'STREAM', wanted=trigger(8))
    assert 'no events' in refused(client, 'VIRTIO', 'HIST', wanted=trigger())
    assert refused(client, 'SYSCALLS', 'STREAM', wanted=trigger()[:-1])
    session = client.call('SESSION_NEW', **asked('SYSCALLS', 'STREAM'))[0]['SESSION']
    try:
        client.call('SESSION_ARM', SESSION=session)
        raise AssertionError('not refused')
    except Refused as error:
        assert error.errno == errno.EINVAL
    client.close()
