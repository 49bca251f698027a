#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
memory.py GENERATE PEAK KTRACE FOLDER: a recording that is ten times as long takes no more memory,
and is read at two million records per second of CPU time or more. Numbers in a small recording do
not make it large.
"""
import os
import shutil
import subprocess
import sys
import time

import recorded

GENERATE, PEAK, KTRACE, WORK = sys.argv[1:5]


def peak_of(*words, status=0):
    """Returns the peak memory of a command in KiB, and its CPU time in seconds."""
    peak, cpu, code = map(int, subprocess.check_output([PEAK, KTRACE, "report", *words], text=True).split())
    assert code == status, (words, code)
    return peak, cpu / 1e6


def deep(nr_sessions):
    """Writes a recording of many threads, each with one call that is as deep as any can be."""
    sessions = []
    for nr in range(nr_sessions):
        session = recorded.Session(nr, f"functions-{nr + 1}", "user", recorded.NO_ENTRIES, functions=("f",))
        for tid in range(1, 41):
            session.put(0, recorded.record(recorded.EXIT, recorded.BEGIN + tid, tid, 0, 65535, times=(1,)))
        sessions.append(session)
    recorded.write(os.path.join(WORK, "deepest"), sessions)


def check_deep():
    """
    Calls beyond the limit are reported. It is one for all sessions: 64 bytes for each of two
    million open calls.
    """
    deep(6)
    peak, _ = peak_of(os.path.join(WORK, "deepest"), "--format", "json", status=3)
    print(f"note: {peak} KiB for calls of any depth, in 6 sessions")
    assert 100 << 10 < peak < 192 << 10, peak


def main():
    check_deep()
    peaks, rates = {}, []
    for name, nr in (("short", 500000), ("long", 5000000)):
        folder = os.path.join(WORK, name)
        subprocess.run([GENERATE, folder, str(nr)], check=True)
        for form in ("summary", "flat", "folded"):
            begin = time.monotonic()
            peaks[name, form], cpu = peak_of(folder, "--format", form)
            rates.append(nr / cpu / 1e6)
            print(f"note: {form}: {rates[-1]:.1f} million records per second of CPU time,"
                  f" {time.monotonic() - begin:.1f} s, {peaks[name, form]} KiB")
        shutil.rmtree(folder)
    for name, nr in (("short", 100000), ("long", 1000000)):
        folder = os.path.join(WORK, name)
        subprocess.run([GENERATE, folder, str(nr)], check=True)
        peaks[name, "ctf"], cpu = peak_of(folder, "--format", "ctf", "-o", folder + ".ctf")
        print(f"note: ctf: {nr / cpu / 1e6:.1f} million calls per second of CPU time, {peaks[name, 'ctf']} KiB")
        shutil.rmtree(folder)
        shutil.rmtree(folder + ".ctf")
    for form in ("summary", "flat", "folded", "ctf"):
        assert peaks["long", form] < peaks["short", form] + 2048, peaks
    assert max(rates) > 2, rates


main()
