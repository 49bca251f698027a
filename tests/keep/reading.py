#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""reading.py TEST KTRACE FOLDER: recordings with known figures are read. TEST: of test_recording.c."""
import csv
import json
import os
import shutil
import struct
import subprocess
import sys
import time

import recorded
from recorded import BEGIN, Program, Session, record

TEST, KTRACE, WORK = sys.argv[1:4]


def documents(*folders):
    """Returns what the test prints of each folder: a document, or a text."""
    done = subprocess.run([TEST, *folders], capture_output=True, text=True, timeout=120, check=False)
    assert not done.returncode, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert len(lines) == len(folders), done.stdout
    return [json.loads(line) if line.startswith("{") else line for line in lines]


def ktrace(*words, status=0):
    done = subprocess.run([KTRACE, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, (words, done.returncode, done.stderr[-2000:])
    return done


def place(name):
    return os.path.join(WORK, name)


def written(name, *sessions, **head):
    recorded.write(place(name), sessions, **head)
    return place(name)


def paths_of(document):
    """Returns calls, total and self of each path of a document's tree."""
    nodes = {node["node"]: node for node in document["tree"]}

    def path(node):
        return (path(nodes[node["parent"]]) if "parent" in node else ()) + (node["name"],)

    return {path(node): (node["calls"], node["total_ns"], node["self_ns"]) for node in nodes.values()}


def check_figures(program, document, gone=()):
    rows = {row["name"]: row for row in document["rows"]}
    assert set(rows) == {f"f{func}" for func in program.functions} | set(gone), rows.keys()
    for func, figures in program.functions.items():
        row = rows[f"f{func}"]
        assert (row["calls"], row["entries"]) == (figures.calls, figures.entries), (row, figures.calls)
        if not figures.calls:
            continue
        assert (row["total_ns"], row["self_ns"]) == (figures.total, figures.self), row
        assert (row["min_ns"], row["max_ns"]) == (min(figures.times), max(figures.times)), row
        counts = {}
        for duration in figures.times:
            counts[recorded.bucket(duration)] = counts.get(recorded.bucket(duration), 0) + 1
        assert [entry["count"] for entry in row["histogram"]] == \
            [counts[index] for index in sorted(counts)], row
    want = {tuple(f"f{func}" for func in path): (figures.calls, figures.total, figures.self)
            for path, figures in program.paths.items()}
    assert paths_of(document) == want


# --- calls ------------------------------------------------------------------------

def test_one_record_a_call_gives_the_figures_of_two():
    for seed in range(6):
        program = Program(seed, nr_threads=1 + seed, nr_cpus=1 + seed % 3).run(3000).finish()
        one, two = documents(written(f"one-{seed}", program.session(False)),
                             written(f"two-{seed}", program.session(True)))
        check_figures(program, one)
        check_figures(program, two)
        assert one["complete"] and one["host"] == "somewhere" and one["schema"] == "ktrace.run/1"
        assert one["from"]["realtime_ns"] == str(recorded.REALTIME), one["from"]
        assert one["rows"] == two["rows"] and paths_of(one) == paths_of(two)


def test_calls_that_have_not_ended_are_no_calls_but_have_callees():
    program = Program(42).run(500)
    assert any(program.stacks.values())
    program.finish(recorded.OPEN)
    one, two = documents(written("open-one", program.session(False)),
                         written("open-two", program.session(True)))
    check_figures(program, one)
    check_figures(program, two)


def test_upper_bounds_are_in_no_sum():
    session = Session(0, "functions", "user", recorded.NO_ENTRIES, functions=("f", "g", "h"))
    for time_, func, depth, flags, duration in (
            (100, 1, 1, recorded.AT_MOST, 50), (120, 1, 1, 0, 10), (150, 2, 1, recorded.INHERITED, 7),
            (200, 0, 0, 0, 190)):
        session.put(0, record(recorded.EXIT, BEGIN + time_, 5, func, depth, flags, times=(duration,)))
    session.put(0, record(recorded.ENTRY, BEGIN + 300, 5, 2, 0, recorded.NO_RETURN))
    document, = documents(written("bounds", session))
    rows = {row["name"]: row for row in document["rows"]}
    assert (rows["f"]["total_ns"], rows["f"]["self_ns"]) == (190, 190 - 50 - 10 - 7)
    assert (rows["g"]["calls"], rows["g"]["total_ns"], rows["g"]["at_most"], rows["g"]["at_most_ns"]) == \
        (2, 10, 1, 50)
    assert (rows["h"]["entries"], rows["h"]["calls"]) == (1, 0)
    assert paths_of(document) == {("f",): (1, 190, 123), ("f", "g"): (2, 10, 10), ("f", "h"): (0, 0, 0),
                                  ("h",): (1, 0, 0)}


def test_what_was_cut_stands_below_a_caller_that_is_not_known():
    program = Program(7, nr_threads=1, nr_cpus=1).run(800)
    while len(program.stacks[1000]) < 3:
        program.call(1000, 1)
    program.call(1000, 2)
    program.leave(1000)
    killed = program.session(False)
    killed.has_end = False
    document, = documents(written("killed", killed))
    assert not document["complete"]
    orphans = {path: figures for path, figures in paths_of(document).items()
               if path[0] == "[caller not recorded]"}
    assert orphans[("[caller not recorded]", "f2")][0] >= 1, orphans
    assert sum(figures[0] for figures in paths_of(document).values()) == \
        sum(figures.calls for figures in program.functions.values())
    shown = ktrace("report", place("killed"), status=3)
    assert "the recorder of functions was killed" in shown.stderr
    assert "callers of" in shown.stderr and "no end: a part" in shown.stdout
    # With entries, the callers are known.
    entries = program.session(True)
    entries.has_end = False
    document, = documents(written("killed-entries", entries))
    assert not any("[caller" in name for path in paths_of(document) for name in path)


def test_gaps_are_reported_and_nothing_else_is_lost():
    program = Program(3, nr_threads=1, nr_cpus=1).run(4000).finish()
    session = program.session(False)
    stream = session.streams[0]
    stream.close()
    assert len(stream.packets) > 3
    del stream.packets[1]
    document, = documents(written("gap", session))
    assert not document["complete"]
    left = sum(struct.unpack_from("<I", packet, 76)[0] for packet in stream.packets)
    assert sum(figures[0] for figures in paths_of(document).values()) == left
    assert "packets of functions are missing in 1 places" in ktrace("report", place("gap"), status=3).stderr


# --- filters ----------------------------------------------------------------------

def test_filters_are_as_if_others_had_no_probe():
    program = Program(5).run(2000).finish()
    folder = written("filters", program.session(False))

    def shown(*options):
        return json.loads(ktrace("report", folder, "--format", "json", *options).stdout)

    # The paths that are left when functions are taken out of all paths, with the time of their callees.
    keep = {"f1", "f2", "f3", "f11"}
    want = {}
    for path, figures in program.paths.items():
        names = [f"f{func}" for func in path]
        left = tuple(name for name in names if name in keep)
        if not left:
            continue
        calls, total, own = want.get(left, (0, 0, 0))
        if names[-1] in keep:
            calls, total = calls + figures.calls, total + figures.total
        want[left] = (calls, total, own + figures.self)
    assert paths_of(shown("-f", "f1,f2,f3,f11")) == want
    others = ",".join(f"f{i}" for i in range(12) if f"f{i}" not in keep)
    assert paths_of(shown("--no-function", others)) == want
    flat = paths_of(shown("--max-depth", "2"))
    assert max(map(len, flat)) == 2
    assert sum(own for _, _, own in flat.values()) == sum(figures.self for figures in program.paths.values())
    alone = shown("--thread", "1001")
    assert sum(row["calls"] for row in alone["rows"]) == \
        sum(1 for event in program.events if event[2:4] == (1001, recorded.EXIT))
    long = shown("--min-time", "50us")
    assert sum(row["calls"] for row in long["rows"]) == \
        sum(1 for figures in program.functions.values() for ns in figures.times if ns >= 50000)
    begin = (program.time - BEGIN) // 3
    end = 2 * begin
    part = shown("--from", f"{begin}ns", "--to", f"{end}ns")
    assert sum(row["calls"] for row in part["rows"]) == \
        sum(1 for event in program.events if event[3] == recorded.EXIT and event[0] <= BEGIN + end and
            event[0] - event[7] >= BEGIN + begin)
    nobody = shown("--comm", "nobody")
    assert not nobody["rows"]


# --- other sessions ---------------------------------------------------------------

def mixed(name):
    """Writes a recording with sessions of all kinds."""
    calls = Program(1).run(100).finish().session(False)
    syscalls = Session(1, "syscalls", "syscalls")
    for i in range(10):
        words = (2**64 - 2 if i < 3 else 5, 3, 0, 0, 0, 0, 0) + recorded.chars("writer")
        syscalls.put(i % 2, record(recorded.SYSCALL, BEGIN + 1000 * i + 900, 77, 1, words=words,
                                   times=(100 + i, BEGIN + 1000 * i + 900)))
    periods = Session(2, "scheduler", "sched")
    for i in range(4):
        periods.put(0, record(recorded.PERIOD, BEGIN + 5000 * (i + 1), 77 + i % 2, i % 3,
                              words=recorded.chars("sleeper"), times=(1000, BEGIN + 5000 * (i + 1))))
    block = Session(3, "block", "block")
    for i in range(5):
        words = (10, 20, 30, 40, 2048, 12, 2**64 - 1, 8 << 52 | 8 << 20, 15 << 32 | 4096, 77 << 32)
        block.put(1, record(recorded.REQUEST, BEGIN + 7000 * (i + 1), 77, (8 << 20) << 6 & 0xffffffff | 1 << 3,
                            words=words + recorded.chars("writer"), times=(100, BEGIN + 7000 * (i + 1))))
    kernel = Session(4, "kernel", "kernel", functions=("vfs_read",))
    kernel.put(0, record(recorded.CALL, BEGIN + 500, 77, words=(5,) + recorded.chars("reader"),
                         times=(50, BEGIN + 500)))
    faults = Session(5, "faults", "fault")
    for i in range(6):
        words = (0x7f0000001000 + 4096 * i, 78 << 32 | (14 if i == 5 else 0)) + recorded.chars("toucher")
        faults.put(i % 2, record(recorded.FAULT, BEGIN + 800 * (i + 1), 78, 4 if i < 2 else 1, words=words,
                                 times=(100 + i, BEGIN + 800 * (i + 1))))
    faults.put(0, record(recorded.FAULT, BEGIN + 85000, 78, 99, times=(1, BEGIN + 85000)))
    for session in syscalls, periods, block, kernel, faults:
        session.put(0, record(recorded.TASK_EXIT, BEGIN + 90000, 79))
    recorded.write(place(name), [calls, syscalls, periods, block, kernel, faults],
                   [{"is": "disk", "dev": 8 << 20, "name": "vda"},
                    {"is": "inode", "dev": 8 << 20, "ino": 12, "path": "/data/file"},
                    {"is": "task", "pid": 77, "tid": 77, "comm": "writer"}, {"is": "unheard of"}])
    return place(name)


def test_each_kind_of_session_has_its_document():
    folder = mixed("mixed")
    shown = [json.loads(line) for line in ktrace("report", folder, "--format", "json").stdout.splitlines()]
    assert [document["schema"] for document in shown] == \
        [f"ktrace.{name}/1" for name in ("run", "syscall", "sched", "io", "func", "fault")]
    row, = shown[1]["rows"]
    assert (row["name"], row["calls"], row["errors"], row["total_ns"]) == ("write", 10, 3, 1045), row
    error, = shown[1]["errors"]
    assert (error["errno"], error["calls"]) == ("ENOENT", 3), error
    assert [row["tid"] for row in shown[2]["rows"]] in ([77, 78], [78, 77])
    layer, = shown[3]["rows"]
    row, = layer["rows"]
    assert (row["disk"], row["requests"], row["stages"]["d2c"]["total_ns"]) == ("vda", 5, 200), row
    row, = shown[4]["rows"]
    assert (row["name"], row["calls"]) == ("vfs_read", 1)
    by_fault = {row["fault"]: (row["calls"], row["errors"], row["total_ns"]) for row in shown[5]["rows"]}
    assert by_fault == {"major read": (2, 0, 201), "write": (4, 1, 414)} and shown[5]["by"] == ["fault"], shown[5]
    text = ktrace("report", folder).stdout
    for word in ("Recording", "faults", "major read", "syscalls", "write", "vda", "vfs_read", "writer" * 0 + "f1"):
        assert word in text, word
    rows = list(csv.DictReader(ktrace("report", folder, "--format", "csv", "--session", "syscalls")
                               .stdout.splitlines()))
    assert rows[0]["calls"] == "10"
    ktrace("report", folder, "--format", "csv", status=1)


def test_one_session_can_be_chosen():
    folder = mixed("chosen")
    heads = [ktrace("report", folder, *words).stdout.split("\n\n")[0] for words in ((), ("--session", "block"))]
    assert [head.count(" records ") for head in heads] == [6, 1] and "  block " in heads[1], heads
    assert "in functions and in syscalls" in ktrace("diff", folder, folder, status=2).stderr
    for name, row in (("syscalls", "write"), ("kernel", "vfs_read"), ("functions", "f1")):
        assert row in ktrace("diff", folder, folder, "--session", name).stdout, name
    assert "no session none" in ktrace("diff", folder, folder, "--session", "none", status=2).stderr


def test_replay_shows_single_events():
    folder = mixed("replayed")
    text = ktrace("replay", folder).stdout
    assert text.count("/data/file") == 5 and text.count("write(") == 10 and "vda" in text, text
    assert "CALL TREE" in text
    assert "write 0x7f0000005000\n" in text and "write 0x7f0000006000 = -EFAULT\n" in text, text
    flat = ktrace("replay", folder, "--session", "functions", "--format", "flat").stdout
    assert flat.count(" entry ") == flat.count(" exit ") > 50


def test_events_are_chosen_by_the_name_in_them():
    """The thread had other names than the one that the recording knows."""
    folder = mixed("named-events")
    report = json.loads(ktrace("report", folder, "--format", "json", "--comm", "reader", "--session",
                               "kernel").stdout)
    assert [row["name"] for row in report["rows"]] == ["vfs_read"], report
    assert "vfs_read" in ktrace("replay", folder, "--comm", "reader", "--session", "kernel").stdout
    events = json.loads(ktrace("report", folder, "--format", "chrome", "--comm", "sleeper").stdout)
    assert sum(event.get("cat") == "events" for event in events["traceEvents"]) == 4, events
    events = json.loads(ktrace("report", folder, "--format", "chrome", "--no-function", "vfs_*",
                               "--session", "kernel").stdout)
    assert not [event for event in events["traceEvents"] if event["name"] == "vfs_read"], events
    report = json.loads(ktrace("report", folder, "--format", "json", "--comm", "toucher", "--session",
                               "faults", "--min-time", "102ns").stdout)
    assert [(row["fault"], row["calls"]) for row in report["rows"]] == [("write", 4)], report


def test_entries_follow_from_ends():
    program = Program(9, nr_threads=2).run(300).finish()
    calls = {}
    for has_entries in (True, False):
        folder = written(f"entries-{has_entries}", program.session(has_entries))
        lines = ktrace("replay", folder, "--format", "json").stdout.splitlines()
        of = {}
        for event in map(json.loads, lines):
            if event["event"] in ("entry", "exit"):
                of.setdefault(event["tid"], []).append((event["event"], event["name"], event["depth"]))
        calls[has_entries] = of
    assert calls[True] == calls[False]


# --- exports ----------------------------------------------------------------------

def nested(events):
    """Checks that the events of each thread nest, and returns how deep they do."""
    deepest, threads = 0, {}
    for event in events:
        if event["ph"] == "X":
            begin, length = (round(1000 * float(event[key])) for key in ("ts", "dur"))
            threads.setdefault((event["pid"], event["tid"]), []).append((begin, -length, event["name"]))
    for spans in threads.values():
        ends = []
        for begin, length, _ in sorted(spans):
            while ends and ends[-1] <= begin:
                ends.pop()
            assert not ends or begin - length <= ends[-1], (begin, length, ends)
            ends.append(begin - length)
            deepest = max(deepest, len(ends))
    return deepest


def test_chrome_events_nest_whenever_records_were_written():
    for seed in range(4):
        program = Program(seed, nr_threads=3).run(1500).finish()
        # A record is written some time after the end that it tells of, and others wait for it.
        late, events = {}, []
        for event in program.events:
            when = max(event[0] + program.dice.choice((0, 5, 900)), late.get(event[2], 0) + 1)
            late[event[2]] = when
            events.append((when,) + event[1:])
        program.events = sorted(events)
        folder = written(f"chrome-{seed}", program.session(False))
        document = json.loads(ktrace("report", folder, "--format", "chrome").stdout)
        events = document["traceEvents"]
        assert nested(events) == program.deepest
        assert sum(event["ph"] == "X" for event in events) == \
            sum(figures.calls for figures in program.functions.values())
    short = ktrace("report", folder, "--format", "chrome", "--max-size", "100K", status=3)
    events = json.loads(short.stdout)["traceEvents"]
    assert len(short.stdout) <= 100 << 10 and nested(events) > 1
    left = sum(event["ph"] == "X" for event in events)
    all_ = sum(figures.calls for figures in program.functions.values())
    assert f"leaves out {all_ - left} of {all_} events" in short.stderr, short.stderr


def test_chrome_has_calls_that_were_open_at_a_kill():
    program = Program(11, nr_threads=2).run(700)
    for func in (1, 2, 3):
        program.call(1000, func)
    session = program.session(True)
    session.has_end = False
    want = sorted(f"f{frame[0]}" for stack in program.stacks.values() for frame in stack)
    done = ktrace("report", written("chrome-open", session), "--format", "chrome", status=3)
    events = [event for event in json.loads(done.stdout)["traceEvents"] if event["ph"] == "X"]
    nested(events)
    assert sorted(event["name"] for event in events if "not ended" in json.dumps(event)) == want
    assert len(events) == len(want) + sum(figures.calls for figures in program.functions.values())


def test_chrome_has_requests_as_asynchronous_events():
    events = json.loads(ktrace("report", mixed("chrome-mixed"), "--format", "chrome").stdout)["traceEvents"]
    begins = {event["id"]: event for event in events if event["ph"] == "b"}
    ends = {event["id"]: event for event in events if event["ph"] == "e"}
    assert len(begins) == 5 and set(begins) == set(ends)
    assert all(ends[nr]["ts"] - begins[nr]["ts"] == 0.1 or
               abs(ends[nr]["ts"] - begins[nr]["ts"] - 0.1) < 1e-6 for nr in begins)
    assert begins["0x1"]["args"]["path"] == "/data/file"
    nested(events)


# --- hostile recordings -----------------------------------------------------------

def test_times_of_day_are_those_of_the_clock_that_was_in_force():
    syscalls = Session(0, "syscalls", "syscalls")
    for time_ in (100, 400 * 10**6, 700 * 10**6):
        syscalls.put(0, record(recorded.SYSCALL, BEGIN + time_, 77, 1, times=(10, BEGIN + time_),
                               words=(5, 3, 0, 0, 0, 0, 0) + recorded.chars("writer")))
    hour = 3600 * 10**9
    recorded.write(place("clock"), [syscalls],
                   [{"is": "clock", "monotonic_ns": BEGIN + at, "realtime_ns": str(recorded.REALTIME + at + step)}
                    for at, step in ((600 * 10**6, -2 * hour), (0, 0), (300 * 10**6, hour))])
    shown = subprocess.run([KTRACE, "replay", place("clock"), "--time", "wall"], capture_output=True, text=True,
                           check=True, timeout=60, env=dict(os.environ, TZ="UTC")).stdout
    for moment in ("22:13:20.000000", "23:13:20.400000", "20:13:20.700000"):
        assert moment in shown, shown
    document, = documents(place("clock"))
    assert document["from"]["realtime_ns"] == str(recorded.REALTIME)
    assert document["to"]["realtime_ns"] == str(recorded.REALTIME + 10**9 - 2 * hour), document["to"]


def test_a_torn_end_is_cut_and_nothing_else():
    program = Program(11, nr_cpus=1).run(2000).finish()
    session = program.session(False)
    session.streams[0].close()
    folder = written("torn", session)
    stream = os.path.join(folder, "functions/stream_0")
    size = os.path.getsize(stream)
    last = len(session.streams[0].packets[-1])
    with open(stream, "r+b") as file:
        file.truncate(size - 100)
    shown = ktrace("report", folder, status=3)
    assert "it ends in the middle of a packet" in shown.stderr and "1 file of" in shown.stderr
    assert os.path.getsize(stream) == size - last
    assert "middle of a packet" not in ktrace("report", folder, status=3 if "callers" in shown.stderr else 0).stderr
    # While it is being written, it stays as it is.
    with open(stream, "ab") as file:
        file.write(b"\xc1\x1f\xfc\xc1" * 30)
    holder = subprocess.Popen(["flock", os.path.join(folder, "ktrace.jsonl"), "sleep", "30"])
    for _ in range(100):
        if subprocess.run(["flock", "-n", os.path.join(folder, "ktrace.jsonl"), "true"], check=False).returncode:
            break
        time.sleep(0.05)
    ktrace("report", folder, status=3)
    assert os.path.getsize(stream) == size - last + 120
    holder.kill()
    holder.wait()
    subprocess.run(["pkill", "-P", str(holder.pid)], check=False)


def test_only_packets_are_cut():
    """Bytes that are no begin of a packet of this stream are not ktrace's to remove."""
    program = Program(11, nr_cpus=1).run(20).finish()
    for name, text in (("foreign", b"hello" * 100), ("short", b"hi"), ("zeros", bytes(300))):
        folder = written(f"foreign-{name}", program.session(False))
        stream = os.path.join(folder, "functions/stream_0")
        with open(stream, "ab") as file:
            file.write(text)
        size = os.path.getsize(stream)
        assert "bytes that are no packet" in ktrace("report", folder, status=3).stderr
        assert os.path.getsize(stream) == size
    folder = written("other-cookie", program.session(False))
    stream = os.path.join(folder, "functions/stream_0")
    size = os.path.getsize(stream)
    facts = os.path.join(folder, "ktrace.jsonl")
    with open(facts, encoding="ascii") as file:
        text = file.read().replace(hex(recorded.COOKIE), "0x77")
    with open(facts, "w", encoding="ascii") as file:
        file.write(text)
    assert "a packet of another session" in ktrace("report", folder, status=3).stderr
    assert os.path.getsize(stream) == size
    # A CPU is not counted twice.
    folder = written("twice", program.session(False))
    before = ktrace("report", folder, "--format", "csv").stdout
    shutil.copy(os.path.join(folder, "functions/stream_0"), os.path.join(folder, "functions/stream_00"))
    assert ktrace("report", folder, "--format", "csv").stdout == before


def test_a_comparison_tells_that_a_recording_is_a_part():
    session = Program(12, nr_cpus=1).run(200).finish().session(False)
    whole = written("a-whole", session)
    torn = written("a-torn", Program(12, nr_cpus=1).run(200).finish().session(False))
    killed = Program(12, nr_cpus=1).run(200).finish().session(False)
    killed.has_end = False
    killed = written("a-killed", killed)
    stream = os.path.join(torn, "functions/stream_0")
    with open(stream, "ab") as file:
        file.write(session.streams[0].packets[0][:100])
    size = os.path.getsize(stream)
    assert not ktrace("diff", whole, whole).stderr
    for part in (torn, killed):
        for sides in ((whole, part), (part, whole)):
            assert f"{part} is incomplete" in ktrace("diff", *sides, status=3).stderr
    assert os.path.getsize(stream) == size


def test_a_lost_file_is_reported():
    program = Program(13, nr_cpus=2).run(3000).finish()
    session = program.session(False)
    for stream in session.streams.values():
        stream.close()
    nr = sum(struct.unpack_from("<I", packet, 76)[0]
             for stream in session.streams.values() for packet in stream.packets)
    session.nr_records = nr
    folder = written("whole-counted", session)
    assert "not in the recording" not in ktrace("report", folder).stderr
    last = session.streams[1].packets[-1]
    lost = struct.unpack_from("<I", last, 76)[0]
    os.truncate(os.path.join(folder, "functions/stream_1"),
                os.path.getsize(os.path.join(folder, "functions/stream_1")) - len(last))
    for words in (("report", folder), ("report", folder, "-f", "f1", "--format", "csv"),
                  ("replay", folder, "--format", "json")):
        assert f"{lost} of the {nr} records" in ktrace(*words, status=3).stderr
    os.unlink(os.path.join(folder, "functions/stream_1"))
    left = sum(struct.unpack_from("<I", packet, 76)[0] for packet in session.streams[0].packets)
    assert f"{nr - left} of the {nr} records" in ktrace("report", folder, status=3).stderr


def test_a_choice_of_nothing_is_reported():
    folder = written("choice", Program(14).run(100).finish().session(False))
    for words in (("-f", "none"), ("-p", "99999"), ("--from", "100"), ("--comm", "none")):
        assert "no event of" in ktrace("report", folder, *words).stderr, words
        assert "no event of" in ktrace("replay", folder, *words).stderr, words
    assert not ktrace("report", folder, "-f", "f1").stderr


def test_impossible_durations_do_no_harm():
    """Their sums wrap; the test reads them under UBSan."""
    session = Session(0, "functions", "user", recorded.NO_ENTRIES, functions=("f", "g"))
    for nr in range(300):
        session.put(0, record(recorded.EXIT, BEGIN + 100 * nr, 1000 + nr % 2, func=nr % 2, depth=nr % 3,
                              times=(1 << 63,)))
    document, = documents(written("impossible", session))
    assert {row["calls"] for row in document["rows"]} == {150}


def test_a_full_tree_is_reported_by_all_commands():
    session = Session(0, "functions", "user", recorded.NO_ENTRIES, functions=("f",))
    for tid in range(2000):
        session.put(0, record(recorded.EXIT, BEGIN + 100 * tid, 1000 + tid, depth=65535, times=(5,)))
    folder = written("full", session)
    for command in ("report", "replay"):
        assert "for which there was no room" in ktrace(command, folder, status=3).stderr


def refused(folder, *words):
    """The command fails with one sentence, and the test reads it under ASan."""
    shown = ktrace("report", folder, status=1)
    for word in words:
        assert word in shown.stderr, (word, shown.stderr)
    assert shown.stderr.count("\n") == 1 and not shown.stdout
    text, = documents(folder)
    assert isinstance(text, str)


def test_what_is_no_recording_is_refused_with_a_reason():
    program = Program(2).run(50).finish()
    refused(place("nothing"), "No such file")
    refused(__file__, "is no folder")
    os.mkdir(place("empty"))
    refused(place("empty"), "has no file ktrace.jsonl")
    os.makedirs(place("runs/0001"))
    refused(place("runs"), "has several", place("runs/0001"))
    refused(written("future", program.session(False), schema="ktrace.recording/9"), "ktrace.recording/9")
    refused(written("big", program.session(False), byte_order="big"), "byte order")
    refused(written("other", program.session(False), arch="aarch64"), "aarch64")
    for name, text in (("torn-head", '{"is":"recor'), ("no-json", "hello\n"), ("other-json", '{"is":1}\n'),
                       ("list", "[1]\n"), ("deep", "[" * 10000 + "\n")):
        folder = written(name, program.session(False))
        with open(os.path.join(folder, "ktrace.jsonl"), "w", encoding="ascii") as file:
            file.write(text)
        refused(folder, "ktrace.jsonl")
    folder = written("linked", program.session(False))
    os.rename(os.path.join(folder, "ktrace.jsonl"), place("elsewhere"))
    os.symlink(place("elsewhere"), os.path.join(folder, "ktrace.jsonl"))
    refused(folder, "cannot be opened")
    folder = written("lost-folder", program.session(False))
    shutil.rmtree(os.path.join(folder, "functions"))
    refused(folder, "folder functions")


def test_streams_that_were_swapped_are_not_read():
    program = Program(2).run(500).finish()
    folder = written("swapped", program.session(False))
    streams = [os.path.join(folder, f"functions/stream_{cpu}") for cpu in (0, 1)]
    os.rename(streams[0], place("aside"))
    os.rename(streams[1], streams[0])
    size = os.path.getsize(streams[0])
    shown = ktrace("report", folder, status=3)
    assert "a packet of another CPU" in shown.stderr
    assert os.path.getsize(streams[0]) == size
    other = Session(1, "functions-2", "user", recorded.NO_ENTRIES, functions=("f",))
    folder = written("swapped-sessions", program.session(False), other)
    os.rename(os.path.join(folder, "functions/stream_0"), os.path.join(folder, "functions-2/stream_0"))
    shown = ktrace("report", folder, status=3)
    assert "a packet of another session" in shown.stderr


def test_wrong_types_and_numbers_do_no_harm():
    program = Program(2).run(200).finish()
    lines = [{"is": "function", "session": 0, "func": 2**31, "name": "far"},
             {"is": "function", "session": 0, "func": "x", "name": 7},
             {"is": "function", "session": [], "func": 1, "name": "f1"},
             {"is": "stack", "session": 0, "stack": 2**32 - 1, "comm": "x", "kernel": [1, None]},
             {"is": "stack", "session": 0, "stack": 1, "comm": None, "kernel": {"a": 1}, "user": ["\0", "é"]},
             {"is": "session", "session": 0, "folder": "functions", "id": 1, "cookie": "0x1"},
             {"is": "session", "session": 1, "folder": "../outside", "id": 1, "cookie": "0x1"},
             {"is": "session", "session": 2, "folder": "/etc", "id": 1, "cookie": "0x1"},
             {"is": "file", "session": 0, "file": 2**32 - 1, "path": "far"},
             {"is": "task", "tid": -1}, {"is": 3}, {"is": "end", "session": 9}, 7, [], None]
    session = program.session(False)
    recorded.write(place("wrong"), [session], lines)
    shown = ktrace("report", place("wrong"))
    assert "are not understood" in shown.stderr, shown.stderr
    document, = documents(place("wrong"))
    check_figures(program, document)


def test_names_may_be_missing_and_long():
    session = Program(2).run(200).finish().session(False)
    session.functions = ("f" * 10000, "evil\x1b[2J\n;\"\\")
    folder = written("names", session)
    text = ktrace("report", folder, "--format", "table").stdout
    assert "[0x5 of session 0]" in text and "\x1b[2J" not in text
    for name in ("tree", "folded", "flame", "speedscope", "dot", "json", "callers", "callees", "chrome"):
        shown = ktrace("report", folder, "--format", name).stdout
        assert "\x1b" not in shown and "[0x5 of session 0]" in shown, name
    documents(folder)


def test_many_threads_and_depths():
    session = Session(0, "functions", "user", recorded.NO_ENTRIES, functions=("f",))
    for tid in range(1, 12001):
        session.put(tid % 4, record(recorded.EXIT, BEGIN + tid, tid, 0, tid % 300, times=(1,)))
    for i in range(300):
        session.put(0, record(recorded.EXIT, BEGIN + 20000 + i, 10**6 + i, 2**32 - 1 - i, 65535, times=(2**64 - 1,)))
    document, = documents(written("threads", session))
    assert sum(row["calls"] for row in document["rows"]) == 12300
    shown = ktrace("report", place("threads"), status=3)
    assert "callers of" in shown.stderr


def run_tests(tests):
    """Runs the functions test_*, or those whose names have the 4th word of the command line."""
    for name, test in tests:
        if name.startswith("test_") and (len(sys.argv) < 5 or sys.argv[4] in name):
            test()
            print("ok", name)


if __name__ == "__main__":
    run_tests(list(globals().items()))
