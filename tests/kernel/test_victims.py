# SPDX-License-Identifier: GPL-2.0
"""
Runs the victims under the module, without the command line: calls must be
exactly those the victim expects, its output and status those of an untraced
run, no record lost, and the module must unload afterwards.
"""
import os
import re
import struct
import subprocess
import sys
import time

from genl import Client, u32, u64

VICTIMS = ['recursion', 'exception', 'longjmp', 'coroutine', 'altstack', 'tailcall',
           'threads64', 'coldpart']
ACTIVE, FAILED = 3, 5
HIST, TREE, STREAM = 1, 2, 4
RET, JMP = 1, 2
FLUSH = 1


def output_of(*command):
    return subprocess.check_output(command, text=True)


def segments_of(path):
    rows = [line.split() for line in output_of('readelf', '-lW', path).splitlines()
            if line.strip().startswith('LOAD')]
    return [(int(r[2], 16), int(r[5], 16), int(r[1], 16)) for r in rows]


def functions_of(path):
    """[(name, start, end, entry, [(exit, kind)])] in file offsets."""
    segments, symbols, found, here = segments_of(path), {}, [], None

    def offset(address):
        return [address - start + at for start, length, at in segments
                if start <= address < start + length][0]

    for line in output_of('nm', '-S', '-C', path).splitlines():
        match = re.match(r'(\w+) (\w+) [tTwW] (.*)', line)
        if match and '.cold' not in match[3] and match[3] != '_start':
            symbols[int(match[1], 16)] = int(match[2], 16), match[3]
    for line in output_of('objdump', '-d', '--no-show-raw-insn', path).splitlines():
        match = re.match(r'^\s+(\w+):\s+(.*)$', line)
        if not match:
            continue
        address, text = int(match[1], 16), match[2]
        if address in symbols:
            here = [symbols[address][1], address, address + symbols[address][0], []]
            found.append(here)
        if not here or address >= here[2]:
            continue
        jump = re.match(r'(?:bnd )?jmp\s+(\w+) ', text)
        if re.match(r'(?:repz |bnd )?ret', text):
            here[3].append((offset(address), RET))
        elif jump and not here[1] <= int(jump[1], 16) < here[2]:
            here[3].append((offset(address), JMP))
    return [(name, offset(start), offset(start) + end - start, exits)
            for name, start, end, exits in found]


def pack_function(number, start, end, exits):
    packed = struct.pack('IHBBQQQQQ', number, len(exits), 1, 0, start, start, end, 0, 0)
    for offset, kind in exits:
        packed += struct.pack('QBBBBBBHiI', offset, kind, 0, 17, 17, 1, 0, 0, 0, 0)
    return packed


def trace(client, path, flags):
    """Runs path from its first instruction; returns session, names, output, status."""
    functions = functions_of(path)
    fd = os.open(path, os.O_RDONLY)
    child = subprocess.Popen(['bash', '-c', 'read -r; exec "$0"', path], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    answer = client.call('SESSION_NEW', FLAGS=u32(flags), NR_FUNCS=u32(len(functions)),
                         FD=u32(fd), PIDS=struct.pack('i', child.pid))[0]
    session = struct.unpack('Q', answer['SESSION'])[0]
    packed = b''.join(pack_function(i, *f[1:]) for i, f in enumerate(functions))
    client.call('FUNC_ADD', SESSION=u64(session), FD=u32(fd), FUNCS=packed)
    client.call('SESSION_COMMIT', SESSION=u64(session))
    while client.state(session) not in (ACTIVE, FAILED):
        time.sleep(0.01)
    output = child.communicate('go\n')[0]
    client.call('SESSION_STOP', SESSION=u64(session))
    os.close(fd)
    return session, [f[0] for f in functions], output, child.returncode


def calls_of(client, session, names):
    calls = {}
    for message in client.dump('FUNC_GET', SESSION=u64(session)):
        name = names[struct.unpack('I', message['FUNC'])[0]]
        closed, entered = struct.unpack_from('QQ', message['STATS'])
        buckets = message['BUCKETS']
        counted = sum(struct.unpack_from('Q', buckets, at + 8)[0]
                      for at in range(0, len(buckets), 16))
        assert closed == entered == counted, (name, closed, entered, counted)
        calls[name] = entered
    return calls


def records_of(client, session):
    """Reads and acknowledges all packets; returns how many records of each id."""
    count = {}
    for cpu in range(os.cpu_count()):
        cursor = 0
        for _ in range(2):
            for message in client.dump('STREAM_READ', SESSION=u64(session), CPU=u32(cpu),
                                       CURSOR=u64(cursor), FLAGS=u32(FLUSH)):
                if 'PACKET' not in message:
                    continue
                cursor = struct.unpack('Q', message['CURSOR'])[0] + 1
                packet, at, last = message['PACKET'], 80, 0
                while at < len(packet):
                    now, kind, _, _, _, _, words = struct.unpack_from('QIIIHBB', packet, at)
                    assert now >= last, 'time went back'
                    last = now
                    count[kind] = count.get(kind, 0) + 1
                    at += 24 + 8 * words + (8 if kind == 2 else 0)
    return count


def check(client, path):
    untraced = subprocess.run([path], stdout=subprocess.PIPE, text=True)
    expected = dict(line.rsplit(' ', 1)
                    for line in output_of(path, '--expect').splitlines())
    expected = {name: int(calls) for name, calls in expected.items()}
    session, names, output, status = trace(client, path, HIST | TREE | STREAM)
    assert (output, status) == (untraced.stdout, untraced.returncode), (output, status)
    calls = calls_of(client, session, names)
    assert calls == expected, (calls, expected)
    records = records_of(client, session)
    c = client.counters(session)
    assert c['produced'] == c['acknowledged'] + c['dropped'] + c['held'], c
    assert c['held'] == 0 and c['dropped'] == 0 and c['lost_pool'] == 0, c
    assert records[1] == records[2] == sum(expected.values()), records
    client.call('SESSION_DEL', SESSION=u64(session))


def check_unload(client):
    """Refused while a session exists, possible when its owner has gone."""
    fd = os.open('/bin/true', os.O_RDONLY)
    client.call('SESSION_NEW', FLAGS=u32(HIST), NR_FUNCS=u32(1), FD=u32(fd))
    assert subprocess.run(['rmmod', 'ktrace'], stderr=subprocess.DEVNULL).returncode
    client.close()
    for _ in range(100):
        if not subprocess.run(['rmmod', 'ktrace'], stderr=subprocess.DEVNULL).returncode:
            return
        time.sleep(0.05)
    raise AssertionError('the module does not unload')


def main():
    client, folder, failed = Client(), os.environ['KTRACE_VICTIMS'], 0
    for name in VICTIMS:
        try:
            check(client, os.path.join(folder, name))
            print('ok', name)
        except (AssertionError, OSError, KeyError) as error:
            print('FAIL', name, repr(error))
            failed += 1
    check_unload(client)
    return failed


if __name__ == '__main__':
    sys.exit(1 if main() else 0)
