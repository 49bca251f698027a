# SPDX-License-Identifier: GPL-2.0
"""Writes recordings whose figures are known: packets of the module, and ktrace.jsonl."""
import json
import os
import random
import struct

MAGIC = 0xC1FC1FC1
PACKET_LEN = 15872
BEGIN = 10**12
REALTIME = 1700000000 * 10**9
COOKIE = 0x1122334455667788
ENTRY, EXIT, TASK_EXIT, FORK, EXEC, SYSCALL, REQUEST, CALL, PERIOD, FAULT, SAMPLE = range(1, 12)
UNWOUND, KILLED, OPEN, NO_RETURN, INHERITED, TAIL, AT_MOST = 1, 2, 4, 8, 16, 64, 128
NO_ENTRIES = 1 << 7


def record(kind, time, tid, func=0, depth=0, flags=0, words=(), times=()):
    """Packs a record; times: the duration, and from SYSCALL on the end."""
    return struct.pack("<QIIIHBB", time, kind, tid, func, depth, flags, len(words)) + \
        struct.pack(f"<{len(times) + len(words)}Q", *times, *words)


def chars(text):
    """Returns the two words of a text of 16 bytes."""
    return struct.unpack("<2Q", text.encode().ljust(16, b"\0")[:16])


class Stream:
    """The packets of one CPU."""

    def __init__(self, cpu, identity, cookie):
        self.cpu, self.uuid = cpu, struct.pack("<QQ", identity, cookie)
        self.packets, self.records, self.nr = [], b"", 0
        self.discarded, self.seq, self.begin = 0, 0, BEGIN

    def put(self, data):
        if len(self.records) + len(data) + 80 > PACKET_LEN:
            self.close()
        self.records += data
        self.nr += 1

    def close(self):
        """Ends the current packet."""
        if not self.records:
            return
        bits = 8 * (80 + len(self.records))
        time = struct.unpack_from("<Q", self.records)[0]
        self.packets.append(struct.pack("<II16sQQQQQQII", MAGIC, 0, self.uuid, time, time, bits, bits,
                                        self.discarded, self.seq, self.cpu, self.nr) + self.records)
        self.seq += 1
        self.records, self.nr = b"", 0


class Session:
    def __init__(self, nr, folder, provider, flags=0, identity=None, functions=()):
        self.nr, self.folder, self.provider, self.flags = nr, folder, provider, flags
        self.identity = identity or 7 + nr
        self.functions, self.streams, self.counters, self.nr_records = functions, {}, {}, 0
        self.has_end, self.end, self.lines, self.sinks = True, BEGIN + 10**9, [], 8
        self.more = {}          # members of its line

    def put(self, cpu, data):
        stream = self.streams.setdefault(cpu, Stream(cpu, self.identity, COOKIE))
        stream.put(data)

    def facts(self):
        """Yields the lines of the session."""
        yield {"is": "session", "session": self.nr, "folder": self.folder, "provider": self.provider,
               "id": self.identity, "cookie": hex(COOKIE), "sinks": self.sinks, "flags": self.flags,
               "min_time_ns": 0, "command": ["run"],
               "begin": {"monotonic_ns": BEGIN, "realtime_ns": REALTIME}, **self.more}
        if self.functions:
            yield {"is": "file", "session": self.nr, "file": 0, "path": "/usr/bin/prog",
                   "build_id": "0102"}
            yield {"is": "file", "session": self.nr, "file": 1, "path": "/lib/libmore.so.1"}
        for func, name in enumerate(self.functions):
            yield {"is": "function", "session": self.nr, "func": func, "name": name,
                   "file": int(name.startswith("more")), "offset": 4096 + 16 * func}
        yield from self.lines

    def last(self):
        return {"is": "end", "session": self.nr,
                "end": {"monotonic_ns": self.end, "realtime_ns": REALTIME + self.end - BEGIN},
                "counters": self.counters, "records": self.nr_records, "lost": [], "why": "the program ended"}


HEAD = {"is": "recording", "schema": "ktrace.recording/1", "version": "0.12.0", "abi": 212,
        "packet_len": PACKET_LEN, "byte_order": "little", "arch": "x86_64", "host": "somewhere",
        "kernel": "7.2.0", "boot_id": "-", "nr_cpus": 2, "command": ["ktrace", "record", "./prog"],
        "program": ["./prog"], "pid": 1000,
        "begin": {"monotonic_ns": BEGIN, "realtime_ns": REALTIME}}


def write(folder, sessions, lines=(), **head):
    """Writes a recording."""
    os.makedirs(folder)
    documents = [dict(HEAD, **head)]
    for session in sessions:
        documents += session.facts()
        os.mkdir(os.path.join(folder, session.folder))
        for cpu, stream in session.streams.items():
            stream.close()
            with open(os.path.join(folder, session.folder, f"stream_{cpu}"), "wb") as file:
                file.write(b"".join(stream.packets))
    documents += lines
    documents += [session.last() for session in sessions if session.has_end]
    with open(os.path.join(folder, "ktrace.jsonl"), "w", encoding="utf-8") as file:
        file.write("".join(json.dumps(document) + "\n" for document in documents))


# --- calls ------------------------------------------------------------------------

class Figures:
    """Figures of a function, or of a path, as the module counts them."""

    def __init__(self):
        self.calls = self.total = self.self = self.entries = 0
        self.times = []

    def add(self, duration, own, is_inner=False):
        self.calls += 1
        self.self += own
        self.total += 0 if is_inner else duration
        self.times.append(duration)


class Program:
    """Threads that call functions at random, and move between CPUs."""

    def __init__(self, seed, functions=12, nr_threads=3, nr_cpus=2, deepest=6):
        self.dice = random.Random(seed)
        self.nr_functions, self.nr_cpus, self.deepest = functions, nr_cpus, deepest
        self.time, self.tids = BEGIN, [1000 + i for i in range(nr_threads)]
        self.stacks = {tid: [] for tid in self.tids}
        self.events, self.functions, self.paths = [], {}, {}
        self.cpu_of = {tid: 0 for tid in self.tids}

    def tick(self):
        self.time += self.dice.choice((1, 3, 40, 700, 20000))
        return self.time

    def event(self, tid, *what):
        if self.dice.random() < 0.05:
            self.cpu_of[tid] = self.dice.randrange(self.nr_cpus)
        self.events.append((self.tick(), self.cpu_of[tid], tid) + what)

    def call(self, tid, func):
        stack = self.stacks[tid]
        self.event(tid, ENTRY, func, len(stack), 0, 0)
        stack.append([func, self.time, 0])
        self.functions.setdefault(func, Figures()).entries += 1

    def leave(self, tid, flags=0):
        stack = self.stacks[tid]
        func, begin, below = stack.pop()
        self.tick()
        duration = self.time - begin
        self.event(tid, EXIT, func, len(stack), flags, duration)
        if stack:
            stack[-1][2] += duration
        path = tuple(frame[0] for frame in stack) + (func,)
        if flags & OPEN:
            self.paths.setdefault(path, Figures())
            return
        own = duration - below
        self.functions[func].add(duration, own, func in path[:-1])
        self.paths.setdefault(path, Figures()).add(duration, own)

    def run(self, nr):
        """Makes about nr calls, which all end."""
        for _ in range(2 * nr):
            tid = self.dice.choice(self.tids)
            depth = len(self.stacks[tid])
            if not depth or (depth < self.deepest and self.dice.random() < 0.5):
                self.call(tid, self.dice.randrange(self.nr_functions))
            else:
                self.leave(tid, self.dice.choice((0, 0, 0, UNWOUND, KILLED)))
        return self

    def finish(self, flags=0):
        """Ends all calls."""
        for tid in self.tids:
            while self.stacks[tid]:
                self.leave(tid, flags)
        return self

    def session(self, has_entries, nr=0, folder="functions"):
        names = [f"f{i}" for i in range(self.nr_functions)]
        session = Session(nr, folder, "user", 0 if has_entries else NO_ENTRIES, functions=names)
        for time, cpu, tid, kind, func, depth, flags, duration in self.events:
            if kind == ENTRY and has_entries:
                session.put(cpu, record(ENTRY, time, tid, func, depth))
            if kind == EXIT and not (has_entries and flags & OPEN):
                session.put(cpu, record(EXIT, time, tid, func, depth, flags, times=(duration,)))
        session.end = self.time + 1000
        return session


def bucket(value):
    """Returns the module's bucket of a duration."""
    if value < 16:
        return value
    exponent = value.bit_length() - 1
    return min(((exponent - 3) * 16) | ((value >> (exponent - 4)) & 15), 40 * 16 - 1)
