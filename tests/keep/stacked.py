#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""stacked.py TEST KTRACE FOLDER: pictures of sessions with stacks have each stack, with the times of its events."""
import collections
import json
import subprocess

import recorded
from reading import ktrace, place, run_tests, written
from recorded import BEGIN, Program, Session, record

STACK, NONE = 64, 2**32 - 1     # KTRACE_REC_F_STACK, KTRACE_STACK_NONE
RUN, WAKEUP, SLEEP, DISK = 0, 2, 4, 5
SINK_STACKS, UNWIND = 16, 1 << 10   # KTRACE_SINK_STACKS, KTRACE_F_UNWIND


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


PERIOD_NS, USER, KERNEL, IDLE = 1001001, 0, 1, 2


def samples(nr=0):
    """A session of samples: 6 in programs, of which one lacks its stack, and 3 in the kernel."""
    session = session_of(nr, "samples", "profile")
    session.more = {"frequency": 999}
    session.lines = [stack(session, 0, "busy", [], ["work", "main"]), stack(session, 1, "busy", [], ["main"]),
                     stack(session, 2, "busy", ["copy_page", "vfs_read"], ["read", "main"]),
                     stack(session, 5, "other", ["do_idle"], [])]
    taken = [(USER, 0, 77)] * 4 + [(USER, 1, 77), (USER, NONE, 77), (KERNEL, 2, 77), (KERNEL, 2, 77), (KERNEL, 5, 88)]
    for i, (mode, number, tid) in enumerate(taken):
        time = BEGIN + (i + 1) * PERIOD_NS
        words = (tid - 1,) + recorded.chars("busy" if tid == 77 else "other") + (number,)
        session.put(i % 2, record(recorded.SAMPLE, time + 5, tid, mode, flags=STACK, words=words,
                                  times=(PERIOD_NS, time)))
    session.nr_records = 9
    session.counters = {"hits": 12, "produced": 9, "excluded": 2, "missed_samples": 1}
    return session


def profiled(folder, *options):
    return json.loads(ktrace("report", folder, "--format", "json", *options).stdout)


def rows_of(document):
    return {(row["mode"], row["function"]): (row["self_samples"], row["total_samples"]) for row in document["rows"]}


def test_samples_are_shown_as_a_profile():
    folder = written("samples", samples())
    document = profiled(folder)
    assert document["schema"] == "ktrace.profile/1" and document["complete"], document
    assert document["samples"] == {"frequency": 999, "user": 6, "kernel": 3, "idle": 3, "excluded": 2, "missed": 1,
                                   "cut": 0, "unwind": "frame pointers"}, document["samples"]
    want = {("user", "work"): (4, 4), ("user", "main"): (1, 7), ("user", "[no stack]"): (1, 1), ("user", "read"): (0, 2),
            ("kernel", "copy_page"): (2, 2), ("kernel", "vfs_read"): (0, 2), ("kernel", "do_idle"): (1, 1)}
    assert rows_of(document) == want, document["rows"]
    assert all(row["self_ns"] == row["self_samples"] * PERIOD_NS for row in document["rows"])
    assert sum(row["count"] for row in document["stacks"]) == 12, document["stacks"]
    text = ktrace("report", folder).stdout
    assert "12 samples, 999 per second and CPU: user 50.00 %, kernel 25.00 %, idle 25.00 %" in text, text
    shown = ktrace("report", folder, "--format", "csv", "--sort", "total").stdout.splitlines()
    assert len(shown) == 1 + len(want) and shown[1].startswith("main,user,1,7,"), shown
    assert folded(folder) == {"busy;main;work": 4 * PERIOD_NS, "busy;main": PERIOD_NS, "-;[no stack]": PERIOD_NS,
                              "busy;main;read;vfs_read;copy_page": 2 * PERIOD_NS, "other;do_idle": PERIOD_NS}
    for name in "flame", "speedscope", "dot":
        assert "copy_page" in ktrace("report", folder, "--format", name).stdout, name


def test_files_of_stacks_are_named():
    session = samples()
    session.flags |= UNWIND
    table = {"file": "/lib/libc.so.6", "method": "table", "rows": 10, "bytes": 2048}
    other = {"file": "/x/evil\n\x1b[2J.so", "method": "frame pointers", "rows": 0, "bytes": 0, "reason": "it is odd"}
    session.lines += [{"is": "unwound", "session": 0, **file} for file in (table, other)]
    broken = [{"is": "unwound", "session": 0, "rows": 1}, {"is": "unwound", "session": 9, **table}]
    folder = written("unwound", session)
    document = profiled(folder)
    assert document["unwind"] == [table, other] and document["samples"]["unwind"] == "tables", document
    text = ktrace("report", folder).stdout
    assert text.endswith("Stacks of programs were found by tables of 1 file (2.00 KiB), and by frame pointers in "
                         "evil\\x0a\\x1b[2J.so (it is odd).\n"), text
    session.lines += broken
    assert "2 lines" in ktrace("report", written("broken-unwound", session)).stderr
    # A recording of an older version names no files.
    session.lines = [line for line in session.lines if line["is"] != "unwound"]
    folder = written("older", session)
    assert "unwind" not in profiled(folder) and "Stacks of programs" not in ktrace("report", folder).stdout


def test_samples_are_chosen_by_time_and_task():
    folder = written("chosen-samples", samples())
    for options, want in ((("--comm", "other"), {("kernel", "do_idle"): (1, 1)}), (("-p", "88"), {}), (("-p", "87"), {("kernel", "do_idle"): (1, 1)}),
                          (("--thread", "88"), {("kernel", "do_idle"): (1, 1)}),
                          (("--from", f"{PERIOD_NS}ns", "--to", f"{PERIOD_NS + 1}ns"), {("user", "work"): (1, 1), ("user", "main"): (0, 1)}),
                          (("--min-time", "1s", "--thread", "88"), {("kernel", "do_idle"): (1, 1)})):
        document = profiled(folder, *options)
        assert rows_of(document) == want and "idle" not in document["samples"], (options, document)
    shown = profiled(folder, "--by", "comm,mode,cpu")["rows"]
    assert {(row["comm"], row["mode"], row["cpu"]): row["samples"] for row in shown} == \
        {("busy", "user", 0): 3, ("busy", "user", 1): 3, ("busy", "kernel", 0): 1, ("busy", "kernel", 1): 1,
         ("other", "kernel", 0): 1}, shown
    assert "samples" in ktrace("report", folder, "--by", "mode").stdout.lower()
    assert "choose some of" in ktrace("report", folder, "--by", "function", status=1).stderr


def test_idle_samples_are_unknown_if_records_are_missing():
    for name, more in (("lost-samples", {"produced": 12, "dropped": 3}), ("killed-samples", None)):
        session = samples()
        session.has_end = bool(more)
        session.counters.update(more or {})
        document = json.loads(ktrace("report", written(name, session), "--format", "json", status=3).stdout)
        assert "idle" not in document["samples"] and rows_of(document)["user", "work"] == (4, 4), document["samples"]
        assert not document["complete"]


def test_single_samples_are_shown_and_copied():
    folder = written("replayed-samples", samples())
    text = ktrace("replay", folder).stdout
    assert text.count(" busy             1.00 ms  user\n") == 6 and text.count("[no stack]") == 1, text
    assert "kernel\n                copy_page\n                vfs_read\n                --\n" in text, text
    events = [json.loads(line) for line in ktrace("replay", folder, "--format", "json").stdout.splitlines()]
    assert [event["mode"] for event in events if event["event"] == "sample"] == 6 * ["user"] + 3 * ["kernel"], events
    assert all(event["period_ns"] == PERIOD_NS and event["pid"] in (76, 87) for event in events), events
    drawn = json.loads(ktrace("report", folder, "--format", "chrome").stdout)["traceEvents"]
    assert sorted(event["name"] for event in drawn if event["ph"] == "X") == \
        ["copy_page", "copy_page", "do_idle", "main", "user"] + 4 * ["work"], drawn
    to = place("samples.ctf")
    ktrace("report", folder, "--format", "ctf", "-o", to, "--thread", "88")
    line, = subprocess.run(["babeltrace2", to], capture_output=True, text=True, check=True).stdout.splitlines()
    assert ' sample: ' in line and 'func = ( "kernel"' in line and 'pid = 87,' in line and 'stack = 5,' in line, line


def test_samples_stand_beside_other_sessions():
    folder = written("beside", scheduler(), samples(1))
    compared = ktrace("diff", folder, folder, "--session", "samples").stdout
    assert "9 in A, 9 in B" in compared and "44.44%  44.44%" in compared, compared
    assert "stacks in scheduler and in samples" in ktrace("report", folder, "--format", "flame", status=1).stderr
    assert "busy;main;work" in folded(folder, "--session", "samples")


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
