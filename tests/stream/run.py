# SPDX-License-Identifier: GPL-2.0
"""run.py MODULE [REGEX]: runs the tests of a module whose name matches; one line each.

Exits with 77 if all were skipped; the last line is the reason.
"""
import importlib
import os
import re
import sys
import time
import traceback

from collectors import Skip


def main():
    if os.geteuid():
        print('mounts, and senders that drop their rights, need root')
        return 77
    module = importlib.import_module(sys.argv[1])
    wanted = re.compile(sys.argv[2] if len(sys.argv) > 2 else '')
    passed = failed = 0
    skipped = ''
    for name, test in list(vars(module).items()):
        if not name.startswith('test_') or not wanted.search(name):
            continue
        begin = time.monotonic()
        try:
            words = test()
            passed += 1
            print(f'ok {name[5:]} ({time.monotonic() - begin:.1f} s)',
                  f': {words}' if words else '', sep='', flush=True)
        except Skip as reason:
            skipped = str(reason)
            print(f'skip {name[5:]}: {skipped}', flush=True)
        except Exception:
            failed += 1
            traceback.print_exc()
            print(f'not ok {name[5:]}', flush=True)
    if skipped:
        print(f'note: skipped: {skipped}' if passed + failed else skipped)
    return 1 if failed else 77 if skipped and not passed else 0


sys.exit(main())
