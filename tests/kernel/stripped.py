# SPDX-License-Identifier: GPL-2.0
"""Stripped programs of Debian that compute for a long time, to be stopped at any moment."""
import os
import random
import signal
import subprocess

from tool import TMP, state_of, wait_for

LOOP = 'while :; do f() { x=$((x + 1)); y=${x%1}z; }; f; f; done'
CPU_TICKS = 30      # until a program has loaded its libraries
FILE = '/usr/bin/gdb'

# The files WORDS and OTHERS are made by write_input().
PROGRAMS = {
    'bash': ['/bin/bash', '-c', LOOP],
    'perl': ['/usr/bin/perl', '-e',
             'while (1) { my %h; $h{$_ % 97} .= "$_ " for 1..999; '
             'my @s = sort { $h{$a} cmp $h{$b} } keys %h; s/1/x/g for values %h }'],
    'python3': ['/usr/bin/python3', '-S', '-c',
                'import json, re\n'
                'while 1: json.loads(json.dumps({str(i): [re.sub("1", "x", str(j)) for j in '
                'range(i)] for i in range(40)}))'],
    'sqlite3': ['/usr/bin/sqlite3', ':memory:',
                'with recursive c(x) as (select 1 union all select x + 1 from c limit 99999999) '
                'select count(distinct x % 1000 || \'x\') from c;'],
    'git': ['/usr/bin/git', 'diff', '--no-index', '--minimal', 'WORDS', 'OTHERS'],
    'gzip': ['/usr/bin/gzip', '-9c'] + 20 * [FILE],
    'sort': ['/usr/bin/sort', '--parallel=1', '-R'] + 9 * ['WORDS'],
    'mawk': ['/usr/bin/mawk',
             'BEGIN { for (;;) { for (i = 0; i < 999; i++) a[i % 97] = a[i % 7] sprintf("%d", i) '
             'substr(a[i % 5], 1, 20); gsub(/1/, "x", a[3]) } }'],
    'grep': ['/usr/bin/grep', '-vE', r'^(.*)(.*)\2\1$'] + 99 * ['WORDS'],
    'openssl': ['/usr/bin/openssl', 'speed', '-seconds', '100', 'ecdsap384'],
    'make': ['/usr/bin/make', '-f', '/dev/null', '--eval', 'x := $(shell seq 3000)', '--eval',
             'y := $(foreach i,$(x),$(foreach j,$(x),$(sort $j $i)))'],
    'xz': ['/usr/bin/xz', '-c'] + 9 * [FILE],
}


def write_input():
    """Returns the words of PROGRAMS that are names of files, with their paths."""
    chance = random.Random(1)
    paths = {name: os.path.join(TMP, name) for name in ('WORDS', 'OTHERS')}
    for path in paths.values():
        with open(path, 'w') as file:
            file.writelines('%s %d\n' % ('word' * chance.randrange(4), chance.randrange(5000))
                            for _ in range(30000))
    return paths


def cpu_ticks(pid):
    with open('/proc/%d/stat' % pid) as stat:
        fields = stat.read().rpartition(')')[2].split()
    return int(fields[11]) + int(fields[12])


def stop(process):
    os.kill(process.pid, signal.SIGSTOP)
    wait_for(lambda: state_of(process.pid) == 'T')


def started(name, paths):
    """Starts a program; returns it stopped, after it has computed for a while."""
    process = subprocess.Popen([paths.get(word, word) for word in PROGRAMS[name]], cwd='/',
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    wait_for(lambda: process.poll() is not None or cpu_ticks(process.pid) >= CPU_TICKS)
    assert process.poll() is None, (name, process.returncode)
    stop(process)
    return process
