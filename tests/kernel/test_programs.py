# SPDX-License-Identifier: GPL-2.0
"""Real programs: their calls are those that callgrind counts, their results the untraced ones."""
import json
import os
import re
import shutil
import subprocess

import callgrind
import programs
from servers import Load, Nginx, Redis
from test_unwinding import check_chain
from tool import TMP, VICTIMS, ktrace, limit, sessions, undisturbed, wait_for

COUNTED = os.path.join(VICTIMS, 'programs')
KTRACE = shutil.which('ktrace')

# Not compared: functions that jump back to their first instruction, because callgrind counts each
# turn of the loop as a call. Python is not compared either: collisions of dictionary keys depend on
# addresses, so no two runs make the same calls.
LOOPS = {'sqlite3ExprSkipCollateAndLikely'}


def addresses(path):
    """Returns {name: address} of a file's exported functions."""
    text = subprocess.check_output(['readelf', '-W', '--dyn-syms', path], text=True)
    found = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[3] == 'FUNC' and fields[6] != 'UND':
            found[fields[7].split('@')[0]] = int(fields[1], 16)
    return found


def not_probed(path):
    """Returns {function: reason} of the functions that ktrace leaves out."""
    text = ktrace('ctl', 'attach', '--budget', 'none', '--dry-run', '--no-function', '*@*', '--binary', path)[0]
    return dict(re.findall(r'^  (\w+): (.*)$', text.split('functions would not be probed:')[-1], re.M))


def traced_run(name, environment):
    """Traces a program from its first instruction on."""
    out = os.path.join(TMP, 'out')
    output, _ = programs.run(name, [KTRACE, 'run', '--format', 'json', '-o', out,
                                    '--no-function', '*@*', '--'], environment)
    with open(out) as file:
        return output, json.load(file)


def traced_library(name, path, environment):
    """Traces a library in all processes that map it; only the program does."""
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', path, '--name', name, '--no-function', '*@*')
    try:
        output, _ = programs.run(name, environment=environment)
        return output, json.loads(ktrace('ctl', 'read', name, '--format', 'json')[0])
    finally:
        ktrace('ctl', 'detach', '--all')


def traced_calls(name, path):
    """Returns {function: entries} of one run, and checks its output."""
    environment = programs.environment_of(COUNTED)
    if '.so' in path:
        output, data = traced_library(name, path, environment)
    else:
        output, data = traced_run(name, environment)
    with open(os.path.join(COUNTED, name + '.out'), 'rb') as file:
        assert output == file.read(), output
    assert data['complete'] and not data['session']['failed'], data['session']
    return {row['name']: row['entries'] for row in data['rows'] if row['entries']}


def compare(name, minimum):
    """Compares every exported function that callgrind or ktrace counted, except those left out."""
    path = os.path.realpath(programs.PROGRAMS[name][2])
    address, left_out = addresses(path), not_probed(path)
    counted = callgrind.entries(os.path.join(COUNTED, name + '.calls'))
    want = {address[function]: (function, calls)
            for (file, function), calls in counted.items()
            if os.path.realpath(file) == path and function in address}
    found = {address[function]: calls for function, calls in traced_calls(name, path).items()}
    without = {address[function] for function in LOOPS | set(left_out) if function in address}
    different = {want[at][0] if at in want else hex(at): (found.get(at, 0), want.get(at, (0, 0))[1])
                 for at in {*want, *found} - without
                 if found.get(at, 0) != want.get(at, (0, 0))[1]}
    equal = sorted({*want} - without)
    print('      %s: %d functions, %d calls; left out: %s' % (
        name, len(equal), sum(found.values()),
        ', '.join(sorted('%s (%s)' % (f, why) for f, why in left_out.items()
                         if address.get(f) in want)) or 'none'))
    assert not different, different
    assert len(equal) >= minimum, len(equal)


def test_calls_of_bash_are_those_of_callgrind():
    compare('bash', 200)


def test_calls_of_perl_are_those_of_callgrind():
    compare('perl', 200)


def test_calls_of_sqlite_are_those_of_callgrind():
    compare('sqlite', 60)


def test_calls_of_xz_are_those_of_callgrind():
    compare('xz', 20)


def run_traced(path, *options):
    """Returns the rows of a program's trace, and compares its output with the untraced one."""
    before = subprocess.run([path], capture_output=True, timeout=limit(100))
    out = os.path.join(TMP, 'programs.json')
    after = subprocess.run(['ktrace', 'run', '--format', 'json', '-o', out, *options, '--', path],
                           capture_output=True, timeout=limit(100))
    assert (after.stdout, after.returncode) == (before.stdout, before.returncode), after
    with open(out) as file:
        data = json.load(file)
    assert data['complete'], data['session']
    return {row['name']: row for row in data['rows']}


def test_go_is_counted_but_not_timed():
    """Entries are exact, though stacks grow and are copied; why calls are not timed is reported."""
    path = os.path.join(COUNTED, 'threads-go')
    deep = sum(job % 200 + 1 for job in range(300))
    want = {'main.main': 1, 'main.worker': 16, 'main.risky': 300, 'main.risky.func1': 300,
            'main.deep': deep}
    for options in ([], [], ['--count'], ['--count']):
        rows = run_traced(path, '-f', 'main.*', *options)
        assert {name: rows[name]['entries'] for name in want} == want, (options, rows)
    assert not any('histogram' in row for row in rows.values()), rows
    text = ktrace('run', '--dry-run', '--', path)[0]
    assert re.search(r'entry only .* main.deep: .*goroutines', text), text[:500]
    _, errors = ktrace('run', '--return', 'uretprobe', '-f', 'main.deep', '--', path,
                       status=125)
    assert 'crashes Go programs' in errors, errors
    for option in ('-A', 'main.deep@1'), ('-R', 'main.deep'):
        _, errors = ktrace('run', *option, '--', path, status=125)
        assert 'it is written in Go' in errors and errors.count('\n') == 1, errors


def test_go_with_all_its_functions():
    rows = run_traced(os.path.join(COUNTED, 'threads-go'))
    assert rows['runtime.mallocgc']['entries'] > 300 and len(rows) > 200, len(rows)


def test_rust_with_all_its_functions():
    """Caught panics unwind through the program's frames and drop its values."""
    rows = run_traced(os.path.join(COUNTED, 'threads-rust'))
    want = {'threads::main': 1, 'threads::attempt': 160, 'threads::risky': 160,
            '<threads::Guard as core::ops::drop::Drop>::drop': 160,
            '<threads::Square as threads::Shape>::area': 1,
            '<threads::Circle as threads::Shape>::area': 1}
    found = {name: (rows[name]['entries'], rows[name]['calls']) for name in want}
    assert found == {name: (calls, calls) for name, calls in want.items()}, found


def method_of(path, *args):
    """Returns how the stacks of a program were found, and why."""
    out = os.path.join(TMP, 'programs.json')
    ktrace('profile', '--format', 'json', '-o', out, '--', path, *args)
    with open(out) as file:
        found = {one['file']: one for one in json.load(file)['unwind']}[path]
    return found['method'], found.get('reason')


@undisturbed
def test_stacks_of_go():
    """Go has frame pointers and no .eh_frame. A function that calls nothing has no frame, so that its
    caller is missing."""
    path = os.path.join(COUNTED, 'chain-go')
    method, reason = method_of(path, '100')
    assert method == 'frame pointers' and '.eh_frame' in reason, (method, reason)
    paths = check_chain([path, '800'], 'main.compute',
                ['chain-go', 'runtime.goexit.abi0'] + 9 * ['main.down'] + ['main.compute'])
    # The chain of frame pointers has an end, which is no cut.
    assert not any('[no unwind rule]' in path for path in paths), paths


@undisturbed
def test_stacks_of_rust():
    path = os.path.join(COUNTED, 'chain-rust')
    assert method_of(path, '100') == ('table', None)
    work = '<chain::Sum as chain::Work>::work'
    check_chain([path, '800'], work, ['_start', '__libc_start_main', 'main', 'chain::main',
                                      'chain::works'] + 10 * ['chain::down'] + [work])


def test_interpreters_from_their_first_instruction():
    for name in ('bash', 'perl', 'python', 'sqlite', 'xz'):
        out = os.path.join(TMP, name)
        output, status = programs.run(name, [KTRACE, 'run', '--format', 'summary', '-o', out, '--'])
        with open(os.path.join(COUNTED, name + '.out'), 'rb') as file:
            assert output == file.read(), (name, output)
        assert status == (name == 'sqlite'), (name, status)
        assert os.path.getsize(out) > 1000, name


def check_server(server, counted):
    """All answers of a server are right before, during and after an attach; then the counts are
    exact."""
    with server:
        with Load(server) as load:
            wait_for(lambda: load.good > 20)
            ktrace('ctl', 'attach', '--budget', 'none', '--binary', server.path, '--name', 'server')
            before = load.good
            wait_for(lambda: load.good > before + 10, 60)
            ktrace('ctl', 'detach', 'server')
            before = load.good
            wait_for(lambda: load.good > before + 50)
        assert load.bad == [], load.bad
        ktrace('ctl', 'attach', '--binary', server.path, '--name', 'server', '-f',
               ','.join(counted))
        for number in range(40):
            server.ask(number)
        data = json.loads(ktrace('ctl', 'read', 'server', '--format', 'json')[0])
        ktrace('ctl', 'detach', '--all')
        calls = {row['name']: row['entries'] for row in data['rows']}
        assert calls == dict.fromkeys(counted, 40), calls
        server.ask(0)
    assert sessions() == []


def test_redis_under_load():
    check_server(Redis(COUNTED), ['getCommand', 'setCommand'])


def test_nginx_under_load():
    check_server(Nginx(COUNTED), ['ngx_http_process_request'])
