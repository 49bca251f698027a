# SPDX-License-Identifier: GPL-2.0
"""ktrace record: what babeltrace2 reads is what the kernel counted, of several sessions together."""
import collections
import json
import os
import re
import shutil
import subprocess

import schema
from disks import MS, Null, dd_read, remove_nulls
from tool import (TMP, expected_calls, ktrace, limit, none_left, untraced,
                  victim)

INHERITED = 1 << 4     # KTRACE_REC_F_INHERITED
FOLDER = os.path.join(TMP, 'recording')
EVENT = re.compile(r'^\[.*?\] \(.*?\) (\w+): .*?\{ tid = (\d+) \}, \{ (?:func = \( "?([^:"]*)"? : )?')

teardown = remove_nulls


def record(*words, status=0):
    """Returns what is in ktrace.jsonl, and what ktrace said."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    done = subprocess.run(['ktrace', 'record', '-o', FOLDER, *words], capture_output=True,
                          text=True, timeout=limit(100))
    assert done.returncode == status, (words, done.returncode, done.stderr)
    with open(f'{FOLDER}/ktrace.jsonl') as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        schema.check_line(line)
    return lines, done.stderr


def read(folder=''):
    """Returns lines of babeltrace2, and how many there are of each event and function."""
    text = subprocess.check_output(['babeltrace2', os.path.join(FOLDER, folder)], text=True)
    lines = text.splitlines()
    return lines, collections.Counter(EVENT.match(line).group(1, 3) for line in lines)


def of_kind(lines, kind):
    return [one for one in lines if one['is'] == kind]


def check_calls(name, options=('--no-lib',)):
    """Each call has one record, with the name of its function."""
    output, status = untraced(name)
    calls = {function: nr for function, nr in expected_calls(name).items() if nr}
    facts, said = record('run', *options, '-f', ','.join(calls), '--', victim(name), status=status)
    counts = read('functions')[1]
    found = {function: nr for (event, function), nr in counts.items() if event == 'exit'}
    assert {function.split('@')[0]: nr for function, nr in found.items()} == calls, (found, calls)
    assert not counts['entry', 'main'], counts
    [end] = of_kind(facts, 'end')
    assert not end['lost'] and end['counters']['produced'] == sum(counts.values()), (end, counts)
    assert f'{sum(counts.values())} records' in said, said
    return sum(calls.values()), sum(os.path.getsize(f'{FOLDER}/functions/{stream}')
                                    for stream in os.listdir(f'{FOLDER}/functions')
                                    if stream.startswith('stream_'))


def test_calls_are_those_of_the_program():
    for name in 'builds-O0', 'builds-O2', 'recursion':
        check_calls(name)


def test_a_call_costs_32_bytes():
    calls, size = check_calls('threads64')
    assert calls > 1000 and size < 40 * calls, (calls, size)
    return f'{size / calls:.1f} bytes a call'


def test_forks_and_programs_are_followed():
    calls = expected_calls('family')
    facts, _ = record('run', '--no-lib', '-f', ','.join(calls), '--', victim('family'),
                      status=untraced('family')[1])
    lines, counts = read('functions')
    found = collections.Counter()
    for line in lines:
        event, _, function = EVENT.match(line).groups()
        # A call that the parent entered counts there.
        if event == 'exit' and not int(re.search(r' flags = (\d+)', line).group(1)) & INHERITED:
            found[re.split('[@ ]', function)[0]] += 1
    assert {name: found[name] for name in calls} == calls, (found, calls)
    assert any(event == 'fork' for event, _ in counts) and any(event == 'exec' for event, _ in counts)
    assert of_kind(facts, 'end')[0]['why'] == 'the program ended'


def test_entries_are_recorded_if_wanted():
    calls = expected_calls('recursion')
    shutil.rmtree(FOLDER, ignore_errors=True)
    done = subprocess.run(['ktrace', 'record', '-o', FOLDER, '--entries', 'run', '--no-lib', '-f',
                           ','.join(calls), '--', victim('recursion')],
                          capture_output=True, text=True, timeout=limit(100))
    assert done.returncode == untraced('recursion')[1], done
    counts = read('functions')[1]
    for name, nr in calls.items():
        assert counts['entry', name] == counts['exit', name] == nr, (name, counts)


def test_three_commands_record_together():
    """Of one program, at the same time, with one clock."""
    words = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=16', 'count=300']
    facts, said = record('run', '-f', 'read,write', '+', 'syscall', '+', 'sched', '--', *words)
    folders = [one['folder'] for one in of_kind(facts, 'session')]
    assert folders == ['functions', 'syscalls', 'scheduler'], folders
    lines, counts = read()
    times = [line[:line.index(']')] for line in lines]
    assert times == sorted(times)
    assert counts['syscall', 'write'] >= 300 and counts['syscall', 'read'] >= 300, counts
    assert any(event == 'period' and what.startswith('run') for event, what in counts), counts
    for one in of_kind(facts, 'end'):
        folder = folders[one['session']]
        assert not one['lost'], one
        assert sum(read(folder)[1].values()) == one['counters']['produced'], (folder, one)
    writes = [line for line in lines if '"write"' in line and 'ret = 16,' in line]
    assert len(writes) >= 300 and all('comm = "dd"' in line for line in writes), writes[:2]
    assert '/dev/null' in writes[0], writes[0]
    # The same figures without a recording: dd makes the same calls.
    rows = json.loads(ktrace('syscall', '--format', 'json', '-o', '-', '--', *words)[0])['rows']
    figures = {row['name']: row['calls'] for row in rows}
    assert all(counts['syscall', name] == figures[name] for name in ('read', 'write')), (figures, counts)
    calls = {what.split('@')[0]: nr for (event, what), nr in counts.items() if event == 'exit'}
    assert calls['write'] >= 300 and calls['read'] >= 300, counts
    none_left()


def test_each_fault_has_a_record():
    """
    The records are those that the module has produced, babeltrace2 reads, and report adds up. A
    write touches 200 pages.
    """
    words = [victim('faults'), '200', '0']
    facts, _ = record('fault', '--', *words)
    assert [one['folder'] for one in of_kind(facts, 'session')] == ['faults'], facts
    lines, counts = read('faults')
    [end] = of_kind(facts, 'end')
    assert not end['lost'] and end['counters']['produced'] == sum(counts.values()), (end, counts)
    found = {kind: nr for (event, kind), nr in counts.items() if event == 'fault'}
    assert found['write'] >= 200, found
    written = {int(page, 16) for page in re.findall(r'"write" : .* page = (0x[0-9A-Fa-f]+),', '\n'.join(lines))}
    assert len(written) >= 200 and not any(page % 4096 for page in written), lines[:3]
    data = json.loads(ktrace('report', FOLDER, '--format', 'json')[0])
    assert data['schema'] == 'ktrace.fault/1' and data['complete'], data
    assert {row['fault']: row['calls'] for row in data['rows']} == found, (data, found)
    by_pid = json.loads(ktrace('report', FOLDER, '--by', 'pid,comm', '--format', 'json')[0])['rows']
    assert sum(row['calls'] for row in by_pid) == sum(found.values()), (by_pid, found)
    assert {row['pid'] for row in by_pid} == {of_kind(facts, 'recording')[0]['pid']}, by_pid
    shown = ktrace('replay', FOLDER)[0]
    assert len(re.findall(r' write 0x[0-9a-f]+000$', shown, re.M)) == found['write'], shown
    none_left()


def test_chosen_faults_have_records():  # slow
    """Only slow faults of a slow disk; together with another session; and the newest ones."""
    disk = Null(delay_ns=200 * MS)
    facts, _ = record('fault', '--slow', '100ms', '--', victim('faults'), '300', '0', disk.path, '5', '0')
    found = collections.Counter(what for event, what in read('faults')[1].elements() if event == 'fault')
    assert found['major read'] == 5 and not found['write'], found
    words = [victim('faults'), '200', '0']
    facts, _ = record('fault', '+', 'syscall', '--', *words)
    assert [one['folder'] for one in of_kind(facts, 'session')] == ['faults', 'syscalls'], facts
    assert read('faults')[1]['fault', 'write'] >= 200 and read('syscalls')[1]['syscall', 'mmap'] >= 2
    shutil.rmtree(FOLDER)
    subprocess.run(['ktrace', 'record', '-o', FOLDER, '--overwrite', 'fault', '--', *words], check=True,
                   stdout=subprocess.DEVNULL, timeout=limit(100))
    rows = json.loads(ktrace('report', f'{FOLDER}/0001', '--format', 'json')[0])['rows']
    assert any(row['fault'] == 'write' and row['calls'] >= 200 for row in rows), rows
    none_left()


def test_requests_have_their_disks():
    disk = Null(delay_ns=MS)
    facts, _ = record('io', '+', 'func', 'vfs_read', '--', *dd_read(disk.name, 10))
    lines, counts = read('block')
    assert sum(counts.values()) == 10 and all('op = ( "read" ' in line for line in lines), lines
    assert all('bytes = 4096,' in line for line in lines), lines[0]
    assert [one['name'] for one in of_kind(facts, 'disk')] == [disk.name], facts
    assert read('kernel')[1]['call', 'vfs_read'] >= 10


def test_stacks_are_named():
    facts, _ = record('sched', '--stacks', '+', 'syscall', '--stacks', '--', 'sh', '-c',
                      'sleep 0.1; sleep 0.1')
    stacks = {one['stack']: one for one in of_kind(facts, 'stack')
              if one['session'] == 0}
    lines = [line for line in read('scheduler')[0] if '"sleep"' in line and 'stack = ' in line]
    used = [int(re.search(r' stack = (\d+)', line).group(1)) for line in lines]
    assert used and all(nr in stacks for nr in used if nr != 0xffffffff), (used, list(stacks))
    assert any('schedule' in ' '.join(one['kernel']) for one in stacks.values()), stacks
    # The picture has the times of all periods off a CPU.
    text, _ = ktrace('report', FOLDER, '--session', 'scheduler', '--format', 'folded')
    paths = {path: int(ns) for path, _, ns in (line.rpartition(' ') for line in text.splitlines())}
    off = [int(re.search(r' duration = (\d+)', line).group(1)) for line in read('scheduler')[0]
           if re.search(r'func = \( "(preempted|sleep|disk|stopped)"', line)]
    assert sum(paths.values()) == sum(off) > 0, (sum(paths.values()), sum(off))
    slept = [ns for path, ns in paths.items() if path.startswith('sleep;') and path.endswith('[sleep]')]
    assert sum(slept) > 150 * MS, paths
    text, _ = ktrace('report', FOLDER, '--session', 'syscalls', '--format', 'folded')
    assert re.search(r'^sleep;.*;clock_nanosleep \d+$', text, re.M), text


def test_processes_of_the_machine_are_recorded():
    sleeper = subprocess.Popen(['sh', '-c', 'while :; do sleep 0.01; done'])
    facts, _ = record('sched', '-p', str(sleeper.pid), '-d', '300ms')
    sleeper.kill()
    sleeper.wait()
    [end] = of_kind(facts, 'end')
    assert end['why'] == 'the duration was over'
    assert of_kind(facts, 'task')[0]['comm'] == 'sh' and of_kind(facts, 'recording')[0]['pid'] == sleeper.pid
    lines, _ = read()
    assert lines and len(lines) == end['counters']['produced'], (len(lines), end)


def test_figures_per_second():
    """Prints how many records of a program that only calls are kept without a loss."""
    done = subprocess.run(['ktrace', 'record', '-o', FOLDER + '-fast', 'syscall', '--buffer', '8M', '--', 'dd', 'if=/dev/zero',
                           'of=/dev/null', 'bs=1', 'count=20000'], capture_output=True, text=True,
                          timeout=limit(100))
    assert not done.returncode and 'incomplete' not in done.stderr, done.stderr
    shutil.rmtree(FOLDER + '-fast')
    return done.stderr.splitlines()[-1]
