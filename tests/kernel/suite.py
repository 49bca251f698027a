# SPDX-License-Identifier: GPL-2.0
"""
Runs inside the machine: the functions test_* of the modules named, one line each.
Ends with status 3 when one failed. A test fails by an exception, by taking too long, or when the kernel complained.
With REACH=1 the modules together must also reach each file of ktrace.ko.
"""
import importlib
import os
import re
import signal
import subprocess
import sys
import time
import traceback

import klog
import reach

# A kernel that checks itself is slow.
SLOW = int(os.environ.get('KTRACE_SLOW') or 1)
LIMIT = 120 * SLOW
LEAKS = '/sys/kernel/debug/kmemleak'


class Skip(Exception):
    """The test cannot run here; the text says why."""


def complaints():
    """What the kernel complained about since this was asked last."""
    log = subprocess.run(['dmesg', '-c'], capture_output=True, text=True).stdout
    return '\n'.join(klog.reports(log)).splitlines()


def on_alarm(_signal, _frame):
    raise TimeoutError('took longer than %d s' % LIMIT)


def judge(function, teardown=lambda: None):
    """Runs a test; (ok, skip or FAIL; why)"""
    word, reason = 'ok', ''
    signal.alarm(LIMIT)
    try:
        function()
    except Skip as skip:
        word, reason = 'skip', str(skip)
    except Exception as error:
        word, reason = 'FAIL', '%s: %s' % (type(error).__name__, error)
        frames = traceback.extract_tb(error.__traceback__)
        reason += ''.join('\n      %s:%d %s' % (f.name, f.lineno, f.line)
                          for f in frames[1:])
    finally:
        signal.alarm(0)
        teardown()
    bad = complaints()
    if bad:
        word, reason = 'FAIL', reason + '\n      '.join(['the kernel complained:'] + bad)
    return word, reason


def run(name, function, teardown=lambda: None):
    start = time.time()
    word, reason = judge(function, teardown)
    print('%-5s %s %.1f %s' % (word, name, time.time() - start, reason), flush=True)
    return word != 'FAIL'


def leaks():
    """What kmemleak finds twice without ktrace, and 5 s after it was allocated: that is its rule."""
    subprocess.check_call(['rmmod', 'ktrace'])
    end, scans = time.time() + 6, 0
    while scans < 2 or time.time() < end:
        with open(LEAKS, 'w') as scan:
            scan.write('scan')
        scans += 1
    with open(LEAKS) as found:
        text = found.read()
    subprocess.check_call(['insmod', '/out/ktrace.ko'])
    assert not text, text


def run_module(name, pattern):
    # Each has a folder of its own for what it makes.
    sys.modules.pop('tool', None)
    module = importlib.import_module(name)
    good = True
    for name, function in list(vars(module).items()):
        if name.startswith('test_') and pattern.search(name):
            good &= run(name[len('test_'):], function,
                        getattr(module, 'teardown', lambda: None))
    return good


def main():
    signal.signal(signal.SIGALRM, on_alarm)
    pattern = re.compile(os.environ.get('TESTS') or '.')
    is_profiled = bool(os.environ.get('REACH'))
    good = run('boot', lambda: None)
    for name in sys.argv[1:]:
        if is_profiled:
            reach.start()
        good &= run_module(name, pattern)
        if is_profiled:
            reach.collect()
    if is_profiled:
        good &= run('each_file_is_reached', reach.check)
    if os.path.exists(LEAKS):
        good &= run('leaks', leaks)
    return 0 if good else 3


if __name__ == '__main__':
    sys.modules['suite'] = sys.modules['__main__']
    sys.exit(main())
