# SPDX-License-Identifier: GPL-2.0
"""What the guide to regressions claims: the job names parse(); two figures of an eBPF program
differ as explained."""
import json
import os
import re
import subprocess

from run import HERE

CALLS = 500


def ktrace(*words):
    return json.loads(subprocess.check_output([HERE + '/build/ktrace', *words, '--format', 'json'], text=True))


def sides(guide, old, new):
    return [os.path.join(guide.folder, name) for name in (old, new)]


def check_job(guide):
    said = guide.output('./ci.sh')
    assert 'parse got slower' in said and 'work got slower' in said, said
    rows = {row['name']: row for row in
            ktrace('diff', *sides(guide, 'production/runs', 'candidate/runs'))['rows']}
    assert rows['parse']['self_ns']['is_significant'], rows['parse']
    assert rows['search']['in'] == 'a' and rows['look_up']['in'] == 'b', rows
    with open(guide.folder + '/figures.json') as file:
        figures = json.load(file)
    assert any('parse' in name for name in figures), figures
    with open(guide.folder + '/changes.svg') as file:
        picture = file.read()
    assert '<title>parse: ' in picture and 'only in A: main;work;search' in picture


NS = {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}


def host(guide, nr):
    """Returns calls, average and median in ns of the host function."""
    words = guide.output('ktrace func __x64_sys_fdatasync', nr).split('FUNCTION\n')[1].split()
    return int(words[2]), float(words[4]) * NS[words[5]], float(words[6]) * NS[words[7]]


def kernels_own(guide, nr):
    """Returns runs of the program, and their average in ns."""
    figures = dict(re.findall(r'(run_\w+):\s+(\d+)', guide.output('grep -h run_', nr)))
    return int(figures['run_cnt']), int(figures['run_time_ns']) / int(figures['run_cnt'])


def check_program(guide):
    none, first, second = [host(guide, nr) for nr in range(3)]
    programs = [kernels_own(guide, nr) for nr in range(2)]
    for (calls, average, _), (runs, alone) in zip((first, second), programs):
        assert calls == runs == none[0] == CALLS, (calls, runs, none)
        # The host function contains the program.
        assert average > alone, (average, alone)
    assert programs[1][1] > programs[0][1], programs
    assert none[2] < first[2] < second[2], (none, first, second)
    said = guide.output('ktrace func trace_call_bpf')
    assert '%d calls missed' % CALLS in said and 'No call was counted' in said, said


def check(guide):
    check_job(guide)
    check_program(guide)
