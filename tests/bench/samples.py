#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Runs inside the machine, whose nanoseconds are instructions: what a sample costs the program that is
sampled, by ktrace and by other profilers. The program always computes the same, below 22 calls.
Prints lines "sample.KIND INSTRUCTIONS" of samples without a command; then "samples.TRACER INSTRUCTIONS"
per sample, which includes what the tracer's command does while the program runs, and for the command
from its start to its report samples.TRACER_cpu_ms, at a billion instructions per second, and
samples.TRACER_kib, its highest memory. measure_files() prints what files cost that are seen first.
Arguments choose: files, alone, or tracers.
"""
import glob
import json
import os
import re
import select
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'kernel'))
from test_samples import cost_by_tables, costs  # noqa: E402 (found there)
from tool import TMP, sessions, victim, wait_for  # noqa: E402

FREQUENCY = 999
RUNS = 3
PROGRAM = [victim('shares'), 'fixed', '20', '300000000']
DATA = os.path.join(TMP, 'perf.data')
OUT = os.path.join(TMP, 'samples')


def took():
    """Returns the instructions of the program."""
    return int(subprocess.check_output(PROGRAM).split()[1])


class Usage:
    """What commands have used."""
    def __init__(self):
        self.cpu, self.memory = 0, 0

    def wait(self, command):
        """Waits for the end of a command."""
        _, status, used = os.wait4(command.pid, 0)
        command.returncode = os.waitstatus_to_exitcode(status)
        self.cpu += used.ru_utime + used.ru_stime
        self.memory = max(self.memory, used.ru_maxrss)


class Tracer:
    """Writes one line per stack, which begins with the name of the program and ends with samples."""
    line = re.compile(r'^shares;.* (\d+)$', re.M)
    unit = 1
    files = ()      # that the command inherits

    def __init__(self, *command):
        self.command = command

    def is_ready(self, pid):
        """Has it opened its timers?"""
        for file in glob.glob('/proc/%d/fd/*' % pid):
            try:
                if os.readlink(file) == 'anon_inode:[perf_event]':
                    return True
            except OSError:
                pass
        return False

    def report(self, usage):
        """Makes the report, if the command has not written it to OUT."""

    def samples(self):
        """Returns the number of the program's samples in the report."""
        with open(OUT) as file:
            return sum(int(nr) for nr in self.line.findall(file.read())) // self.unit


class Ktrace(Tracer):
    unit = 10**9 // FREQUENCY

    def __init__(self, *options):
        super().__init__('ktrace', 'profile', '-F', str(FREQUENCY), '--format', 'folded', *options)

    def is_ready(self, pid):
        return [s['state'] for s in sessions()] == ['active']


class Perf(Tracer):
    """It looks at all processes first, for seconds, so it says by itself when it has begun."""
    line = re.compile(r'^ *shares +(\d+) *$', re.M)

    def __init__(self, *options):
        control, self.asked = os.pipe()
        self.answer, answer = os.pipe()
        self.files = control, answer
        super().__init__('perf', 'record', '-a', '-e', 'cpu-clock', '-F', str(FREQUENCY), *options,
                         '-D', '-1', '--control', 'fd:%d,%d' % self.files, '-o', DATA)
        os.write(self.asked, b'enable\n')

    def is_ready(self, pid):
        return select.select([self.answer], [], [], 1)[0]

    def report(self, usage):
        with open(OUT, 'w') as out:
            usage.wait(subprocess.Popen(
                ['perf', 'report', '-i', DATA, '--stdio', '--no-children', '-g', 'none', '-F',
                 'comm,sample', '-s', 'comm'], stdout=out, stderr=subprocess.DEVNULL))


class Bpftrace(Tracer):
    line = re.compile(r'\]: (\d+)$', re.M)

    def __init__(self):
        super().__init__('bpftrace', '-e',
                         'profile:hz:%d /comm == "shares"/ { @[kstack, ustack(127)] = count(); }'
                         % FREQUENCY)


TRACERS = {
    'ktrace': Ktrace(),
    'ktrace_fp': Ktrace('--unwind', 'fp'),
    'perf_fp': Perf('-g'),
    'perf_dwarf': Perf('--call-graph', 'dwarf'),
    'bcc': Tracer('profile-bpfcc', '-F', str(FREQUENCY), '-f', '--stack-storage-size', '8192'),
    'bpftrace': Bpftrace(),
}


def measure(name, tracer, alone):
    """Prints the figures of a tracer; none if it does not run on this kernel."""
    usage = Usage()
    with open(OUT, 'w') as out:
        command = subprocess.Popen(tracer.command, stdout=out, stderr=subprocess.DEVNULL,
                                   pass_fds=tracer.files)
    wait_for(lambda: command.poll() is not None or tracer.is_ready(command.pid), 600)
    if command.poll() is not None:
        return
    took()
    runs = [took() for _ in range(RUNS)]
    command.send_signal(signal.SIGINT)
    usage.wait(command)
    tracer.report(usage)
    due = sum(runs) * FREQUENCY / 1e9
    if tracer.samples() < 0.98 * due:
        sys.exit('%s counted %d samples of %d' % (name, tracer.samples(), due))
    print('samples.%s %.0f' % (name, (min(runs) - alone) * 1e9 / FREQUENCY / min(runs)))
    print('samples.%s_cpu_ms %.0f' % (name, usage.cpu * 1000))
    print('samples.%s_kib %d' % (name, usage.memory), flush=True)


def measure_alone():
    tables, frames = cost_by_tables()
    assert frames == 20, frames
    for kind, nr in {**costs(), 'tables': tables}.items():
        print('sample.%s %.0f' % (kind, nr), flush=True)


# Each ends at once; the last one has many libraries.
PROGRAMS = {
    'true': ['/bin/true'],
    'python': ['/usr/bin/python3', '-S', '-c', ''],
    'qemu': ['/usr/bin/qemu-system-x86_64', '-version'],
}


def profiled(how, program):
    """Profiles a program; returns the CPU time of both in ms, and how the files went."""
    usage = Usage()
    usage.wait(subprocess.Popen(
        ['ktrace', 'profile', '--unwind', how, '--format', 'json', '-o', OUT, '--', *program],
        stdout=subprocess.DEVNULL))
    with open(OUT) as file:
        return usage.cpu * 1000, json.load(file).get('unwind', [])


def measure_files(name, program):
    """Prints files.PROGRAM: how many tables a program and its libraries have, their _kib, and the
    _cpu_ms that a command takes longer for them than by frame pointers. The files are in memory."""
    profiled('auto', program)
    by_tables = [profiled('auto', program) for _ in range(RUNS)]
    by_fp = [profiled('fp', program) for _ in range(RUNS)]
    tables = [file for file in by_tables[0][1] if file['method'] == 'table']
    print('files.%s %d' % (name, len(tables)))
    print('files.%s_kib %.0f' % (name, sum(file['bytes'] for file in tables) / 1024))
    print('files.%s_cpu_ms %.0f' % (name, min(ms for ms, _ in by_tables) - min(ms for ms, _ in by_fp)),
          flush=True)


def main():
    print('release', os.uname().release)
    wanted = sys.argv[1:] or ['files', 'alone', *TRACERS]
    if 'files' in wanted:
        for name, program in PROGRAMS.items():
            measure_files(name, program)
    if 'alone' in wanted:
        measure_alone()
    tracers = [name for name in TRACERS if name in wanted]
    if tracers:
        took()
        alone = min(took() for _ in range(RUNS))
    for name in tracers:
        measure(name, TRACERS[name], alone)


main()
