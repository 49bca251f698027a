# SPDX-License-Identifier: GPL-2.0
"""The flight recorder: snapshots are whole recordings, and replace nothing but snapshots."""
import os
import signal
import subprocess
import time

from played import KTRACE, wait
from test_record import Recording, babeltrace, facts, streams, whole_packets

EACH = 2 * 20 * 50      # records: CPUs, packets, records in a packet
COMMON = 'ktrace.jsonl'


class Flight(Recording):
    """A recording of sleep, whose rings have all packets from the begin on."""

    def __init__(self, **more):
        super().__init__(packets=20, **more)

    def fly(self, *options, seconds='1', folder='d'):
        self.errors = open(self.path('errors'), 'a+')
        self.process = subprocess.Popen(
            [KTRACE, 'record', '-o', self.path(folder), '--overwrite', *options, 'run', '--no-follow',
             '--', 'sleep', seconds], env=self.env, stderr=self.errors)
        return self.process

    def count(self, name):
        return sum(whole_packets(path)[0] for path in streams(self.path(name)))

    def one(self, name, kind):
        [line] = [line for line in facts(self.path(name)) if line['is'] == kind]
        return line

    def has(self, name):
        path = self.path(f'{name}/{COMMON}')
        return os.path.exists(path) and any(one['is'] == 'end' for one in facts(self.path(name)))


def test_the_end_is_saved():
    with Flight() as play:
        assert play.fly(seconds='0.2').wait(20) == 0, play.words()
        assert os.listdir(play.path('d')) == ['0001']
        assert sorted(os.listdir(play.path('d/0001'))) == ['functions', COMMON]
        assert play.count('d/0001') == EACH == len(babeltrace(play.path('d/0001')))
        end = play.one('d/0001', 'end')
        assert end['why'] == 'the program ended' and end['overwritten'] == 0
        # They stay in the ring.
        assert end['counters']['acknowledged'] == 0
        assert f'1 snapshot, {EACH} records' in play.words(), play.words()


def test_signals_save():
    with Flight() as play:
        play.fly(seconds='2')
        wait(lambda: os.path.exists(play.path('d')))
        time.sleep(0.5)
        for nr in 1, 2:
            play.process.send_signal(signal.SIGUSR2)
            wait(lambda nr=nr: play.has(f'd/000{nr}'))
        assert play.process.wait(20) == 0, play.words()
        assert sorted(os.listdir(play.path('d'))) == ['0001', '0002', '0003']
        for nr in 1, 2, 3:
            assert play.count(f'd/000{nr}') == EACH, nr
        assert play.one('d/0002', 'end')['why'] == 'SIGUSR2 arrived'


def fires(*options, seconds='1'):
    """Runs with a trigger, whose event comes each 100 ms. Returns times, and what was said."""
    with Flight() as play:
        assert play.fly('--trigger', ' fflush  > 10ms ', *options, seconds=seconds).wait(20) == 0, \
            play.words()
        events = []
        for folder in sorted(os.listdir(play.path('d'))) if os.path.exists(play.path('d')) else []:
            event = play.one(f'd/{folder}', 'trigger')
            assert (event['name'].split('@')[0], event['tid']) == ('fflush', 4711), event
            [name] = [one['name'] for one in facts(play.path(f'd/{folder}'))
                      if one['is'] == 'function' and one['func'] == event['func']]
            assert name == event['name']
            assert event['duration_ns'] == 10_000_001 and event['session'] == 0
            events.append(event)
        counts = [play.count(f'd/000{nr + 1}') for nr in range(len(events))]
        return events, counts, play.words()


def test_an_event_is_saved_once():
    events, counts, words = fires()
    assert len(events) == 1 and counts == [EACH], (events, counts)
    assert 'took 10.0 ms in thread 4711' in words and '1 snapshot' in words, words


def test_packets_of_an_event_are_acknowledged():
    """The next snapshot has what came later: here, nothing."""
    events, counts, words = fires('--trigger-count', '3', seconds='2')
    assert counts == [EACH, 0, 0] and '3 snapshots' in words, (counts, words)


def test_holdoff_is_between_two_events():
    events, _, _ = fires('--trigger-count', 'none', '--holdoff', '600ms', seconds='2')
    times = [one['monotonic_ns'] for one in events]
    assert 2 <= len(times) <= 4, times
    assert all(later - earlier >= 600_000_000 for earlier, later in zip(times, times[1:])), times


def test_what_comes_after_is_waited_for():
    events, _, _ = fires('--after', '300ms')
    [event] = events
    assert event['frozen_from_ns'] - event['monotonic_ns'] == 300_000_000


def test_report_shows_the_event():
    with Flight() as play:
        assert play.fly('--trigger', 'fflush@libc.so.6 > 10ms').wait(20) == 0
        done = subprocess.run([KTRACE, 'report', play.path('d/0001')], capture_output=True, text=True)
        assert 'fflush@libc.so.6 > 10ms: fflush@libc.so.6 took 10.0 ms in thread 4711' in done.stdout, done


def test_snapshots_are_replaced_only_with_force():
    with Flight() as play:
        assert play.fly(seconds='0.1').wait(20) == 0
        assert play.fly(seconds='0.1').wait(20) == 125
        assert 'has a recording already' in play.words()
        for stranger in ('d/notes', 'd/0001/notes', 'd/0001/functions/notes'):
            open(play.path(stranger), 'w').close()
            assert play.fly('--force', seconds='0.1').wait(20) == 125, stranger
            assert play.count('d/0001') == EACH
            os.unlink(play.path(stranger))
        os.symlink(play.path('d/0001'), play.path('d/0002'))
        assert play.fly('--force', seconds='0.1').wait(20) == 125
        os.unlink(play.path('d/0002'))
        before = open(play.path(f'd/0001/{COMMON}')).read()
        assert play.fly('--force', seconds='0.1').wait(20) == 0, play.words()
        assert open(play.path(f'd/0001/{COMMON}')).read() != before


def refuse(condition, *words):
    with Flight() as play:
        done = subprocess.run([KTRACE, 'record', '-o', play.path('d'), '--overwrite', '--trigger',
                               condition, *words, '--', 'sleep', '0'], env=play.env,
                              capture_output=True, text=True)
        assert done.returncode == 125 and done.stderr.count('\n') == 1, done
        assert not os.path.exists(play.path('d'))
        return done.stderr


def test_conditions_that_cannot_be_met_are_refused():
    for condition in ('', 'x', 'x > 10', 'x > -1ms', 'x = failure', 'x < 10ms'):
        assert 'is no condition' in refuse(condition, 'syscall')
    assert 'names no function' in refuse(' > 10ms', 'syscall')
    assert "returns of 'abort' cannot be seen" in refuse('abort > 1ms', 'run', '--no-follow')
    assert "'nope' of --trigger is no function" in refuse('nope > 1ms', 'run', '--no-follow')
    assert 'add the command io: + io' in refuse('io > 1ms', 'syscall')
    assert 'add the command syscall' in refuse('syscall > 1ms', 'io')
    assert 'add the command sched: + sched' in refuse('sched > 1ms', 'io')
    assert "no period 'queue'" in refuse('sched queue > 1ms', 'sched')
    assert "no period 'run_cut'" in refuse('sched run_cut > 1ms', 'sched')
    assert 'cannot fail' in refuse('sched = error', 'sched')
    assert "no stage 'd2d'" in refuse('io d2d > 1ms', 'io')
    assert "no system call 'opne'" in refuse('syscall opne > 1ms', 'syscall')


def refuse_record(*options):
    done = subprocess.run([KTRACE, 'record', '-o', '/nowhere', *options, 'syscall', '--', 'true'],
                          capture_output=True, text=True)
    assert done.returncode == 125 and not os.path.exists('/nowhere'), done
    return done.stderr


def test_options_need_each_other():
    assert 'add --overwrite' in refuse_record('--trigger', 'syscall > 1s')
    for option in '--after', '--holdoff':
        assert 'add --trigger' in refuse_record('--overwrite', option, '1s')


def test_named_sessions_can_keep_the_newest():
    for words, text in ((['syscall', '--overwrite'], '--attach NAME'),
                        (['syscall', '--overwrite', '--slow', '1ms', '-d', '1'], '--attach NAME'),
                        (['ctl', 'attach', '--overwrite', '-b', '/bin/sleep'], 'add --stream'),
                        (['record', '-o', '/nowhere', 'syscall', '--overwrite', '--', 'true'],
                         'in front of the first one')):
        done = subprocess.run([KTRACE, *words], capture_output=True, text=True)
        assert done.returncode in (2, 125) and text in done.stderr, done


# --- a named session -------------------------------------------------------------------

def save(play, *words):
    return subprocess.run([KTRACE, 'snapshot', *words], env=play.env, capture_output=True, text=True)


def test_a_named_session_keeps_its_records():
    with Flight() as play:
        for words in ([], ['--force']):
            done = save(play, 'web', '-o', play.path('d'), *words)
            assert done.returncode == 0 and f'{EACH} records' in done.stderr, done
            assert play.count('d') == EACH
            assert play.one('d', 'end')['counters']['acknowledged'] == 0
        assert save(play, 'web', '-o', play.path('d')).returncode == 1


def test_a_named_session_must_be_there():
    with Flight() as play:
        assert "did you mean 'web'" in save(play, 'wbe', '-o', play.path('d')).stderr
        assert 'Which session' in save(play, '-o', play.path('d')).stderr
        assert 'Into which folder' in save(play, 'web').stderr
        assert not os.path.exists(play.path('d'))
