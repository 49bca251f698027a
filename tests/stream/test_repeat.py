# SPDX-License-Identifier: GPL-2.0
"""Runs of a program, each a whole recording: diff takes them as the runs of a side."""
import json
import os
import signal
import subprocess
import time

from played import KTRACE, wait
from test_flight import refuse_record
from test_record import Recording, facts, refuse, streams, whole_packets

EACH = 2 * 20 * 50      # records: CPUs, packets, records in a packet


class Runs(Recording):
    """Each run gets all packets anew."""

    def __init__(self, **more):
        super().__init__(packets=20, KTRACE_PLAYED_ANEW='1', **more)

    def repeat(self, nr, script, *options, folder='d', **more):
        return self.record('--repeat', str(nr), *options, program=('sh', '-c', script), folder=folder,
                           **more)

    def runs(self, folder='d'):
        return sorted(os.listdir(self.path(folder)))

    def ends(self, folder='d'):
        """Returns the words of all lines "end"."""
        return [[one['why'] for one in facts(self.path(f'{folder}/{run}')) if one['is'] == 'end']
                for run in self.runs(folder)]


def test_each_run_reads_alone():
    with Runs() as play:
        assert play.repeat(3, 'sleep 0.2').wait(30) == 0, play.words()
        assert play.runs() == ['0001', '0002', '0003'], play.words()
        begins = []
        for run in play.runs():
            path = play.path(f'd/{run}')
            assert sum(whole_packets(one)[0] for one in streams(path)) == EACH, run
            begins.append(facts(path)[0]['begin']['monotonic_ns'])
        assert play.ends() == [['the program ended']] * 3 and begins == sorted(set(begins)), begins
        words = play.words()
        assert f'run 3 of 3: {EACH} records' in words and f'ktrace diff {play.path("d")} OTHER' in words


def test_diff_has_the_spread():
    with Runs() as play:
        for folder in 'ab':
            assert play.repeat(3, 'sleep 0.2', folder=folder).wait(30) == 0, play.words()
        done = subprocess.run([KTRACE, 'diff', play.path('a'), play.path('b'), '--format', 'json'],
                              capture_output=True, text=True)
        assert not done.returncode, done
        document = json.loads(done.stdout)
        assert document['a']['files'] == [play.path(f'a/000{nr}') for nr in (1, 2, 3)], document['a']
        assert document['rows'] and all(row['a_runs'] == row['b_runs'] == 3 for row in document['rows'])
        assert all('a_min' in row['self_ns'] for row in document['rows']), document['rows']


def test_the_first_failure_is_the_status():
    with Runs() as play:
        script = f'echo >> {play.path("n")}; n=$(wc -l < {play.path("n")}); [ $n = 1 ] || exit $n'
        assert play.repeat(3, script).wait(30) == 2, play.words()
        assert len(play.runs()) == 3
    with Runs() as play:
        assert play.repeat(2, 'kill -KILL $$').wait(30) == -signal.SIGKILL, play.words()
        assert len(play.runs()) == 2


def interrupt(play, send):
    play.repeat(5, f'echo >> {play.path("n")}; exec sleep 10', start_new_session=True)
    wait(lambda: os.path.exists(play.path('n')))
    begin = time.monotonic()
    send(play.process.pid)
    code = play.process.wait(20)
    assert time.monotonic() - begin < 8, 'it went on'
    assert play.runs() == ['0001'] and play.ends() == [['the program ended']], play.words()
    assert '1 of 5 runs were recorded' in play.words()
    return code


def test_an_interrupt_ends_all():
    """From the terminal it reaches the group; from elsewhere only ktrace."""
    with Runs() as play:
        assert interrupt(play, lambda pid: os.killpg(pid, signal.SIGINT)) == -signal.SIGINT
    for number in signal.SIGTERM, signal.SIGINT:
        with Runs() as play:
            assert interrupt(play, lambda pid, number=number: os.kill(pid, number)) == -number


def test_runs_are_replaced_only_with_force():
    with Runs() as play:
        assert play.repeat(3, ':').wait(30) == 0
        assert play.repeat(2, ':').wait(30) == 125 and 'has a recording already' in play.words()
        assert len(play.runs()) == 3
        assert play.repeat(2, ':', '--force').wait(30) == 0, play.words()
        assert play.runs() == ['0001', '0002']


def test_a_recorder_that_fails_ends_them():
    with Runs() as play:
        os.mkdir(play.path('d'), 0o700)
        assert play.repeat(3, f'rm -r {play.path("d")}/0001').wait(30) == 125, play.words()
        assert not play.runs() and 'moved or removed' in play.words()
        assert '0 of 3 runs' in play.words()


def test_wrong_words_are_refused():
    assert 'omit one' in refuse_record('--repeat', '2', '--overwrite')
    assert 'omit one' in refuse_record('--repeat', '2', '--rotate', '1M,2')
    assert 'behind --' in refuse('-o', '/nowhere', '--repeat', '2', 'syscall', '-p', '1')
    assert 'omit one' in refuse('-o', '/nowhere', '--repeat', '2', '--overwrite', '--trigger',
                                'syscall > 1s', 'syscall', '--', 'true')
    assert '--repeat' in refuse('-o', '/nowhere', '--repeat', '0', '--', 'true')
