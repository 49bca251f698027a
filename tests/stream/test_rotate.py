# SPDX-License-Identifier: GPL-2.0
"""Recordings in parts: each part reads alone, and no record is lost or repeated at a seam."""
import os

from test_flight import refuse_record
from test_record import HEAD, Recording, babeltrace, facts, streams, whole_packets

TOTAL = 2 * 400 * 50    # records: CPUs, packets, records in a packet


class Parts(Recording):
    """Two CPUs have a packet of 1,680 bytes each 500 us."""

    def __init__(self):
        super().__init__(packets=400, period=500, ring=400)

    def parts(self):
        return [self.path(f'd/{name}') for name in sorted(os.listdir(self.path('d')))]


def numbers(folder):
    """Returns the first and the last number of the packets of each CPU."""
    found = {}
    for path in streams(folder):
        with open(path, 'rb') as file:
            data, at, seen = file.read(), 0, []
        while at < len(data):
            head = HEAD.unpack_from(data, at)
            seen.append(head[8])
            at += head[6] // 8
        found[os.path.basename(path)] = seen[0], seen[-1]
    return found


def test_each_part_reads_alone():
    with Parts() as play:
        assert play.run_record('--rotate', '256K,100', program=('sleep', '1')) == 0, play.words()
        parts, total, last = play.parts(), 0, {}
        assert len(parts) >= 4, parts
        for part in parts:
            count = sum(whole_packets(path)[0] for path in streams(part))
            assert len(babeltrace(part)) == count, part
            total += count
            lines = facts(part)
            assert lines[0]['is'] == 'recording' and lines[0]['begin'] == facts(parts[0])[0]['begin']
            assert len([one for one in lines if one['is'] == 'function']) > 3
            [end] = [one for one in lines if one['is'] == 'end']
            assert end['why'] == ('the program ended' if part == parts[-1] else
                                  'it goes on in the next part'), end
            assert sum(os.path.getsize(path) for path in streams(part)) < 400 << 10
            for cpu, (first, end) in numbers(part).items():
                assert first == last.get(cpu, -1) + 1, (part, cpu, first, last)
                last[cpu] = end
        assert total == TOTAL and f'{TOTAL} records' in play.words(), (total, play.words())
        assert f'in {len(parts)} parts' in play.words() and f'report {parts[-1]}' in play.words()


def test_the_newest_parts_stay():
    with Parts() as play:
        assert play.run_record('--rotate', '128K,3', program=('sleep', '1')) == 0, play.words()
        names = [int(os.path.basename(part)) for part in play.parts()]
        assert len(names) == 3 and names == list(range(names[0], names[0] + 3)) and names[0] > 3, names
        assert play.run_record('--rotate', '128K,3') == 125
        assert 'has a recording already' in play.words()
        assert play.run_record('--force', '--rotate', '128K,3', program=('sleep', '0')) == 0, play.words()
        assert [os.path.basename(part) for part in play.parts()] == ['0001']


def test_wrong_words_are_refused():
    for word in '', '1M', '1M,', ',3', '1M,0', '1K,3', '1M,3,4', 'x,3':
        assert 'such as 16M,4' in refuse_record('--rotate', word)
    assert 'omit one' in refuse_record('--rotate', '1M,3', '--overwrite')
