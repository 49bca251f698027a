# SPDX-License-Identifier: GPL-2.0
"""A Fluent server of another project, restarted, killed and stopped in the middle."""
import calendar
import os
import re
import signal
import time

from collectors import Program, fetched, free_ports, is_listening, program
from played import HERE, Play, check_each_once, lines, wait
from test_file import small_disk

PACKAGE = '@fluent-org/logger'
PART = 50       # records


class Fluent(Program):
    def __init__(self, play):
        node = program('node')
        program('npm')
        folder = fetched('fluent', f'npm install --no-fund --no-audit --prefix . {PACKAGE}@1.0.10')
        self.play, (self.port,) = play, free_ports(1)
        super().__init__([node, f'{HERE}/fluent.js', f'{folder}/node_modules/{PACKAGE}',
                          str(self.port), play.path('fluent')], play.path('fluent.log'),
                         lambda: is_listening(self.port))

    def sink(self):
        return '--to', f'fluent:127.0.0.1:{self.port}'

    def entries(self):
        return lines(self.play.path('fluent'))

    def size(self):
        path = self.play.path('fluent')
        return os.path.getsize(path) if os.path.exists(path) else 0


def records(entries):
    return [one['record'] for one in entries]


def restart(number):
    with Play(packets=200, period=8000) as play, Fluent(play) as fluent:
        play.begin(*fluent.sink())
        for size in 500000, 3000000:
            wait(lambda: fluent.size() > size)
            fluent.restart(number)
        assert play.process.wait(30) == 0, play.words()
        assert 'confirmed' in play.words()
        found = records(fluent.entries())
        check_each_once(play, found, twice=2 * PART)
        assert found[-1]['event'] == 'end' and found[-1]['delivered'] == 20000, found[-1]
        return f'lost 0 twice {len([one for one in found if "id" in one]) - 20000}'


def test_each_record_once():
    with Play() as play, Fluent(play) as fluent:
        assert play.run(*fluent.sink()) == 0, play.words()
        entries = fluent.entries()
        check_each_once(play, records(entries))
        for one in entries:
            assert one['tag'] == 'ktrace' and one['is_exact'] and one['chunk'], one
        for one in entries:
            record = one['record']
            if 'id' not in record:
                continue
            # The id of the first record in a chunk is the name of the chunk.
            assert record['id'].rsplit('.', 1)[0] == one['chunk'].rsplit('.', 1)[0], one
            assert record['session'] == 'web' and record['event'] == 'exit', one
            assert record['duration_ns'] >= 1000, one
        # Records are 1 us apart.
        times = [one['seconds'] * 10**9 + one['ns'] for one in entries
                 if one['record'].get('id', '').startswith('feed00000000cafe.0.0.')]
        assert [time - times[0] for time in times] == [1000 * i for i in range(PART)], times
        now = calendar.timegm(time.gmtime())
        assert now - 3600 * 24 * 1000 < entries[1]['seconds'] <= now, entries[1]


def test_an_orderly_restart():
    return restart(signal.SIGTERM)


def test_a_kill():
    return restart(signal.SIGKILL)


def test_a_stopped_collector():
    with Play(packets=200, period=5000) as play, Fluent(play) as fluent:
        play.begin(*fluent.sink())
        wait(lambda: fluent.size() > 500000)
        os.kill(fluent.process.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(fluent.process.pid, signal.SIGCONT)
        assert play.process.wait(30) == 0, play.words()
        check_each_once(play, records(fluent.entries()))


def test_a_full_disk():
    """The server acknowledges nothing then, and has half of a chunk, which comes again as a whole."""
    with Play(packets=100, period=8000) as play, small_disk(play, '1m') as (out, enlarge):
        os.symlink(out, play.path('fluent'))
        with Fluent(play) as fluent:
            play.begin(*fluent.sink())
            play.wait_for_words('takes no records now')
            enlarge()
            assert play.process.wait(30) == 0, play.words()
            with open(out) as file:
                found = re.findall('"id":"([^"]+)".*}\n', file.read())
            assert play.expected() == set(found), len(play.expected() - set(found))
            tries = play.words().count('takes no records now') + 2
            assert len(found) - len(set(found)) <= tries * PART, len(found)
            return f'lost 0 twice {len(found) - len(set(found))}'
