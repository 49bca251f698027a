#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""stacked.py TEST KTRACE FOLDER: pictures of sessions with stacks have each stack, with the times of its events."""
import collections
import json

import recorded
from reading import ktrace, place, run_tests, written
from recorded import BEGIN, Program, Session, record

STACK, NONE = 64, 2**32 - 1     # KTRACE_REC_F_STACK, KTRACE_STACK_NONE
RUN, WAKEUP, SLEEP, DISK = 0, 2, 4, 5
SINK_STACKS = 16


def stack(session, number, comm, kernel, user, flags=0):
    return {"is": "stack", "session": session.nr, "stack": number, "flags": flags, "comm": comm,
            "kernel": kernel, "user": user}


def session_of(nr, folder, provider, **more):
    session = Session(nr, folder, provider, **more)
    session.sinks |= SINK_STACKS
    return session


def put(session, kind, time, func, duration, words, number=None):
    """Puts an event; number: of its stack, or None: it has no word for one."""
    words = tuple(words) + (() if number is None else (number,))
    session.put(time % 2, record(kind, BEGIN + time, 77, func, flags=0 if number is None else STACK, words=words,
                                 times=(duration, BEGIN + time)))


def scheduler(nr=0):
    session = session_of(nr, "scheduler", "sched")
    session.lines = [stack(session, 0, "reader", ["schedule", "vfs_read"], ["read", "main"]),
                     stack(session, 3, "evil;\n\x1b[2J", ["schedule"], ["cut", "deep"], flags=2)]
    for time, kind, duration, number in ((1000, SLEEP, 100, 0), (2000, DISK, 20, 0), (3000, SLEEP, 7, 0),
                                         (4000, SLEEP, 50, 3), (5000, SLEEP, 11, NONE), (6000, SLEEP, 2, 99),
                                         (7000, RUN, 900, None), (8000, WAKEUP, 800, None)):
        put(session, recorded.PERIOD, time, kind, duration, recorded.chars("named"), number)
    return session


def folded(folder, *options, status=0):
    lines = ktrace("report", folder, "--format", "folded", *options, status=status).stdout.splitlines()
    return {path: int(ns) for path, _, ns in (line.rpartition(" ") for line in lines)}


def test_periods_have_the_stacks_on_which_they_began():
    folder = written("periods", scheduler())
    want = {"reader;main;read;vfs_read;schedule;[sleep]": 107, "reader;main;read;vfs_read;schedule;[disk]": 20,
            "named;[sleep]": 13}
    shown = folded(folder)
    evil, = shown.keys() - want.keys()
    assert {path: shown[path] for path in want} == want and shown[evil] == 50, shown
    assert evil.endswith("deep;cut;schedule;[sleep]") and "\x1b" not in evil and evil.count(";") == 5, evil
    assert folded(folder, "--min-time", "20ns") == {
        evil: 50, "reader;main;read;vfs_read;schedule;[sleep]": 100, "reader;main;read;vfs_read;schedule;[disk]": 20}
    assert not folded(folder, "--thread", "78")
    # Stacks are not added up in figures.
    document = json.loads(ktrace("report", folder, "--format", "json").stdout)
    assert document["schema"] == "ktrace.sched/1"


def test_all_formats_of_paths_have_them():
    folder = written("formats", scheduler())
    for name in "flame", "speedscope", "dot", "callers", "callees":
        text = ktrace("report", folder, "--format", name).stdout
        assert "vfs_read" in text and "[sleep]" in text and "\x1b" not in text, name
    ktrace("report", folder, "--format", "pprof", "-o", place("stacks.pb.gz"))
    shown = json.loads(ktrace("report", folder, "--format", "speedscope").stdout)
    assert sum(shown["profiles"][0]["weights"]) == 107 + 20 + 50 + 13
    assert "no calls of functions" in ktrace("report", folder, "--format", "perf", "-o", place("perf.data"),
                                             status=1).stderr


def others():
    """Sessions of all other kinds, with one stack each."""
    calls = session_of(0, "syscalls", "syscalls")
    kernel = session_of(1, "kernel", "kernel", functions=("vfs_fsync_range",))
    block = session_of(2, "block", "block")
    calls.lines = [stack(calls, 0, "writer", [], ["write", "main"])]
    kernel.lines = [stack(kernel, 0, "syncer", ["probe", "vfs_fsync_range", "do_fsync"], ["fsync", "main"])]
    block.lines = [stack(block, 0, "disk0", ["submit_bio"], ["pwrite"])]
    for i in range(3):
        put(calls, recorded.SYSCALL, 1000 + i, 1, 10 + i, (5, 3, 0, 0, 0, 0, 0) + recorded.chars("writer"), 0)
        put(kernel, recorded.CALL, 2000 + i, 0, 20 + i, (0,) + recorded.chars("syncer"), 0)
        words = (10, 20, 30, 40, 2048, 12, 2**64 - 1, 8 << 52 | 8 << 20, 15 << 32 | 4096, 77 << 32)
        put(block, recorded.REQUEST, 3000 + i, 1 << 3, 100 + i, words + recorded.chars("disk0"), 0)
    return [calls, kernel, block]


def test_each_kind_of_event_ends_its_path():
    folder = written("kinds", *others())
    assert folded(folder, "--session", "syscalls") == {"writer;main;write;write": 33}
    # The function itself, and what leads to its probe, is no caller.
    assert folded(folder, "--session", "kernel") == {"syncer;main;fsync;do_fsync;vfs_fsync_range": 63}
    assert folded(folder, "--session", "block") == {"disk0;pwrite;submit_bio;[write]": 303}
    assert "stacks in syscalls and in kernel" in ktrace("report", folder, "--format", "flame", status=1).stderr


def test_calls_of_functions_come_before_stacks():
    calls = Program(31).run(50).finish().session(False, 1)
    folder = written("both", scheduler(), calls)
    assert not any("[sleep]" in path for path in folded(folder))
    assert folded(folder) == folded(folder, "--session", "functions")
    assert "reader;main;read;vfs_read;schedule;[disk]" in folded(folder, "--session", "scheduler")


def test_without_stacks_there_is_no_picture():
    session = scheduler()
    session.sinks &= ~SINK_STACKS
    assert "--stacks" in ktrace("report", written("none", session), "--format", "flame", status=1).stderr


def test_many_stacks_are_bounded_and_reported():
    session = session_of(0, "scheduler", "sched")
    for tid in range(140000):
        session.put(0, record(recorded.PERIOD, BEGIN + tid, tid + 1, SLEEP, words=recorded.chars("many"),
                              times=(1, BEGIN + tid)))
    folder = written("bound", session)
    assert "no room for more threads and stacks" in ktrace("report", folder, status=3).stderr
    shown = folded(folder, status=3)
    assert collections.Counter(shown) == {"many;[sleep]": shown["many;[sleep]"]} and 0 < shown["many;[sleep]"] < 140000


if __name__ == "__main__":
    run_tests(list(globals().items()))
