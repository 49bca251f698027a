# SPDX-License-Identifier: GPL-2.0
"""ktrace stat: its counts are those of the kernel and of perf stat; what is not counted is not 0."""
import csv
import io
import json
import os
import signal
import subprocess

from tool import RELEASE, TMP, ktrace, limit, read_documents, victim, wait_for

HARDWARE = ('cycles', 'instructions', 'branches', 'branch-misses', 'cache-references', 'cache-misses')
NOBODY = 65534


class Errands:
    """A program that does a known number of things when told to."""

    def __init__(self):
        self.process = subprocess.Popen([victim('errands')], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == 'ready\n'
        self.pid = self.process.pid

    def work(self, *numbers):
        self.process.stdin.write(' '.join(map(str, numbers)) + '\n')
        assert self.process.stdout.readline() == 'done\n'

    def threads(self):
        return os.listdir('/proc/%d/task' % self.pid)

    def switches(self):
        """Returns the voluntary and the involuntary switches of its threads."""
        found = [0, 0]
        for tid in self.threads():
            with open('/proc/%d/task/%s/status' % (self.pid, tid)) as lines:
                words = dict(line.split(':', 1) for line in lines)
            found[0] += int(words['voluntary_ctxt_switches'])
            found[1] += int(words['nonvoluntary_ctxt_switches'])
        return found

    def faults(self):
        """Returns minor and major faults, with those of its children."""
        with open('/proc/%d/stat' % self.pid) as file:
            words = file.read().rpartition(')')[2].split()
        return [int(words[7]) + int(words[8]), int(words[9]) + int(words[10])]

    def is_asleep(self):
        states = set()
        for tid in self.threads():
            with open('/proc/%d/task/%s/syscall' % (self.pid, tid)) as file:
                states.add(file.read() != 'running\n')
        return states == {True}

    def look(self):
        """What the kernel counts, once both threads wait."""
        wait_for(self.is_asleep)
        return self.switches() + self.faults()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def check(data):
    """Checks what is true of any document; returns the values."""
    assert data['complete'], data
    for row in data['rows']:
        assert ('value' in row) == (row['state'] == 'counted'), row
        assert ('reason' in row) == (row['state'] == 'not supported'), row
        if row['name'] in HARDWARE and 'value' in row:
            assert row['running_percent'] > 0, row
    found = {row['name']: row.get('value') for row in data['rows']}
    assert found['context-switches'] == found['voluntary-switches'] + found['involuntary-switches'], found
    assert found['longest-wait'] <= found['run-queue-wait'], found
    assert found['failed-calls'] <= found['system-calls'], found
    assert abs(found['elapsed'] - data['window_s'] * 1e9) < 2, (found, data['window_s'])
    return found


class Counting:
    """ktrace stat in the background. With -i its first interval shows that it counts."""

    def __init__(self, *options):
        self.path = os.path.join(TMP, 'stat-of-processes')
        with open(self.path, 'w'):
            pass
        self.process = subprocess.Popen(
            ['ktrace', 'stat', '--format', 'json', '-i', '200ms', '-o', self.path, *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for(self.documents)

    def documents(self):
        assert self.process.poll() in (None, 0), self.process.communicate()
        return read_documents(self.path)

    def end(self):
        """Ends it by Ctrl-C; returns the total."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(limit(60)) == 0, self.process.communicate()
        return check(self.documents()[-1])


def calls_of(pages, calls, failed, rounds, forks, moves):
    touched = 2 if pages else 0
    passed = 4 * rounds - 1 if rounds else 0
    return calls + failed + passed + touched + forks * (2 + touched) + moves + 1


def test_counts_of_a_process():
    """Switches and faults as in /proc, and as many calls and migrations as it makes, with its
    children."""
    numbers = 300, 500, 200, 50, 4, 20 if os.cpu_count() > 1 else 0
    errands = Errands()
    errands.work(*numbers)        # brings its own pages in
    before = errands.look()
    counting = Counting('-p', str(errands.pid))
    errands.work(*numbers)
    said = [new - old for old, new in zip(before, errands.look())]
    found = counting.end()
    errands.end()
    # The children's switches are not in /proc; the end of each is a voluntary one.
    voluntary = found['voluntary-switches'] - said[0]
    assert numbers[4] <= voluntary <= 3 * numbers[4], (said, found)
    assert found['involuntary-switches'] >= said[1], (said, found)
    assert [found['minor-faults'], found['major-faults']] == said[2:], (said, found)
    assert found['minor-faults'] >= 300 * 5, found
    assert found['page-faults'] == found['minor-faults'] + found['major-faults'], found
    assert found['system-calls'] == calls_of(*numbers), (calls_of(*numbers), found)
    assert found['failed-calls'] == 200, found
    if RELEASE < (4, 1):
        print('      migrations count for the thread that moves another one')
        assert found['cpu-migrations'] is None, found
    else:
        assert numbers[5] <= found['cpu-migrations'] <= numbers[5] + 3 * numbers[4] + 2, found


def test_one_process_exactly():
    """Without children, every switch is in /proc."""
    errands = Errands()
    errands.work(10, 10, 10, 10, 0, 0)
    before = errands.look()
    counting = Counting('-p', str(errands.pid))
    errands.work(1000, 100, 0, 100, 0, 0)
    said = [new - old for old, new in zip(before, errands.look())]
    found = counting.end()
    errands.end()
    assert [found['voluntary-switches'], found['involuntary-switches']] == said[:2], (said, found)
    assert [found['minor-faults'], found['major-faults']] == said[2:], (said, found)
    assert found['system-calls'] == calls_of(1000, 100, 0, 100, 0, 0), found
    assert 0 < found['task-clock'] < 2 * found['elapsed'], found


def counted(*program, status=0):
    path = os.path.join(TMP, 'stat')
    ktrace('stat', '--format', 'json', '-o', path, '--', *program, status=status)
    with open(path) as file:
        return check(json.load(file))


def test_like_perf_stat():
    """Page faults of a program from its execve on. perf does not count the switch at the end."""
    program = 'sh', '-c', '/bin/true; /bin/true; exit 7'
    found = counted(*program, status=7)
    try:
        done = subprocess.run(['perf', 'stat', '-x', ';', '-e', 'page-faults,context-switches', '--', *program],
                              capture_output=True, text=True, timeout=limit(60))
    except FileNotFoundError:
        print('      perf is missing, so nothing is compared', flush=True)
        return
    rows = {line.split(';')[2]: line.split(';')[0] for line in done.stderr.splitlines() if ';' in line}
    assert done.returncode == 7, done
    # The stack's random address decides how many of its pages are used.
    assert abs(found['page-faults'] - int(rows['page-faults'])) <= 12, (found, rows)
    assert found['page-faults'] > 100, found


def test_no_hardware():
    """Events that the machine does not count have no figure, and one reason."""
    out, _ = ktrace('stat', '--', '/bin/true')
    lines = out.splitlines()
    rows = {line.split()[-1]: line for line in lines if '<not ' in line}
    for name in HARDWARE:
        if name in rows:
            assert rows[name].split()[:2] == ['<not', 'supported>'], out
        else:
            line, = [line for line in lines if ' %s ' % name in line]
            assert line.split()[0] != '0', out
    # Before 4.1 migrations are not supported, either, for another reason.
    others = set(rows) - set(HARDWARE)
    assert others == ({'cpu-migrations'} if RELEASE < (4, 1) else set()), out
    assert out.count('Not supported') == bool(set(rows) - others) + bool(others), out


def test_intervals_add_up():
    """Of the whole machine: the intervals add up to the total, in JSON and in csv."""
    path = os.path.join(TMP, 'stat-intervals')
    with subprocess.Popen(['sh', '-c', 'while :; do /bin/true; done']) as load:
        ktrace('stat', '-i', '300ms', '-d', '1', '--format', 'json', '-o', path)
        load.kill()
    *parts, total = [(data['total'], check(data)) for data in read_documents(path)]
    assert len(parts) >= 2 and total[0] and not any(part[0] for part in parts), (parts, total)
    for name, value in total[1].items():
        if name == 'longest-wait':
            assert value == max(part[name] for _, part in parts), (name, value)
        elif value is not None and name not in HARDWARE:
            assert value == sum(part[name] for _, part in parts), (name, value)
    assert total[1]['page-faults'] > 0 and total[1]['system-calls'] > 0, total
    out, _ = ktrace('stat', '-i', '100ms', '-d', '250ms', '--format', 'csv')
    rows = list(csv.DictReader(io.StringIO(out)))
    sums = {}
    for row in rows:
        key = row['name'], row['total']
        sums[key] = sums.get(key, 0) + int(row['value'] or 0)
    assert sums['elapsed', 'false'] == sums['elapsed', 'true'], sums
    assert sums['context-switches', 'false'] == sums['context-switches', 'true'] > 0, sums


def test_bad_input():
    for options, status, sentence in (
            (['-p', '4194303'], 1, 'is gone'),
            (['--', '/etc/passwd'], 126, 'not an executable program')):
        _, errors = ktrace('stat', *options, status=status)
        assert sentence in errors, (options, errors)
    done = subprocess.run(['ktrace', 'stat', '-d', '1'], capture_output=True, text=True,
                          timeout=limit(60), preexec_fn=lambda: os.setuid(NOBODY))
    assert done.returncode == 1 and 'CAP_SYS_ADMIN' in done.stderr, done
