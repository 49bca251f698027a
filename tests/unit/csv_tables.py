# SPDX-License-Identifier: GPL-2.0
"""
Checks that tables in csv, with an empty line or a title in front of each, have names that differ,
and as many cells in each line. csv_tables.py FILE...
"""
import csv
import sys

for path in sys.argv[1:]:
    with open(path, newline='') as file:
        text = file.read()
    assert '\r' not in text, path
    names = None
    for row in csv.reader(text.splitlines(), strict=True):
        if not row or row[0].startswith('--- '):
            names = None
        elif names is None:
            names = row
            assert len(set(names)) == len(names), names
        else:
            assert len(row) == len(names), (row, names)
