# SPDX-License-Identifier: GPL-2.0
"""
Compares the files that test_formats writes: each record says the same in each format.
formats.py FOLDER
"""
import json
import os
import sys

import msgpack

ALWAYS = {b'MESSAGE', b'PRIORITY', b'SYSLOG_IDENTIFIER', b'MESSAGE_ID', b'KTRACE_TIME'}
wrong = []


def expect(is_right, *words):
    if not is_right:
        wrong.append(' '.join(map(str, words)))


def messages(name):
    with open(os.path.join(sys.argv[1], name), 'rb') as file:
        while line := file.readline():
            yield file.read(int(line))


def same(value, of_json):
    """JSON has integers above 2^53 and hexadecimal ones as strings."""
    if isinstance(value, bool) or not isinstance(value, int):
        if isinstance(value, dict) and isinstance(of_json, dict):
            return value.keys() == of_json.keys() and all(same(value[key], of_json[key]) for key in value)
        if isinstance(value, list) and isinstance(of_json, list):
            return len(value) == len(of_json) and all(map(same, value, of_json))
        return type(value) is type(of_json) and value == of_json
    return of_json in (value, str(value), hex(value))


def check_msgpack(document, message):
    unpacker = msgpack.Unpacker(strict_map_key=True)
    unpacker.feed(message)
    time, record = unpacker.unpack()
    expect(unpacker.tell() == len(message), 'bytes behind the entry', record)
    expect(time == msgpack.ExtType(0, (1795871484).to_bytes(4, 'big') + (123456789).to_bytes(4, 'big')), time)
    expected = {key: value for key, value in document.items() if key != 'time'}
    expect(same(record, expected), 'msgpack', record, 'is not', expected)


def entry_of(message):
    entry = {}
    while message:
        key, equals, value = message.partition(b'\n')[0].partition(b'=')
        if equals:
            message = message[len(key) + len(value) + 2:]
        else:
            at = len(key) + 9
            length = int.from_bytes(message[len(key) + 1:at], 'little')
            value = message[at:at + length]
            expect(b'\n' in value and message[at + length:at + length + 1] == b'\n', 'binary', key, value)
            message = message[at + length + 1:]
        expect(key not in entry, 'twice', key)
        entry[key] = value
    return entry


def check_journal(document, message):
    entry = entry_of(message)
    expect(entry.pop(b'KTRACE_TIME') == document['time'].encode(), 'time')
    for key, value in document.items():
        if key in ('schema', 'host', 'boot', 'time'):
            continue
        got = entry.pop(b'KTRACE_' + key.upper().encode(), None)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            expect(got is not None and got.decode(errors='replace') == str(value), 'journal', key, got, 'is not', value)
        else:
            expect(got is not None and json.loads(got) == value, 'journal', key, got, 'is not', value)
    expect(entry.keys() <= ALWAYS, 'more in the journal', entry)


def check_5424(document, message):
    head, _, text = message.partition(b' @cee: ')
    words = head.split(b' ')
    expect(len(words) == 7 and words[5].decode() == document['event'], head)
    expect(json.loads(text) == document and b'\n' not in message, '5424', text)


nr = 0
for line, packed, journal, syslog in zip(*map(messages, ('json', 'msgpack', 'journal', '5424')), strict=True):
    of_line = json.loads(line)
    check_msgpack(of_line, packed)
    check_journal(of_line, journal)
    check_5424(of_line, syslog)
    nr += 1
expect(nr > 20, 'only', nr, 'records')
print('\n'.join(wrong))
sys.exit(bool(wrong))
