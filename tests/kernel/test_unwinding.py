# SPDX-License-Identifier: GPL-2.0
"""Stacks of programs without frame pointers."""
import collections
import functools
import json
import os
import re
import struct
import subprocess
import sys

import stripped
from genl import Client, bits_of
from suite import Skip
from tool import RELEASE, TMP, begin, ktrace, none_left, sessions, timely, undisturbed, victim

FLAGS = bits_of('KTRACE_STACK_')
FRAMES = 127
UNKNOWN = 2**64 - 1        # KTRACE_PLACE_UNKNOWN
LARGE = '/usr/bin/qemu-system-x86_64'      # its table has 900 KiB
MAX_MEM = '/sys/module/ktrace/parameters/max_mem'
STOPS = 40 if os.environ.get('FULL') else 10
SORTS = ['main', 'sort_all', 'compare']
teardown = none_left


def folded(*options, args):
    """Returns the samples of each path, its outermost frame first."""
    path = os.path.join(TMP, 'unwound')
    ktrace('profile', '-F', '499', '--mode', 'user', '--format', 'folded', '-o', path, *options,
           '--', *args)
    with open(path) as file:
        lines = [line.rsplit(' ', 1) for line in file.read().splitlines()]
    return {tuple(path.split(';')): int(ns) for path, ns in lines}


def samples_of(paths):
    return round(sum(paths.values()) * 499 / 10**9)


def gather(nr, chosen, *options, args):
    """Returns paths as folded() does, of the chosen ones. A busy host takes most samples: the
    program runs until there are enough."""
    paths = collections.Counter()
    for _ in range(10):
        paths.update({path: ns for path, ns in folded(*options, args=args).items() if chosen(path)})
        if samples_of(paths) >= nr:
            break
    timely(samples_of(paths) >= nr, paths)
    return paths


def share(paths, chosen):
    """Returns the share of the samples whose path is chosen, in percent."""
    return 100 * sum(ns for path, ns in paths.items() if chosen(path)) / sum(paths.values())


def has_in_order(path, names):
    rest = iter(path)
    return all(name in rest for name in names)


def comparing(*options, args):
    """Returns how many of the samples in compare() have its callers, in percent."""
    paths = gather(20, lambda path: path[-1] == 'compare', *options, args=args)
    return share(paths, lambda path: has_in_order(path, SORTS))


def check_chain(args, function, chain):
    """Checks that samples with a function have its chain of calls, 99 % of them at least;
    returns their paths."""
    found = gather(50, lambda path: function in path or function == path[-1].split('@')[0], args=args)
    paths = collections.Counter()
    for path, ns in found.items():
        paths[tuple(name.split('@')[0] for name in path)] += ns
    wrong = {path: ns for path, ns in paths.items() if not has_in_order(path, chain)}
    print('      %s: %d samples, not whole: %s' % (' '.join(args), samples_of(paths), wrong))
    assert sum(wrong.values()) <= 0.01 * sum(paths.values()), wrong
    return paths


def is_of_loader(path):
    """Whether the loader, before it calls the program: its first function has no table."""
    return any(name.startswith('ld-linux') for name in path[1:3])


def document(*options, args):
    path = os.path.join(TMP, 'unwound')
    ktrace('profile', '-F', '499', '--format', 'json', '-o', path, *options, '--', *args)
    with open(path) as file:
        return json.load(file)


@functools.lru_cache(maxsize=None)
def need_tables():
    data = document(args=['/bin/true'])
    if data['samples']['unwind'] != 'tables':
        raise Skip('the module finds stacks by frame pointers only')
    return data


@undisturbed
def test_callers_through_the_library():
    """The callers of a comparison that qsort() calls, which frame pointers lose."""
    need_tables()
    args = [victim('sorts'), '800']
    whole, by_fp = comparing(args=args), comparing('--unwind', 'fp', args=args)
    print('      whole: %.1f %%; by frame pointers: %.1f %%' % (whole, by_fp))
    assert whole >= 95 and by_fp <= 5, (whole, by_fp)


@undisturbed
def test_an_interpreter():
    """Every path of a stripped interpreter begins at its start."""
    need_tables()
    code = 'sum(sorted(range(60000), key=lambda x: -x)); "".join(str(i) for i in range(60000))'
    paths = gather(20, lambda path: not is_of_loader(path), args=[sys.executable, '-S', '-c', code])
    whole = share(paths, lambda path: any(name.startswith('__libc_start_main') for name in path))
    print('      whole: %.1f %% of %d paths' % (whole, len(paths)))
    assert whole >= 90, paths


@undisturbed
def test_files():
    """The report says how each file went; code that is loaded later has a table, too."""
    data = need_tables()
    assert {'[vdso]'} < {file['file'] for file in data['unwind']}, data['unwind']
    for file in data['unwind']:
        assert file['method'] == 'table' and file['rows'] and file['bytes'] > 4 * file['rows'], file
    out, _ = ktrace('profile', '--', victim('sorts'), '100')
    assert 'Stacks of programs were found by tables of ' in out, out
    assert 'by frame pointers in' not in out, out
    out, _ = ktrace('profile', '--unwind', 'fp', '--', victim('sorts'), '100')
    assert 'Stacks of programs were found by frame pointers, which some' in out, out
    data = document(args=['sh', '-c', '%s 500; :' % victim('sorts')])
    assert any(file['file'].endswith('/sorts') for file in data['unwind']), data['unwind']
    assert any(has_in_order(row.get('user', [])[::-1], SORTS) for row in data['stacks']), data['stacks']


@undisturbed
def test_files_without_memory():
    """Files whose tables do not fit in max_mem have frame pointers, and are named."""
    need_tables()
    if not os.path.exists(LARGE):
        raise Skip('there is no %s' % LARGE)
    with open(MAX_MEM) as file:
        usual = file.read()
    try:
        out = with_little_memory()
    finally:
        with open(MAX_MEM, 'w') as file:
            file.write(usual)
    assert re.search(r'by frame pointers in .*\(the memory limit of the module \(max_mem\) is reached\)',
                     out), out


def with_little_memory():
    """Profiles the program with the least memory that a session takes; returns the report."""
    for mib in range(4, 64):
        with open(MAX_MEM, 'w') as file:
            file.write(str(mib))
        run = subprocess.run(['ktrace', 'profile', '--', LARGE, '-version'], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        if not run.returncode:
            return run.stdout
        assert "would exceed the module's memory limit" in run.stderr, run.stderr
    raise AssertionError('no session has room')


# --- known chains of calls ----------------------------------------------------------

# Arguments; the function by which samples are chosen; its callers and callees in order.
STARTS = ['_start', '__libc_start_main']
SORTED = ('compare', STARTS + SORTS)
CLONE = 'clone3' if RELEASE >= (5, 3) else '__clone'
THROWN = STARTS + ['main', 'throws_often', 'catches'] + 11 * ['passes']
CHAINS = [
    ('sorts-static 800', *SORTED),
    ('sorts-static-pie 800', *SORTED),
    ('sorts-nopie 800', *SORTED),
    ('chains exceptions 1500', '__cxa_throw', THROWN + ['throws', '__cxa_throw']),
    ('chains thread 800', 'computes', [CLONE, 'start_thread', 'in_thread', 'computes']),
    ('unwinds deep 60 800', 'work', STARTS + 61 * ['down'] + ['work']),
    ('unwinds handler 800', 'handle', STARTS + ['raises', 'raise', 'handle']),
    ('unwinds clock 800', '[vdso]', STARTS + ['clocks', 'clock_gettime', '[vdso]']),
]


@undisturbed
def test_chains():  # slow
    """Each sample of a known chain of calls has all its functions, in all kinds of programs."""
    need_tables()
    for words, function, chain in CHAINS:
        name, *args = words.split()
        check_chain([victim(name), *args], function, chain)


# --- the same frames as libdw ---------------------------------------------------


def stops_of(pid):
    """Stops a process at random moments; returns the frames that libdw finds each time, as STACK_GET
    has them, and whether it came to the first one."""
    text = subprocess.run([victim('stops'), str(STOPS), '20000', str(pid)], check=True,
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        frames = [word for word in line.split() if re.fullmatch('[0-9a-f]+!?', word)]
        yield tuple(int(frame.rstrip('!'), 16) + (nr > 0 and frame.endswith('!'))
                    for nr, frame in enumerate(frames))[:FRAMES], line.endswith(' whole')


def frames_of(answer):
    return struct.unpack('%dQ' % (len(answer['USER_FRAMES']) // 8), answer['USER_FRAMES'])


def taken(session):
    """Returns the flags of each stack of programs in a session, and the answers."""
    client = Client()
    stacks = [one for one in client.dump('STACK_GET', SESSION=struct.pack('Q', session))
              if 'USER_FRAMES' in one]
    client.close()
    return {frames_of(one): struct.unpack('I', one['FLAGS'])[0] for one in stacks}, stacks


def mapped(pid):
    with open('/proc/%d/maps' % pid) as file:
        return [(int(line.split('-')[0], 16), line.split()) for line in file]


def places(pid, frames):
    """Returns file+offset of each frame."""
    maps = mapped(pid)

    def place(ip):
        start, words = max(one for one in maps if one[0] <= ip)
        return '%s+%#x' % (os.path.basename(words[-1]), ip - start + int(words[2], 16))
    return [place(ip) for ip in frames]


def check_told(answer, maps):
    """The places that the module tells are those of the mappings. Returns how many it knows."""
    nr = 0
    frames = frames_of(answer)
    told = list(struct.iter_unpack('QQII', answer['USER_PLACES']))
    assert len(told) == len(frames), answer
    for at, (inode, offset, *dev) in zip(frames, told):
        if offset == UNKNOWN:
            continue
        start, words = max(one for one in maps if one[0] < at)
        assert at - start + int(words[2], 16) == offset, (hex(at), words, offset)
        assert '%02x:%02x' % tuple(dev) == words[3] and inode == int(words[4]), (words, inode, dev)
        nr += 1
    return nr


def check_all_told(pids, stacks):
    maps = {pid: mapped(pid) for pid in pids}
    own = [one for one in stacks if struct.unpack('i', one['PID'])[0] in maps]
    told = sum(check_told(one, maps[struct.unpack('i', one['PID'])[0]]) for one in own)
    nr = sum(len(frames_of(one)) for one in own)
    print('      places of %d of %d frames' % (told, nr))
    assert told >= 0.95 * nr, (told, nr)


def verdict(pid, frames, is_whole, stacks):
    """Compares a stack by libdw with those that ktrace took: equal, a reason, or different."""
    if frames in stacks:
        return 'equal'
    alike = [(stack, flags) for stack, flags in stacks.items() if stack[0] == frames[0]]
    longer = [stack for stack, flags in alike if not flags and stack[:len(frames)] == frames]
    # libdw 0.188 ends without an error behind code of the loader that saves rsp in rbx.
    if longer and (not is_whole or places(pid, frames)[-1].startswith('ld-linux')):
        return 'libdw ended early'
    # ktrace says so in these two cases.
    if any(flags & FLAGS['USER_NO_RULE'] and stack == frames[:len(stack)] for stack, flags in alike):
        return 'no rule'
    if any(flags & FLAGS['USER_FP'] for _, flags in alike):
        return 'by frame pointers'
    print('     ', pid, places(pid, frames), [(places(pid, stack), flags) for stack, flags in alike])
    return 'different' if alike else 'missing'


def check_stops(programs):
    known = {session['id'] for session in sessions()}
    command = begin(['ktrace', 'sched', '--stacks', '-o', '/dev/null', '-p',
                     ','.join(str(process.pid) for process in programs.values())])
    session = next(session['id'] for session in sessions() if session['id'] not in known)
    stops = [(process.pid, *stop) for process in programs.values() for stop in stops_of(process.pid)]
    stacks, answers = taken(session)
    check_all_told([process.pid for process in programs.values()], answers)
    command.terminate()
    command.communicate()
    assert len(stops) == len(programs) * STOPS
    found = collections.Counter(verdict(*stop, stacks) for stop in stops)
    print('      %d stops of %d programs, %d frames: %s' % (
        len(stops), len(programs), sum(len(frames) for _, frames, _ in stops), dict(found)))
    timely(not found['missing'], found)     # a limit of time for stacks, or one of libdw's 256 frames
    assert not found['different'], found
    # The call clone3() of libc has no rule.
    assert found['equal'] >= 0.95 * len(stops), found


@undisturbed
def test_equal_to_libdw():
    """Programs are stopped at random moments: the stacks on which they left the CPU have the frames
    that libdw finds."""
    need_tables()
    paths = stripped.write_input()
    programs = {name: stripped.started(name, paths) for name in stripped.PROGRAMS}
    try:
        check_stops(programs)
    finally:
        for process in programs.values():
            process.kill()
            process.wait()
