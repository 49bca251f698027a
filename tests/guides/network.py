# SPDX-License-Identifier: GPL-2.0
"""The guide to a slower network: entering the kernel got dearer, because of page table isolation."""
import json
import re
import subprocess


def entry_of(text):
    return float(re.search(r'Entry and exit take ([\d.]+) ns', text)[1])


def rows_of(guide, *command):
    text = subprocess.check_output(['ktrace', *command, '--format', 'json'], cwd=guide.folder, text=True)
    return {row['name'].split('@')[0]: row for row in json.loads(text)['rows']}


def check(guide):
    # The same work, and each call takes longer, also one that has nothing to do with datagrams. The
    # shortest call is the one that other work on the host has disturbed least.
    rows = rows_of(guide, 'diff', 'off', 'auto', '--session', 'syscalls')
    assert rows['write']['calls']['change'] == 0 and rows['write']['calls']['a'] >= 1000, rows['write']
    for recording, session, names in (('', 'syscalls', ('write', 'pselect6')), ('', 'kernel', ('udp_sendmsg',)),
                                      ('-calls', 'functions', ('Nwrite',))):
        old, new = (rows_of(guide, 'report', boot + recording, '--session', session) for boot in ('off', 'auto'))
        for name in names:
            assert new[name]['min_ns'] > old[name]['min_ns'], (old[name], new[name])
        stack = new[names[0]]['min_ns'] / old[names[0]]['min_ns']
        # The way into the kernel grew more than anything behind it.
        entries = [entry_of(guide.output('cat %s' % boot)) for boot in ('off', 'auto')]
        assert entries[1] > 5 * entries[0] and entries[1] / entries[0] > 1.5 * stack, (entries, stack)

    # Isolation is the cause: all other mitigations are on in the last boot.
    without = guide.output('ktrace sysenter', 2)
    assert entry_of(guide.output('cat auto')) > 3 * entry_of(without), without
    assert 'Mitigation: PTI' in guide.output('cat auto') and 'Mitigation: Retpolines' in without, without
    assert 'PTI' not in guide.output('cat off') + without, without

    with open(guide.folder + '/diff.svg') as picture:
        assert '<title>Nwrite' in picture.read()
