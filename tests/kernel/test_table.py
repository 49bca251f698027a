# SPDX-License-Identifier: GPL-2.0
"""Every table of every provider, read by a client that knows no provider; and rows as csv."""
import csv
import errno
import json
import os
import struct
import subprocess

from cgroups import with_known
from genl import Client, Refused, asked, enum_of, u32, u64
from suite import Skip
from tables import FIGURES, KEYS, check_cpus, shape, tables_of
from test_syscall import Live
from tool import (RELEASE, TMP, check_rows_by, counting, detach_all, documents_of, ktrace,
                  none_left, sessions, victim, wait_for)

STATES = enum_of('ktrace_state')

teardown = detach_all


def wait_for_state(client, session, state):
    wait_for(lambda: client.state(session) == STATES['KTRACE_STATE_' + state])


def check_like_functions(client, session, table):
    """Checks that the table by function has a row for each function that was hit, by FUNC_GET."""
    hit = [struct.unpack('I', answer['FUNC'])[0] for answer in client.dump('FUNC_GET', SESSION=u64(session))
           if 'FUNC' in answer and 'ERROR' not in answer]
    assert len(hit) == len(set(hit)) == len(table.rows), (hit, table.rows)
    if [column.name for column in table.columns if column.is_key] == ['function']:
        assert hit == [row.keys['function'] for row in table.rows], (hit, table.rows)


def read_paused(title, session):
    """Returns all tables of a session, which counts nothing while they are read."""
    client = Client()
    client.call('SESSION_PAUSE', SESSION=u64(session))
    wait_for_state(client, session, 'PAUSED')
    tables = check_cpus(client, session)
    assert all(table.rows for table in tables), title
    for table in tables:
        text = table.text(title)
        if os.environ.get('TESTS'):     # selected by name
            print(text)
        if not table.max_rows:
            check_like_functions(client, session, table)
    client.close()
    return tables


def read_while(action, *command):
    process = counting(*command)
    try:
        action()
        session, = sessions()
        return read_paused(' '.join(command), session['id'])
    finally:
        process.kill()
        process.communicate()
        wait_for(lambda: not sessions())


def work():
    """Calls, writes, sleeps, and makes requests of virtio: /out has no cache, and is read from the
    host."""
    subprocess.check_call(['sh', '-c', 'cat /out/command >/dev/null; sleep 0.1'])


def test_tables_of_commands():  # debug
    calls = 'calls', 'total', 'min', 'max'
    for command, keys, values in (
            (['syscall'], ['syscall'], calls + ('errors', 'bytes')),
            (['syscall', '--cpu-time', '--pages'], ['syscall'], ('self', 'page_hits')),
            (['func', 'vfs_read', 'vfs_write'], ['function'], calls + ('entries', 'errors')),
            (['func', 'vfs_read', 'vfs_write', '--count'], ['function'], ('entries',)),
            (['sched'], ['period'], calls),
            (['virtio'], ['device', 'queue', 'operation'], ('entries', 'bytes'))):
        own = read_while(work, *command)[0]
        assert [column.name for column in own.columns if column.is_key] == keys, command
        names = {column.name: column.unit for column in own.columns}
        assert set(values) <= set(names), (command, names)
        assert names.get('total', 'ns') == 'ns' and names.get('bytes', 'bytes') == 'bytes', names
    none_left()


def write_disk():
    subprocess.check_call(['dd', 'if=/dev/zero', 'of=/dev/vda', 'bs=64k', 'count=16',
                           'oflag=direct'], stderr=subprocess.DEVNULL)


def test_table_of_disks():
    own = read_while(write_disk, 'io', '--layers', 'block')[0]
    assert [column.name for column in own.columns if column.is_key] == \
        ['device', 'operation', 'stage'], own.columns
    written = [row for row in own.rows if row.keys['stage'] == 4 and row.keys['operation'] == 1]
    assert sum(row.values['bytes'] for row in written) >= 16 << 16, written


def test_table_of_requests_by_keys():
    """Keys of one word and of two; keys of the disk alone need no task."""
    for by, keys in (('file,op,pid', ['file', 'operation', 'pid']),
                     ('dev,stage,comm', ['device', 'stage', 'comm']),
                     ('tid,uid,cpu', ['tid', 'uid', 'cpu']), ('op,dev', ['operation', 'device'])):
        chosen, = read_while(write_disk, 'io', '--by', by, '--dev', 'vda')
        assert [column.name for column in chosen.columns if column.is_key] == keys, chosen.columns
        assert chosen.total('bytes') >= 16 << 16 and chosen.total('errors') == 0, chosen.rows
        assert ('of' in chosen.rows[0].values) == (by != 'op,dev'), chosen.columns
        if 'file' in keys:
            assert {row.keys['file'] for row in chosen.rows} == {(0, 0)}, chosen.rows


def test_table_of_user_functions():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'functions')
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL, check=False)
    own = read_paused('functions', sessions()[0]['id'])[0]
    assert own.total('calls') > 0 and 'self' in own.rows[0].values, own.rows
    assert all(row.values['entries'] >= row.values['calls'] for row in own.rows), own.rows


def test_table_of_null_calls():
    client, live = Client(), Live(1)
    session = struct.unpack('Q', client.call(
        'SESSION_NEW', **asked('SYSENTER', 'HIST', WHO={'PIDS': u32(live.process.pid)}))[0]['SESSION'])[0]
    tables = tables_of(client, session)
    client.close()
    live.end()
    assert [[column.name for column in table.columns if column.is_key] for table in tables] == \
        [['stage']], tables


# --- chosen keys -----------------------------------------------------------------

def by(*options, status=0):
    path = os.path.join(TMP, 'rows')
    ktrace('syscall', '--format', 'json', '--hist', '*', '-o', path, *options, status=status)
    with open(path) as document:
        data = json.load(document)
    assert data['complete'] and 'others' not in data, data['session']
    check_rows_by(data, 'calls')
    return data


def calls_by(data, *keys):
    found = {}
    for row in data['rows']:
        key = tuple(row.get(name) for name in keys)
        found[key] = found.get(key, 0) + row['calls']
    return found


THREADS, CALLS = 4, 100


def counted_by(keys):
    """Returns rows of all calls that the victim's threads and its child make."""
    return by('--by', keys, '--', victim('syscalls'), str(THREADS), str(CALLS), status=3)


def test_by_thread_call_and_error():  # debug
    """Each combination has exactly the calls that the program made."""
    data = counted_by('tid,syscall,errno')
    assert data['by'] == ['tid', 'syscall', 'errno'], data['by']
    found = calls_by(data, 'tid', 'syscall', 'errno')
    workers = {tid for tid, name, _ in found if name == 'getppid'}
    assert len(workers) == THREADS + 1, workers
    for tid in workers:
        own = {(name, error): calls for (of, name, error), calls in found.items() if of == tid}
        assert own['getppid', None] == own['umask', None] == CALLS, own
        assert own['read', 'EBADF'] == CALLS // 2, own
        assert own['open', 'EISDIR'] == own['open', 'ENOENT'] == CALLS // 20, own
        assert own['[no such call]', 'ENOSYS'] == CALLS // 5, own
    for row in data['rows']:
        assert row['errors'] == (row['calls'] if 'errno' in row else 0), row
        assert row['comm'] == 'syscalls', row


def test_by_process():
    found = calls_by(counted_by('pid,syscall'), 'pid', 'syscall')
    getppid = sorted(calls for (_, name), calls in found.items() if name == 'getppid')
    assert getppid == [CALLS, THREADS * CALLS], getppid


def test_rows_as_text():
    out = ktrace('syscall', '--by', 'pid,syscall', '--sort', 'calls', '--', victim('syscalls'),
                 str(THREADS), str(CALLS), status=3)[0]
    lines = [line.split() for line in out.splitlines()]
    head = [line for line in lines if 'SYSCALL' in line]
    assert len(head) == 1 and head[0][-3:] == ['PID', 'COMM', 'SYSCALL'], out
    assert {'CALLS', 'ERRORS', 'P50', 'P99', 'MAX'} <= set(head[0]), out
    first = lines[lines.index(head[0]) + 1]
    assert first[-1] in ('getppid', 'umask') and first[-2] == 'syscalls', out
    assert str(THREADS * CALLS) in first, out


def flat(row, before=''):
    """Returns the members of a row of JSON as csv has them."""
    cells = {}
    for name, value in row.items():
        if isinstance(value, dict):
            cells.update(flat(value, before + name + '_'))
        else:
            cells[before + name] = 'true' if value is True else str(value)
    return cells


def rows_in_csv(command, *args):
    """Returns the names of the columns, and the rows, each without its empty cells."""
    path = os.path.join(TMP, 'csv')
    ktrace(*command, '--format', 'csv', '-o', path, *args)
    with open(path, newline='') as file:
        reader = csv.DictReader(file, strict=True)
        return reader.fieldnames, [{name: cell for name, cell in row.items() if cell} for row in reader]


def test_rows_as_csv():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('coldpart'), '--name', 'rows')
    subprocess.run([victim('coldpart')], stdout=subprocess.DEVNULL, check=False)
    rows = json.loads(ktrace('ctl', 'read', 'rows', '--format', 'json')[0])['rows']
    assert rows and rows_in_csv(['ctl', 'read', 'rows'])[1] == [flat(row) for row in rows], rows


def test_columns_of_csv():
    """They are the same whatever was counted, and are named once."""
    for command, few in ((['syscall', '--pages', '--by', 'pid,errno'], 2), (['fault'], 1), (['sched'], 2),
                         (['io', '--layers', 'block'], 0), (['io', '--by', 'file,stage'], 0)):
        of_none, none = rows_in_csv(command, '-d', '100ms', '--comm', 'nobody')
        of_some, some = rows_in_csv(command, '-i', '100ms', '--', victim('sleeper'), '30', '1000', '10000')
        assert not none and len(some) >= few, (command, none, some)
        assert of_some == ['from_realtime_ns', 'to_realtime_ns'] + of_none, (of_some, of_none)
        assert all(int(row['from_realtime_ns']) < int(row['to_realtime_ns']) for row in some), some


def test_by_name_user_cpu_and_cgroup():
    for keys in with_known('comm,syscall', 'syscall,uid', 'cpu,syscall', 'syscall,cgroup', 'syscall'):
        data = counted_by(keys)
        found = calls_by(data, 'syscall')
        assert found['getppid',] == found['umask',] == (THREADS + 1) * CALLS, (keys, found)
        assert found['[no such call]',] == (THREADS + 1) * CALLS // 5, (keys, found)
        others = {row[key] for key in keys.split(',') for row in data['rows'] if key != 'syscall'}
        if keys == 'comm,syscall':
            assert others == {'syscalls'}, others
        if keys == 'syscall,uid':
            assert others == {os.getuid()}, others
        if keys == 'cpu,syscall':
            assert others <= set(range(os.cpu_count())), others


def test_by_errno_alone():
    found = calls_by(counted_by('errno'), 'errno')
    assert found['EBADF',] == (THREADS + 1) * CALLS // 2, found
    # On old kernels, libraries also try calls that do not exist.
    assert 0 <= found['ENOSYS',] - (THREADS + 1) * CALLS // 5 <= (0 if RELEASE > (5, 0) else 20), found


def test_four_keys_of_two_sessions():
    """A name, which takes two words, among other keys; two tables at once do not mix."""
    live = Live(3)
    first = counting('syscall', '--by', 'comm,pid,tid,syscall', '-p', str(live.process.pid))
    live.call(10)
    second = counting('syscall', '--by', 'syscall', '-p', str(live.process.pid))
    live.call(100)
    late, early = documents_of(second)[0], documents_of(first)[0]
    live.end()
    assert calls_by(late, 'syscall')['getppid',] == 300, late['rows']
    found = calls_by(early, 'comm', 'pid', 'tid', 'syscall')
    of_threads = {key: calls for key, calls in found.items() if key[3] == 'getppid'}
    assert set(of_threads.values()) == {110} and len(of_threads) == 3, found
    assert {key[:2] for key in of_threads} == {('syscalls', live.process.pid)}, found


def test_command_shows_the_table():
    """The command prints for each thread what any client reads."""
    live = Live(3)
    process = counting('syscall', '--by', 'tid,syscall', '-p', str(live.process.pid))
    made = live.call(200)
    table, = read_paused('chosen', sessions()[0]['id'])
    data = documents_of(process)[0]
    live.end()
    assert table.total('calls') >= made and len(data['rows']) == len(table.rows), data['rows']
    for name, shown in (('calls', 'calls'), ('errors', 'errors'), ('total', 'total_ns'),
                        ('bytes', 'bytes')):
        sums = [{}, {}]
        for row in table.rows:
            sums[0][row.keys['tid']] = sums[0].get(row.keys['tid'], 0) + row.values[name]
        for row in data['rows']:
            sums[1][row['tid']] = sums[1].get(row['tid'], 0) + row[shown]
        assert sums[0] == sums[1], (name, sums)
    names = {row.keys['tid']: row.values['of'] for row in table.rows}
    assert names == {row['tid']: row['comm'] for row in data['rows']}, names


def test_intervals_by_keys():  # debug
    """A reset removes all rows at once, and loses none."""
    live = Live(4)
    process = counting('syscall', '--by', 'tid,syscall', '-i', '100ms', '-p',
                       str(live.process.pid))
    made = sum(live.call(50) for _ in range(40))
    documents = documents_of(process)
    live.end()
    calls = [calls_by(document, 'syscall').get(('getppid',), 0) for document in documents]
    assert sum(calls) == made, (calls, made)


def new_session(client, live, table, *more):
    """Returns a session that counts a program which waits for commands."""
    session = struct.unpack('Q', client.call(
        'SESSION_NEW', **asked('SYSCALLS', 'TABLE', *more, TABLE=table,
                               WHO={'PIDS': u32(live.process.pid)}))[0]['SESSION'])[0]
    client.call('SESSION_COMMIT', SESSION=u64(session))
    wait_for_state(client, session, 'ACTIVE')
    return session


def test_full_table_has_others():  # debug
    """Calls without a row are counted exactly in the row of the others, and reported."""
    client, live = Client(), Live(8)
    session = new_session(client, live, shape('tid', 'syscall', max_rows=4))
    made = live.call(1000)
    client.call('SESSION_STOP', SESSION=u64(session))
    wait_for_state(client, session, 'STOPPED')
    table, = check_cpus(client, session)
    counters = client.counters(session)
    client.close()
    live.end()
    others = [row for row in table.rows if row.is_other]
    assert len(others) == 1 and len(table.rows) == 5, [row.key() for row in table.rows]
    assert table.total('calls') == counters['hits'] >= made, (counters, made)
    assert others[0].values['calls'] == counters['lost_rows'] >= 4 * 1000 - 100, counters
    assert not any(others[0].keys.values()), others[0].keys


def test_chosen_values_and_no_histogram():
    client, live = Client(), Live(2)
    session = new_session(client, live, shape('pid', values=('calls', 'max')), 'HIST')
    made = live.call(500)
    client.call('SESSION_PAUSE', SESSION=u64(session))
    wait_for_state(client, session, 'PAUSED')
    own, chosen = check_cpus(client, session)
    client.close()
    live.end()
    assert [column.name for column in chosen.columns] == ['pid', 'calls', 'max'], chosen.columns
    assert len(chosen.rows) == 1 and chosen.rows[0].buckets is None, chosen.rows
    assert chosen.rows[0].keys == {'pid': live.process.pid}, chosen.rows[0].keys
    assert own.total('calls') == chosen.total('calls') >= made, (own.rows, chosen.rows)
    assert max(row.values['max'] for row in own.rows) == chosen.rows[0].values['max']


def refused(*sinks, provider='SYSCALLS', **attrs):
    client = Client()
    try:
        client.call('SESSION_NEW', **asked(provider, *sinks, **attrs))
    except Refused as error:
        return error.errno, error.said
    finally:
        client.close()
    raise AssertionError('a session was made of %r' % attrs)


def test_refused_tables():  # debug
    if RELEASE < (4, 12):
        raise Skip('before 4.12 the kernel carries no sentence of a refusal')
    order = errno.EINVAL, 'A table has one to four keys, each once.'
    for keys in ((), ('tid', 'tid'), (0, 'tid'), ('tid', 0, 'pid'), (99,), (1 << 31,)):
        assert refused('TABLE', TABLE=shape(*keys)) == order, keys
    assert refused('TABLE', TABLE=shape('device')) == \
        (errno.EINVAL, 'The provider has no table with one of these keys.')
    assert refused('TABLE', TABLE=shape('tid', values=('page_hits',))) == \
        (errno.EINVAL, 'The provider has no table with one of these values.')
    assert refused('TABLE', TABLE=shape('tid', flags=1 << 5))[1].startswith('A flag')
    assert refused('TABLE', TABLE=shape('tid', max_rows=1 << 21))[0] == errno.E2BIG
    together = errno.EINVAL, 'The sink of a table and TABLE go together.'
    assert refused('TABLE') == together
    assert refused('HIST', TABLE=shape('tid')) == together
    assert refused('TABLE', TABLE=shape('tid')[:-4])[0] == errno.EINVAL
    assert refused('TABLE', provider='SYSENTER', TABLE=shape('tid'),
                   WHO={'PIDS': struct.pack('i', os.getpid())})[0] == errno.EINVAL
    assert len(KEYS) > 10 and len(FIGURES) > 10


def test_bad_keys():
    for keys in 'tid,', 'tid,tid', 'device', '', 'tid,pid,comm,cpu,uid':
        errors = ktrace('syscall', '--by', keys, status=2)[1]
        assert '--by takes one to 4 of syscall, errno,' in errors, errors
    none_left()
