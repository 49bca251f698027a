# SPDX-License-Identifier: GPL-2.0
"""Symbols: stripped programs, places named by users, very many functions."""
import json
import os
import re
import shutil
import struct
import subprocess
import time

from tool import (TMP, detach_all, expected_calls, ktrace, limit, own_functions, run_to_file, sessions,
                  timely, undisturbed, untraced, victim, wait_for)

teardown = detach_all


def calls_of(path, *options):
    """Returns the entries of a program's own functions in a run."""
    document, output, status, errors = run_to_file(path, '--format', 'json', *options)
    assert (output, status) == untraced(path), (output, status, errors)
    rows = own_functions(json.loads(document)['rows'])
    return {name: row['entries'] for name, row in rows.items()}


def source_of(path):
    text, _ = ktrace('ctl', 'attach', '--budget', 'none', '--binary', path, '--dry-run')
    line = text.split('\nSymbols were taken from:\n')[1].splitlines()[0]
    return line.strip().partition(': ')[2]


def copy(name, folder='stripped'):
    folder = os.path.join(TMP, folder)
    os.makedirs(folder, exist_ok=True)
    return shutil.copy(victim(name), os.path.join(folder, name))


def do(*command):
    subprocess.run(command, check=True)


def part(path, debug):
    do('objcopy', '--only-keep-debug', path, debug)
    do('strip', path)


def build_id(path):
    notes = subprocess.check_output(['readelf', '-n', path], text=True)
    return notes.split('Build ID: ')[1].split()[0]


def check(path, name, source):
    assert source_of(path) == source, source_of(path)
    assert calls_of(path) == expected_calls(name)


def test_only_dynsym():
    path = victim('recursion-dynsym')
    calls = expected_calls('recursion')
    del calls['bottom']     # a static function, which is not in .dynsym
    assert source_of(path) == '.dynsym', source_of(path)
    assert calls_of(path) == calls


def test_debuglink():  # slow
    path = copy('tailcall', 'linked')
    part(path, path + '.debug')
    do('objcopy', '--add-gnu-debuglink=' + path + '.debug', path)
    check(path, 'tailcall', path + '.debug')
    os.mkdir(os.path.join(TMP, 'linked/.debug'))
    below = os.path.join(TMP, 'linked/.debug/tailcall.debug')
    os.rename(path + '.debug', below)
    check(path, 'tailcall', below)
    os.unlink(below)
    folder = '/usr/lib/debug' + os.path.dirname(path)
    os.makedirs(folder)
    shutil.copy(victim('recursion'), folder + '/tailcall.debug')
    assert 'it has another build-id' in source_of(path), source_of(path)
    shutil.rmtree(folder)


def test_build_id():
    path = copy('coldpart', 'by_id')
    number = build_id(path)
    debug = '/usr/lib/debug/.build-id/%s/%s.debug' % (number[:2], number[2:])
    os.makedirs(os.path.dirname(debug), exist_ok=True)
    part(path, debug)
    check(path, 'coldpart', debug)
    os.unlink(debug)
    _, errors = ktrace('ctl', 'attach', '--binary', path, '-f', 'usual', '--dry-run', status=1)
    assert 'No function' in errors, errors


def test_mini_debug_info():
    path = copy('tailcall-nopie')
    do('objcopy', '--only-keep-debug', path, path + '.debug')
    names = os.path.join(TMP, 'names')
    with open(names, 'w') as out:
        out.write('\n'.join(expected_calls('tailcall-nopie')))
    do('objcopy', '-S', '--keep-symbols=' + names, path + '.debug', path + '.mini')
    do('xz', path + '.mini')
    do('strip', path)
    do('objcopy', '--add-section', '.gnu_debugdata=' + path + '.mini.xz', path)
    assert source_of(path).endswith('.gnu_debugdata'), source_of(path)
    assert calls_of(path) == expected_calls('tailcall-nopie')


def test_what_is_no_program():
    """Each gets one sentence, and no file is read forever. A kernel may have no /proc/kcore."""
    fifo, core = os.path.join(TMP, 'fifo'), copy('tailcall')
    os.mkfifo(fifo)
    with open(core, 'r+b') as out:
        out.seek(16)
        out.write(struct.pack('<H', 4))  # e_type = ET_CORE
    for path, why in ((core, 'a core dump'), ('/proc/self/maps', 'not a file on a disk'),
                      ('/proc/kmsg', 'not a file on a disk'), (fifo, 'a fifo'), ('/tmp', 'a directory'),
                      ('/dev/zero', 'a device'), ('/etc/passwd', 'not an ELF file'),
                      *[('/proc/kcore', 'a core dump')] * os.path.exists('/proc/kcore')):
        output, errors = ktrace('ctl', 'attach', '--budget', 'none', '--binary', path, status=1)
        assert not output and why in errors and errors.count('\n') == 1, (path, errors)
    assert sessions() == []


def test_places_named_by_file():
    assert calls_of(victim('tailcall'), '-f', 'tailcall:m*n') == {'main': 1}
    text = run_to_file('demo', '--format', 'json', '-f', 'libc.so.6:malloc')[0]
    rows = json.loads(text)['rows']
    assert [row['name'] for row in rows] == ['malloc@libc.so.6'], rows
    # whichever code calls it: libstdc++ calls malloc for __cxa_throw, the program does not
    assert rows[0]['entries'] >= 12, rows


def test_places_named_by_offset():  # slow
    """h00100 is "push; lea; pop; ret": the lea is passed once in a run."""
    path = victim('huge')
    text, _ = ktrace('ctl', 'attach', '--binary', path, '-f', 'h00100', '--dry-run')
    line = [line for line in text.splitlines() if line.endswith('  h00100')][0]
    entry = int(line.split('+0x')[1].split()[0], 16)
    assert calls_of(path, '-f', 'huge:+%d' % (entry + 1)) == {'h00100+0x1': 1}
    assert calls_of(path, '-f', 'h00099,%s:+0x%x' % (path, entry)) == {'h00099': 1, 'h00100': 1}
    for place, why in (('huge:+%d' % (entry + 2), 'inside an instruction of h00100'),
                       ('huge:+1', 'is not code'), ('libnone.so:main', 'No library'),
                       ('huge:none', "no function 'none'")):
        output, errors = ktrace('run', '-f', place, '--', path, status=125)
        assert not output and why in errors and errors.count('\n') == 1, errors


CHOSEN = {'strlen@libc.so.6': 7, 'memcpy@libc.so.6': 5, 'sin@libm.so.6': 2, 'floor@libm.so.6': 2}


def chosen(rows):
    return {row['name']: row['entries'] for row in rows if row['name'] in CHOSEN}


def test_chosen_at_start():
    """IFUNCs: a started program gets the functions that libc and libm choose for ktrace, too. The
    others are reported: by their number, or one by one if they are named."""
    document, output, status, errors = run_to_file('chosen', '--format', 'json')
    assert (output, status) == untraced('chosen'), (output, status)
    rows = json.loads(document)['rows']
    assert chosen(rows) == CHOSEN, rows
    left = 'ktrace: 1 function is not probed (time@libc.so.6); --dry-run lists the reasons.\n'
    assert errors == left, errors
    calls = {name: row['entries'] for name, row in own_functions(rows).items()}
    assert calls == expected_calls('chosen'), calls
    errors = run_to_file('chosen', '--format', 'json', '-f', 'time,main')[3]
    assert errors == "ktrace: time@libc.so.6 is not probed: its code is in no file, but in the " \
                     "kernel's vDSO.\n", errors


def test_chosen_by_a_process():
    """The choice of a running process is in its memory."""
    process = subprocess.Popen([victim('chosen'), 'wait'], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    ktrace('ctl', 'attach', '--budget', 'none', '--pid', str(process.pid), '--name', 'chosen')
    process.communicate('\n')
    assert process.returncode == 21, process.returncode
    rows = json.loads(ktrace('ctl', 'read', 'chosen', '--format', 'json')[0])['rows']
    assert chosen(rows) == CHOSEN, rows


def module_memory():
    """Returns MiB as doctor prints them: "39 of 256 MiB (max_mem)"."""
    return int(re.search(r'(\d+) of \d+ MiB', ktrace('doctor')[0]).group(1))


@undisturbed
def test_hundred_thousand_functions():  # slow
    """An emulated processor that is stalled needs more than the 60 s of CPU time that are allowed."""
    start = time.time()
    done = subprocess.run(['ktrace', 'ctl', 'attach', '--binary', victim('huge'), '--name', 'huge', '--no-lib',
                           '-f', 'h[0-9]*'], capture_output=True, text=True, timeout=limit(100))
    timely('of CPU time' not in done.stderr, done.stderr)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    seconds = time.time() - start
    assert text.startswith('Session huge: 100000 functions at 200000 sites'), text
    session = sessions()[0]
    assert (session['functions'], session['sites'], session['failed']) == (100000, 200000, 0)
    memory = module_memory()
    assert memory < 64, memory
    print('      attached in %.1f s; %d MiB of the module' % (seconds, memory))
    ktrace('ctl', 'detach', 'huge')
    # Sessions that are no longer listed may take a moment to be freed.
    wait_for(lambda: module_memory() == 0)
    calls = calls_of(victim('huge'), '-f', 'h0010*', '--no-lib')
    assert calls == {'h%05d' % i: 1 for i in range(100, 110)}, calls
