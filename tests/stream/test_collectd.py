# SPDX-License-Identifier: GPL-2.0
"""collectd's plugin exec reads a file of `ktrace serve`, and its plugin csv writes what it got."""
import glob
import os

from collectors import Program, program
from played import wait
from served import Serve

CONFIG = '''
Hostname "ignored"
Interval 1
BaseDir "{folder}/csv"
PIDFile "{folder}/collectd.pid"
TypesDB "/usr/share/collectd/types.db"
LoadPlugin exec
LoadPlugin csv
<Plugin exec>
  Exec "nobody:nogroup" "/bin/sh" "-c" "while cat {folder}/ktrace.collectd; do sleep 1; done"
</Plugin>
<Plugin csv>
  DataDir "{folder}/csv"
</Plugin>
'''


def values(serve, name):
    """Returns what csv has written of a series; no file: nothing."""
    path = glob.glob(glob.escape(serve.path(f'csv/{os.uname().nodename}/ktrace-web/{name}')) + '-20??-??-??')
    if not path:
        return []
    with open(path[0]) as file:
        # The last line may not be written to its end.
        return [float(line.split(',')[1]) for line in file.read().split('\n')[1:-1]]


EXPECTED = {
    'derive-records.acknowledged': 6000, 'gauge-records_held': 0,
    'derive-call_duration.count.[00+0x10]': 1000,
    **{f'derive-call_duration.ns.[00+0x{16 * function:x}]':
       sum((function + 1) * i * i * 1000 for i in range(1, 1001)) for function in range(3)},
}


def last_values(serve):
    return {name: (values(serve, name) or [None])[-1] for name in EXPECTED}


def test_collectd_reads_the_file():
    with Serve(packets=300, period=10000, records=10) as serve:
        words = [program('collectd'), '-f', '-C', serve.path('collectd.conf')]
        os.chmod(serve.folder, 0o755)
        with open(serve.path('collectd.conf'), 'w') as file:
            file.write(CONFIG.format(folder=serve.folder))
        with open(serve.path('etc/ktrace.conf'), 'a') as file:
            file.write(f'[Serve]\nCollectd={serve.folder}\nTextfileInterval=1s\n')
        serve.serve()
        with Program(words, serve.path('collectd.log'), lambda: True) as collectd:
            # collectd writes the series of one round one after the other.
            wait(lambda: last_values(serve) == EXPECTED, 30,
                 lambda: f'all: {last_values(serve)} {collectd.said()}')
            taken = values(serve, 'derive-records.acknowledged')
            assert taken == sorted(taken) and len(taken) > 2, taken
        serve.finish()
        assert not os.path.exists(serve.path('ktrace.collectd'))
