# SPDX-License-Identifier: GPL-2.0
"""perf.py KTRACE: perf reads what ktrace report has written of a recording of a real program."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../keep"))
import recorded  # noqa: E402  pylint: disable=wrong-import-position

SOURCE = """
__attribute__((noinline)) int deep(int x) { return x * 3; }
__attribute__((noinline)) int work(int x) { return deep(x) + 1; }
int main(int argc, char **argv) { (void)argv; return work(argc); }
"""


def output(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert not done.returncode, (words, done.stderr)
    return done.stdout


def write_recording():
    """Records main (1 us of its own), work (7 us) and deep (2 us)."""
    program = os.path.abspath("prog")
    output("gcc", "-O1", "-Wl,--build-id", "-o", program, "-x", "c", "-", text=SOURCE)
    build_id = re.search(r"Build ID: (\w+)", output("readelf", "-n", program)).group(1)
    places = {words[2]: int(words[0], 16) for words in map(str.split, output("nm", program).splitlines())
              if len(words) == 3}
    names = ("main", "work", "deep")
    session = recorded.Session(0, "functions", "user", recorded.NO_ENTRIES)
    session.lines = [{"is": "file", "session": 0, "file": 0, "path": program, "build_id": build_id}]
    session.lines += [{"is": "function", "session": 0, "func": func, "name": name, "file": 0,
                       "offset": places[name]} for func, name in enumerate(names)]
    for i in range(10):
        for func, at, duration in ((2, 700, 200), (1, 900, 900)):
            session.put(0, recorded.record(recorded.EXIT, recorded.BEGIN + 1000 * i + at, 5, func, func,
                                           times=(duration,)))
    session.put(0, recorded.record(recorded.EXIT, recorded.BEGIN + 10000, 5, 0, 0, times=(10000,)))
    recorded.write("recording", [session])


write_recording()
output(sys.argv[1], "report", "recording", "--format", "perf", "-o", "perf.data")
report = output("perf", "report", "--stdio", "--children", "-g", "none", "-i", "perf.data")
shares = {words[-1]: words[:2] for words in map(str.split, report.splitlines())
          if words and words[0].endswith("%")}
assert shares == {"main": ["100.00%", "10.00%"], "work": ["90.00%", "70.00%"],
                  "deep": ["20.00%", "20.00%"]}, report
script = output("perf", "script", "-i", "perf.data")
chains = [re.findall(r"^\s+[0-9a-f]+ (\w+)", sample, re.MULTILINE) for sample in script.split("\n\n")]
assert sorted(chain for chain in chains if chain) == \
    [["deep", "work", "main"], ["main"], ["work", "main"]], script
