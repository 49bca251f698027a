# SPDX-License-Identifier: GPL-2.0
"""speedscope.py FOLDER FOLDED FILE...: speedscope's own page opens files, as its command does it.

FOLDER is dist/release of its package.
"""
import base64
import json
import os
import re
import sys
import time

from browser import Browser

TABLE = "return Array.from(document.querySelectorAll('tr')).map(row => row.innerText);"


def until(found):
    """Returns what found() returns, as soon as it is true."""
    end = time.monotonic() + 20
    while True:
        value = found()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.1)


def rows_of(browser, page, file):
    """Opens a file; returns the rows of the page's table of functions."""
    with open(file, 'rb') as content:
        data = base64.b64encode(content.read()).decode()
    script = os.path.abspath(file + '.js')
    with open(script, 'w') as out:
        out.write(f'speedscope.loadFileFromBase64({json.dumps(file)}, {json.dumps(data)})')
    browser.open(page + '#localProfilePath=' + script)
    assert until(lambda: ' - speedscope' in browser.run('return document.title;')), file
    browser.press('3')      # the view with a table
    return until(lambda: browser.run(TABLE))


def table_of(rows):
    """Returns {name: (total, own time)} in percent."""
    found = {}
    for row in rows[rows.index('Total\tSelf\tSymbol Name') + 1:]:
        total, own, name = (cell.strip() for cell in row.split('\t', 2))
        found[name.replace(';', ':')] = tuple(float(re.search(r'\(<?([0-9.]+)%\)', cell)[1])
                                              for cell in (total, own))
    return found


def wanted_of(folded):
    """Returns the same of a file of folded paths. Recursive calls count once in a total."""
    times, all_ns = {}, 0
    with open(folded) as file:
        for line in file:
            path, ns = line.rsplit(' ', 1)
            path, ns = path.split(';'), int(ns)
            all_ns += ns
            for name in set(path):
                total, own = times.get(name, (0, 0))
                times[name] = total + ns, own + (ns if name == path[-1] else 0)
    return {name: (100 * total / all_ns, 100 * own / all_ns) for name, (total, own) in times.items()}


def main(folder, folded, *files):
    wanted = wanted_of(folded)
    for file in (folded, *files):
        with Browser() as browser:
            found = table_of(rows_of(browser, os.path.join(folder, 'index.html'), file))
        assert set(found) == set(wanted), (file, found, wanted)
        for name, shares in found.items():
            assert all(abs(a - b) <= 0.5 for a, b in zip(shares, wanted[name])), (file, name, shares)


main(*sys.argv[1:])
