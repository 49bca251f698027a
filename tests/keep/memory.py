#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
memory.py GENERATE PEAK KTRACE FOLDER: a recording that is ten times as long takes no more memory,
and is read at two million records per second of CPU time or more.
"""
import os
import shutil
import subprocess
import sys
import time

GENERATE, PEAK, KTRACE, WORK = sys.argv[1:5]


def peak_of(*words):
    """Returns the peak memory of a command in KiB, and its CPU time in seconds."""
    peak, cpu = subprocess.check_output([PEAK, KTRACE, "report", *words], text=True).split()
    return int(peak), int(cpu) / 1e6


def main():
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
