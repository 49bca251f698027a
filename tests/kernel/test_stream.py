# SPDX-License-Identifier: GPL-2.0
"""ktrace stream, --to and ktrace serve: each record once, whoever is killed; what is lost is told."""
import collections
import errno
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time

from genl import Client, Refused, u32, u64
from test_live import Live, attach
from tool import SLOW, TMP, detach_all, ktrace, limit, session_of, sessions, victim, wait_for

FOLDER = TMP + '/etc'


def teardown():
    subprocess.run(['pkill', '-KILL', '-x', 'ktrace'], check=False)
    detach_all()
    shutil.rmtree(FOLDER, ignore_errors=True)


def begin(*words, **more):
    return subprocess.Popen(['ktrace', *words], stderr=subprocess.PIPE, text=True, **more)


def stream(path):
    return begin('stream', 's', '--to', f'json:{path}')


def end_of(process, status=0, seconds=60):
    errors = process.communicate(timeout=limit(seconds))[1]
    assert process.returncode == status, (process.returncode, errors)
    return errors


def documents(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def ids(path):
    return [one['id'] for one in documents(path) if 'id' in one]


def entries_of(path):
    """Of the events that --entries adds."""
    return [one for one in documents(path) if one['event'] == 'entry']


def check_once(path, entries=True):
    """Each record that the module produced, less those that it dropped, is in the file once."""
    names = ids(path)
    twice = [name for name, nr in collections.Counter(names).items() if nr > 1]
    assert not twice, twice[:5]
    counters = session_of('s')['counters']
    lost = sum(one['missing'] for one in documents(path) if one['event'] == 'gap')
    assert lost == counters['dropped'], (lost, counters)
    assert counters['acknowledged'] + counters['dropped'] + counters['held'] == counters['produced']
    if entries:
        assert len(names) == counters['produced'] - counters['dropped'], (len(names), counters)
    return counters


def test_to_the_end():
    """The stream ends with the session, and says what became of its records."""
    path = TMP + '/to-the-end'
    with Live() as live:
        attach('-f', 'alpha', '--stream', '--for', str(3 * SLOW))
        process = begin('stream', 's', '--entries', '--to', f'json:{path}')
        live.do('alpha 2000')
        wait_for(lambda: session_of('s')['state'] == 'stopped', 60)
        assert 'confirmed' in end_of(process)
        counters = check_once(path)
        last = documents(path)[-1]
        assert last['event'] == 'end' and last['state'] == 'stopped'
        assert last['delivered'] == counters['produced'] >= 4000 and last['dropped'] == 0
        assert len(entries_of(path)) == 2000


def test_exits_only():
    path = TMP + '/exits'
    with Live() as live:
        attach('-f', 'alpha', '--stream')
        live.do('alpha 100')
        process = stream(path)
        wait_for(lambda: os.path.exists(path) and len(ids(path)) == 100)
        process.send_signal(signal.SIGINT)
        end_of(process)
        assert {one['event'] for one in documents(path)} == {'begin', 'exit', 'end'}
        assert session_of('s')['counters']['held'] == 0


def killed_at_random(path, live):
    random.seed(1)
    for _ in range(20):
        process = begin('stream', 's', '--entries', '--to', f'json:{path}')
        live.begin('alpha 500')
        time.sleep(random.random() * .3)
        process.kill()
        process.communicate()
        live.wait()


def test_killed():
    """20 times, at any moment, while records come: none is lost, and none is there twice."""
    path = TMP + '/killed'
    with Live() as live:
        attach('-f', 'alpha', '--stream')
        killed_at_random(path, live)
        process = begin('stream', 's', '--entries', '--to', f'json:{path}')
        wait_for(lambda: session_of('s')['counters']['held'] == 0, 60)
        process.send_signal(signal.SIGTERM)
        end_of(process)
        assert check_once(path)['produced'] >= 20000


def test_small_ring():
    """Produced = delivered + dropped, to the record."""
    path = TMP + '/small'
    with Live() as live:
        attach('-f', 'alpha', '--stream', '--buffer', '32K')
        process = begin('stream', 's', '--entries', '--to', f'json:{path}')
        wait_for(lambda: os.path.exists(path))
        os.kill(process.pid, signal.SIGSTOP)
        live.do('alpha 20000')
        os.kill(process.pid, signal.SIGCONT)
        live.do('alpha 100')
        wait_for(lambda: session_of('s')['counters']['held'] == 0, 60)
        process.send_signal(signal.SIGINT)
        assert 'dropped' in end_of(process, 3)
        assert check_once(path)['dropped'] > 0


def test_kept_packets():
    """A reader goes on behind packets that are not acknowledged, which the next reader gets."""
    with Live() as live:
        attach('-f', 'alpha', '--stream')
        live.do('alpha 3000')
        cpu = max(range(os.cpu_count()), key=lambda cpu: len(packets(Client(), cpu, 0, 0)))
        client = Client()
        first = packets(client, cpu, 0, 0)
        assert len(first) > 3, first
        live.do('alpha 3000')
        assert packets(client, cpu, 3, 0)[:len(first) - 3] == first[3:]
        assert packets(client, cpu, first[-1], 2)[:1] == first[-1:]
        try:
            packets(client, cpu, 3, 4)
            raise AssertionError('KEEP is above CURSOR')
        except Refused as error:
            assert error.errno == errno.EINVAL
        client.close()
        assert wait_for(lambda: packets(Client(), cpu, 0, 0))[0] == 2


def packets(client, cpu, cursor, keep):
    """Returns the numbers of the packets that are sent."""
    session = u64(session_of('s')['id'])
    answers = client.dump('STREAM_READ', SESSION=session, CPU=u32(cpu), CURSOR=u64(cursor), KEEP=u64(keep),
                          FLAGS=u32(1))
    return [int.from_bytes(answer['CURSOR'], 'little') for answer in answers if 'PACKET' in answer]


def test_a_stalled_sink():
    """While a required sink takes nothing, another one gets what comes; nothing comes twice."""
    path, pipe = TMP + '/fast', TMP + '/stalled'
    os.mkfifo(pipe)
    with Live() as live, open(os.open(pipe, os.O_RDWR)) as reader:
        attach('-f', 'alpha', '--stream', '--buffer', '1M')
        process = begin('stream', 's', '--entries', '--to', f'json:{pipe}', '--to', f'json:{path}')
        live.do('alpha 3000')
        wait_for(lambda: os.path.exists(path) and len(ids(path)) == 6000, 30)
        assert session_of('s')['counters']['acknowledged'] < 6000
        # What is not a packet yet comes, too.
        live.do('alpha 1')
        wait_for(lambda: len(ids(path)) == 6002, 30)
        read = [json.loads(reader.readline()) for _ in range(6003)]
        assert len({one['id'] for one in read if 'id' in one}) == 6002
        wait_for(lambda: session_of('s')['counters']['held'] == 0, 30)
        process.send_signal(signal.SIGINT)
        end_of(process)
        check_once(path)
    os.unlink(pipe)


def test_rows_and_events():
    """With --to, a command passes on what it would have printed."""
    path = TMP + '/rows'
    ktrace('syscall', '--slow', '20ms', '--to', f'json:{path}', '--', 'sh', '-c', 'sleep .1; true')
    rows = [one for one in documents(path) if one['event'] == 'row']
    assert {row['table'] for row in rows} == {'syscall'}
    assert any(row['name'] == 'execve' and row['calls'] >= 1 for row in rows)
    slow = [one for one in documents(path) if one['event'] == 'syscall']
    assert any(one['name'] in ('clock_nanosleep', 'nanosleep') for one in slow), slow
    assert all(one['duration_ns'] >= 20e6 for one in slow)


def test_rows_for_a_silent_collector():
    """Its rows are missing, which is reported. Other sinks get all rows, and the command ends in time."""
    path = TMP + '/silent'
    with socket.create_server(('127.0.0.1', 0)) as server:
        address = f'relp:127.0.0.1:{server.getsockname()[1]}'
        began = time.monotonic()
        process = begin('sched', '-i', '1', '-d', '3', '--to', address, '--to', f'json:{path}')
        words = end_of(process, 3)
        assert time.monotonic() - began < limit(20)
    missed, = re.findall(rf"(\d+) rows were not passed on to {address}", words)
    rows = [one for one in documents(path) if one['event'] == 'row']
    assert int(missed) == len(rows) > 0, (missed, len(rows))
    windows = sorted({(row['from_ns'], row['time_ns']) for row in rows})
    assert len(windows) >= 2 and all(one[1] == other[0] for one, other in zip(windows, windows[1:]))


def test_calls_of_a_program():
    path = TMP + '/calls'
    subprocess.run(['ktrace', 'run', '-f', 'alpha', '--stream', '--no-lib', '--to', f'json:{path}', '--',
                    victim('live')], input='alpha 7\n', text=True, stdout=subprocess.DEVNULL, check=True)
    found = documents(path)
    assert len([one for one in found if one['event'] == 'exit' and one['name'] == 'alpha']) == 7
    row, = [one for one in found if one['event'] == 'row' and one['name'] == 'alpha']
    assert row['table'] == 'run' and row['calls'] == 7, row


# --- ktrace serve -----------------------------------------------------------------------


def configure(main='', **files):
    os.makedirs(FOLDER + '/sessions.d', exist_ok=True)
    for path, text in [('ktrace.conf', main), *((f'sessions.d/{name}.conf', text) for name, text in files.items())]:
        with open(f'{FOLDER}/{path}', 'w') as file:
            file.write(text)


def serve():
    """The unit of ktrace serve has a network of its own; the module answers there."""
    return subprocess.Popen(['unshare', '--net', 'ktrace', 'serve', '--config', FOLDER],
                            stderr=subprocess.PIPE, text=True)


def names():
    return sorted(session['name'] for session in sessions())


def wait_for_sessions(*wanted):
    """Waits until these sessions are the only ones and count: a new one has its name before."""
    wait_for(lambda: sorted((session['name'], session['state']) for session in sessions()) ==
             [(name, 'active') for name in wanted], 60)


def status():
    return subprocess.run(['ktrace', 'serve', '--status'], stdout=subprocess.PIPE, text=True,
                          check=False).stdout


def test_served_from_before_the_program_exists():
    path, program = TMP + '/served', TMP + '/served-live'
    configure(f'[Sink file]\nTo=json:{path}\n', s=f'[Session]\nBinary={program}\nFunction=alpha\nNoLib=yes\nStream=yes\n')
    process = serve()
    wait_for(lambda: f'waits for {program}' in status(), 30)
    shutil.copy(victim('live'), program)
    wait_for_sessions('s')
    run_alpha(program, 50)
    wait_for(lambda: os.path.exists(path) and len(ids(path)) >= 50, 30)
    # The stream outlives the streamer.
    process.kill()
    process.communicate()
    run_alpha(program, 60)
    process = serve()
    wait_for(lambda: len([one for one in documents(path) if one['event'] == 'exit']) == 110, 30)
    assert len(ids(path)) == len(set(ids(path)))
    wait_for(lambda: 'held 0' in status() and 'produced' in status())
    # An update: the old session ends with the last process of the old program.
    shutil.copy(victim('live'), program + '.new')
    os.rename(program + '.new', program)
    wait_for_sessions('s.2')
    run_alpha(program, 5)
    wait_for(lambda: len([one for one in documents(path) if one['event'] == 'exit']) == 115, 30)
    assert {one['session'] for one in documents(path)} == {'s', 's.2'}
    process.terminate()
    words = end_of(process)
    assert 'was found in the module' in words and 'as s.2' in words, words
    assert names() == ['s.2']


def run_alpha(program, calls):
    subprocess.run([program], input=f'alpha {calls}\n', text=True, stdout=subprocess.DEVNULL, check=True)


def textfile():
    try:
        with open(TMP + '/ktrace.prom') as file:
            return file.read()
    except FileNotFoundError:
        return ''


def test_served_providers():
    path = TMP + '/providers'
    configure(f'[Serve]\nTextfile={TMP}\nTextfileInterval=1s\n[Sink file]\nTo=json:{path}\n',
              calls='[Session]\nCommand=syscall\nSlow=20ms\n', faults='[Session]\nCommand=fault\n',
              threads='[Session]\nCommand=sched\nComm=no-such*\n')
    process = serve()
    wait_for_sessions('calls', 'faults', 'threads')
    subprocess.check_call(['sleep', '.1'])
    wait_for(lambda: os.path.exists(path) and any('nanosleep' in one.get('name', '') for one in documents(path)), 30)
    wanted = ('ktrace_session_info{session="calls",provider="syscalls",state="active"} 1',
              'ktrace_syscall_duration_seconds_bucket{session="calls",',
              'ktrace_fault_duration_seconds_count{session="faults",',
              f'ktrace_stream_records_total{{session="calls",sink="json:{path}",result="delivered"}}')
    wait_for(lambda: all(words in textfile() for words in wanted), 30)
    process.terminate()
    end_of(process)
    assert not os.path.exists(TMP + '/ktrace.prom')


def calls_in(path, name):
    """The calls of this function in a file of records."""
    if not os.path.exists(path):
        return []
    return [one for one in documents(path) if one['event'] == 'call' and one['name'] == name]


def read_head():
    subprocess.check_call(['head', '-c', '7', '/bin/true'], stdout=subprocess.DEVNULL)


def test_served_functions():
    """Kernel functions have their names in records and metrics, also after a kill of ktrace serve."""
    path = TMP + '/functions'
    configure(f'[Serve]\nTextfile={TMP}\nTextfileInterval=1s\n[Sink file]\nTo=json:{path}\n',
              s='[Session]\nCommand=func\nFunction=vfs_read,do_sys_open*\nSlow=0\nStacks=yes\nComm=head\n')
    process = serve()
    wait_for_sessions('s')
    read_head()
    wait_for(lambda: calls_in(path, 'vfs_read'), 30)
    process.kill()
    process.communicate()
    read_head()
    process = serve()
    wait_for(lambda: 'was found' in status() and session_of('s')['counters']['held'] == 0, 30)
    process.terminate()
    assert 'was found in the module, and goes on' in end_of(process)
    check_once(path)
    calls = calls_in(path, 'vfs_read')
    if os.path.exists('/sys/kernel/btf/vmlinux'):
        assert [call.get('return') for call in calls].count(7) == 2, calls
    else:
        print('      there is no BTF, so results that are numbers are left out')
        assert calls and not len(calls) % 2 and not any('return' in call for call in calls), calls
    assert all(call['stack'] for call in calls)


def test_metrics_of_functions():
    configure(f'[Serve]\nTextfile={TMP}\nTextfileInterval=1s\n',
              s='[Session]\nCommand=func\nFunction=vfs_read\nComm=head\n')
    process = serve()
    wait_for_sessions('s')
    read_head()
    wait_for(lambda: re.search(r'ktrace_call_duration_seconds_count{session="s",function="vfs_read"} [1-9]', textfile()), 30)
    process.terminate()
    end_of(process)


def test_other_options_begin_another_session():
    path = TMP + '/others'
    main = f'[Sink file]\nTo=json:{path}\n'
    configure(main, s='[Session]\nCommand=syscall\nSlow=20ms\nComm=sleep\n')
    process = serve()
    wait_for_sessions('s')
    subprocess.check_call(['sleep', '.1'])
    configure(main, s='[Session]\nCommand=syscall\nComm=sleep\nSlow=50ms\n')
    process.send_signal(signal.SIGHUP)
    wait_for_sessions('s.2')
    # The order of the lines, and a second SIGHUP, change nothing.
    configure(main, s='[Session]\nSlow=50ms\nCommand=syscall\nComm=sleep\n')
    process.send_signal(signal.SIGHUP)
    wait_for(lambda: 's.2 to' in status(), 30)
    subprocess.check_call(['sleep', '.1'])
    wait_for(lambda: [one['session'] for one in documents(path) if 'nanosleep' in one.get('name', '')] == ['s', 's.2'],
             30)
    # Another command is another option, too.
    configure(main, s='[Session]\nCommand=sched\nSlow=50ms\nComm=sleep\n')
    process.send_signal(signal.SIGHUP)
    wait_for_sessions('s.3')
    process.terminate()
    words = end_of(process)
    assert words.count('has other options') == 4 and 'exists' not in words, words
    assert len(ids(path)) == len(set(ids(path)))


def test_wrong_configurations():
    for text, words in (('[Session]\nBinray=/bin/ls\n', ':2: ctl attach has no key Binray; did you mean Binary?'),
                        ('[Session]\nCommand=sycall\n', 'did you mean syscall?'),
                        ('[Session]\nBinary=/bin/ls\nMaxDepth=none\n', ':3: --max-depth takes a number'),
                        ('[Session]\nTo=nowhere\n', 'There is no [Sink nowhere]'),
                        ('[Session]\nCommand=func\n', 'needs Function=, the kernel functions'),
                        ('Binary=/bin/ls\n', ':1: Binary=/bin/ls stands in front of the first section')):
        configure(s=text)
        process = begin('serve', '--config', FOLDER, '--check')
        errors = end_of(process, 1)
        assert words in errors and f'{FOLDER}/sessions.d/s.conf' in errors, errors


def test_saved():
    """What ctl attach was told becomes a file that begins the same session."""
    program = victim('live')
    os.makedirs(FOLDER, exist_ok=True)
    ktrace('ctl', 'attach', '-b', program, '-f', 'alpha,beta', '--no-lib', '--max-depth=7', '-n', 's', '--stream')
    ktrace('save', 's', '--config', FOLDER)
    with open(FOLDER + '/sessions.d/s.conf') as file:
        assert file.read() == (f'[Session]\nCommand=ctl attach\nBinary={program}\nFunction=alpha,beta\n'
                               'NoLib=yes\nMaxDepth=7\nStream=yes\n')
    assert 'force' in str(ktrace('save', 's', '--config', FOLDER, status=1))
    process = serve()
    wait_for(lambda: 'was found' in status(), 30)
    process.terminate()
    assert 'other options' not in end_of(process) and names() == ['s']
    end_of(begin('serve', '--config', FOLDER, '--check', stdout=subprocess.DEVNULL))
    ktrace('ctl', 'detach', 's')
    assert 'no session' in str(ktrace('save', 's', '--config', FOLDER, status=1))


def test_saved_functions():
    """A session of kernel functions is saved, and its file is that of the session itself."""
    os.makedirs(FOLDER, exist_ok=True)
    ktrace('func', 'vfs_read', '--attach=s', '--slow', '1s', '-f', 'vfs_write')
    ktrace('save', 's', '--config', FOLDER)
    with open(FOLDER + '/sessions.d/s.conf') as file:
        assert file.read() == ('[Session]\nCommand=func\nSlow=1s\nFunction=vfs_write\n'
                               'Function=vfs_read\n')
    process = serve()
    wait_for(lambda: 'was found' in status(), 30)
    process.terminate()
    assert 'other options' not in end_of(process)
    assert names() == ['s']


def test_what_no_configuration_can_have():
    """A value that would be another one when it is read is refused."""
    for name, value in ('blanks', ' head '), ('lines', 'head\nTo=other'), ('continued', 'head\\'):
        ktrace('func', 'vfs_read', '--attach', name, '--comm', value)
        assert 'cannot be in a configuration' in str(ktrace('save', name, '--config', FOLDER, status=1))
        assert not os.path.exists(f'{FOLDER}/sessions.d/{name}.conf')


def test_functions_without_names():
    """They are reported where records are passed on."""
    ktrace('func', 'vfs_read', '--attach', 's', '--slow', '1s')
    os.unlink('/run/ktrace/s')
    process = stream(TMP + '/nameless')
    wait_for(lambda: os.path.exists(TMP + '/nameless'))
    process.send_signal(signal.SIGINT)
    assert 'the names of session s are not known here' in end_of(process)


def test_what_attach_does_not_keep():
    for words, told in ((['--errors'], 'no chains of errors'), (['--stacks'], 'add --slow TIME'),
                        (['-d', '1'], 'returns at once')):
        assert told in str(ktrace('func', 'vfs_read', '--attach', 's', *words, status=2))
    assert 'ktrace func --attach s' in str(ktrace('io', '--layers', 'fs', '--attach', 's', status=2))
    ktrace('func', 'vfs_read', '--attach', 's')
    assert 'choose another name' in str(ktrace('func', 'vfs_read', '--attach', 's', status=1))
    assert 'cannot be changed' in str(ktrace('ctl', 'change', 's', '-f', 'vfs_write', status=1))
