#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""copying.py TEST KTRACE FOLDER: traces of report --format ctf have what the report of the same calls has."""
import collections
import json
import os
import random
import re
import shutil
import subprocess

import recorded
from reading import KTRACE, TEST, ktrace, mixed, place, run_tests, written
from recorded import BEGIN, Program, Session, record

VALUES, LATE = 32, 4
EVENT = re.compile(r"\[(\d+\.\d+)\] \(\S+\) (\w+): \{ (.*?) \}, \{ tid = (\d+)(?:, pid = (\d+), comm = \"(.*?)\")? \}, \{ (.*)\}$")


class Event:
    """A line of babeltrace2."""

    def __init__(self, line):
        match = EVENT.match(line)
        assert match, line
        time, self.kind, packet, tid, pid, self.comm, self.fields = match.groups()
        seconds, ns = time.split(".")
        self.time, self.tid, self.pid = int(seconds) * 10**9 + int(ns), int(tid), int(pid or 0)
        cpu = re.search(r"cpu_id = (\d+)", packet)
        self.cpu = int(cpu.group(1)) if cpu else None
        name = re.search(r'func = \( (?:"(.*?)"|<\w+>) : container', self.fields)
        self.name = name and name.group(1)

    def number(self, name):
        return int(re.search(rf"\b{name} = (-?\d+)", self.fields).group(1))


def events(folder):
    done = subprocess.run(["babeltrace2", "--clock-seconds", folder], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr[-2000:]
    read = [Event(line) for line in done.stdout.splitlines()]
    assert all(a.time <= b.time for a, b in zip(read, read[1:])), folder
    return read


def copied(folder, *options, to=None, status=0):
    """Returns the events of a trace of the recording."""
    to = to or folder + ".ctf"
    shutil.rmtree(to, ignore_errors=True)
    done = ktrace("report", folder, "--format", "ctf", "-o", to, *options, status=status)
    assert not done.stdout
    return events(to)


def paths_of(read):
    """Follows entries and ends. Returns the ends of each path, and the entries."""
    stacks, ends, begins = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for event in read:
        stack = stacks[event.tid]
        if event.kind not in ("entry", "exit"):
            continue
        depth = event.number("depth")
        if event.kind == "entry":
            assert depth <= len(stack), (event.fields, stack)
            del stack[depth:]
            stack.append(event.name)
            begins[tuple(stack)] += 1
            continue
        del stack[depth + 1:]
        assert stack and stack[-1] == event.name and depth == len(stack) - 1, (event.fields, stack)
        ends[tuple(stack)] += 1
        stack.pop()
    return ends, begins


def reported(folder, *options):
    """Returns the calls of each path, and those of each function, of a report."""
    document = json.loads(ktrace("report", folder, "--format", "json", *options).stdout)
    nodes = {node["node"]: node for node in document["tree"]}

    def path(node):
        return (path(nodes[node["parent"]]) if "parent" in node else ()) + (node["name"],)

    return {path(node): node["calls"] for node in nodes.values() if node["calls"]}, \
        {row["name"]: row["calls"] for row in document["rows"] if row["calls"]}


CHOICES = ((), ("-f", "f1,f2,f3,f11"), ("--no-function", "f0,f1,f2,f7"), ("--max-depth", "2"), ("--min-time", "50us"),
           ("--thread", "1001"), ("--from", "3ms", "--to", "8ms"), ("-f", "f[0-4]", "--min-time", "1us"))


def test_paths_and_functions_are_those_of_the_report():
    program = Program(21, functions=12).run(1500).finish()
    for has_entries in False, True:
        folder = written(f"copied-{has_entries}", program.session(has_entries))
        for options in CHOICES:
            read = copied(folder, *options)
            paths, functions = reported(folder, *options)
            ends, begins = paths_of(read)
            assert ends == paths and paths, (has_entries, options)
            assert collections.Counter(event.name for event in read if event.kind == "exit") == functions, options
            assert not ends - begins, options
            # Entries of a recording of ends have the CPU of nothing.
            assert {event.cpu for event in read} == ({0, 1} if has_entries else {None}), options


def test_times_and_durations_are_those_of_the_calls():
    session = Session(0, "functions", "user", recorded.NO_ENTRIES, functions=("outer", "left", "inner"))
    for time, func, depth, duration in ((400, 2, 2, 100), (600, 2, 2, 50), (700, 1, 1, 500), (1000, 0, 0, 900)):
        session.put(0, record(recorded.EXIT, BEGIN + time, 5, func, depth, times=(duration,)))
    read = copied(written("times", session), "--no-function", "left")
    begin = recorded.REALTIME
    assert [(event.kind, event.name, event.time - begin, event.number("depth")) for event in read] == \
        [("entry", "outer", 100, 0), ("entry", "inner", 300, 1), ("exit", "inner", 400, 1),
         ("entry", "inner", 550, 1), ("exit", "inner", 600, 1), ("exit", "outer", 1000, 0)], \
        [(event.kind, event.name, event.time - begin) for event in read]
    assert [event.number("duration") for event in read if event.kind == "exit"] == [100, 50, 900]


def test_open_calls_have_an_entry_only():
    for has_entries in False, True:
        program = Program(22).run(300)
        nr_open = sum(map(len, program.stacks.values()))
        program.finish(recorded.OPEN)
        folder = written(f"open-{has_entries}", program.session(has_entries))
        for options in (), ("-f", "f1,f2,f3,f4,f5,f6"):
            ends, begins = paths_of(copied(folder, *options))
            assert ends == reported(folder, *options)[0]
            missing = begins - ends
            assert 0 < sum(missing.values()) <= nr_open and (options or sum(missing.values()) == nr_open)
    # A call that ends behind the window was open at its end.
    until = (program.time - BEGIN) // 2
    read = copied(folder, "--to", f"{until}ns")
    assert read and max(event.time for event in read) <= recorded.REALTIME + until
    assert sum(event.kind == "entry" for event in read) > sum(event.kind == "exit" for event in read)


def test_values_and_special_calls_are_kept():
    functions = ("outer", "left", "valued", "jumps", "late")
    for flags in recorded.NO_ENTRIES, 0:
        session = Session(0, "functions", "user", flags, functions=functions)

        def put(kind, time, func, depth, flag=0, **more):
            session.put(0, record(kind, BEGIN + time, 5, func, depth, flag, **more))

        if not flags:
            put(recorded.ENTRY, 90, 0, 0)
            put(recorded.ENTRY, 150, 1, 1)
        put(recorded.ENTRY, 195, 2, 2, VALUES, words=(1, 77))
        put(recorded.ENTRY, 220, 3, 3, recorded.NO_RETURN)
        put(recorded.EXIT, 300, 2, 2, VALUES, words=(1, 2**64 - 5), times=(100,))
        if not flags:
            put(recorded.ENTRY, 380, 4, 2, LATE, words=(BEGIN + 350,))
        put(recorded.EXIT, 400, 4, 2, recorded.KILLED, times=(50,))
        put(recorded.EXIT, 500, 1, 1, recorded.TAIL if flags else 0, times=(350,))
        put(recorded.EXIT, 600, 0, 0, times=(510,))
        folder = written(f"valued-{flags}", session)
        for options in (), ("--no-function", "left"):
            read = copied(folder, *options)
            entry, = [event for event in read if event.name == "valued" and event.kind == "entry"]
            leave, = [event for event in read if event.name == "valued" and event.kind == "exit"]
            assert entry.number("arg1") == 77 and leave.number("result") == -5, (entry.fields, leave.fields)
            assert entry.time == recorded.REALTIME + 195
            depth = 1 if options else 2
            assert entry.number("depth") == leave.number("depth") == depth
            jump, = [event for event in read if event.name == "jumps"]
            assert (jump.kind, jump.number("depth"), jump.number("flags")) == ("entry", depth + 1, recorded.NO_RETURN)
            late, killed = [event for event in read if event.name == "late"]
            assert killed.number("flags") == recorded.KILLED and late.number("depth") == depth
            if not flags:
                assert late.number("began") == BEGIN + 350
            assert ("left" in {event.name for event in read}) == (not options)


def test_threads_have_the_names_of_the_recording():
    """Not those of threads of this machine that have the same numbers."""
    parent, child = os.getpid(), os.getppid()
    session = Session(0, "functions", "user", recorded.NO_ENTRIES, functions=("f", "g"))
    session.put(0, record(recorded.EXIT, BEGIN + 100, parent, 0, 0, times=(10,)))
    session.put(0, record(recorded.FORK, BEGIN + 200, parent, words=(child, child)))
    session.put(1, record(recorded.EXIT, BEGIN + 300, child, 1, 0, times=(10,)))
    session.put(1, record(recorded.EXEC, BEGIN + 400, child, words=recorded.chars("another")))
    session.put(1, record(recorded.EXIT, BEGIN + 500, child, 1, 0, times=(10,)))
    session.put(1, record(recorded.TASK_EXIT, BEGIN + 600, child))
    recorded.write(place("named"), [session], [{"is": "task", "pid": 4, "tid": parent, "comm": "first"}])
    named = [(event.kind, event.tid, event.pid, event.comm) for event in copied(place("named"), "--thread", str(child))]
    assert named == [("entry", child, child, "first"), ("exit", child, child, "first"),
                     ("exec", child, child, "another"), ("entry", child, child, "another"),
                     ("exit", child, child, "another"), ("task_exit", child, child, "another")], named
    assert ("entry", parent, 4, "first") in \
        [(event.kind, event.tid, event.pid, event.comm) for event in copied(place("named"))]
    assert copied(place("named"), "--comm", "another")[-1].kind == "task_exit"


def test_other_sessions_keep_their_records():
    folder = mixed("others")
    read = copied(folder)
    counts = collections.Counter(event.kind for event in read)
    assert counts.pop("entry") == counts.pop("exit") == sum(reported(folder, "--session", "functions")[1].values())
    assert counts == {"syscall": 10, "period": 4, "request": 5, "call": 1, "fault": 6, "task_exit": 5}, counts
    assert sorted(os.listdir(folder + ".ctf")) == ["block", "faults", "functions", "kernel", "scheduler", "syscalls"]
    write = [event for event in read if event.kind == "syscall"]
    assert {(event.name, event.cpu) for event in write} == {("write", 0), ("write", 1)}
    assert [event.number("duration") for event in write] == list(range(100, 110))
    assert 'comm = "writer"' in write[0].fields
    slow = copied(folder, "--min-time", "105ns", "--session", "syscalls")
    assert [event.number("duration") for event in slow if event.kind == "syscall"] == list(range(105, 110))
    assert os.listdir(folder + ".ctf") == ["syscalls"]
    alone = collections.Counter(event.kind for event in copied(folder, "--thread", "78"))
    assert alone == {"period": 2, "fault": 6}, alone
    # A recording and its trace are two traces.
    copied(folder)
    ktrace("report", folder, "--format", "ctf", "--thread", "77", "-o", place("second"))
    assert len(events(place("second"))) + len(read) == len(subprocess.run(
        ["babeltrace2", folder + ".ctf", place("second")], capture_output=True, text=True,
        check=True).stdout.splitlines())


def test_what_is_missing_is_discarded():
    for has_entries in False, True:
        session = Program(24).run(2000).finish().session(has_entries)
        for stream in session.streams.values():
            stream.close()
        stream = session.streams[0]
        packet = bytearray(stream.packets[1])
        packet[56:64] = (17).to_bytes(8, "little")
        stream.packets[1] = bytes(packet)
        stream.packets[2:] = []
        folder = written(f"lossy-{has_entries}", session)
        for options in (), ("-f", "f1,f2,f3"):
            read = copied(folder, *options, status=3)
            done = subprocess.run(["babeltrace2", folder + ".ctf"], capture_output=True, text=True, check=True)
            assert "discarded 17 event" in done.stderr, done.stderr
            functions = collections.Counter(event.name for event in read if event.kind == "exit")
            document = json.loads(ktrace("report", folder, "--format", "json", *options, status=3).stdout)
            assert functions == {row["name"]: row["calls"] for row in document["rows"] if row["calls"]}


def test_only_a_trace_is_replaced():
    folder = written("source", Program(25).run(50).finish().session(False))
    trace = place("target")

    def run(*options, status=0, to=trace):
        return ktrace("report", folder, "--format", "ctf", "-o", to, *options, status=status).stderr

    run()
    assert oct(os.stat(trace).st_mode & 0o777) == oct(os.stat(f"{trace}/functions/stream_0").st_mode & 0o777 | 0o100)
    before = len(events(trace))
    assert "--force" in run(status=1) and len(events(trace)) == before
    run("--force", "-f", "f1")
    assert 0 < len(events(trace)) < before
    with open(f"{trace}/functions/notes", "w", encoding="utf-8"):
        pass
    assert "nothing is removed" in run("--force", status=1) and events(trace)
    os.unlink(f"{trace}/functions/notes")
    assert "is not replaced" in run("--force", status=1, to=folder)
    assert "nothing is removed" in run("--force", status=1, to=f"{folder}/functions")
    assert "name it with -o" in ktrace("report", folder, "--format", "ctf", status=2).stderr
    assert "has no rows" in ktrace("report", folder, "--format", "ctf", "--by", "tid", "-o", trace, status=2).stderr
    assert "--force replaces" in ktrace("report", folder, "--force", status=2).stderr
    # What cannot be read leaves no folder, and replaces nothing.
    shutil.rmtree(f"{folder}/functions")
    assert "cannot be opened" in run(status=1, to=place("nowhere")) and not os.path.exists(place("nowhere"))
    run("--force", status=1)
    assert events(trace)
    assert "is no recording" in ktrace("report", trace, status=1).stderr


def test_a_trace_that_does_not_fit_is_an_error():
    folder = written("large", Program(26).run(4000).finish().session(False))
    for limit in 0, 64:
        done = subprocess.run(["bash", "-c", f'ulimit -f {limit}; exec "$@"', "-", KTRACE, "report", folder,
                               "--format", "ctf", "-o", place(f"short-{limit}")], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and "File too large" in done.stderr, done
        if limit:
            events(place(f"short-{limit}"))


def test_nothing_is_kept_of_what_does_not_fit():
    """Under ASan: many records follow the one that could not be written."""
    session = Session(0, "scheduler", "sched")
    for i in range(4000):
        session.put(0, record(recorded.PERIOD, BEGIN + 10 * (i + 1), 77, 4, words=recorded.chars("sleeper"),
                              times=(10, BEGIN + 10 * (i + 1))))
    folder = written("larger", session)
    limited = 'trap "" XFSZ; ulimit -f 64; exec "$@"'
    done = subprocess.run(["bash", "-c", limited, "-", TEST, "ctf", folder, place("larger.ctf"), "0"],
                          capture_output=True, text=True, check=False)
    assert "File too large" in done.stdout + done.stderr and "AddressSanitizer" not in done.stderr, done
    assert 0 < len(events(place("larger.ctf"))) < 4000


def damaged(dice, folder):
    """Changes bytes of all streams."""
    for name in os.listdir(f"{folder}/functions"):
        with open(f"{folder}/functions/{name}", "r+b") as file:
            data = bytearray(file.read())
            for _ in range(dice.randrange(1, 12)):
                at = dice.randrange(80, len(data))
                data[at] = dice.choice((0, 1, 2, 5, 255, dice.randrange(256)))
            file.seek(0)
            file.write(data)


def test_any_records_make_a_trace():
    """Under ASan; and what is written can always be read."""
    dice = random.Random(27)
    for nr in range(24):
        folder = written("any", Program(nr).run(60).finish().session(nr % 2))
        damaged(dice, folder)
        done = subprocess.run([TEST, "ctf", folder, place("any.ctf"), str(nr % 4)], capture_output=True, text=True,
                              check=False)
        assert not done.returncode and not done.stderr, done.stderr[-3000:]
        events(place("any.ctf"))
        shutil.rmtree(folder)
        shutil.rmtree(place("any.ctf"))


def test_many_threads_and_cpus_are_bounded():
    session = Session(0, "functions", "user", functions=("f",))
    for tid in range(1, 3001):
        session.put(2**32 - 1 if tid % 2 else 9000, record(recorded.EXIT, BEGIN + tid, tid, 0, tid % 300, times=(1,)))
    folder = written("many", session)
    assert sum(event.kind == "exit" for event in copied(folder, status=3)) == 3000
    assert {event.cpu for event in events(folder + ".ctf")} == {8191}


if __name__ == "__main__":
    run_tests(list(globals().items()))
