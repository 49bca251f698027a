#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report_samples.py FIGURES: prints docs/costs-samples.md, from the figures of samples.py: lines
"kernel key value"."""
import sys

from report import print_table, read, say

TRACERS = [
    ('ktrace', 'ktrace profile (tables for unwinding)'),
    ('ktrace_fp', 'ktrace profile --unwind fp'),
    ('perf_fp', 'perf record -g (frame pointers)'),
    ('perf_dwarf', 'perf record --call-graph dwarf'),
    ('bcc', 'BCC profile (frame pointers)'),
    ('bpftrace', 'bpftrace, count() by kstack and ustack (frame pointers)'),
]
ALONE = [
    ('timer', 'that does not count (the gate of its session is closed): the interrupt', ''),
    ('empty', 'without a stack', '1,300'),
    ('frames_22', 'with 22 frames of a program, by frame pointers', '3,500'),
    ('frames_104', 'with 104 frames of a program, by frame pointers', ''),
    ('tables', 'with 20 frames of a program, by tables', '7,000'),
]
FILES = [
    ('true', '`true`'),
    ('python', '`python3 -S -c \'\'`'),
    ('qemu', '`qemu-system-x86_64 -version`'),
]


def file_rows(suffix, target=''):
    return [(key + suffix, text, target) for key, text in FILES]


def rows(suffix=''):
    return [(key + suffix, text, '') for key, text in TRACERS]


def print_files(figures, kernels):
    print('\n## Files that are seen first\n')
    say('Once per command, a file is opened and compiled to a table: of a program behind `--`, and of '
        'its libraries, before it begins. The CPU time that `ktrace profile -- PROGRAM` takes longer '
        'for this than with `--unwind fp`, in ms at a billion instructions per second. The files are '
        'in memory:')
    print()
    print_table('CPU time, ms', 'files.', file_rows('_cpu_ms'), figures, kernels)
    print()
    say('How many tables these are: of the program, its loader, its libraries and the vDSO. The '
        'target of their memory is that of QEMU:')
    print()
    print_table('tables', 'files.', file_rows(''), figures, kernels)
    print()
    print_table('memory of tables, KiB', 'files.', file_rows('_kib', '8,192'), figures, kernels)


def main(path):
    figures, kernels = read(path)
    print('# What a profile costs\n')
    say('Written by `make bench`, or alone by `tests/bench/bench.sh samples`, in a quarter of an '
        'hour. [profile.md](profile.md) describes samples and tables. All figures are from a '
        'virtual machine of one CPU, whose time is the number of executed instructions '
        '(`ICOUNT=1`): they do not depend on the load of the host.')
    print('\n## A sample alone\n')
    say('Instructions that the program takes longer, per sample. No command runs: a '
        'client has told the module what to sample, and given it the tables.')
    print()
    print_table('a sample', 'sample.', ALONE, figures, kernels)
    print('\n## A sample, and what its command does meanwhile\n')
    say('A program is sampled that is 22 calls deep, was built with frame pointers, and begins again '
        'and again, each time for about a second. All tracers sample the whole machine 999 times per '
        'second, driven by a timer, as this machine counts no cycles. Meanwhile '
        'ktrace reads new stacks and the mappings of new processes, opens mapped files that are new '
        'to it, and compiles their tables; BCC and bpftrace look at stacks when they end; perf copies '
        'its buffers to a file.')
    print()
    print_table('one sample', 'samples.', rows(), figures, kernels)
    print('\n## The command\n')
    say('From its start to its report, which is folded stacks, for about five seconds of the '
        'program. perf is `perf record` and `perf report`. CPU time, in ms at a billion '
        'instructions per second:')
    print()
    print_table('CPU time, ms', 'samples.', rows('_cpu_ms'), figures, kernels)
    print()
    say('The highest memory:')
    print()
    print_table('memory, KiB', 'samples.', rows('_kib'), figures, kernels)
    print_files(figures, kernels)


main(sys.argv[1])
