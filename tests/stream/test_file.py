# SPDX-License-Identifier: GPL-2.0
"""Files and standard output: each record once, whatever ends when."""
import contextlib
import fcntl
import os
import signal
import subprocess
import time

from played import (RANDOM, Play, check_each_once, check_order, files, gaps, ids, lines, wait)


def test_all_records_arrive_in_order():
    with Play() as play:
        out = play.path('out')
        assert play.run('--to', f'json:{out}') == 0, play.words()
        documents = lines(out)
        check_each_once(play, documents)
        check_order(documents)
        assert documents[0]['event'] == 'begin' and documents[-1]['event'] == 'end'
        assert documents[-1]['delivered'] == 10000 and documents[-1]['dropped'] == 0
        for one in documents:
            assert one['session'] == 'web' and one['host'] and len(one['boot']) == 36
        # The record's own time, in both clocks.
        assert len({one['time'] for one in documents if 'id' in one}) == 5000


def kill_in_the_middle(whom, times):
    with Play(packets=400, period=3000, ring=400) as play:
        out = play.path('out')
        for _ in range(times):
            play.begin('--to', f'json:{out}')
            time.sleep(RANDOM.uniform(0.005, 0.1))
            if play.process.poll() is not None:
                break
            whom(play)
        assert play.run('--to', f'json:{out}') == 0, play.words()
        documents = lines(out)
        check_each_once(play, documents)
        check_order(documents)


def test_killed_streamers_write_each_record_once():
    def kill(play):
        play.process.kill()
        play.process.wait()
    kill_in_the_middle(kill, 20)


def test_a_killed_sender_is_replaced():
    with Play(packets=400, ring=64, period=500) as play:
        out = play.path('out')
        play.begin('--to', f'json:{out}')
        for _ in range(10):
            time.sleep(RANDOM.uniform(0.005, 0.03))
            # A sender, or the streamer, may have ended meanwhile.
            with contextlib.suppress(ProcessLookupError, FileNotFoundError, IndexError):
                os.kill(play.sender(), signal.SIGKILL)
        assert play.process.wait(30) in (0, 3), play.words()
        documents = lines(out)
        check_order(documents)
        assert len(ids(documents)) + gaps(documents) == 2 * 400 * 50


def test_a_small_ring_loses_to_the_record():
    with Play(packets=2000, ring=2, period=20, records=100) as play:
        out = play.path('out')
        assert play.run('--to', f'json:{out}') == 3
        documents = lines(out)
        check_order(documents)
        lost = gaps(documents)
        assert lost > 0 and documents[-1]['dropped'] == lost
        assert len(set(ids(documents))) + lost == 2 * 2000 * 100
        assert all(one['reason'] == 'full' for one in documents if one['event'] == 'gap')
        assert 'records' in play.words(), play.words()


def test_files_are_renamed_at_their_size():
    with Play() as play:
        out = play.path('out')
        assert play.run('--to', f'json:{out}', '--to-size', '512K', '--to-keep', '3') == 0, play.words()
        assert files(out) == [out, f'{out}.1', f'{out}.2', f'{out}.3'], files(out)
        for path in files(out):
            assert os.path.getsize(path) <= 512 << 10
        newest = lines(f'{out}.3', f'{out}.2', f'{out}.1', out)
        check_order(newest)
        assert len(ids(newest)) == len(set(ids(newest)))


def test_a_file_that_another_program_renames_is_followed():
    with Play(packets=300, period=2000) as play:
        out = play.path('out')
        play.begin('--to', f'json:{out}')
        wait(lambda: os.path.exists(out) and os.path.getsize(out) > 100000)
        os.rename(out, f'{out}.moved')
        assert play.process.wait(30) == 0, play.words()
        check_each_once(play, lines(f'{out}.moved', out))


@contextlib.contextmanager
def small_disk(play, size):
    """Mounts a disk, and returns a file on it and a function that makes the disk large."""
    disk = play.path('disk')
    os.mkdir(disk)
    subprocess.check_call(['mount', '-t', 'tmpfs', '-o', f'size={size}', 'none', disk])
    try:
        yield f'{disk}/out', lambda: subprocess.check_call(['mount', '-o', 'remount,size=64m', disk])
    finally:
        subprocess.check_call(['umount', disk])


def test_a_full_disk_delays_records():
    with Play(packets=100) as play, small_disk(play, '1m') as (out, enlarge):
        play.begin('--to', f'json:{out}')
        play.wait_for_words('takes no records now')
        assert 'No space left' in play.words()
        enlarge()
        assert play.process.wait(30) == 0, play.words()
        documents = lines(out)
        check_each_once(play, documents)
        check_order(documents)
        assert 'takes records again' in play.words()


def test_a_closed_pipe_ends_the_command():
    with Play() as play:
        play.begin(stdout=subprocess.PIPE)
        play.process.stdout.read(1000)
        play.process.stdout.close()
        assert play.process.wait(20) == 1
        assert 'takes no more records' in play.words(), play.words()


def test_a_slow_reader_of_a_pipe_gets_all():
    with Play() as play:
        play.begin(stdout=subprocess.PIPE)
        time.sleep(1)
        data = play.process.stdout.read()
        assert play.process.wait(20) == 0
        with open(play.path('copy'), 'wb') as file:
            file.write(data)
        check_each_once(play, lines(play.path('copy')))


def test_ctrl_c_ends_the_stream_and_the_next_continues():
    with Play(packets=400, period=5000) as play:
        out = play.path('out')
        play.begin('--to', f'json:{out}')
        wait(lambda: os.path.exists(out) and os.path.getsize(out) > 100000)
        assert play.end() == 0, play.words()
        assert lines(out)[-1]['event'] == 'end'
        assert play.run('--to', f'json:{out}') == 0
        documents = lines(out)
        check_each_once(play, documents)
        assert [one['event'] for one in documents if 'id' not in one] == ['begin', 'end'] * 2


def test_a_clock_that_is_set_is_an_event():
    with Play(packets=200, period=5000, KTRACE_PLAYED_STEP='3600') as play:
        out = play.path('out')
        assert play.run('--to', f'json:{out}') == 0
        steps = [one['step_ns'] for one in lines(out) if one['event'] == 'clock']
        assert len(steps) == 1 and abs(steps[0] - 3600 * 10**9) < 10**8, steps


def test_a_second_streamer_is_refused():
    with Play(packets=200, period=5000) as play:
        play.begin('--to', f'json:{play.path("out")}')
        wait(lambda: os.path.exists(play.path('out')))
        first = play.process
        assert play.run('--to', f'json:{play.path("other")}') == 1
        assert f'Process {first.pid} already reads' in play.words(), play.words()
        play.process = first


def test_wrong_sinks_are_named():
    with Play() as play:
        for sink, words in (('jsn', 'Did you mean json?'), ('syslog:tcp', 'needs an address'),
                            ('syslog:tcp:h:99999', "'h:99999' is no address"), ('relp:h:', "'h:' is no"),
                            ('relp::2514', "':2514' is no"), ('relp:[::1', "'[::1' is no"),
                            ('relp:h:x', "'h:x' is no"), ('otlp:h:4318', 'give http://HOST:4318')):
            assert play.run('--to', sink) == 2, sink
            assert words in play.words(), play.words()
        assert play.run('--to', 'json', '--to', 'json') == 2
        assert 'given twice' in play.words()


def test_a_pipe_without_a_reader_is_waited_for():
    with Play() as play:
        pipe = play.path('pipe')
        os.mkfifo(pipe)
        play.begin('--to', f'json:{pipe}')
        play.wait_for_words(f'nobody reads the pipe {pipe}')
        with open(pipe, 'rb') as file:
            data = file.read()
        assert play.process.wait(20) == 0, play.words()
        with open(play.path('copy'), 'wb') as file:
            file.write(data)
        check_each_once(play, lines(play.path('copy')))


def test_a_kill_behind_renamed_files():
    """What is not acknowledged may be in many files."""
    with Play(packets=400, ring=400) as play:
        out = play.path('out')
        absent = play.path('absent')
        play.begin('--to', f'json:{out}', '--to', f'syslog:{absent}', '--to-size', '64K', '--to-keep', '1000')
        wait(lambda: len(files(out)) > 40)
        play.process.kill()
        play.process.wait()
        assert play.run('--to', f'json:{out}', '--to-size', '64K', '--to-keep', '1000') == 0, play.words()
        found = ids(lines(*files(out)))
        assert len(found) == len(set(found)), f'{len(found) - len(set(found))} came twice'
        assert set(found) == play.expected()


def test_a_file_that_is_renamed_while_it_is_waited_for():
    """The sender of a streamer that was killed may rename the file, and write into the next one."""
    with Play(packets=100) as play:
        out = play.path('out')
        play.begin('--to', f'json:{out}', '--to', f'syslog:{play.path("absent")}')
        wait(lambda: os.path.exists(out) and nr_so_far(out) == 10000)
        play.process.kill()
        play.process.wait()
        with open(out) as file:
            text = file.readlines()
        with open(out, 'r+') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.truncate(sum(map(len, text[:5000])))
            play.begin('--to', f'json:{out}')
            wait(lambda: any(out in open_files(pid) for pid in play.senders()))
            os.rename(out, f'{out}.1')
            with open(out, 'w') as next_file:
                next_file.writelines(text[5000:])
        assert play.process.wait(30) == 0, play.words()
        check_each_once(play, lines(f'{out}.1', out))


def open_files(pid):
    return [os.readlink(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd')]


def test_a_slow_sink_does_not_slow_another():
    """Each part takes the reader of the pipe a tenth of a second."""
    with Play(packets=500, period=2000) as play:
        out, pipe = play.path('out'), play.path('pipe')
        os.mkfifo(pipe)
        reader = subprocess.Popen(['sh', '-c', 'while dd bs=14k count=1 iflag=fullblock 2>/dev/null | grep -q . '
                                   '&& sleep .09; do :; done', 'sh'], stdin=os.open(pipe, os.O_RDWR))
        try:
            begin = time.monotonic()
            play.begin('--to', f'json:{pipe}', '--to', f'json:{out}')
            wait(lambda: os.path.exists(out) and nr_so_far(out) == 50000, 15)
            assert time.monotonic() - begin < 6, time.monotonic() - begin
            assert play.process.poll() is None
        finally:
            reader.kill()


def nr_so_far(path):
    with open(path, 'rb') as file:
        return file.read().count(b'"id":')


def test_a_file_that_others_append_to():
    """When the disk is full, no line of another process is cut, and no record is lost."""
    with Play(packets=100) as play, small_disk(play, '300k') as (out, enlarge):
        play.begin('--to', f'json:{out}')
        play.wait_for_words('takes no records now')
        enlarge()
        for _ in range(20):
            with open(out, 'a') as file:
                file.write('{"event":"foreign"}\n')
            time.sleep(.01)
        assert play.process.wait(30) == 0, play.words()
        documents = lines(out)
        check_each_once(play, documents)
        assert sum(one['event'] == 'foreign' for one in documents) == 20


def test_two_sessions():
    """Each has its own first and last event, with its own account, at each sink."""
    with Play(packets=60, period=5000, KTRACE_PLAYED_SESSIONS='2') as play:
        play.sessions = ['web', 'web-1']
        paths = play.path('out'), play.path('other')
        assert play.run(*[word for path in paths for word in ('--to', f'json:{path}')]) == 0, play.words()
        for path in paths:
            documents = lines(path)
            for number, session in enumerate(play.sessions):
                own = [one for one in documents if one['session'] == session]
                events = [one['event'] for one in own if 'id' not in one]
                assert events == ['begin', 'end'], events
                assert own[0]['event'] == 'begin' and own[-1]['event'] == 'end'
                assert own[-1]['delivered'] == own[-1]['produced'] == 6000, own[-1]
                check_order(own)
                assert set(ids(own)) == {one.replace('cafe', f'{0xcafe + number:x}')
                                         for one in play.expected()}
