# SPDX-License-Identifier: GPL-2.0
"""ktrace func --errors: which functions failed inside which, each error once."""
import errno
import os
import signal
import subprocess
import time

from genl import Client, Refused, asked, u32, u64
from suite import Skip
from test_func import EXEC, first_of, rows_of, symbols, syscalls_of, traced
from tool import (TMP, counting, counting_intervals, documents_of, ktrace, limit, none_left,
                  read_documents, sessions, wait_for)

OPEN = [name for name in ('path_openat', 'do_filp_open', 'do_file_open')
        if name in symbols()] + [first_of('do_sys_openat2', 'do_sys_open')]
IOCTL = first_of('__x64_sys_ioctl', 'SyS_ioctl')
NOT_THERE = ['perl', '-e', 'for (1..37) { open F, "<", "/no/$_" }']
TTY = 'import os; end, _ = os.pipe(); [os.isatty(end) for _ in range(%d)]'

teardown = none_left


def errors_of(*options):
    return traced('func', '--errors', *options)


def chains_of(data):
    """Returns how often each chain occurred, with the function that continued, if any."""
    chains = {}
    for chain in data['chains']:
        key = tuple((link['name'], link['errno']) for link in chain['errors'])
        chains[key, chain.get('went_on')] = chain['count']
    assert len(chains) == len(data['chains']), data['chains']
    return chains


def sums_of(*documents):
    """Returns (function, its errors in chains, its errors) of all functions that have errors."""
    sums = {}
    for data in documents:
        for row in data['rows']:
            sums.setdefault(row['name'], [0, 0])[1] += row.get('errors', 0)
        for chain in data['chains']:
            for link in chain['errors']:
                sums[link['name']][0] += chain['count']
    return [(name, *both) for name, both in sums.items() if any(both)]


def assert_each_once(*documents):
    sums = sums_of(*documents)
    assert sums and all(in_chains == errors for _, in_chains, errors in sums), sums


def test_files_that_are_not_there():
    """As many chains pass through all of these functions as system calls failed."""
    data = errors_of(*OPEN, '--', *NOT_THERE)
    expected = syscalls_of(*NOT_THERE)['openat']['errors']
    whole = tuple((name, 'ENOENT') for name in OPEN)
    assert len(OPEN) >= 3 and chains_of(data)[whole, None] == expected >= 37, data['chains']
    assert not [key for key in chains_of(data) if key[0] != whole and key[1] is None]
    assert_each_once(data)
    row, = [chain for chain in data['chains'] if len(chain['errors']) == len(OPEN)]
    assert row['total_ns'] <= rows_of(data)[OPEN[-1]]['total_ns'], data


def test_error_that_was_handled():
    """The kernel tries one program format after the other; formats that do not match return
    ENOEXEC."""
    script = 'for i in 1 2 3 4 5; do /bin/true; done'
    data = errors_of('load_script', EXEC, '--', 'bash', '-c', script)
    assert chains_of(data) == {((('load_script', 'ENOEXEC'),), EXEC): 5}, data['chains']
    assert rows_of(data)['load_script']['calls'] == 5
    assert rows_of(data)[EXEC].get('errors', 0) == 0


def test_errno_that_changes():
    """A pipe returns ENOIOCTLCMD for an unknown request, and the system call changes it to
    ENOTTY."""
    found = {}
    for times in 0, 23:
        data = errors_of('pipe_ioctl', IOCTL, '--', 'python3', '-c', TTY % times)
        assert_each_once(data)
        found[times] = chains_of(data).get(
            ((('pipe_ioctl', 'ENOIOCTLCMD'), (IOCTL, 'ENOTTY')), None), 0)
    assert found[23] - found[0] == 23, found


def test_each_error_is_in_one_chain():  # debug
    """Many functions at once, some of which return at the end of others."""
    script = ('for i in 1 2 3; do cat /no /etc/passwd; mkdir /proc/no/i /tmp; ls /no/$i; '
              'rmdir /no /tmp; test -e /no; done; :')
    data = errors_of('vfs_*', 'path_*', 'filename_*', IOCTL.replace('ioctl', '*at'), *OPEN, '--',
                     'bash', '-c', script)
    assert_each_once(data)
    assert max(len(chain['errors']) for chain in data['chains']) >= 3, data['chains']


def test_intervals_lose_none():
    """A chain that lasts into the next interval counts in both."""
    load = subprocess.Popen(['perl', '-e', 'while (1) { open F, "<", "/no/file" }'])
    try:
        process, path = counting_intervals('func', *OPEN, '--errors', '-p', str(load.pid), '-i',
                                           '0.2', action=lambda: time.sleep(0.02), nr=3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=limit(60))
    finally:
        load.kill()
        load.wait()
    documents = read_documents(path)
    assert process.returncode == 0 and len(documents) >= 3, (errors, documents)
    assert_each_once(*documents)


def test_table():
    path = os.path.join(TMP, 'chains')
    subprocess.check_call(['ktrace', 'func', *OPEN, '--errors', '-o', path, '--', *NOT_THERE],
                          stderr=subprocess.DEVNULL, timeout=limit(100))
    with open(path) as table:
        lines = table.read().splitlines()
    first, = [i for i, line in enumerate(lines) if line.endswith('  %s: ENOENT' % OPEN[0])]
    at = lines[first].index(OPEN[0])
    for depth, name in enumerate(OPEN):
        assert lines[first + depth][at:] == '  ' * depth + name + ': ENOENT', lines


def test_none():
    process = counting('func', 'load_script', '--errors', '--comm', 'nobody')
    document, = documents_of(process)
    assert document['chains'] == [], document


def test_functions_without_result():
    """Functions without errors are known by the kernel's types, those of modules included."""
    if not os.path.exists('/sys/kernel/btf/vmlinux'):
        raise Skip('this kernel has no types')
    said, errors = ktrace('func', 'fput', 'vfs_read', 'path_is_under', '--errors', '--dry-run')
    assert said == 'vfs_read\n' and ' 2 functions are left out' in errors, (said, errors)
    _, errors = ktrace('func', 'fput', '--errors', '--dry-run', status=1)
    assert 'return no errors' in errors, errors
    if (subprocess.run(['modprobe', 'dummy'], stderr=subprocess.DEVNULL).returncode or
            not os.path.exists('/sys/kernel/btf/dummy')):
        raise Skip('this kernel has no module dummy, or no types of it')
    said, _ = ktrace('func', 'dummy:dummy_*', '--errors', '--dry-run')
    subprocess.check_call(['rmmod', 'dummy'])
    names = said.split()
    assert 'dummy_dev_init' in names and 'dummy_setup' not in names, said


def test_bad_input():
    for words, said in (
            (['--by', 'pid'], 'cannot be combined'), (['--hist'], 'cannot be combined'),
            (['--count'], 'cannot be combined'), (['--min-time', '1ms'], 'cannot be combined'),
            (['--sort', 'name'], 'by calls or total')):
        done = subprocess.run(['ktrace', 'func', 'vfs_read', '--errors', *words],
                              capture_output=True, text=True, timeout=limit(100))
        assert done.returncode == 2 and said in done.stderr, (words, done)
        assert len(done.stderr.splitlines()) == 1, done.stderr


def refusal_of(client, command, **attributes):
    try:
        client.call(command, **attributes)
    except Refused as refused:
        return refused.errno
    return 0


def test_of_all_calls():
    """Limits of time and depth, by which chains would lack calls, are refused and change
    nothing."""
    new, active, client = 1, 3, Client()
    given = asked('KERNEL', 'HIST', 'TREE', flags=['ERRORS'], TARGET={'NR_FUNCS': u32(1)})
    session = client.call('SESSION_NEW', **given)[0]['SESSION']
    number = int.from_bytes(session, 'little')
    limits = [{'LIMIT': limit} for limit in (
        {'MIN_TIME': u64(1000)}, {'MIN_TIME': u64(0)}, {'MAX_DEPTH': u32(3)})]
    for limited in limits:
        assert refusal_of(client, 'SESSION_NEW', **given, **limited) == errno.EINVAL, limited
        for command in 'SESSION_CHANGE', 'SESSION_COMMIT':
            error = refusal_of(client, command, SESSION=session, **limited)
            assert error == errno.EINVAL and client.state(number) == new, (command, limited, error)
    client.call('SESSION_COMMIT', SESSION=session)
    wait_for(lambda: client.state(number) == active)
    for limited in limits:
        error = refusal_of(client, 'SESSION_CHANGE', SESSION=session, WHO={'COMM': b'x\0'},
                           **limited)
        assert error == errno.EINVAL and client.state(number) == active, (limited, error)
    client.call('SESSION_CHANGE', SESSION=session, WHO={'COMM': b'x\0'})
    client.call('SESSION_DEL', SESSION=session)
    wait_for(lambda: not sessions())
    client.close()
