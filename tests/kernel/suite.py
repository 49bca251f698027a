# SPDX-License-Identifier: GPL-2.0
"""
Runs inside the machine: the functions test_* of the given modules; prints one line per test. Ends
with status 3 if a test failed. A test fails by an exception, by taking too long, or if the kernel
log has a report. With AGAIN=1 a test whose times were wrong has not failed: its line says "spoilt",
and the caller runs it again on an idle host. With REACH=1 a line "reached" has the files of
ktrace.ko that the tests reached together. With NOW=1 a line "now" names each test when it begins,
and "took" each module with its seconds. suite.py MODULE[:TEST,TEST]... runs all tests of a module, or
these; TESTS=REGEX only those whose name matches.
"""
import contextlib
import gc
import importlib
import os
import re
import signal
import subprocess
import sys
import time
import traceback
import types

import klog
import reach
import schema
from spoilt import Spoilt

HERE = os.path.dirname(os.path.abspath(__file__))
# The debug kernel is slow, and a busy host is slower: the limit is for tests that hang.
SLOW = int(os.environ.get('KTRACE_SLOW') or 1)
LIMIT = 600 * SLOW
# The time after which tests that have not begun are skipped.
END = time.monotonic() + int(os.environ['LEFT']) if os.environ.get('LEFT') else None
MODULE = '/sys/module/ktrace'
# IN_USE=1: other people use the machine, so the kernel log is read but not cleared.
IN_USE = bool(os.environ.get('IN_USE'))
AGAIN = bool(os.environ.get('AGAIN'))
# In the environment of all processes that the tests start.
MARK = b'KTRACE_SUITE=%d' % os.getpid()
LEAKS = os.environ.get('LEAKS', '/sys/kernel/debug/kmemleak')


class Skip(Exception):
    """Raised if the test cannot run here; the text is the reason."""


class Log:
    """The kernel log of a machine in use: its messages from now on."""

    def __init__(self):
        self.file = os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.file, 0, os.SEEK_END)

    def read(self):
        lines = []
        while True:
            try:
                record = os.read(self.file, 8192).decode(errors='replace')
            except BlockingIOError:
                return '\n'.join(lines)
            except BrokenPipeError:     # messages were overwritten; those after them follow
                continue
            lines.append(record.partition(';')[2].partition('\n')[0])


log_here = Log() if IN_USE else None


def complaints():
    """Returns the reports in the kernel log since the last call."""
    log = log_here.read() if log_here else \
        subprocess.run(['dmesg', '-c'], capture_output=True, text=True).stdout
    return '\n'.join(klog.reports(log)).splitlines()


class TooLong(Exception):
    """Not an Exception, so that no test handles it."""


def on_alarm(_signal, _frame):
    raise TooLong('took longer than %d s' % LIMIT)


def shortened(value):
    """Returns the text of a variable; of a long list only the last items."""
    try:
        text = repr(value[-20:] if isinstance(value, list) else value).replace('\n', ' ')
    except Exception as error:  # pylint: disable=broad-except
        text = 'cannot be shown: %r' % error
    return text if len(text) <= 600 else text[:250] + ' ... ' + text[-350:]


def variables(error):
    """Describes the variables of the tests' own functions at the time of the error."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
        code = trace.tb_frame.f_code
        if os.path.dirname(os.path.abspath(code.co_filename)) == HERE:
            for name, value in trace.tb_frame.f_locals.items():
                if not isinstance(value, (types.ModuleType, types.FunctionType, type)):
                    yield '| %s: %s = %s' % (code.co_name, name, shortened(value))


def explain(error):
    frames = traceback.extract_tb(error.__traceback__)
    lines = ['%s: %.20000s' % (type(error).__name__, error)]
    lines += ['%s:%d %s' % (f.name, f.lineno, f.line) for f in frames[1:]]
    return '\n      '.join(lines + list(variables(error)))


def attempt(function):
    """Returns (ok, skip, spoilt or FAIL; reason)."""
    if END and time.monotonic() > END:
        return 'skip', 'no time was left'
    outer = signal.alarm(LIMIT)
    try:
        function()
    except Skip as skip:
        return 'skip', str(skip)
    except Spoilt as spoilt:
        return 'spoilt' if AGAIN else 'FAIL', explain(spoilt)
    except Exception as error:  # pylint: disable=broad-except
        return 'FAIL', explain(error)
    finally:
        signal.alarm(outer)
    return 'ok', ''


def ask(*command):
    """Returns the output of a command. If the command hangs, it is not waited for."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        return process.communicate(timeout=60 * SLOW)[0]
    except subprocess.TimeoutExpired:
        return '%s hangs' % ' '.join(command)


class Surroundings:
    """Notes the state before a test, so that a failed test leaves nothing behind for the next
    one."""

    def __init__(self):
        self.processes = self.running()
        self.is_loaded = os.path.exists(MODULE)

    @staticmethod
    def running():
        """Returns {(pid, start time)} of all processes that descend from this one: they have its
        mark."""
        found = set()
        for pid in filter(str.isdigit, os.listdir('/proc')):
            with contextlib.suppress(OSError), open('/proc/%s/environ' % pid, 'rb') as environ:
                if MARK in environ.read().split(b'\0'):
                    with open('/proc/%s/stat' % pid) as stat:
                        found.add((int(pid), stat.read().rpartition(')')[2].split()[19]))
        return found

    def left(self):
        return sorted(pid for pid, _ in self.running() - self.processes)

    def describe(self):
        """Describes the processes that a test left running, and what they wait for."""
        lines = []
        for pid in self.left():
            with contextlib.suppress(OSError):
                texts = []
                for name in 'cmdline', 'wchan', 'syscall', 'stack':
                    with open('/proc/%d/%s' % (pid, name), errors='replace') as file:
                        texts.append(' '.join(file.read().replace('\0', ' ').split())[:300])
                lines.append('| left running: %d %s' % (pid, '; '.join(texts)))
        return lines + ['| ' + line for line in ask('ktrace', 'ctl', 'list').splitlines()]

    def restore(self):
        """Ends the processes and sessions that a test left behind; returns their description."""
        lines = self.describe()
        for pid in self.left():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        end = time.time() + 60 * SLOW
        while self.left() and time.time() < end:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)
            time.sleep(0.02)
        # Sockets of the test have sessions, too.
        gc.collect()
        if self.is_loaded and not os.path.exists(MODULE):
            ask('insmod', '/run/ktrace.ko', 'hold_ms=20000')
        ask('ktrace', 'ctl', 'detach', '--all')
        return ''.join('\n      ' + line for line in lines)


def judge(function, teardown=lambda: None):
    """Runs a test; returns (ok, skip, spoilt or FAIL; reason). A failure does not affect the next
    tests."""
    surroundings = Surroundings()
    word, reason = attempt(function)
    if word in ('FAIL', 'spoilt'):
        reason += surroundings.restore()
    after, why = attempt(teardown)
    if after not in ('ok', 'skip'):
        word, reason = 'FAIL', reason + '\n      '.join(['after the test:', why])
        reason += surroundings.restore()
        attempt(teardown)
    bad = complaints()
    if bad:
        word, reason = 'FAIL', reason + '\n      '.join(['the kernel complained:'] + bad)
    return word, reason


def say(*words):
    if os.environ.get('NOW'):
        print(*words, flush=True)


def run(name, function, teardown=lambda: None):
    start = time.time()
    say('now', name)
    word, reason = judge(function, teardown)
    print('%-5s %s %.1f %s' % (word, name, time.time() - start, reason), flush=True)
    return word != 'FAIL'


def leaks():
    """Finds leaks: kmemleak reports memory only if it is found twice, at least 5 s after its
    allocation."""
    # Sessions that are no longer listed may take a moment to be freed.
    while subprocess.call(['rmmod', 'ktrace'], stderr=subprocess.DEVNULL):
        time.sleep(0.02)
    end, scans = time.time() + 6, 0
    while scans < 2 or time.time() < end:
        with open(LEAKS, 'w') as scan:
            scan.write('scan')
        scans += 1
    with open(LEAKS) as found:
        text = found.read()
    subprocess.check_call(['insmod', '/run/ktrace.ko'])
    assert not text, text


def run_module(name, chosen):
    # Each suite has a folder of its own for its files.
    sys.modules.pop('tool', None)
    try:
        module = importlib.import_module(name)
    except Exception as error:  # pylint: disable=broad-except
        print('FAIL  %s 0 %s' % (name, explain(error)), flush=True)
        return False
    good = True
    pattern = re.compile(os.environ.get('TESTS') or '.')
    for name, function in list(vars(module).items()):
        if name.startswith('test_') and pattern.search(name) and (not chosen or name in chosen):
            good &= run(name[len('test_'):], function,
                        getattr(module, 'teardown', lambda: None))
    return good


def say_documents():
    """Prints how many documents of the command conformed to their schemas."""
    if schema.seen:
        say('documents', ', '.join('%d %s' % (nr, name) for name, nr in sorted(schema.seen.items())))


def main():
    signal.signal(signal.SIGALRM, on_alarm)
    os.environ.update([MARK.decode().split('=')])
    os.environ.pop('COLUMNS', None)     # so that lines have any length
    is_profiled = bool(os.environ.get('REACH'))
    good = run('boot', lambda: None)
    for argument in sys.argv[1:]:
        name, _, chosen = argument.partition(':')
        if is_profiled:
            reach.start()
        start = time.time()
        good &= run_module(name, chosen.split(',') if chosen else [])
        say('took', name, 'took', round(time.time() - start))
        if is_profiled:
            reach.collect()
    say_documents()
    if is_profiled:
        reach.say()
    if os.path.exists(LEAKS):
        good &= run('leaks', leaks)
    return 0 if good else 3


if __name__ == '__main__':
    sys.modules['suite'] = sys.modules['__main__']
    sys.exit(main())
