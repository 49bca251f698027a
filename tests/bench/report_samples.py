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
TARGETS = {'ktrace': '7,000', 'ktrace_fp': '3,500'}     # of a sample without the command


def rows(suffix, targets=()):
    return [(key + suffix, text, targets[key] if key in targets else '') for key, text in TRACERS]


def main(path):
    figures, kernels = read(path)
    print('# What a profile costs\n')
    say('Written by `make bench`, or alone by `tests/bench/bench.sh samples`, in a quarter of an '
        'hour. [profile.md](profile.md) describes samples and tables. All figures are from a '
        'virtual machine of one CPU, whose time is the number of executed instructions '
        '(`ICOUNT=1`): they do not depend on the load of the host. A program is sampled that is '
        '22 calls deep, was built with frame pointers, and begins again and again, each time for '
        'about a second. All tracers sample the whole machine 999 times per second, driven by a '
        'timer, as this machine counts no cycles.')
    print('\n## One sample\n')
    say("Instructions that the program takes longer, per sample. They include what the tracer's "
        'command does meanwhile: ktrace reads new stacks and the mappings of new processes, and '
        'compiles tables of files that it does not know; BCC and bpftrace look at stacks when '
        'they end; perf copies its buffers to a file. The targets are those of a sample alone, '
        'which `tests/kernel/test_samples.py` measures without a command:')
    print()
    print_table('one sample', 'samples.', rows('', TARGETS), figures, kernels)
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


main(sys.argv[1])
