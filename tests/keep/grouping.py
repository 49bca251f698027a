#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""grouping.py TEST KTRACE FOLDER: report --by has the rows that its keys make, of each kind of session."""
import csv
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernel"))
import recorded
import schema
from reading import ktrace, mixed, run_tests, written
from recorded import BEGIN, Program, Session, record


def rows_of(folder, by, *more):
    """Returns the rows of the only session, by the values of the keys."""
    read = json.loads(ktrace("report", folder, "--by", by, "--format", "json", *more).stdout)
    schema.check_document(read)
    assert read["by"] == by.split(",") or read["by"] == by.split(",") + ["period"], read["by"]
    rows = [{key: row.get(key) for key in ("entries", "calls", "count", "requests", "errors", "total_ns",
                                           "self_ns", "sum_ns", "min_ns", "max_ns", "bytes")
             if row.get(key) is not None} | {"keys": row} for row in read["rows"]]
    return rows


def row_with(rows, **keys):
    row, = [row for row in rows if all(row["keys"].get(key) == value for key, value in keys.items())]
    return row


class Watched(Program):
    """A program whose calls are also counted by thread and CPU."""

    def __init__(self, seed, **more):
        self.by = {}
        super().__init__(seed, **more)

    def leave(self, tid, flags=0):
        func, _, nested = self.stacks[tid][-1]
        is_inner = func in [frame[0] for frame in self.stacks[tid][:-1]]
        super().leave(tid, flags)
        cpu, duration = self.events[-1][1], self.events[-1][-1]
        for keys in ((tid, func), (tid,), ("cpu", cpu)):
            self.by.setdefault(keys, recorded.Figures()).add(duration, duration - nested, is_inner)


def test_calls_are_grouped_by_thread_function_and_cpu():
    for seed in range(3):
        program = Watched(seed).run(3000).finish()
        for with_entries in (False, True):
            folder = written(f"by-{seed}-{with_entries}", program.session(with_entries))
            pairs = rows_of(folder, "tid,function")
            assert len(pairs) == len([keys for keys in program.by if isinstance(keys[0], int) and len(keys) == 2])
            threads, cpus = rows_of(folder, "tid"), rows_of(folder, "cpu")
            for keys, want in program.by.items():
                if keys[0] == "cpu":
                    row = row_with(cpus, cpu=keys[1])
                elif len(keys) == 1:
                    row = row_with(threads, tid=keys[0])
                else:
                    row = row_with(pairs, tid=keys[0], function=f"f{keys[1]}")
                assert (row["calls"], row["total_ns"], row["self_ns"]) == (want.calls, want.total, want.self), \
                    (keys, row, vars(want))
                assert (row["min_ns"], row["max_ns"]) == (min(want.times), max(want.times))
            whole = rows_of(folder, "function")
            plain = json.loads(ktrace("report", folder, "--format", "json").stdout)["rows"]
            assert {row["keys"]["function"]: (row["calls"], row["total_ns"], row["self_ns"]) for row in whole} == \
                {row["name"]: (row["calls"], row["total_ns"], row["self_ns"]) for row in plain}


def test_filters_choose_groups_as_they_choose_calls():
    program = Watched(5).run(1000).finish()
    folder = written("by-filter", program.session(False))
    rows = rows_of(folder, "tid,function", "-f", "f3", "--thread", "1001")
    assert len(rows) == 1 and rows[0]["calls"] == program.by[1001, 3].calls
    assert rows[0]["keys"]["function"] == "f3" and rows[0]["keys"]["tid"] == 1001


def test_each_kind_has_its_keys():
    folder = mixed("by-mixed")

    def rows(session, by):
        return rows_of(folder, by, "--session", session)

    errors = rows("syscalls", "syscall,errno")
    assert row_with(errors, syscall="write", errno="ENOENT")["calls"] == 3 and len(errors) == 2
    row, = rows("syscalls", "pid,comm")
    assert (row["calls"], row["errors"], row["keys"]["pid"], row["keys"]["comm"]) == (10, 3, 77, "writer")
    assert sorted(row["calls"] for row in rows("syscalls", "cpu")) == [5, 5]
    periods = rows("scheduler", "tid")
    assert sum(row["count"] for row in periods) == 4 and len(periods) == 4, periods
    stages = rows("block", "dev,stage")
    assert row_with(stages, stage="d2c", disk="vda")["total_ns"] == 200
    assert row_with(stages, stage="q2c")["requests"] == 5 and len(stages) == 5
    row, = rows("block", "file,comm")
    assert (row["keys"]["path"], row["bytes"], row["keys"]["comm"]) == ("/data/file", 5 * 4096, "writer")
    row, = rows("kernel", "function,tid")
    assert (row["keys"]["function"], row["keys"]["tid"], row["calls"]) == ("vfs_read", 77, 1)
    faults = rows("faults", "pid,comm,fault")
    assert row_with(faults, pid=78, comm="toucher", fault="write")["errors"] == 1 and len(faults) == 2, faults


def test_text_and_csv_have_the_same_rows():
    folder = mixed("by-text")
    read = list(csv.DictReader(ktrace("report", folder, "--session", "syscalls", "--by", "errno,cpu",
                                      "--format", "csv").stdout.splitlines()))
    assert sorted((row["errno"], row["cpu"], row["calls"]) for row in read) == \
        [("", "0", "3"), ("", "1", "4"), ("ENOENT", "0", "2"), ("ENOENT", "1", "1")], read
    shown = ktrace("report", folder, "--by", "comm").stdout
    for word in ("functions: ", "syscalls: ", "writer", "sleeper", "reader", "REQUESTS", "COMM"):
        assert word in shown, word
    rows = [line.split()[-1] for line in ktrace("report", folder, "--session", "functions", "--by", "function", "--format",
                                                "flat", "--sort", "name").stdout.splitlines()[2:] if "f" in line]
    assert rows


def test_keys_that_there_are_not_are_refused_with_one_sentence():
    folder = mixed("by-refused")
    for words, status, text in (
            (("--by", "uid"), 2, "not 'uid'"), (("--by", "tid,tid"), 2, "each once"),
            (("--by", "function"), 1, "--by cannot be function for syscalls"),
            (("--by", "dev", "--session", "syscalls"), 1, "choose some of syscall, errno, tid, pid, comm, cpu"),
            (("--by", "tid,pid,comm,cpu", "--session", "scheduler"), 1, "at most three keys"),
            (("--by", "tid", "--format", "flame"), 2, "has no rows"),
            (("--by", "tid", "--format", "chrome"), 2, "has no rows")):
        done = ktrace("report", folder, *words, status=status)
        assert text in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done


def test_numbers_of_no_function_and_many_threads_do_no_harm():
    session = Session(0, "functions", "user", recorded.NO_ENTRIES, functions=("f",))
    for tid in range(2000):
        session.put(0, record(recorded.EXIT, BEGIN + tid, tid, 0xfffffff0 + tid % 15, 0, times=(1,)))
    folder = written("by-hostile", session)
    rows = rows_of(folder, "function")
    assert len(rows) == 1 and rows[0]["calls"] == 2000, rows
    assert len(rows_of(folder, "tid,function")) == 2000


def test_more_rows_than_there_is_room_for_are_reported():
    session, most = Session(0, "syscalls", "syscalls"), 1 << 17
    for tid in range(most + 10):
        session.put(0, record(recorded.SYSCALL, BEGIN + tid, tid + 1, 1, times=(5, BEGIN + tid),
                              words=(5, 3, 0, 0, 0, 0, 0) + recorded.chars("many")))
    shown = ktrace("report", written("by-full", session), "--by", "tid", "--format", "table").stdout
    assert "10 more calls have no rows of their own: the table is full." in shown, shown[-300:]


if __name__ == "__main__":
    run_tests(list(globals().items()))
