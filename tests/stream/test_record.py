# SPDX-License-Identifier: GPL-2.0
"""Recordings on the disk: whole packets only, whatever ends when; nothing of others is touched."""
import collections
import contextlib
import errno
import glob
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../kernel'))
import schema
from collectors import Skip
from played import KTRACE, RANDOM, Play, wait

HEAD = struct.Struct('<II16sQQQQQQII')
MAGIC = 0xC1FC1FC1


class Recording(Play):
    """A recording of a program; its functions are those that the module plays."""

    def record(self, *options, program=('sleep', '0.3'), folder='d', **more):
        self.errors = open(self.path('errors'), 'a+')
        self.process = subprocess.Popen(
            [*self.before, KTRACE, 'record', '-o', self.path(folder), *options, 'run', '--no-follow', '--',
             *program], env=self.env, stderr=self.errors, **more)
        return self.process

    def run_record(self, *options, **more):
        code = self.record(*options, **more).wait(60)
        return code

    def lines(self, kind, folder='d'):
        return [one for one in facts(self.path(folder)) if one['is'] == kind]


def facts(folder):
    """Returns the documents of ktrace.jsonl; a torn last line is left out."""
    with open(f'{folder}/ktrace.jsonl') as file:
        lines = [json.loads(line) for line in file if line.endswith('\n')]
    for line in lines:
        schema.check_line(line)
    return lines


def streams(folder):
    return sorted(glob.glob(f'{folder}/*/stream_*'))


def whole_packets(path):
    """Returns the number of records in whole packets, and of bytes behind them."""
    data, at, records, numbers = open(path, 'rb').read(), 0, 0, []
    while len(data) - at >= HEAD.size:
        head = HEAD.unpack_from(data, at)
        if head[0] != MAGIC or head[6] // 8 > len(data) - at:
            break
        records += head[10]
        numbers.append(head[8])
        at += head[6] // 8
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True, path
    return records, len(data) - at


def cut(folder):
    """Cuts torn ends, as `ktrace report` does. Returns the number of records that are left."""
    total = 0
    for path in streams(folder):
        records, rest = whole_packets(path)
        if rest:
            os.truncate(path, os.path.getsize(path) - rest)
        total += records
    return total


def babeltrace(folder):
    """Returns the lines of babeltrace2."""
    if not shutil.which('babeltrace2'):
        raise Skip('babeltrace2 is not installed')
    done = subprocess.run(['babeltrace2', folder], capture_output=True, text=True)
    assert not done.returncode, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_all_records_are_readable():
    with Recording(packets=200, ring=1000) as play:
        assert play.run_record() == 0, play.words()
        lines = babeltrace(play.path('d'))
        assert len(lines) == 2 * 200 * 50
        names = {one['func']: one['name'] for one in play.lines('function')}
        assert len(names) > 3
        for line in lines[:300]:
            func = int(re.search(r'container = (\d+)', line).group(1))
            assert f'"{names[func]}"' in line and ' exit: ' in line, line
        [end] = play.lines('end')
        assert end['why'] == 'the program ended' and end['counters']['produced'] == len(lines)
        assert end['lost'] == [] and end['session'] == 0
        assert f'{len(lines)} records' in play.words() and 'ktrace report' in play.words()


def test_a_trace_of_it_has_the_calls_that_are_reported():
    with Recording(packets=100) as play:
        assert play.run_record() == 0, play.words()
        name = play.lines('function')[0]['name']
        for options in (), ('-f', name), ('--no-function', name), ('--min-time', '600ns'), ('--max-depth', '1'):
            shown = subprocess.run([KTRACE, 'report', play.path('d'), '--format', 'json', *options],
                                   capture_output=True, text=True)
            done = subprocess.run([KTRACE, 'report', play.path('d'), '--format', 'ctf', '--force', '-o',
                                   play.path('t'), *options], capture_output=True, text=True)
            # The calls that are played have no callers.
            assert done.returncode == shown.returncode, (done, shown)
            calls = {row['name']: row['calls'] for row in json.loads(shown.stdout)['rows'] if row['calls']}
            found = collections.Counter(re.search(r'func = \( "(.*?)" : ', line).group(1)
                                        for line in babeltrace(play.path('t')) if ' exit: ' in line)
            assert found == calls and calls, (options, found, calls)


def test_the_first_line_describes_the_recording():
    with Recording(packets=10) as play:
        assert play.run_record('--entries') == 0, play.words()
        first, *others = facts(play.path('d'))
        assert first['is'] == 'recording' and first['schema'] == 'ktrace.recording/1'
        assert first['program'] == ['sleep', '0.3'] and first['command'][:2] == ['ktrace', 'record']
        assert first['packet_len'] == 15872 and first['byte_order'] == 'little'
        boot = open('/proc/sys/kernel/random/boot_id').read().strip()
        assert first['boot_id'] == boot
        with open(play.path('d/functions/metadata')) as file:
            assert f'uuid = "{boot}"' in file.read()
        [session] = [one for one in others if one['is'] == 'session']
        assert session['folder'] == 'functions' and session['cookie'] == '0xfeed00000000cafe'
        assert session['command'] == ['run', '--no-follow']
        assert any(one['is'] == 'file' and re.fullmatch('[0-9a-f]+', one['build_id'])
                   for one in others)


def test_each_kind_of_line_is_described():
    """In the schema, and in docs/recordings.md."""
    with open(f'{schema.FOLDER}/../recordings.md') as file:
        table = re.search(r'\| is \| content \|\n(.*?)\n\n', file.read(), re.S).group(1)
    written = [word for row in table.splitlines()[1:] for word in row.split('|')[1].strip().split(', ')]
    kinds = [kind['properties']['is']['const'] for kind in schema.load('recording.json')['anyOf']]
    assert sorted(written) == sorted(kinds), (written, kinds)
    with open(f'{schema.FOLDER}/../../user/keep/documents.c') as file:
        assert set(re.findall(r'new_(?:document|of_session)\("(\w+)"', file.read())) == set(kinds)


def test_files_are_private():
    with Recording(packets=10) as play:
        assert play.run_record() == 0, play.words()
        for path in glob.glob(play.path('d/**'), recursive=True):
            assert not os.stat(path).st_mode & 0o077, path


def test_packets_are_those_of_the_module():
    """Byte for byte: a packet of the module has its own length, and a content that is counted."""
    with Recording(cpus=1, packets=20, records=7) as play:
        assert play.run_record() == 0, play.words()
        [path] = streams(play.path('d'))
        assert os.path.getsize(path) == 20 * (80 + 7 * 32)
        assert whole_packets(path) == (140, 0)


def test_two_sessions_have_two_folders():
    with Recording(packets=50, KTRACE_PLAYED_SESSIONS='2') as play:
        assert play.run_record('attach', '--binary', '/usr/bin/sleep', '+') == 0, play.words()
        assert sorted(os.listdir(play.path('d'))) == ['functions', 'functions-2', 'ktrace.jsonl']
        assert len(babeltrace(play.path('d'))) == 2 * 2 * 50 * 50


def test_a_killed_recorder_leaves_whole_packets():
    """Killed 20 times, each at another moment."""
    nr_torn = nr_empty = 0
    for _ in range(20):
        with Recording(packets=400, period=500, ring=400) as play:
            play.record('--sync', '20ms', program=('sleep', '1'))
            wait(lambda: os.path.exists(play.path('d/functions/metadata')))
            time.sleep(RANDOM.uniform(0, 0.2))
            play.process.kill()
            play.process.wait()
            assert not play.lines('end')
            torn = sum(whole_packets(path)[1] > 0 for path in streams(play.path('d')))
            nr_torn += torn
            total = cut(play.path('d'))
            nr_empty += not total
            if streams(play.path('d')):
                assert len(babeltrace(play.path('d'))) == total
            assert facts(play.path('d'))[0]['is'] == 'recording'
    assert nr_empty < 10, nr_empty
    return f'{nr_torn} torn packets'


@contextlib.contextmanager
def disk(play, size, *options):
    folder = play.path('disk')
    os.mkdir(folder)
    subprocess.check_call(['mount', '-t', 'tmpfs', '-o', f'size={size}', 'none', folder])
    try:
        os.chmod(folder, 0o755)
        for option in options:
            subprocess.check_call(['mount', '-o', f'remount,{option}', folder])
        yield f'{folder}/d'
    finally:
        subprocess.check_call(['umount', folder])


def test_a_full_disk_ends_the_recording():
    with Recording(packets=1000, records=400, ring=100) as play, disk(play, '1m') as folder:
        assert play.run_record(folder='disk/d') == 125
        assert 'No space left' in play.words() and 'last whole packet' in play.words()
        assert play.words().count('No space left') == 1, play.words()
        for path in streams(folder):
            records, rest = whole_packets(path)
            assert records and not rest
        assert len(babeltrace(folder)) == sum(whole_packets(path)[0] for path in streams(folder))
        [end] = play.lines('end', 'disk/d')
        assert end['why'] == 'the recording could not be written'
        assert end['counters']['produced'] > 0


def test_the_largest_file_ends_the_recording():
    """RLIMIT_FSIZE: the write fails, and the signal kills nobody."""
    with Recording(packets=400, records=400, period=1000, ring=400) as play:
        play.record(program=('sleep', '1'))
        wait(lambda: streams(play.path('d')))
        resource.prlimit(play.process.pid, resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        assert play.process.wait(60) == 125, play.words()
        assert 'File too large' in play.words() and 'last whole packet' in play.words()
        assert all(whole_packets(path)[0] and not whole_packets(path)[1]
                   for path in streams(play.path('d')))
        [end] = play.lines('end')
        assert end['why'] == 'the recording could not be written'


def test_a_disk_that_is_full_from_the_beginning():
    with Recording(packets=10) as play, disk(play, '1m') as folder:
        with open(f'{os.path.dirname(folder)}/rest', 'wb', buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        assert play.run_record(folder='disk/d') == 125
        assert 'No space left' in play.words()
        # Nothing was recorded, and nothing stays.
        assert not os.path.exists(folder)


def failing(play, name, number, error):
    """Lets call NUMBER of a function, and all later ones, fail."""
    play.env['LD_PRELOAD'] = os.path.join(os.path.dirname(KTRACE), 'failing.so')
    play.env['FAILING'] = f'{name} {number} {error}'


def test_a_file_system_without_locks():
    """Without a lock, a reader would cut what is being written: nothing is recorded, and nothing stays."""
    with Recording(packets=10) as play:
        failing(play, 'flock', 1, errno.ENOLCK)
        assert play.run_record() == 125
        assert 'No locks available' in play.words() and play.words().count('\n') == 1, play.words()
        assert not os.path.exists(play.path('d'))


def test_a_disk_that_cannot_keep_the_metadata():
    """Each fsync of the beginning fails in its turn, until one comes later, or none."""
    for number in range(1, 20):
        with Recording(packets=10) as play:
            failing(play, 'fsync', number, errno.EIO)
            code = play.run_record('--sync', '50ms')
            if not code:
                assert len(babeltrace(play.path('d'))) == 2 * 10 * 50, play.words()
                break
            assert code == 125 and play.words().count('Input/output error') == 1, play.words()
            # Nothing stays of what failed at the beginning.
            if os.path.exists(play.path('d')):
                check_prefix_of_failed(play)
    assert 3 < number < 19, number


def check_prefix_of_failed(play):
    [end] = play.lines('end')
    assert end['why'] == 'the recording could not be written', end
    paths = streams(play.path('d'))
    assert not any(whole_packets(path)[1] for path in paths), paths
    if paths:
        assert len(babeltrace(play.path('d'))) == sum(whole_packets(path)[0] for path in paths)


def test_a_disk_that_fails_later():
    """What was written before the failed fdatasync is whole."""
    for number in (1, 6):
        with Recording(packets=400, records=400, period=1000, ring=400) as play:
            failing(play, 'fdatasync', number, errno.EIO)
            assert play.record('--sync', '50ms', program=('sleep', '1')).wait(60) == 125, play.words()
            assert play.words().count('Input/output error') == 1 and 'last whole packet' in play.words()
            check_prefix_of_failed(play)


def test_a_disk_that_is_read_only():
    with Recording(packets=10) as play, disk(play, '1m', 'ro') as folder:
        assert play.run_record(folder='disk/d') == 125
        assert 'Read-only file system' in play.words() and folder in play.words()


def end_by(number, times, program, why):
    with Recording(packets=400, period=500, ring=400) as play:
        play.record(program=program, start_new_session=True)
        wait(lambda: streams(play.path('d')))
        for _ in range(times):
            play.process.send_signal(number)
            time.sleep(0.2)
        assert play.process.wait(10) == -number, play.words()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(play.process.pid, signal.SIGKILL)
        [end] = play.lines('end')
        assert end['why'] == why
        assert len(babeltrace(play.path('d'))) == end['counters']['acknowledged']


def test_signals_end_it_cleanly():
    """The first signal is for the program; at the second Ctrl-C ktrace does not wait for it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        end_by(number, 1, ('sleep', '20'), 'the program ended')
    end_by(signal.SIGINT, 2, ('sh', '-c', 'trap "" INT; sleep 20'), 'it was interrupted')


def test_losses_are_reported():
    with Recording(packets=2000, ring=2, period=20, records=100) as play:
        assert play.run_record() == 0
        assert 'the ring was full' in play.words()
        [end] = play.lines('end')
        [lost] = end['lost']
        assert lost['reason'] == 'ring_full'
        assert lost['nr'] + end['counters']['acknowledged'] == end['counters']['produced']
        assert sum(whole_packets(path)[0] for path in streams(play.path('d'))) == \
            end['counters']['acknowledged']


def test_the_status_is_that_of_the_program():
    with Recording(packets=10) as play:
        assert play.run_record(program=('sh', '-c', 'exit 7')) == 7, play.words()
        assert play.run_record('--force', program=('sh', '-c', 'kill -9 $$')) == -9, play.words()


# --- the folder ---------------------------------------------------------------------

def test_a_recording_is_replaced_only_with_force():
    with Recording(packets=10) as play:
        assert play.run_record() == 0, play.words()
        before = open(play.path('d/ktrace.jsonl')).read()
        assert play.run_record() == 125
        assert 'has a recording already' in play.words() and '--force' in play.words()
        assert open(play.path('d/ktrace.jsonl')).read() == before
        assert play.run_record('--force') == 0, play.words()
        assert len(play.lines('recording')) == 1
        assert open(play.path('d/ktrace.jsonl')).read() != before


def test_a_recording_stays_if_nothing_is_recorded():
    with Recording(packets=10) as play:
        assert play.run_record() == 0, play.words()
        before = open(play.path('d/ktrace.jsonl')).read()
        assert play.run_record('--force', program=('/dev/null',)) == 126, play.words()
        assert play.run_record('--force', 'attach', '--binary', '/none', '+') == 125
        assert open(play.path('d/ktrace.jsonl')).read() == before


def test_force_removes_nothing_else():
    with Recording(packets=10) as play:
        assert play.run_record() == 0, play.words()
        for name in ('d/notes', 'd/functions/stream_0.bak', 'd/functions/stream_'):
            open(play.path(name), 'w').close()
            assert play.run_record('--force') == 125
            assert os.path.basename(name) in play.words()
            assert play.lines('end') and streams(play.path('d'))
            os.unlink(play.path(name))
        os.rename(play.path('d/functions/stream_0'), play.path('other'))
        os.symlink(play.path('other'), play.path('d/functions/stream_0'))
        assert play.run_record('--force') == 125
        assert os.path.getsize(play.path('other'))


def test_a_folder_with_files_is_refused():
    with Recording(packets=10) as play:
        os.mkdir(play.path('d'))
        open(play.path('d/mine'), 'w').close()
        for options in ((), ('--force',)):
            assert play.run_record(*options) == 125
            assert 'is not an empty folder' in play.words()
            assert os.listdir(play.path('d')) == ['mine']


def test_a_symbolic_link_is_refused():
    with Recording(packets=10) as play:
        os.mkdir(play.path('real'))
        os.symlink(play.path('real'), play.path('d'))
        assert play.run_record() == 125
        assert play.run_record(folder='d/') == 125
        assert not os.listdir(play.path('real'))


def test_a_folder_of_another_user_is_refused():
    with Recording(packets=10) as play:
        os.mkdir(play.path('d'))
        os.chown(play.path('d'), 1000, 1000)
        assert play.run_record() == 125
        assert 'belongs to user 1000' in play.words() and not os.listdir(play.path('d'))


def test_a_recording_that_is_written_is_not_replaced():
    with Recording(packets=400, period=500, ring=400) as play:
        first = play.record(program=('sleep', '20'), start_new_session=True)
        wait(lambda: streams(play.path('d')))
        assert play.run_record('--force') == 125
        assert 'Another ktrace writes' in play.words()
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()


def test_a_folder_that_is_gone_at_the_end_is_a_failure():
    for take in (shutil.rmtree, lambda path: os.rename(path, path + '-moved')):
        with Recording(packets=20) as play:
            process = play.record(program=('sh', '-c', 'read x'), stdin=subprocess.PIPE)
            wait(lambda: streams(play.path('d')))
            take(play.path('d'))
            process.communicate(b'\n', timeout=30)
            assert process.returncode == 125, process.returncode
            assert 'was moved or removed' in play.words(), play.words()


def test_sessions_that_cannot_be_stopped_have_an_end():
    with Recording(packets=20, KTRACE_PLAYED_NO_STOP='1') as play:
        assert play.run_record() == 125 and 'cannot be stopped' in play.words(), play.words()
        [end] = play.lines('end')
        assert end['why'] == 'the sessions could not be stopped', end
        assert sum(whole_packets(path)[0] for path in streams(play.path('d'))) == 2 * 20 * 50


# --- the line ------------------------------------------------------------------------

def refuse(*words):
    done = subprocess.run([KTRACE, 'record', *words], capture_output=True, text=True)
    assert done.returncode in (2, 125), done
    assert done.stderr.startswith('ktrace: ') and done.stderr.count('\n') == 1, done.stderr
    return done.stderr


def test_wrong_lines_are_refused():
    with Recording() as play:
        folder = play.path('d')
        assert 'Into which folder' in refuse('--', 'true')
        assert 'Into which folder' in refuse('-o', '', '--', 'true')
        assert 'no command' in refuse('-o', folder, 'virtio', '--', 'true')
        assert 'behind --' in refuse('-o', folder, 'syscall', 'true')
        assert "missing behind '+'" in refuse('-o', folder, 'syscall', '+', '--', 'true')
        assert "missing in front of '+'" in refuse('-o', folder, '+', 'syscall', '--', 'true')
        assert "missing behind '+'" in refuse('-o', folder, 'syscall', '+', '+', 'sched', '--', 'true')
        assert "'+' between commands" in refuse('-o', folder, 'syscall', 'run', '--', 'true')
        assert 'in front' in refuse('-o', folder, 'syscall', '-o', 'x', '--', 'true')
        for option in (['--format', 'json'], ['-i', '1'], ['--to', 'json:-'], ['--attach', 'x'],
                       ['--hist', 'read'], ['--sort', 'calls'], ['--by', 'pid']):
            assert 'a recording shows nothing' in \
                refuse('-o', folder, 'run', '+', 'syscall', *option, '--', 'true')
        assert 'twice' in refuse('-o', folder, 'run', '+', 'run', '--', 'true')
        assert 'only the layer block has' in refuse('-o', folder, 'io', '--layers', 'fs', '--', 'true')
        assert 'layer block' in refuse('-o', folder, 'io', '--layers', 'fs,block', '--', 'true')
        assert '--slow TIME' in refuse('-o', folder, 'sched', '--min-time', '1ms', '--', 'true')
        assert 'Attach to what' in refuse('-o', folder)
        assert 'Which program' in refuse('-o', folder, 'run')
        assert 'omit --name' in refuse('-o', folder, '-p', str(os.getpid()), '--name', 'x')
        for option, one, other in (('-p', '1', '2'), ('-d', '1', '2')):
            assert 'different values' in \
                refuse('-o', folder, 'syscall', option, one, '+', 'sched', option, other)
        assert '-p and -- PROGRAM' in refuse('-o', folder, 'syscall', '-p', '1', '--', 'true')
        assert not os.path.exists(folder)


# --- cost ----------------------------------------------------------------------------

def instructions(packets):
    with Recording(cpus=1, packets=packets, records=494, ring=50) as play:
        play.before = ['valgrind', '--tool=callgrind', '--toggle-collect=recorder_pass',
                       '--toggle-collect=recorder_finish', f'--callgrind-out-file={play.path("out")}']
        # The part of the module that plays is not the recorder's.
        play.before += ['--toggle-collect=ktr_stream_next']
        assert play.run_record(program=('sleep', '3')) == 0, play.words()
        total = sum(whole_packets(path)[0] for path in streams(play.path('d')))
        assert total == packets * 494
        with open(play.path('out')) as file:
            return int(re.search(r'^(?:summary|totals): (\d+)', file.read(), re.M).group(1))


def test_half_a_million_calls_a_second_are_kept():
    """
    Packets of 494 calls come at this rate, whether they are read or not, and each CPU has 4 MB of
    room, as the module has by default.
    """
    rate, room = 500000, (4 << 20) // 15872
    with Recording(cpus=2, packets=1500, records=494, ring=room, period=2 * 494 * 10**6 // rate) as play:
        begin = time.monotonic()
        assert play.run_record(program=('sleep', '3.2')) == 0, play.words()
        seconds = time.monotonic() - begin
        [end] = play.lines('end')
        assert end['lost'] == [] and end['counters']['produced'] == 2 * 1500 * 494, end
        assert sum(whole_packets(path)[0] for path in streams(play.path('d'))) == 2 * 1500 * 494
        # The module plays for 3 s, so the rate was that.
        assert seconds < 15, seconds


def test_a_byte_costs_less_than_two_instructions():
    if not shutil.which('valgrind'):
        raise Skip('valgrind is not installed')
    few, many = instructions(500), instructions(2500)
    each = (many - few) / (2000 * (80 + 494 * 32))
    assert 0 < each < 2, each
    return f'{each:.4f} instructions a byte'
