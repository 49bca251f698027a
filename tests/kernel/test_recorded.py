# SPDX-License-Identifier: GPL-2.0
"""
Recordings of programs that are hard to trace: report, run and babeltrace2 count the same calls.
What is left of a recorder that was killed, or had no room, is a prefix that all of them read.
"""
import collections
import glob
import json
import os
import random
import re
import shutil
import struct
import subprocess
import time

import programs
from tool import TMP, expected_calls, limit, none_left, untraced, victim, wait_for

NO_RETURN, INHERITED = 1 << 3, 1 << 4     # KTRACE_REC_F_*
FOLDER = os.path.join(TMP, 'recorded')
KTRACE = shutil.which('ktrace')
RANDOM = random.Random(int(os.environ.get('SEED') or time.time()))

# Forks, threads, exceptions, tail calls, jumps, signals and coroutines.
NAMES = ('builds', 'exception', 'tailcall', 'threads64', 'family', 'forknoexec', 'recursion',
         'longjmp', 'nestedsignals', 'coroutine')
SAMPLE = ('sqlite', 'sqlite3_*'), ('perl', 'Perl_sv_*')
EVENT = re.compile(r'\) (entry|exit): .*?\{ func = \( "((?:[^"\\]|\\.)*)" : .*? flags = (\d+)')


def plain(counts):
    """Returns the counts by names without the library, of calls that were made."""
    found = collections.Counter()
    for name, nr in counts:
        found[name.split('@')[0]] += nr
    return {name: nr for name, nr in found.items() if nr}


def of_babeltrace(folder):
    """Counts calls in the text of babeltrace2: an end, or an entry of a call that has no end."""
    text = subprocess.check_output(['babeltrace2', folder], text=True)
    found = collections.Counter()
    for event, name, flags in EVENT.findall(text):
        if not int(flags) & (NO_RETURN if event == 'exit' else INHERITED):
            found[name] += event == 'exit' and not int(flags) & INHERITED or \
                event == 'entry' and bool(int(flags) & NO_RETURN)
    return plain(found.items()), text.count('\n')


def of_report(status=0):
    """
    Only counts are compared: calls on stacks of coroutines and handlers end after their callers, so
    report does not place them as the module does, and own times of recursion may exceed the total.
    """
    done = subprocess.run(['ktrace', 'report', FOLDER, '--format', 'json'], capture_output=True,
                          text=True, timeout=limit(100))
    assert done.returncode == status, done.stderr
    # A handler that siglongjmp() has left on its own stack ends when that stack is used again.
    assert done.stderr.count('\n') == (status != 0), done.stderr
    assert not status or '[caller not recorded]' in done.stderr, done.stderr
    return plain((row['name'], row['entries']) for row in json.loads(done.stdout)['rows'])


def of_run(path):
    with open(path) as file:
        document = json.load(file)
    assert document['complete'], document['session']
    return plain((row['name'], row['entries']) for row in document['rows'])


def check_trace(*options):
    """What babeltrace2 counts in a trace of some calls of the recording, report counts with the same options."""
    text = subprocess.run(['ktrace', 'report', FOLDER, '--format', 'json', *options], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=limit(100)).stdout
    report = plain((row['name'], row['entries']) for row in json.loads(text)['rows'])
    subprocess.run([KTRACE, 'report', FOLDER, '--format', 'ctf', '-o', FOLDER + '.ctf', '--force', *options],
                   stderr=subprocess.DEVNULL, timeout=limit(100))
    trace, _ = of_babeltrace(FOLDER + '.ctf')
    assert trace == report and trace, {function: (trace.get(function), report.get(function))
                                       for function in {*trace, *report}}


def counts_of(run, options, status=0):
    """Returns what each of the three counts. run(command) runs the program with a command before it."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    run([KTRACE, 'record', '-o', FOLDER, 'run', *options, '--'])
    report = of_report(status)
    check_trace('--no-function', 'outer,deeper')
    babeltrace, _ = of_babeltrace(FOLDER)
    path = FOLDER + '.json'
    run([KTRACE, 'run', '--format', 'json', '-o', path, *options, '--'])
    return report, of_run(path), babeltrace


def check_victims(suffix):
    """All programs are in one recording, as processes that a shell starts."""
    names = [name + ('-O2' if name == 'builds' and not suffix else suffix) for name in NAMES]
    calls = collections.Counter()
    for name in names:
        calls.update({function: nr for function, nr in expected_calls(name).items() if nr})
    script = '; '.join(f'"{victim(name)}"; echo status $?' for name in names)
    said = subprocess.check_output(['sh', '-c', script], stdin=subprocess.DEVNULL, text=True)

    def run(command):
        done = subprocess.run([*command, 'sh', '-c', script], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=limit(200))
        # Parent and child of a fork write in any order.
        assert sorted(done.stdout.splitlines()) == sorted(said.splitlines()), (done.stdout, said)
        assert not done.returncode, done.stderr[-1000:]
    patterns = sorted({re.sub(r'\(.*', '*', function) for function in calls})
    found = counts_of(run, ['--no-lib', '-f', ','.join(patterns)], status=3)
    assert found == (calls, calls, calls), {
        function: (nr, *(one.get(function) for one in found)) for function, nr in calls.items()}
    return f'{len(names)} programs, {sum(calls.values())} calls'


def test_counts_without_optimization_are_equal():  # slow
    return check_victims('-O0')


def test_counts_with_optimization_are_equal():
    return check_victims('')


def test_counts_of_real_programs_are_equal():  # slow
    for name, pattern in SAMPLE:
        def run(command):
            done = programs.run(name, command)[0]       # pylint: disable=cell-var-from-loop
            assert done == output, (name, done[:500])   # pylint: disable=cell-var-from-loop
        output = programs.run(name)[0]
        report, direct, babeltrace = counts_of(run, ['--budget', 'none', '-f', pattern])
        assert report == direct == babeltrace, {
            function: [one.get(function) for one in (report, direct, babeltrace)]
            for function in {*report, *direct, *babeltrace}
            if not report.get(function) == direct.get(function) == babeltrace.get(function)}
        assert len(report) > 20 and sum(report.values()) > 500, report


# --- what is left -------------------------------------------------------------------

HEAD = struct.Struct('<II16sQQQQQQII')


def whole_packets(path):
    """Returns the numbers of the whole packets, and how many records they have."""
    with open(path, 'rb') as file:
        data = file.read()
    at, records, numbers = 0, 0, []
    while len(data) - at >= HEAD.size:
        head = HEAD.unpack_from(data, at)
        assert head[0] == 0xC1FC1FC1, (path, at)
        if head[6] // 8 > len(data) - at:
            break
        records += head[10]
        numbers.append(head[8])
        at += head[6] // 8
    return numbers, records


def check_prefix(folder):
    """Each stream has its first packets without a gap; report and babeltrace2 read as many records."""
    total = 0
    streams = f'{folder}/functions'
    for stream in sorted(os.listdir(streams)):
        if stream.startswith('stream_'):
            numbers, records = whole_packets(f'{streams}/{stream}')
            assert numbers == list(range(len(numbers))), (stream, numbers)
            total += records
    done = subprocess.run(['ktrace', 'report', folder, '--format', 'json'], capture_output=True,
                          text=True, timeout=limit(100))
    assert done.returncode == 3 and done.stderr.startswith('ktrace: '), done
    counts, lines = of_babeltrace(folder)
    assert lines == total, (lines, total)
    rows = {row['name']: row['entries'] for row in json.loads(done.stdout)['rows'] if row['entries']}
    assert rows == counts, (rows, counts)
    return total


def check_killed(nr):
    """Kills NR recorders of a program that calls all the time, each at a random moment."""
    found = []
    for _ in range(nr):
        shutil.rmtree(FOLDER, ignore_errors=True)
        process = subprocess.Popen(
            ['ktrace', 'record', '-o', FOLDER, '--sync', '20ms', 'run', '--no-lib', '-f', 'inner,outer', '--',
             victim('threads64'), '1000'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: glob.glob(f'{FOLDER}/functions/stream_*'))
        time.sleep(RANDOM.uniform(0, 0.3))
        process.kill()
        process.wait()
        subprocess.run(['pkill', '-x', 'threads64'], check=False)
        none_left()
        found.append(check_prefix(FOLDER))
    assert sum(map(bool, found)) > nr // 2, found
    return f'{min(found)} to {max(found)} records'


def test_a_killed_recorder_leaves_a_prefix():
    return check_killed(20 if os.environ.get('FULL') else 3)


def test_a_full_disk_leaves_a_prefix():
    place = os.path.join(TMP, 'small')
    os.mkdir(place)
    subprocess.check_call(['mount', '-t', 'tmpfs', '-o', 'size=256k,mode=755', 'none', place])
    try:
        done = subprocess.run(['ktrace', 'record', '-o', f'{place}/d', 'run', '--no-lib', '-f', 'inner,outer',
                               '--', victim('threads64'), '4'], capture_output=True, text=True,
                              timeout=limit(100))
        assert done.returncode == 125 and 'No space left' in done.stderr, done
        total = check_prefix(f'{place}/d')
        assert 2000 < total < 4 * 7745, total
        with open(f'{place}/d/ktrace.jsonl') as file:
            assert '"is":"end"' in file.read().splitlines()[-1]
    finally:
        subprocess.check_call(['umount', place])
        none_left()
    return f'{total} records in 256 KiB'


# --- sizes --------------------------------------------------------------------------

FORMS = ('table', 'tree', 'flat', 'summary', 'callers', 'callees', 'json', 'folded', 'flame',
         'speedscope', 'pprof', 'dot', 'chrome', 'perf')


def exported():
    """Writes the recording in each format; returns {format: size}, the seconds and the peak in KiB."""
    sizes, start, most = {}, time.monotonic(), 0
    for form in FORMS:
        path = FOLDER + '.out'
        with subprocess.Popen(['ktrace', 'report', FOLDER, '--format', form, '-o', path]) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, (form, process.returncode)
        sizes[form] = os.path.getsize(path)
        most = max(most, usage.ru_maxrss)
    return sizes, time.monotonic() - start, most


def record(name, *args, functions):
    shutil.rmtree(FOLDER, ignore_errors=True)
    done = subprocess.run(['ktrace', 'record', '-o', FOLDER, 'run', '--no-lib', '-f', functions, '--',
                           victim(name), *args], capture_output=True, text=True, timeout=limit(200))
    assert 'incomplete' not in done.stderr, done.stderr
    return done


def test_a_thousand_threads():  # slow
    """tests/keep/reading.py has more of them, without a machine."""
    record('threads64', '16', functions='thread_main,main')
    calls, _ = of_babeltrace(FOLDER)
    assert calls == {'main': 1, 'thread_main': 16 * 64}, calls
    assert of_report() == calls
    sizes, seconds, most = exported()
    assert all(sizes.values()), sizes
    assert most < 64 << 10, most
    return f'{len(sizes)} formats in {seconds:.1f} s, at most {most} KiB'


def test_a_name_of_ten_kilobytes():  # slow
    """It is whole in the recording, in report's document and in each picture."""
    calls = expected_calls('longname')
    done = record('longname', functions='*')
    assert done.returncode == untraced('longname')[1], done
    [name] = [one for one in calls if len(one) == 10000]
    assert of_report() == calls
    assert of_babeltrace(FOLDER)[0] == calls
    sizes, seconds, most = exported()
    for form in ('tree', 'folded', 'flame', 'speedscope', 'pprof', 'dot', 'chrome'):
        assert sizes[form] > len(name), (form, sizes)
    return f'{len(sizes)} formats in {seconds:.1f} s, at most {most} KiB'
