# SPDX-License-Identifier: GPL-2.0
"""ktrace func and graph: calls of kernel functions, each once, whichever task makes them."""
import collections
import contextlib
import errno
import functools
import json
import os
import re
import signal
import struct
import subprocess

from cgroups import with_known
from genl import Client, Refused, asked, u32, u64
from suite import SLOW, Skip
from test_privilege import kernel_session, restrict_addresses, symbol
from tool import (RELEASE, TMP, WINDOW, check_rows_by, counting, counting_intervals, documents_of,
                  ktrace, limit, none_left, read_documents, sessions, timely, undisturbed, victim,
                  wait_for, wait_until_asleep)

# Without BTF it is not known which results are numbers, so only errnos are shown.
HAS_TYPES = os.path.exists('/sys/kernel/btf/vmlinux')
STATE_ATTACHING, STATE_ACTIVE, STATE_PAUSED = 2, 3, 7
DD = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=16', 'count=700']


@functools.lru_cache(maxsize=None)
def symbols():
    """Returns the names of the kernel's functions. The debug kernel needs half a minute to list
    them."""
    with open('/proc/kallsyms') as lines:
        return {line.split()[2] for line in lines if line.split()[1] in 'tT'}


def first_of(*names):
    """Returns the name that this kernel has, as names differ between kernels."""
    known = symbols()
    return next(name for name in names if name in known)


READ = first_of('ksys_read', '__x64_sys_read', 'SyS_read')
SLEEP = first_of('hrtimer_nanosleep')
EXEC = first_of('do_execveat_common', 'do_execveat_common.isra.0', '__do_execve_file.isra.0',
                'do_execve_common', 'do_execve_common.isra.0')


def has_fprobe():
    """5.14 of RHEL 9 has the form of 6.12, as 9.6 shows."""
    is_new = RELEASE >= (6, 12) or '.el9' in os.uname().release
    return is_new and 'register_fprobe_ips' in symbols()


def traced(command, *options, status=0, complete=True):
    """Returns the document of a command for kernel functions."""
    path = os.path.join(TMP, 'kernel')
    done = subprocess.run(['ktrace', command, '--format', 'json', '-o', path, *options],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=limit(200))
    assert done.returncode == status, (options, done.returncode, done.stderr)
    with open(path) as document:
        data = json.load(document)
    assert data['complete'] == complete, (data['session'], done.stderr)
    return data


def rows_of(data):
    return {row['name']: row for row in data['rows']}


def calls_of(*options, **others):
    return {name: row['calls'] for name, row in rows_of(traced('func', *options, **others)).items()}


def syscalls_of(*command):
    text, _ = ktrace('syscall', '--format', 'json', '-o', os.path.join(TMP, 'sys'), '--', *command)
    with open(os.path.join(TMP, 'sys')) as document:
        return {row['name']: row for row in json.load(document)['rows']}


teardown = none_left


def busy_session(nr, *options):
    """Returns what ktrace func shows of a session that has counted at least NR calls."""
    process = counting('func', *options)
    wait_for(lambda: any(session['counters']['hits'] >= nr for session in sessions()))
    data, = documents_of(process)
    assert data['complete'], data['session']
    return data


def test_each_call_once():  # debug
    """As many calls as there are system calls that only call this function."""
    expected = syscalls_of(*DD)['read']['calls']
    data = traced('func', READ, 'vfs_read', '--', *DD)
    assert rows_of(data)[READ]['calls'] == expected > 700, (data['rows'], expected)
    assert data['session']['counters']['hits'] == sum(row['calls'] for row in data['rows'])


def test_errors():
    name = first_of('do_sys_openat2', 'do_sys_open')
    command = ['perl', '-e', 'for (1..37) { open F, "<", "/no/$_" } open F, "<", "/etc/passwd"']
    expected = syscalls_of(*command)['openat']['errors']
    row = rows_of(traced('func', name, '--', *command))[name]
    assert row['errors'] == expected >= 37, (row, expected)


def test_count_is_the_same():  # debug
    data = traced('func', READ, '--count', '--', *DD)
    expected = syscalls_of(*DD)['read']['calls']
    assert rows_of(data)[READ]['entries'] == expected, (data['rows'], expected)
    assert data['session']['counters']['hits'] == expected


def test_none_was_called():  # slow
    """No calls are a valid result, and so is --min-time that no call reaches."""
    for options in [], ['--count'], ['--hist'], ['--by', 'pid'], ['--errors'], ['--stacks']:
        out = ktrace('func', 'vfs_fsync_range', *options, '--', 'true')[0]
        window, text = out.splitlines()
        assert WINDOW.match(window), (options, out)
        assert re.match(r'No (call|function) was .*\.$|No function returned an error\.$', text), \
            (options, out)
    for options in [], ['--by', 'cpu'], ['--hist']:
        out = ktrace('func', READ, '--min-time', '1m', *options, '--', 'true')[0]
        window, text = out.splitlines()
        assert WINDOW.match(window) and text == 'No call was counted.', (options, out)


@undisturbed
def test_times():
    script = '%s 3 60000 0; %s 4 1000 0; :' % (2 * (victim('sleeper'),))
    row = rows_of(traced('func', SLEEP, '--', 'bash', '-c', script))[SLEEP]
    assert row['calls'] == 7 and row['min_ns'] >= 1000000, row
    assert row['max_ns'] >= 60000000 and row['total_ns'] >= 184000000, row
    for command in 'func', 'graph':
        long = rows_of(traced(command, SLEEP, '--min-time', '55ms', '--', 'bash', '-c', script))[SLEEP]
        assert long['calls'] >= 3 and long['min_ns'] >= 55000000, (command, long)
        timely(long['calls'] == 3, (command, long))


def by(keys, *options):
    """Rows with these keys: each call is in one row, and each row has a histogram."""
    data = traced('func', READ, SLEEP, '--by', keys, '--hist', *options)
    assert data['by'] == keys.split(',') and 'others' not in data and 'functions' not in data, data
    check_rows_by(data, 'calls')
    return data['rows']


def test_by():
    script = 'for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=50; done; :'
    command = '--', 'bash', '-c', script
    calls = calls_of(READ, *command)[READ]
    for keys in with_known('pid,function', 'tid', 'cpu', 'function', 'uid,cgroup',
                           'cpu,tid,pid,function'):
        rows = by(keys, *command)
        assert sum(row['calls'] for row in rows) == calls >= 150, (keys, rows, calls)
        if 'function' in keys:
            assert all(row['function'] == READ for row in rows), rows
        if 'id' in keys and 'uid' not in keys:
            names = {row.get('tid', row.get('pid')): row['comm'] for row in rows}
            assert sorted(names.values()) == ['bash', 'dd', 'dd', 'dd'], rows
    assert [row['uid'] for row in by('uid', *command)] == [os.getuid()]
    assert {row['cpu'] for row in by('cpu', *command)} <= set(range(os.cpu_count()))


def test_by_comm():
    """Each name has one row, however short-lived its tasks; the name is the one at the return."""
    script = 'for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=50; done; %s 1 1000 0; :'
    script %= victim('sleeper')
    calls = {(row['comm'], row['function']): row['calls']
             for row in by('comm,function', '--', 'bash', '-c', script)}
    loads = syscalls_of('dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=50')['read']['calls']
    assert calls['dd', READ] == 3 * loads and calls['sleeper', SLEEP] == 1, calls
    assert set(comm for comm, _ in calls) == {'bash', 'dd', 'sleeper'}, calls


def test_by_who_has_had_its_exit():  # slow
    """A task that calls a function first while it exits has a name, too."""
    script = '%s threads 30; for i in 1 2 3 4 5 6 7 8; do /bin/true; done' % victim('sleeper')
    for key in 'tid', 'pid':
        process = counting('func', 'task_work_run', '--by', key)
        wait_for(lambda: [session['state'] for session in sessions()] == ['active'])
        subprocess.check_call(['bash', '-c', script])
        data, = documents_of(process)
        names = [row.get('comm') for row in data['rows']]
        assert names.count('sleeper') >= (30 if key == 'tid' else 1), (key, data['rows'])
        assert names.count('true') == 8 and None not in names, (key, data['rows'])


def test_by_in_intervals():
    """Each call is in one row of one interval."""
    runs = []
    process, path = counting_intervals(
        'func', READ, '--by', 'comm,function', '-i', '200ms', '--comm', 'dd', nr=3,
        action=lambda: runs.append(subprocess.check_call(DD, stderr=subprocess.DEVNULL)))
    assert documents_of(process) == [], path
    calls = sum(row['calls'] for document in read_documents(path) for row in document['rows'])
    each = calls_of(READ, '--comm', 'dd', '--', *DD)[READ]
    assert calls == each * len(runs) > 0, (calls, each, len(runs))


def test_by_as_text():
    """One line per row, or a histogram for each; beside single calls, too."""
    out = ktrace('func', READ, '--by', 'pid,function', '--', *DD)[0]
    _, head, row = out.splitlines()
    assert head.split()[-3:] == ['PID', 'COMM', 'FUNCTION'] and 'P99' in head.split(), out
    assert row.split()[-2:] == ['dd', READ], out
    out = ktrace('func', READ, '--by', 'comm,function', '--hist', '--', *DD)[0]
    _, title, head, *buckets = out.splitlines()
    assert title == 'comm dd, function ' + READ and head.endswith('distribution'), out
    assert sum(int(bucket.split(':')[1].split()[0]) for bucket in buckets if bucket) > 700, out
    out = ktrace('func', READ, '--by', 'function', '--slow', '0', '--', *DD)[0]
    result = ' = 16' if HAS_TYPES else ''
    calls = [line for line in out.splitlines() if re.search(r'  %s%s$' % (READ, result), line)]
    assert (len(calls) == 700 if HAS_TYPES else len(calls) > 700) and out.splitlines()[-1].split()[-1] == READ, out


@undisturbed
def test_stacks():  # debug
    """Calls by caller: two callers in the program, with the same path through the kernel."""
    data = traced('func', SLEEP, '--stacks', '--', victim('stacks'), '7', '3', '20000')
    row = rows_of(data)[SLEEP]
    assert row['calls'] == 10 == sum(stack['count'] for stack in data['stacks']), data['stacks']
    assert sum(stack['total_ns'] for stack in data['stacks']) == row['total_ns'], data['stacks']
    # If a program ends before its maps are read, its frames have no names.
    timely(not [stack for stack in data['stacks']
                if set(stack.get('user', [])) == {'[gone]'}], data['stacks'])
    for caller, times in ('via_a', 7), ('via_b', 3):
        found = [stack for stack in data['stacks'] if stack['user'][:3] == ['nap', caller, 'main']]
        assert sum(row['count'] for row in found) == times, (caller, data['stacks'])
        # The map of a process is made within a tick; until then frame pointers are used.
        timely(len(found) == 1, found)
        for row in found:
            assert (row['name'], row['comm']) == (SLEEP, 'stacks'), found
            # A function that ends with a jump to its last call has no frame at that time.
            assert 'nanosleep' in row['kernel'][0] or row['kernel'][0] == 'x64_sys_call', found
            assert row['total_ns'] >= row['count'] * 20_000_000, found
    path = os.path.join(TMP, 'folded')
    ktrace('func', SLEEP, '--stacks', '--format', 'folded', '-o', path, '--', victim('stacks'),
           '2', '0', '300000')
    with open(path) as file:
        lines = file.read().splitlines()
    timely(not [line for line in lines if line.startswith('stacks;[gone];[gone]')], lines)
    found = [line for line in lines if ';main;via_a;nap;' in line]
    assert found and all(line.startswith('stacks;') for line in found), found
    timely(len(found) == 1, found)
    assert all(line.rsplit(' ', 1)[0].endswith(';' + SLEEP) for line in found), found


def test_interrupts_have_no_stack():  # slow
    """Calls beyond the budget of stacks are still counted."""
    load = subprocess.Popen(['perl', '-e', '1 while 1'])
    try:
        data = busy_session(10, 'update_process_times', '--stacks')
    finally:
        load.kill()
        load.wait()
    row, = data['rows']
    assert sum(stack['count'] for stack in data['stacks']) == row['calls'] > 0, data['stacks']
    assert not [stack for stack in data['stacks'] if 'kernel' in stack], data['stacks']


def test_only_that_process():  # slow
    other = subprocess.Popen(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1'],
                             stderr=subprocess.DEVNULL)
    try:
        assert calls_of(READ, '--', *DD)[READ] == syscalls_of(*DD)['read']['calls']
        busy = rows_of(busy_session(11, READ, '-p', str(other.pid)))
        assert busy[READ]['calls'] > 10, busy
        assert calls_of(READ, '--comm', 'nobody', '-d', '0.3') == {}
    finally:
        other.kill()
        other.wait()


def test_tree():
    data = traced('graph', READ, '--include', 'vfs_read,rw_verify_area', '--', *DD)
    nodes = {node['node']: node for node in data['tree']}
    root, = [node for node in nodes.values() if 'parent' not in node]
    assert root['name'] == READ and root['calls'] == syscalls_of(*DD)['read']['calls'], root
    below = [node for node in nodes.values() if node.get('parent') == root['node']]
    assert [node['name'] for node in below] == ['vfs_read'], below
    assert below[0]['calls'] == root['calls']
    for node in nodes.values():
        children = sum(child['total_ns'] for child in nodes.values()
                       if child.get('parent') == node['node'])
        assert node['self_ns'] + children == node['total_ns'], (node, children)


def test_paths_for_viewers():
    """Each path of the tree with its calls; with --stacks the path of each stack."""
    path = os.path.join(TMP, 'paths')

    def calls_by_path(command, *options):
        ktrace(command, *options, '--format', 'speedscope', '-o', path, '--', *DD)
        with open(path) as file:
            data = json.load(file)
        names = [frame['name'] for frame in data['shared']['frames']]
        calls = data['profiles'][1]
        assert calls['name'] == 'calls' and data['profiles'][0]['endValue'] > 0, data
        return {tuple(names[at] for at in sample): nr
                for sample, nr in zip(calls['samples'], calls['weights'])}

    wanted = syscalls_of(*DD)['read']['calls']
    tree = calls_by_path('graph', READ, '--include', 'vfs_read')
    assert tree == {(READ,): wanted, (READ, 'vfs_read'): wanted}, tree
    stacks = calls_by_path('func', READ, '--stacks')
    assert sum(stacks.values()) == wanted and {one[-1] for one in stacks} == {READ}, stacks
    assert all(one[0] in ('dd', '-') for one in stacks), stacks  # '-': without a stack


def test_tree_of_a_depth():  # slow
    for depth, names in ('1', {READ}), ('2', {READ, 'vfs_read'}):
        data = traced('graph', READ, '--include', 'vfs_read,rw_verify_area', '--max-depth', depth, '--',
                      *DD)
        assert {node['name'] for node in data['tree']} == names, (depth, data['tree'])


def test_tree_in_intervals():  # slow
    """Each call is in one interval."""
    runs = []
    process, path = counting_intervals(
        'graph', READ, '--include', 'rw_verify_area', '-i', '200ms', '--comm', 'dd', nr=3,
        action=lambda: runs.append(subprocess.check_call(DD, stderr=subprocess.DEVNULL)))
    assert documents_of(process) == [], path
    data = read_documents(path)
    calls = {key: sum(one.get('calls', 0) for document in data for one in document[key]
                      if one['name'] == READ) for key in ('rows', 'tree')}
    each = rows_of(traced('func', READ, '--comm', 'dd', '--', *DD))[READ]['calls']
    assert calls['rows'] == calls['tree'] == each * len(runs) > 0, (calls, each, len(runs))
    assert all(document['window_s'] > 0 for document in data), data


def test_tree_across_exec_and_fork():  # slow, debug
    """Calls in which a task executes a program, or forks, end like others."""
    fork = first_of('kernel_clone', '_do_fork', 'do_fork')
    script = 'for i in 1 2 3 4 5; do /bin/true; done'
    row = rows_of(traced('func', EXEC, fork, '--', 'bash', '-c', script))
    assert row[EXEC]['calls'] in (5, 6) and row[fork]['calls'] == 5, row
    if 'begin_new_exec' not in symbols():
        return
    data = traced('graph', EXEC, '--include', 'begin_new_exec', '--', 'bash', '-c', script)
    nodes = {node['name']: node['calls'] for node in data['tree']}
    assert nodes['begin_new_exec'] == row[EXEC]['calls'], nodes
    assert data['session']['counters']['unwound'] == 0, data['session']


def test_tree_of_who_has_ended():  # slow
    """A task's last call, which never returns, is not the caller of the next call at the same
    address."""
    if 'do_task_dead' not in symbols():
        raise Skip('this kernel has no function do_task_dead')
    process = counting('graph', 'do_task_dead', '--include', READ)
    subprocess.check_call(['sh', '-c', 'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done'])
    data, = documents_of(process)
    names = [node['name'] for node in data['tree']]
    assert 'do_task_dead' in names and READ not in names, data['tree']


def test_tasks_that_ended_keep_no_calls():
    """
    A call that a task makes after its exit, and that never returns, ends with the task. If the
    kernel keeps a place for each open call, some calls are missed, and are no hits.
    """
    if 'do_task_dead' not in symbols():
        raise Skip('this kernel has no function do_task_dead')
    client, process = Client(), counting('graph', 'do_task_dead')
    session = sessions()[0]['id']
    subprocess.check_call(['python3', '-c', SLEEPERS])

    def have_ended():
        counters = client.counters(session)
        return 0 < counters['hits'] == counters['unwound'] + counters['lost_pool']
    wait_for(have_ended)
    lost = client.counters(session)['lost_pool']
    client.close()
    documents_of(process, 3 if lost else 0)


# Ends when all of its threads sleep; the main thread waits in poll(), by which it is recognised.
SLEEPERS = '''
import os, select, threading, time
open('/proc/self/comm', 'w').write('sleepers')
for _ in range(200):
    threading.Thread(target=time.sleep, args=(1000,)).start()
def are_asleep():
    calls = [open('/proc/self/task/%s/syscall' % tid).read().split()[0]
             for tid in os.listdir('/proc/self/task')]
    return sum(call in ('35', '230') for call in calls) == 200
while not are_asleep():
    select.select([], [], [], 0.05)
os._exit(0)
'''


def test_more_open_than_there_is_room():  # slow
    """If the kernel keeps a place for each open call, more places are made when they run out."""
    data = traced('func', SLEEP, '--', 'python3', '-c', SLEEPERS, complete=has_fprobe())
    seen = rows_of(data).get(SLEEP, {'calls': 0})['calls']
    missed = data['session']['counters']['lost_missed']
    assert seen + missed == 200, (seen, missed)
    assert bool(missed) != has_fprobe()


def turn(client, many, command, state):
    for session in many:
        client.call(command, SESSION=u64(session))
    wait_for(lambda: {client.state(session) for session in many} == {state})


def test_calls_open_at_a_pause():  # slow
    """
    Calls that were open when a probe was removed are not counted by a new probe, even if it has the
    address of the old one (so several probes are used). The kernel keeps the data of these calls as
    long as there is any such probe, here one of another session.
    """
    client = Client()
    kernel_session(client, 'vfs_fsync_range')
    many = [kernel_session(client, SLEEP, sinks=['HIST'], WHO={'COMM': b'sleeper\0'})
            for _ in range(6)]
    sleepers = []
    for _ in range(6):
        sleepers.append(subprocess.Popen([victim('sleeper'), '1', str(16000000 * SLOW), '0'],
                                         stdout=subprocess.DEVNULL))
        wait_until_asleep(sleepers[-1].pid)
        turn(client, many, 'SESSION_PAUSE', STATE_PAUSED)
        turn(client, many, 'SESSION_RESUME', STATE_ACTIVE)
    assert sleepers[0].poll() is None
    assert [sleeper.wait() for sleeper in sleepers] == [0] * len(sleepers)
    subprocess.check_call([victim('sleeper'), '3', '1000', '0'], stdout=subprocess.DEVNULL)
    assert {client.counters(session)['hits'] for session in many} == {3}
    client.close()


def test_room_is_made_for_open_calls():  # slow
    """After calls were missed, room is made for that many: fewer and fewer are missed."""
    process, missed = counting('func', SLEEP, '--comm', 'sleepers'), [0]
    while not missed[1:] or missed[-1] > missed[-2]:
        assert len(missed) < 4, missed
        subprocess.check_call(['python3', '-c', SLEEPERS])

        def all_told():
            counters = sessions()[0]['counters']
            return counters['hits'] + counters['lost_missed'] == 200 * len(missed) and [counters]
        missed.append(wait_for(all_told)[0]['lost_missed'])
    documents_of(process, status=0 if has_fprobe() else 3)
    assert bool(missed[-1]) != has_fprobe(), missed


@contextlib.contextmanager
def busy_cpus():
    """Keeps all CPUs busy: an idle CPU may be omitted from a backtrace of all CPUs."""
    busy = [subprocess.Popen(['taskset', '-c', str(cpu), 'sh', '-c', 'while :; do :; done'])
            for cpu in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_calls_in_an_nmi():
    """Calls in NMIs are counted or counted as lost; they never wait for a lock of the interrupted
    context."""
    process = counting('func', 'show_regs', '_raw_spin_lock_irq')
    with busy_cpus():
        for _ in range(20):
            with open('/proc/sysrq-trigger', 'w') as trigger:
                trigger.write('l')
    process.send_signal(signal.SIGINT)
    document = json.loads(process.communicate(timeout=limit(60))[0])
    calls = {row['name']: row['calls'] for row in document['rows']}
    assert document['lost'] + calls.get('show_regs', 0) > 0 and calls['_raw_spin_lock_irq'], document
    assert process.returncode == (3 if document['lost'] else 0), (process.returncode, document)


def test_attached_under_load():  # slow
    """Adds and removes probes of many functions that are in use, again and again."""
    load = subprocess.Popen(['bash', '-c', 'while :; do cat /etc/passwd /proc/stat; done'],
                            stdout=subprocess.DEVNULL)
    try:
        for _ in range(3):
            rows = rows_of(busy_session(1000, 'vfs_*'))
            assert rows['vfs_read']['calls'] > 0
    finally:
        load.kill()
        load.wait()


def test_functions_that_hits_call():  # slow, debug
    """The functions that take ktrace's own locks are traced: there is no deadlock."""
    # On the debug kernel the handling of hits may take longer than the time between two ticks.
    names = ['hrtimer_*', '_raw_spin_*'] if SLOW == 1 else [
        '_raw_spin_lock', '_raw_spin_trylock', '_raw_spin_unlock']
    keys, = with_known('comm,uid,cgroup,function') or ['comm,uid,function']
    # The last two combinations are contained in others.
    for options in ([], ['--by', keys], ['--errors'], ['--stacks'], ['--slow', '0', '--stacks'],
                    ['--count'], ['--slow', '0'])[:7 if SLOW == 1 else 5]:
        done = subprocess.run(['ktrace', 'func', *names, *options, '-d', '0.5',
                               '-o', os.path.join(TMP, 'locks')], capture_output=True, text=True,
                              timeout=limit(100))
        assert done.returncode in (0, 3), (options, done)
        none_left()


def test_count_of_many():  # slow
    rows = rows_of(traced('func', 'tcp_*', 'vfs_*', READ.replace('read', '*'), '--count', '-d', '0.5'))
    assert not [row for row in rows.values() if row['calls']]


def test_module_goes():
    """A function whose module is unloaded meanwhile is no longer called."""
    if subprocess.run(['modprobe', 'dummy'], stderr=subprocess.DEVNULL).returncode:
        raise Skip('this kernel has no module dummy')
    process = counting('func', 'dummy:*')
    subprocess.check_call(['ip', 'link', 'add', 'dummy9', 'type', 'dummy'])
    subprocess.check_call(['ip', 'link', 'del', 'dummy9'])
    subprocess.check_call(['rmmod', 'dummy'])
    subprocess.check_call(['modprobe', 'dummy'])
    subprocess.check_call(['rmmod', 'dummy'])
    rows = rows_of(documents_of(process)[0])
    assert rows['dummy_setup [dummy]']['calls'] == 1, rows


def test_interrupted_while_attaching():
    """Nothing stays attached; where all functions are attached at once, the interrupt may come too
    late."""
    process = subprocess.Popen(['ktrace', 'func', 'tcp_*', '--force', '-o', '/dev/null'],
                               stderr=subprocess.PIPE, text=True)
    wait_for(lambda: any(session['sites'] for session in sessions()))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=limit(100))
    assert process.returncode in (0, 1), errors
    none_left()
    assert process.returncode == 0 or 'Interrupted' in errors, errors


@undisturbed
def test_interval():
    path = os.path.join(TMP, 'intervals')
    ktrace('func', READ, '-i', '0.3', '-d', '1', '--format', 'json', '-o', path)
    with open(path) as lines:
        documents = [json.loads(line) for line in lines]
    assert all(d['complete'] for d in documents), documents
    timely(len(documents) >= 3, documents)


def test_doctor_tells_how():
    text = ktrace('doctor')[0]
    assert ('through fprobe' if has_fprobe() else 'through one kretprobe') in text, text


def test_functions_that_take_no_probe():  # slow
    """If no function is left to trace, this is reported, and tracing does not begin."""
    none = 'ktrace: None of the functions could be probed.'
    root = 'ktrace: The function below which calls are recorded could not be probed; ' \
        'name one that it calls.'
    for words, reason in ((['func', 'get_kprobe'], none),
                          (['graph', 'get_kprobe', '--include', READ], root)):
        for how, status in ((['-d', '100'], 1), (['--', 'echo', 'begun'], 125)):
            done = subprocess.run(['ktrace', *words, *how], capture_output=True, text=True,
                                  timeout=limit(60))
            assert (done.returncode, done.stdout) == (status, ''), done
            assert done.stderr.splitlines() == [
                'ktrace: get_kprobe is not traced: the kernel allows no probes there.', reason], done


def test_versions_for_callers():  # slow
    """Of some functions the compiler has left only versions like NAME.part.0; NAME selects
    these."""
    with open('/proc/kallsyms') as lines:
        known = [line.split()[2] for line in lines if '[' not in line and line.split()[1] in 'tT']
    names = collections.Counter(name.split('.')[0] for name in known)
    for kind in 'isra', 'constprop', 'part':
        version = next((name for name in known if names[name.split('.')[0]] == 1 and
                        re.fullmatch(r'[a-z]\w+\.%s\.0' % kind, name)), None)
        if not version:
            raise Skip('this kernel has no function that is there as NAME.%s.0 alone' % kind)
        name = version.split('.')[0]
        out, errors = ktrace('func', name, '--dry-run')
        assert out == version + '\n', out
        assert errors == 'ktrace: %s is %s in this kernel.\n' % (name, version), errors


def test_names_that_several_functions_have():  # slow
    """Functions of the same name are distinguished by address; without addresses this is
    reported."""
    with open('/proc/kallsyms') as lines:
        known = [line.split() for line in lines if '[' not in line]
    end = next(address for address, _, name in known if name == '_etext')
    count = collections.Counter(name for address, kind, name in known
                                if kind == 't' and address < end and name.isidentifier())
    name = next(name for name in sorted(count) if count[name] > 1 and name[0] != '_')
    before = restrict_addresses('2')
    try:
        _, errors = ktrace('func', name, '-d', '100', status=1)
        assert "several functions called '%s'" % name in errors, errors
    finally:
        restrict_addresses(before)
    listed, _ = ktrace('func', name, '--dry-run')
    assert listed.split().count(name) > 1, listed


def test_more_than_are_attached_in_a_moment():  # slow
    """Hundreds of functions are attached with --force; they show where each spends its time."""
    names = ['tcp_*', 'vfs_*', 'blk_*', 'sock_*']
    nr = len(ktrace('func', *names, '--dry-run')[0].split('\n\n')[0].splitlines())
    assert 300 < nr < 5000, nr
    ktrace('func', *names, '--count', '-d', '10ms')
    if has_fprobe():
        ktrace('func', *names, '-d', '10ms')
    else:
        errors = ktrace('func', *names, '-d', '10ms', status=1)[1]
        assert errors.startswith('ktrace: %d functions match' % nr) and '--force' in errors, errors


def test_histograms():
    out = ktrace('func', READ, 'vfs_fsync', '--hist', '--raw', '--', *DD)[0]
    window, name, head, *buckets = out.splitlines()
    assert WINDOW.match(window) and name == READ + '()' and head.endswith('distribution'), out
    calls = sum(int(bucket.split()[4]) for bucket in buckets if bucket)
    assert calls == syscalls_of(*DD)['read']['calls'], out


def test_what_is_no_function():
    """Keys and jumps of static calls are text symbols on some kernels, but not functions."""
    names, _ = ktrace('func', '__SC*', '__pfx_*', '--dry-run', status=1)
    assert names == '', names


def test_bad_input():
    for words, said in (
            (['func'], 'Which functions?'),
            (['func', 'vfs_raed'], "did you mean 'vfs_read'"),
            (['func', 'no such thing at all'], 'has no function'),
            (['func', 'vfs_read', '--count', '--hist'], '--count cannot be combined'),
            (['func', 'vfs_read', '--by', 'moon'], '--by takes one to 4 of function, tid,'),
            (['func', 'vfs_read', '--by', 'pid,errno'], '--by takes one to 4 of function, tid,'),
            (['func', 'vfs_read', '--by', 'pid', '--errors'], '--by'),
            (['func', 'vfs_read', '--by', 'pid', '--count'], '--by'),
            (['func', 'vfs_read', '--by', 'pid', '--stacks'], '--stacks'),
            (['func', 'vfs_read', '--format', 'folded'], 'add --stacks'),
            (['func', 'vfs_read', '-i', '0'], '-i'),
            (['func', '*'], 'functions match'),
            (['graph', 'vfs_read', 'vfs_write'], 'Only one function can be the root'),
            (['graph', 'vfs_read', '--include', 'no_such_*'], 'has no function'),
            (['func', 'vfs_read', '-p', '999999'], '999999')):
        done = subprocess.run(['ktrace', *words], capture_output=True, text=True,
                              timeout=limit(100))
        assert done.returncode in (1, 2) and said in done.stderr, (words, done)
        assert len(done.stderr.splitlines()) == 1, done.stderr
    done = subprocess.run(['ktrace', 'func', 'vfs_read', '-p', '1', '--', 'true'],
                          capture_output=True, text=True)
    assert done.returncode == 125, done


MAX_MEM = '/sys/module/ktrace/parameters/max_mem'


def max_mem(value):
    """Sets max_mem, in MiB; returns the old value."""
    with open(MAX_MEM, 'r+') as parameter:
        before = parameter.read()
        parameter.seek(0)
        parameter.write(str(value))
    return before


def refusal_of(client, session, symbols):
    try:
        client.call('FUNC_ADD', SESSION=session, SYMBOLS=symbols)
    except Refused as refused:
        return refused.errno
    return 0


def new_session(client, nr_funcs):
    return client.call('SESSION_NEW', **asked(
        'KERNEL', 'HIST', TARGET={'NR_FUNCS': u32(nr_funcs)}))[0]['SESSION']


def test_a_number_twice_in_a_message():
    """A number that occurs twice in a message is refused as in two messages, with all of them."""
    client = Client()
    session = new_session(client, 3)
    twice = symbol(0, 'vfs_read', 0) + symbol(1, 'vfs_write', 0) + symbol(0, 'vfs_fsync_range', 0)
    assert refusal_of(client, session, twice) == errno.EEXIST
    assert refusal_of(client, session, symbol(1, 'vfs_write', 0)) == 0
    assert refusal_of(client, session, symbol(0, 'vfs_read', 0)) == 0
    assert refusal_of(client, session, symbol(0, 'vfs_read', 0)) == errno.EEXIST
    client.close()


def test_memory_that_ends_in_a_message():
    """A message is refused as a whole, so it can be sent again."""
    client = Client()
    session = new_session(client, 16384)
    used, = struct.unpack('Q', client.call('INFO')[0]['MEM'])
    before = max_mem((used >> 20) + 1)
    try:
        for first in range(0, 16384, 64):
            many = b''.join(symbol(first + i, 'f' * 575, 0) for i in range(64))
            error = refusal_of(client, session, many)
            if error:
                break
        assert error == errno.ENOMEM, error
    finally:
        max_mem(before)
    assert refusal_of(client, session, many) == 0
    client.close()


def used_memory(client):
    return struct.unpack('Q', client.call('INFO')[0]['MEM'])[0]


def test_what_the_kernel_allocates_is_charged():
    """Memory for open calls is charged: instances of kretprobes, or a page per task."""
    client = Client()
    least = (128 * 32 if not has_fprobe() else 8192 * 64 if RELEASE < (6, 14) else
             4096 * len(os.listdir('/proc/self/task')) * 20)
    session = new_session(client, 1)
    assert refusal_of(client, session, symbol(0, 'vfs_fsync_range', 0)) == 0
    before = max_mem(0)
    try:
        client.call('SESSION_COMMIT', SESSION=session)
        number, = struct.unpack('Q', session)
        wait_for(lambda: client.state(number) != STATE_ATTACHING)
        answer = client.call('SESSION_GET', SESSION=session)[0]
        error, = struct.unpack('i', answer.get('ERROR', bytes(4)))
        failed = [struct.unpack('i', answer['ERROR'])[0]
                  for answer in client.dump('FUNC_GET', SESSION=session) if 'ERROR' in answer]
        assert -errno.ENOMEM in [error, *failed], (answer, failed)
    finally:
        max_mem(before)
    client.call('SESSION_DEL', SESSION=session)
    none_left()
    session = new_session(client, 1)
    assert refusal_of(client, session, symbol(0, 'vfs_fsync_range', 0)) == 0
    unused = used_memory(client)
    client.call('SESSION_COMMIT', SESSION=session)
    number, = struct.unpack('Q', session)
    wait_for(lambda: client.state(number) == STATE_ACTIVE)
    assert used_memory(client) >= unused + least, (unused, used_memory(client), least)
    client.call('SESSION_DEL', SESSION=session)
    none_left()
    wait_for(lambda: used_memory(client) <= unused)
    client.close()


def test_max_mem_is_said_with_its_figure():
    """The error names the limit, whichever memory has no room."""
    before, limit_mib, refused = max_mem(0), 0, 0
    try:
        while limit_mib < 64:
            done = subprocess.run(['ktrace', 'func', 'vfs_*', '--', 'true'], capture_output=True,
                                  text=True, timeout=limit(100))
            if not re.search(r'max_mem|memory limit', done.stderr):
                break
            assert re.search(r'\b%d MiB' % limit_mib, done.stderr), done
            refused += 1
            limit_mib = 2 * limit_mib or 1
            max_mem(limit_mib)
    finally:
        max_mem(before)
    assert refused and done.returncode in (0, 3), (refused, done)


def test_missed_while_it_counts():
    """More sessions than the kernel has room for at one call: the loss is reported while they
    run."""
    client = Client()
    mine = [kernel_session(client, SLEEP, sinks=['HIST']) for _ in range(12)]
    subprocess.check_call([victim('sleeper'), '20', '1000', '0'], stdout=subprocess.DEVNULL)

    def told():
        all_counters = [client.counters(session) for session in mine]
        return all_counters if all(counters['hits'] + counters['lost_missed'] >= 20
                                   for counters in all_counters) else None
    missed = sum(counters['lost_missed'] for counters in wait_for(told))
    assert bool(missed) == (has_fprobe() and RELEASE >= (6, 14)), missed
    client.close()
