# SPDX-License-Identifier: GPL-2.0
"""
Runs inside the machine: the functions test_* of the modules named, one line each.
Ends with status 3 when one failed. A test fails by an exception, by taking too long, or when the kernel complained.
"""
import importlib
import os
import re
import signal
import subprocess
import sys
import time
import traceback

LIMIT = 120
COMPLAINT = re.compile(r'BUG:|WARNING:|KASAN|Oops|general protection|rcu.*stall|'
                       r'recursive locking|inconsistent lock')


class Skip(Exception):
    """The test cannot run here; the text says why."""


def complaints():
    log = subprocess.run(['dmesg', '-c'], capture_output=True, text=True).stdout
    return [line for line in log.splitlines() if COMPLAINT.search(line)]


def on_alarm(_signal, _frame):
    raise TimeoutError('took longer than %d s' % LIMIT)


def run(name, function, teardown):
    start, word, reason = time.time(), 'ok', ''
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
    print('%-5s %s %.1f %s' % (word, name, time.time() - start, reason), flush=True)
    return word != 'FAIL'


def main():
    signal.signal(signal.SIGALRM, on_alarm)
    pattern = re.compile(os.environ.get('TESTS') or '.')
    good = True
    for module_name in sys.argv[1:]:
        # Each has a folder of its own for what it makes.
        sys.modules.pop('tool', None)
        module = importlib.import_module(module_name)
        for name, function in list(vars(module).items()):
            if name.startswith('test_') and pattern.search(name):
                good &= run(name[len('test_'):], function,
                            getattr(module, 'teardown', lambda: None))
    return 0 if good else 3


if __name__ == '__main__':
    sys.modules['suite'] = sys.modules['__main__']
    sys.exit(main())
