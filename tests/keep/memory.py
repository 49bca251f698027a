#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""memory.py GENERATE KTRACE FOLDER: a recording that is ten times as long takes no more memory."""
import os
import shutil
import subprocess
import sys
import time

GENERATE, KTRACE, WORK = sys.argv[1:4]


def peak_of(*words):
    """Returns the peak memory of a command in KiB, and its CPU time in seconds."""
    with open(os.devnull, "w", encoding="ascii") as nowhere, \
            subprocess.Popen([KTRACE, "report", *words], stdout=nowhere) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert not process.returncode
    return usage.ru_maxrss, usage.ru_utime


def main():
    peaks = {}
    for name, nr in (("short", 500000), ("long", 5000000)):
        folder = os.path.join(WORK, name)
        subprocess.run([GENERATE, folder, str(nr)], check=True)
        for form in ("summary", "flat", "folded"):
            begin = time.monotonic()
            peaks[name, form], cpu = peak_of(folder, "--format", form)
            print(f"note: {form}: {nr / cpu / 1e6:.1f} million records per second of CPU time,"
                  f" {time.monotonic() - begin:.1f} s, {peaks[name, form]} KiB")
        shutil.rmtree(folder)
    for form in ("summary", "flat", "folded"):
        assert peaks["long", form] < peaks["short", form] + 2048, peaks


main()
