# SPDX-License-Identifier: GPL-2.0
"""draw.py FOLDER: reads the files of test_draw.c; their sums are those of the folded paths."""
import gzip
import json
import os
import re
import sys
import xml.etree.ElementTree

folder = sys.argv[1]
SVG = '{http://www.w3.org/2000/svg}'


def content(name):
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def folded(name):
    paths = {}
    for line in content(name + '.folded').decode().splitlines():
        path, ns = line.rsplit(' ', 1)
        assert path not in paths, path
        paths[path] = int(ns)
    return paths


def speedscope(name):
    """Returns the paths with their time, and with their calls."""
    data = json.loads(content(name + '.json').decode())
    names = [frame['name'] for frame in data['shared']['frames']]
    assert len(set(names)) == len(names), names
    result = []
    for profile in data['profiles']:
        assert profile['endValue'] == sum(profile['weights'])
        assert len(profile['samples']) == len(profile['weights'])
        result.append({';'.join(names[at].replace(';', ':') for at in sample): weight
                       for sample, weight in zip(profile['samples'], profile['weights'])})
        assert len(result[-1]) == len(profile['samples'])
    return result


def fields(message):
    """Yields (number, integer or bytes) of a message of Protocol Buffers."""
    at = 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = message[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while at < len(message):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            value, at = message[at:at + value], at + value
        else:
            assert tag & 7 == 0, tag
        yield tag >> 3, value


def numbers(packed):
    result, number, shift = [], 0, 0
    for byte in packed:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            result.append(number)
            number = shift = 0
    return result


def pprof(name):
    profile = list(fields(gzip.decompress(content(name + '.pb.gz'))))
    strings = [value.decode() for number, value in profile if number == 6]
    assert strings[0] == ''
    types = [dict(fields(value)) for number, value in profile if number == 1]
    assert [(strings[one[1]], strings[one[2]]) for one in types] == \
        [('calls', 'count'), ('time', 'nanoseconds')]
    functions = {one[1]: strings[one[2]] for one in
                 (dict(fields(value)) for number, value in profile if number == 5)}
    locations = {one[1]: functions[dict(fields(one[4]))[1]] for one in
                 (dict(fields(value)) for number, value in profile if number == 4)}
    paths = {}
    for number, value in profile:
        if number != 2:
            continue
        sample = dict(fields(value))
        path = [locations[one].replace(';', ':') for one in reversed(numbers(sample[1]))]
        assert ';'.join(path) not in paths, path
        paths[';'.join(path)] = numbers(sample[2])
    return paths


def frames(name):
    """Returns {title: (x, width)} of the frames of a flame graph."""
    root = xml.etree.ElementTree.fromstring(content(name + '.svg'))
    found = {}
    for frame in root.iter(SVG + 'svg'):
        if 'f' not in frame.get('class', '').split():
            continue
        title, text = frame.find(SVG + 'title').text, frame.find(SVG + 'text').text
        assert title.startswith(text + ': '), title
        found[frame.get('y'), title] = float(frame.get('x')[:-1]), float(frame.get('width')[:-1])
    assert len(list(root.iter(SVG + 'script'))) == 1
    return found, ' '.join(root.find(f'{SVG}text[@id="cut"]').itertext())


def test_calls():
    paths = folded('calls')
    times, calls = speedscope('calls')
    both = pprof('calls')
    assert times == paths, (times, paths)
    assert {path: values[1] for path, values in both.items() if values[1]} == paths
    assert {path: values[0] for path, values in both.items() if values[0]} == calls
    total = sum(paths.values())
    assert 'main;a:b;<script>alert(\'x\')</script>;a:b' in paths, paths
    assert r'\xff\xfe\xc3' in paths and paths['main'] == 10000000, paths
    assert calls['main;-'] == 500 and not [path for path in paths if path.startswith('main;-')]

    found, cut = frames('calls')
    widths = {title: width for (_, title), (_, width) in found.items()}
    assert [title for title in widths if title.startswith('all: ')] and len(found) == 10, found
    for title, (_, width) in zip((title for _, title in found), found.values()):
        percent = float(re.search(r'\(([0-9.]+) %\)', title)[1])
        assert abs(width - percent) < 0.006, (title, width)
    below = [width for title, width in widths.items() if title.startswith("<script>")]
    assert abs(below[0] - 100 * 25000000 / total) < 0.001, below
    # The narrow frame and its callee are two frames, and their time is counted once.
    assert cut.startswith('3 frames below 0.02 % of the time are not drawn: 19.0 us, '), cut

    with open(os.path.join(folder, 'calls.dot')) as file:
        dot = file.read()
    assert re.search(r'label="a;b\\n40.0 ms \(.*\)\\nself 20.0 ms\\n10 calls"', dot), dot


def test_empty():
    for name in 'no_time', 'nothing':
        assert folded(name) == {} and speedscope(name)[0] == {}
        assert len(frames(name)[0]) == 1
    assert pprof('nothing') == {} and list(pprof('no_time').values()) == [[500, 0]]


def test_gzip():
    for length in 0, 65535, 65536, 200000:
        assert gzip.decompress(content(f'{length}.bytes.gz')) == \
            bytes(i * 7 & 255 for i in range(length))


test_calls()
test_empty()
test_gzip()
