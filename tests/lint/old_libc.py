# SPDX-License-Identifier: GPL-2.0
"""old_libc.py OBJECT...: fails if one calls a function that the C library of el7 (2.17) lacks.

A function may have several versions: the first one says when it was added.
"""
import collections
import re
import subprocess
import sys

OLDEST = (2, 17)
# What newer headers call instead of what was there: inline functions before 2.33, strtol() and others.
RENAMED = '__isoc23_'
INLINE = {'stat', 'fstat', 'lstat', 'fstatat', 'mknod', 'mknodat'}
VERSION = re.compile(r'\(?GLIBC_([0-9.]+)\)?\s+(\w+)$')


def output(*words):
    return subprocess.check_output(words, text=True).splitlines()


def first_versions():
    versions = collections.defaultdict(list)
    path, = output('gcc', '-print-file-name=libc.so.6')
    for line in output('objdump', '-T', path):
        if found := VERSION.search(line):
            versions[found[2]].append(tuple(map(int, found[1].split('.'))))
    return {name: min(of) for name, of in versions.items()}


def main():
    first = first_versions()
    assert first['getrandom'] == (2, 25) and first['memcpy'] < OLDEST, 'the versions cannot be read'
    wrong, file = [], ''
    for line in output('nm', '-u', *sys.argv[1:]):
        name = line.split()[-1] if line.startswith(' ') else ''
        file = file if name else line.rstrip(':') or file
        if name in INLINE or name.startswith(RENAMED):
            continue
        if first.get(name, OLDEST) > OLDEST:
            version = '.'.join(map(str, first[name]))
            wrong.append(f'{file}: {name}() came with glibc {version}; el7 has 2.17')
    print('\n'.join(wrong))
    return 1 if wrong else 0


sys.exit(main())
