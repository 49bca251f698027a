# SPDX-License-Identifier: GPL-2.0
"""What tests of the command share: victims, runs, sessions."""
import functools
import importlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import schema
from genl import COSTS, Client
from spoilt import Spoilt

VICTIMS = os.environ.get('KTRACE_VICTIMS', '')
TMP = tempfile.mkdtemp(dir='/tmp')
HOLD = '/sys/module/ktrace/parameters/hold_ms'
PATIENT = 20000      # ms; emulated machines are slow
RELEASE = tuple(int(part) for part in os.uname().release.split('.')[:2])
# The line above a table.
WINDOW = re.compile(r'Counted for \d+\.\d{3} s(?: \(\d+\.\d{3} s asked; busy machine\))? on \d+ CPUs?: .+$')
SLOW = int(os.environ.get('KTRACE_SLOW') or 1)
MANY = 100 if SLOW == 1 else 30        # tasks that start and end


schema.check_all()      # of every document that a test reads


# A limit is for tests that hang: five times the time that a busy host may need.
AMPLE = 5


def limit(seconds):
    """Returns a time limit, for the running kernel."""
    return seconds * AMPLE * SLOW


def come_and_go(nr):
    """Runs NR processes, one after the other."""
    subprocess.check_call(['sh', '-c', 'i=0; while [ $i -lt %d ]; do /bin/true; i=$((i+1)); done' % nr])


def timely(claim, what):
    """Asserts a condition that holds only if the machine is not stalled."""
    if not claim:
        raise Spoilt(what)


def undisturbed(test):
    """Repeats a test if its times were spoilt by a stall. Counts must be right each time."""
    @functools.wraps(test)
    def measure(*args):
        for left in reversed(range(3)):
            signal.alarm(limit(120))
            try:
                return test(*args)
            except Spoilt as spoilt:
                if not left:
                    raise
                print('      measured again: %s' % ' '.join(str(spoilt).split())[:300], flush=True)
    return measure


def check_ended(status, expected, errors, *what):
    """Checks the status. A kretprobe misses interrupts during another one's hit, and stacks have a
    limit of time, which are reported."""
    timely(status == expected or 'calls missed, of all tasks: the kernel had no room' not in errors and
           ' stacks not kept' not in errors, errors)
    assert status == expected, (what, status, errors)


def load_module(hold_ms=PATIENT, measured=True, **parameters):
    words = ['%s=%d' % pair for pair in parameters.items()]
    subprocess.check_call(['insmod', '/run/ktrace.ko', 'hold_ms=%d' % hold_ms, *words])
    if measured:
        measure_costs()


def measure_costs():
    """Lets the module know the costs of probes before a test begins. A command measures them once
    per boot, in a session of its own; a module that is loaded again is given the same ones."""
    client = Client()
    try:
        if 'COSTS' in client.call('INFO')[0]:
            return
        if not COSTS:
            subprocess.run(['ktrace', 'doctor'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=limit(100))
            COSTS.extend(answer['COSTS'] for answer in client.call('INFO') if 'COSTS' in answer)
        else:
            client.call('COSTS_SET', COSTS=COSTS[0])
    finally:
        client.close()


def reload_module(hold_ms=PATIENT, measured=True, **parameters):
    """Unloads the module and loads it. Sessions that are no longer listed may take a moment to be
    freed."""
    wait_for(lambda: not subprocess.call(['rmmod', 'ktrace'], stderr=subprocess.DEVNULL))
    load_module(hold_ms, measured, **parameters)


def victim(name):
    path = os.path.join(VICTIMS, name)
    # A machine in use has only some of the libraries that programs are linked with.
    if os.environ.get('IN_USE') and not os.path.exists(path):
        raise importlib.import_module('suite').Skip('%s was not built' % name)
    return path


def hold_at_most(ms):
    """Sets how long a task waits until the code that it mapped is probed."""
    with open(HOLD, 'w') as parameter:
        parameter.write(str(ms))


if os.path.exists(HOLD):
    hold_at_most(PATIENT)
    measure_costs()


def check_row(row):
    """Checks what is true of the figures of each function."""
    calls, total, most = row['calls'], row['total_ns'], row['max_ns']
    assert row['min_ns'] <= row['avg_ns'] <= most, row
    assert row['min_ns'] <= row['p99_ns'] <= most <= total <= calls * most, row
    assert row.get('self_ns', 0) <= total, row


def check_figures(text):
    """Checks a dump in JSON. If calls continue meanwhile, a call may be in some of its figures
    only."""
    if not text.startswith('{') or text.startswith('{"$schema"'):     # for speedscope
        return
    assert text.split('"')[1] == 'schema', text[:100]
    try:
        data = json.loads(text)
    except ValueError:      # records, one per line
        return
    if data['schema'] not in ('ktrace.run/1', 'ktrace.read/1'):
        return
    if data['session']['state'] not in ('stopped', 'paused'):
        return
    for row in data['rows']:
        if row.get('calls') and 'min_ns' in row:
            check_row(row)
    for node in data.get('tree', []):
        if 'self_ns' in node:
            assert node['self_ns'] <= node['total_ns'], node


def ktrace(*args, status=0, **options):
    """Runs ktrace, which must end with this status; returns (stdout, stderr)."""
    done = subprocess.run(['ktrace', *args], capture_output=True, text=True, timeout=limit(100),
                          stdin=subprocess.DEVNULL, **options)
    check_ended(done.returncode, status, done.stderr[-500:], args, done.stdout[-500:])
    check_figures(done.stdout)
    return done.stdout, done.stderr


def expected(name, what='--expect'):
    return subprocess.check_output([victim(name), what], text=True)


def expected_calls(name):
    rows = (line.rsplit(' ', 1) for line in expected(name).splitlines())
    return {function: int(calls) for function, calls in rows}


def untraced(name, *args):
    done = subprocess.run([victim(name), *args], stdout=subprocess.PIPE, text=True)
    return done.stdout, done.returncode


def run_to_file(name, *options, args=()):
    """Traces a victim; returns (data, the victim's output, its status)."""
    path = os.path.join(TMP, 'out')
    done = subprocess.run(['ktrace', 'run', '-o', path, *options, '--', victim(name), *args],
                          capture_output=True, text=True, timeout=limit(100))
    with open(path) as out:
        text = out.read()
    check_figures(text)
    return text, done.stdout, done.returncode, done.stderr


RETURN = re.compile(r'( *)\}( = .*)? /\* .+? \*/( /\* .+ \*/)?$')


def with_leaves(calls):
    """
    Returns the lines of a thread. A call without callees takes one line. It takes two lines if it
    was shown before it had returned, which a stall can cause.
    """
    lines = []
    for call in calls:
        end = RETURN.match(call)
        begun = lines[-1] if lines and lines[-1].endswith(' {') else ''
        if end and begun and len(begun) - len(begun.lstrip()) == len(end[1]):
            lines[-1] = begun[:-len(' {')] + (end[2] or '') + ';' + (end[3] or '')
        else:
            lines.append(call)
    return lines


def own_functions(rows):
    return {row['name']: row for row in rows if '@' not in row['name']}


def balanced(counters):
    return counters['produced'] == (counters['acknowledged'] + counters['dropped'] +
                                    counters['held'])


def sessions():
    """Lists the sessions by netlink: a process for each question would take most of a test's
    time."""
    client = Client()
    try:
        return client.sessions()
    finally:
        client.close()


def wait_for(condition, seconds=20):
    """Waits until condition() is true; returns its value. At most half of the time is spent on
    asking: the CPUs of an emulated machine take turns."""
    end = time.time() + limit(seconds)
    while time.time() < end:
        start = time.time()
        value = condition()
        if value:
            return value
        time.sleep(max(0.02, time.time() - start))
    raise AssertionError('waited %d s in vain' % limit(seconds))


def session_of(name):
    """Returns the session of this name, of sessions()."""
    return [session for session in sessions() if session['name'] == name][0]


def detach_all():
    """Ends the sessions that a test has left."""
    if sessions():
        ktrace('ctl', 'detach', '--all')


def none_left():
    """Waits until the sessions of a failed or killed command have ended, which is soon."""
    wait_for(lambda: not sessions())


def begin(command, nr=1):
    """Starts a command in the background, and waits until this many sessions of it count."""
    known = {session['id'] for session in sessions()}
    process = subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def are_active():
        assert process.poll() is None, (command, process.communicate())
        mine = [session for session in sessions() if session['id'] not in known]
        return len([session for session in mine if session['state'] == 'active']) == nr
    wait_for(are_active, 60)
    return process


def counting(command, *options):
    """Starts a command of ktrace in the background, and waits until it counts; its output is
    json."""
    return begin(['ktrace', command, '--format', 'json', *options])


def counting_intervals(command, *options, action, nr=6):
    """Like counting(), but repeats an action until there are NR more intervals; returns their file,
    too."""
    path = os.path.join(TMP, 'counted-intervals')

    def shown():
        with open(path) as lines:
            return lines.read().count('\n')
    if os.path.exists(path):
        os.unlink(path)
    process = counting(command, '-o', path, *options)
    last = shown() + nr
    while shown() < last:
        assert process.poll() is None, (command, process.communicate())
        action()
    return process, path


def read_documents(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def layer(data, name):
    """Returns the rows of a layer, in a document of ktrace io."""
    return next(row['rows'] for row in data['rows'] if row['layer'] == name)


def check_rows_by(data, figure):
    """Checks rows of --by with --hist: each event is in one row, and in one bucket of its
    histogram."""
    assert sum(row[figure] for row in data['rows']) == data['session']['counters']['hits'], data
    members = {'op': ['operation'], 'file': ['file_dev', 'inode']}
    found = [tuple(row.get(name) for key in data['by'] for name in members.get(key, [key]))
             for row in data['rows']]
    assert len(set(found)) == len(found), found
    for row in data['rows']:
        assert row['min_ns'] <= row['p50_ns'] <= row['p99_ns'] <= row['max_ns'], row
        first = row['histogram'][0]
        assert first['from_ns'] <= row['min_ns'] < first['below_ns'], row
        assert sum(bucket['count'] for bucket in row['histogram']) == row[figure], row


def threads_together(data):
    """Returns the figures of all threads, in a document of ktrace io."""
    return next(row['all'] for row in data['rows'] if row['layer'] == 'sched')


def ns_of(text):
    """Converts a time such as "1.23 ms" into ns."""
    figure, unit = text.split()
    return float(figure) * {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}[unit]


def split_gaps(documents):
    """Returns the documents without the gaps, and how many records are missing in the gaps."""
    return ([one for one in documents if one.get('event') != 'gap'],
            sum(one['missing'] for one in documents if one.get('event') == 'gap'))


def state_of(pid):
    """Returns the state of a process as a letter, like ps."""
    with open('/proc/%d/stat' % pid) as stat:
        return stat.read().rpartition(')')[2].split()[0]


def wait_until_asleep(pid, *numbers):
    """Waits until a thread is in one of these system calls, or in any. Its own output is no
    proof."""
    def is_there():
        with open('/proc/%d/syscall' % pid) as file:
            return state_of(pid) == 'S' and (not numbers or file.read().split()[0] in map(str, numbers))
    wait_for(is_there)


def documents_in(text):
    decoder, documents, at = json.JSONDecoder(), [], 0
    while at < len(text.rstrip()):
        document, at = decoder.raw_decode(text, at)
        documents.append(document)
        at += 1
    return documents


def documents_of(process, status=0):
    """Ends a command; returns its documents: one, or one per interval."""
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=limit(60))
    check_ended(process.returncode, status, errors)
    return documents_in(out)


def check_killed(process):
    """Checks that nothing is left of a command that is killed."""
    process.kill()
    process.communicate()
    none_left()
    reload_module()
