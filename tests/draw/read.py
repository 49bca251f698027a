# SPDX-License-Identifier: GPL-2.0
"""read.py WHAT FILE...: checks what other programs made of the exports of test_draw.c."""
import json
import re
import sys
import xml.etree.ElementTree


def lines_of(path):
    with open(path) as file:
        return file.read().splitlines()


def folded(path):
    return {tuple(line.rsplit(' ', 1)[0].split(';')): int(line.rsplit(' ', 1)[1])
            for line in lines_of(path)}


def graphviz(paths_file, svg_file):
    """Graphviz writes each line of a label as a text."""
    svg = '{http://www.w3.org/2000/svg}'
    boxes, arrows = {}, 0
    for group in xml.etree.ElementTree.parse(svg_file).iter(svg + 'g'):
        texts = [''.join(text.itertext()) for text in group.findall(svg + 'text')]
        if group.get('class') == 'node':
            boxes[texts[0].replace(';', ':')] = texts[1:]
        arrows += group.get('class') == 'edge'
    paths = folded(paths_file)
    names = {name for path in paths for name in path}
    assert names | {'-'} == set(boxes), (names, boxes)
    pairs = {pair for path in paths for pair in zip(path, path[1:])} | {('main', '-')}
    assert arrows == len(pairs), (arrows, pairs)
    assert boxes["<script>alert('x')</script>"] == ['25.0 ms (17.98 %)', 'self 20.0 ms', '30 calls']


def top(path, unit):
    """Returns {function: own figure} of pprof -top."""
    lines = lines_of(path)
    begin = next(i for i, line in enumerate(lines) if line.split()[:2] == ['flat', 'flat%'])
    found = {}
    for line in lines[begin + 1:]:
        match = re.fullmatch(rf' *([0-9]+)(?:{unit})? +[0-9.]+% +[0-9.]+% +\S+ +[0-9.]+%  (.*)', line)
        found[match[2].replace(';', ':')] = int(match[1])
    return found


def pprof(paths_file, time_file, calls_file):
    times, calls = top(time_file, 'ns'), top(calls_file, '')
    wanted = {}
    for path, ns in folded(paths_file).items():
        wanted[path[-1]] = wanted.get(path[-1], 0) + ns
    assert {name: ns for name, ns in times.items() if ns} == wanted, (times, wanted)
    assert sum(calls.values()) == 565 and calls['-'] == 500 and calls['main'] == 1, calls


def schema(schema_file, file):
    import jsonschema
    with open(schema_file) as one, open(file) as other:
        described, document = json.load(one), json.load(other)
    jsonschema.validate(document, described)
    document['profiles'][0]['unit'] = 'ns'
    try:
        jsonschema.validate(document, described)
    except jsonschema.ValidationError:
        return
    raise AssertionError('the schema accepts everything')


globals()[sys.argv[1]](*sys.argv[2:])
