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
        return [float(line.split(',')[1]) for line in file.read().splitlines()[1:]]


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
            wait(lambda: values(serve, 'derive-records.acknowledged')[-1:] == [6000], 30,
                 lambda: f'all: {collectd.said()} {glob.glob(serve.path("csv/*/*/*"))}')
            sums = [values(serve, f'derive-call_duration.ns.[00+0x{16 * function:x}]')[-1]
                    for function in range(3)]
            assert sums == [sum((function + 1) * i * i * 1000 for i in range(1, 1001))
                            for function in range(3)], sums
            assert values(serve, 'derive-call_duration.count.[00+0x10]')[-1] == 1000
            assert values(serve, 'gauge-records_held')[-1] == 0
            taken = values(serve, 'derive-records.acknowledged')
            assert taken == sorted(taken) and len(taken) > 2, taken
        serve.finish()
        assert not os.path.exists(serve.path('ktrace.collectd'))
