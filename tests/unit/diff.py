# SPDX-License-Identifier: GPL-2.0
"""
diff.py KTRACE FOLDER GENERATE: ktrace diff of documents that are made here, and of recordings. What it prints is compared with
tests/golden/diff by run.sh; what it computes is compared with the same figures computed here.
"""
import json
import os
import shlex
import statistics
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../kernel'))
import schema

GENERATE = os.path.abspath(sys.argv[3])
KTRACE, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SVG = '{http://www.w3.org/2000/svg}'
PARSE = 'Parser<int, std::map<char, x>>::parse(char const*)'

os.chdir(FOLDER)


def diff(*words, status=0, columns=None):
    env = {key: value for key, value in os.environ.items() if key != 'COLUMNS'}
    if columns:
        env['COLUMNS'] = str(columns)
    result = subprocess.run([KTRACE, 'diff', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=env, check=False, timeout=60)
    assert result.returncode == status, (words, result)
    return result.stdout.decode(), result.stderr.decode()


def document(*words):
    read = json.loads(diff(*words, '--format', 'json')[0])
    schema.check_document(read)
    return read


def fails(words, *arguments):
    """One sentence, and no data."""
    out, errors = diff(*arguments, status=2)
    assert out == '' and errors.startswith('ktrace: ') and errors.count('\n') == 1, (arguments, errors)
    assert words in errors and len(errors) < 1200 and '\x1b' not in errors, (words, errors)


def big(number):
    number = min(number, (1 << 64) - 1)
    return number if number <= 1 << 53 else str(number)


def function(name, calls, self_ns, total_ns, **more):
    each = total_ns // max(calls, 1)
    return {'name': name, 'entries': calls, 'calls': calls, 'total_ns': big(total_ns),
            'self_ns': big(self_ns), 'avg_ns': big(each), 'min_ns': big(each // 2),
            'max_ns': big(each * 2), 'p50_ns': big(each), 'p90_ns': big(each),
            'p99_ns': big(each * 3 // 2), 'p999_ns': big(each * 2), **more}


def node(number, parent, name, calls, total_ns, self_ns, **more):
    return {'node': number, **({} if parent is None else {'parent': parent}), 'name': name,
            'calls': calls, 'total_ns': total_ns, 'self_ns': self_ns, **more}


def write(path, rows, tree=None, kind='run', lost=0, **head):
    moment = {'realtime_ns': '1795647621525395069', 'monotonic_ns': 1}
    found = {'schema': f'ktrace.{kind}/1', 'ktrace': '0.12.0', 'host': 'one', 'kernel': '6.1.0',
             'command': ['ktrace', 'run', '--format', 'json', '-o', path, '--', './prog'],
             'from': moment, 'to': moment, 'window_s': 0.5, 'complete': not lost, 'lost': lost,
             'rows': rows, **head}
    if tree is not None:
        found['tree'] = tree
    with open(path, 'w') as file:
        json.dump(found, file)


def raw(path, text):
    with open(path, 'wb') as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def golden(name, text):
    with open(name, 'w') as file:
        file.write(text)


def write_all():
    write('a.json', [function('main', 1, 1000000, 9000000), function(PARSE, 10, 5000000, 5000000),
                     function('old()', 3, 3000000, 3000000), function('never', 0, 0, 0),
                     function('idle', 2, 0, 0)],
          [node(1, None, 'main', 1, 9000000, 1000000), node(2, 1, PARSE, 10, 5000000, 5000000),
           node(3, 1, 'old()', 3, 3000000, 3000000), node(5, None, 'same', 1, 70, 70)])
    out = {'monotonic_ns': 9, 'calls': 10, 'cost_ns': 5, 'moment_ns': 9, 'observed_ns': 100}
    write('b.json', [function('main', 1, 1100000, 12000000, has_blind_callees=True),
                     function(PARSE, 10, 8900000, 8900000, at_most=1, at_most_ns=5, at_most_self_ns=3),
                     function('new \x1b[31m', 3, 2000000, 2000000, taken_out=out),
                     function('never', 0, 0, 0), function('idle', 2, 5, 5)],
          [node(7, None, 'main', 1, 12000000, 1100000), node(9, 7, PARSE, 10, 8900000, 8900000),
           node(8, 7, '</title>&"new"', 3, 2000000, 2000000), node(2, None, 'same', 1, 70, 70),
           node(3, 7, PARSE, 1, 400, 400)],
          lost=3, kernel='7.2.1',
          command=['/usr/bin/ktrace', 'run', '--min-time', '1us', '--output=b', '--', './prog2'])


RUNS = range(5)


def of_run(side, run):
    work = (5000000, 6000000)[side] + run * 1111
    rows = [function('main', 1, 1000000 + (2 * side - 1) * run * 1000, work + 1000000),
            function('work', 10, work, work), function('same', 4, 500 + run, 500 + run)]
    return rows + ([function('some', 1, 5, 5)] if not side and run < 2 else [])


def write_runs():
    for side in 0, 1:
        for run in RUNS:
            write('ab'[side] + f'{run}.json', of_run(side, run))
    return [','.join(f'{side}{run}.json' for run in RUNS) for side in 'ab']


def test_screen():
    for columns in 80, 120:
        golden(f'table-{columns}.txt', diff('a.json', 'b.json', status=3, columns=columns)[0])
    golden('table.txt', diff('a.json', 'b.json', '--sort', 'name', '--raw', status=3)[0])
    golden('paths.txt', diff('a.json', 'b.json', '--paths', '-f', 'main,same,*parse', status=3, columns=120)[0])
    golden('bounds.csv', diff('a.json', 'b.json', '--format', 'csv', status=3)[0])
    for columns in 80, 120:
        with open(f'table-{columns}.txt') as file:
            assert all(len(line.rstrip('\n')) <= columns for line in file), columns


def test_several_runs():
    a, b = write_runs()
    golden('runs.txt', diff(a, b, columns=120)[0])
    read = document(a, b)
    assert read['test']['smallest_p'] == round(2 / 252, 11), read['test']
    rows = {row['name']: row for row in read['rows']}
    for name, row in rows.items():
        for figure in 'self_ns', 'total_ns', 'calls':
            sides = [[dict((one['name'], one) for one in of_run(side, run)).get(name, {figure: 0})[figure]
                      for run in RUNS] for side in (0, 1)]
            of = row[figure]
            assert [of['a'], of['b']] == [statistics.median(side) for side in sides], (name, figure, of)
            assert [of['a_min'], of['b_max']] == [min(sides[0]), max(sides[1])], (name, figure, of)
            assert of['change'] == of['b'] - of['a'], of
            assert of['is_significant'] == (of['p'] < 0.05), of
    assert rows['work']['self_ns']['p'] == round(2 / 252, 11) and rows['same']['self_ns']['p'] == 1
    assert rows['some']['a_runs'] == 2 and rows['some']['in'] == 'a'
    assert [row['name'] for row in read['rows']] == ['work', 'main', 'same', 'some'], read['rows']

    some = [','.join(f'{side}{run}.json' for run in range(3)) for side in 'ab']
    out = diff(*some)[0]
    assert 'No change can be significant: the smallest p of 3 and 3 runs is 0.1' in out, out
    read = document(*some)
    assert not any(row['self_ns']['is_significant'] for row in read['rows']), read['rows']
    assert 'test' not in document(some[0], 'b1.json')
    fails('at most 20 are compared', ','.join(['a1.json'] * 21), 'b1.json')


def test_edges():
    read = document('a.json', 'a.json')
    assert all(row['in'] == 'both' and not row['self_ns']['change'] for row in read['rows'])
    assert read['differences'] == [] and 'test' not in read
    read = json.loads(diff('a.json', 'b.json', '--format', 'json', status=3)[0])
    schema.check_document(read)
    assert [one['what'] for one in read['differences']] == ['kernels', 'options', 'programs'], read
    rows = {row['name']: row for row in read['rows']}
    assert 'change_percent' not in rows['never']['self_ns'] and 'change_percent' not in rows['idle']['self_ns']
    assert rows['old()']['in'] == 'a' and rows['old()']['self_ns']['change'] == -3000000
    assert 'change' not in rows['old()']['p50_ns'] and 'b' not in rows['old()']['p50_ns']
    assert rows[PARSE]['b_marks'] == ['events were lost', 'at most'] and 'a_marks' not in rows[PARSE]
    assert rows['main']['b_marks'] == ['events were lost', 'has blind callees']
    assert read['lost'] == 3 and not read['complete']
    assert read['all']['self_ns']['change'] == 3000005, read['all']

    most = (1 << 64) - 1
    write('most.json', [function('f', 1, most, most)])
    write('least.json', [function('f', 1, 1, 1)])
    found = document('most.json', 'least.json')['rows'][0]['self_ns']
    assert found['a'] == str(most) and found['change'] == str(1 - most), found


def test_commands():
    """Documents of every command that are compared."""
    write('calls.json', [{'name': 'read', 'abi': abi, 'calls': 2, 'errors': 1, 'total_ns': 50, 'avg_ns': 25}
                         for abi in ('x86-64', 'i386')], kind='syscall')
    names = [row['name'] for row in document('calls.json', 'calls.json', '--sort', 'name')['rows']]
    assert names == ['read', 'read i386'], names
    period = {'count': 3, 'total_ns': 70, 'avg_ns': 23, 'max_ns': 40}
    write('sched.json', [{'tid': tid, 'comm': 'x', 'run_ns': 1, 'run': period, 'sleep': period} for tid in (1, 2)],
          kind='sched')
    read = document('sched.json', 'sched.json', '--sort', 'name')
    assert [row['name'] for row in read['rows']] == ['run x', 'sleep x'] and 'all' not in read, read
    assert read['rows'][0]['calls']['a'] == 6 and read['rows'][0]['a_marks'] == ['several rows'], read
    stage = {'requests': 4, 'total_ns': 9, 'min_ns': 1}
    write('io.json', [{'layer': 'block', 'rows': [{'disk': 'vda', 'operation': 'read', 'requests': 4, 'bytes': 9,
                                                   'total_ns': 10, 'stages': {'q2c': stage, 'd2c': stage}}]},
                      {'layer': 'fs', 'rows': [function('f', 1, 2, 3)]}], kind='io')
    names = [row['name'] for row in document('io.json', 'io.json', '--sort', 'name')['rows']]
    assert names == ['block vda read', 'block vda read d2c', 'block vda read q2c', 'fs f'], names
    write('fault.json', [{'fault': 'major read', 'pid': 4, 'comm': 'x', 'cpu': 1, 'calls': 1, 'total_ns': 5}],
          kind='fault', by=['fault', 'pid', 'cpu'])
    read = document('fault.json', 'fault.json')
    assert read['rows'][0]['name'] == 'major read x cpu 1', read
    write('count.json', [{'name': 'f', 'entries': 7, 'calls': 0}])
    assert document('count.json', 'count.json')['rows'][0]['calls']['a'] == 7
    fails('--fail-above needs times', 'count.json', 'count.json', '--fail-above', '5')
    write('none-a.json', [], [])
    for other in 'a.json', 'none-a.json':
        fails('--fail-above needs a time in A', 'none-a.json', other, '--fail-above', '5')
    fails('--sort cannot be p50', 'count.json', 'count.json', '--sort', 'p50')
    fails('they have nothing in common', 'a.json', 'calls.json')
    write('by.json', [], kind='fault', by=['pid'])
    fails('the same keys are needed', 'fault.json', 'by.json')


def test_fail_above():
    errors = diff('a.json', 'b.json', '--fail-above', '5%', status=1)[1]
    assert 'All together got slower: self 9.00 ms in A, 12.0 ms in B, +33.3 %.' in errors, errors
    assert 'ktrace: main got slower: total' in errors and 'old' not in errors and 'new' not in errors, errors
    diff('b.json', 'a.json', '--fail-above', '5', status=3)
    diff('a.json', 'b.json', '--fail-above', '79', status=3)
    errors = diff('a.json', 'b.json', '--fail-above', '5', '-f', '*parse', status=1)[1]
    assert errors.count('\n') == 2 and 'parse(char const*) got slower: self' in errors, errors
    diff('a.json', 'b.json', '--fail-above', '5', '-f', 'old,never,idle', status=3)

    a, b = [','.join(f'{side}{run}.json' for run in RUNS) for side in 'ab']
    errors = diff(a, b, '--fail-above', '5', status=1)[1]
    assert 'work got slower: self 5.00 ms in A, 6.00 ms in B, +20.0 %, significantly.' in errors, errors
    # The change of the medians is large, and the runs overlap.
    for run, time in enumerate((100, 101, 150, 151, 152)):
        write(f'c{run}.json', [function('f', 1, time, time)])
        write(f'd{run}.json', [function('f', 1, time + (run == 1) * 200, time + (run == 1) * 200)])
    c, d = [','.join(f'{side}{run}.json' for run in RUNS) for side in 'cd']
    diff(c, d, '--fail-above', '0')
    diff(c, 'd1.json', '--fail-above', '5', status=1)
    errors = diff('c0.json,c1.json', 'd1.json,d2.json', '--fail-above', '5', status=1)[1]
    assert 'too few runs for a test of significance' in errors, errors
    for wrong in '', '-1', 'x', '5%%', '1e99', 'nan':
        fails('--fail-above takes a percentage', 'a.json', 'b.json', '--fail-above=' + wrong)


def test_bmf():
    text = diff('a.json', 'b.json', '--format', 'bmf', status=3)[0]
    read = json.loads(text)
    assert read[PARSE]['latency'] == {'value': 890000, 'lower_value': 445000, 'upper_value': 1780000}, read
    assert list(read['never']) == ['calls'] and 'old()' not in read and r'new \x1b[31m' in read, read
    a, b = [','.join(f'{side}{run}.json' for run in RUNS) for side in 'ab']
    read = json.loads(diff(a, b, '--format', 'bmf')[0])
    latency = read['work']['latency']
    assert latency == {'value': 600222, 'lower_value': 600000, 'upper_value': 600444}, latency
    for name, measures in read.items():
        assert len(name) <= 1024 and measures
        for measure in measures.values():
            assert set(measure) <= {'value', 'lower_value', 'upper_value'} and 'value' in measure
            assert all(type(value) in (int, float) for value in measure.values()), measure
            assert measure['lower_value'] <= measure['value'] <= measure['upper_value'], measure
    try:
        import jsonschema
    except ImportError:
        return
    # https://bencher.dev/bmf.json
    values = {name: {'type': 'number'} for name in ('value', 'lower_value', 'upper_value')}
    metric = {'type': 'object', 'properties': values, 'required': ['value']}
    measures = {'type': 'object', 'patternProperties': {'.+': metric}}
    jsonschema.validate(read, {'type': 'object', 'patternProperties': {'.+': measures}})


def color(frame):
    fill = frame.find(SVG + 'rect').get('fill')
    red, green, blue = (int(fill[at:at + 2], 16) for at in (1, 3, 5))
    return 'grey' if red == green == blue else 'red' if red > blue else 'blue'


def frames(*words, status=0):
    root = xml.etree.ElementTree.fromstring(diff(*words, '--format', 'flame', status=status)[0])
    found = {}
    for frame in root.iter(SVG + 'svg'):
        if 'f' in frame.get('class', '').split():
            found[frame.find(SVG + 'text').text] = frame
    assert len(list(root.iter(SVG + 'script'))) == 1
    return found, {text.get('id'): ''.join(text.itertext()) for text in root.findall(SVG + 'text')}


def test_flame():
    golden('flame.svg', diff('a.json', 'b.json', '--format', 'flame', status=3)[0])
    found, texts = frames('a.json', 'b.json', status=3)
    assert {name: color(frame) for name, frame in found.items()} == {
        'all': 'grey', 'main': 'red', PARSE: 'red', '</title>&"new"': 'red'}, found
    # Nodes of the same path are one frame, whose width is the time in B.
    whole = 1100000 + 8900400 + 2000000 + 70
    assert abs(float(found[PARSE].get('width')[:-1]) - 100 * 8900400 / whole) < 0.001
    title = found[PARSE].find(SVG + 'title').text
    assert '11 calls; A: 5.00 ms, self 5.00 ms, 10 calls; self +3.90 ms (+78.0 %)' in title, title
    assert found['</title>&"new"'].find(SVG + 'title').text.endswith('; not in A')
    assert texts['gone'] == '1 path with 3.00 ms of own time is only in A: main;old() 3.00 ms.', texts
    assert texts['cut'].startswith('1 frame below'), texts
    found = frames('b.json', 'a.json', status=3)[0]
    assert color(found['main']) == 'blue' and color(found['old()']) == 'red', found
    found, texts = frames('a.json', 'a.json')
    assert {color(frame) for frame in found.values()} == {'grey'}
    assert texts['gone'] == 'No path has time in A only.', texts
    write('one.json', [], [node(1, None, 'f', 3, 100, 100)])
    write('two.json', [], [node(1, None, 'f', 6, 300, 300)])
    title = frames('one.json', 'one.json,two.json')[0]['f'].find(SVG + 'title').text
    assert title.startswith('f: 200 ns (100.00 %), self 200 ns, 5 calls; A: 100 ns'), title
    write('none.json', [], [])
    assert list(frames('none.json', 'none.json')[0]) == ['all']


def sampled(name, mode, own, total):
    return {'function': name, 'mode': mode, 'self_samples': own, 'total_samples': total,
            'self_ns': own * 1001001, 'total_ns': total * 1001001}


def stacked(comm, kind, count, user=(), kernel=(), **more):
    return {'comm': comm, 'kind': kind, 'count': count, 'total_ns': count * 1001001, 'user': list(user),
            'kernel': list(kernel), **more}


def write_profiles():
    """The second run is half as long, and work takes a larger share of it."""
    write('slow.json', [sampled('work', 'user', 400, 400), sampled('main', 'user', 580, 1000),
                        sampled('vfs_read', 'kernel', 20, 20)], kind='profile',
          stacks=[stacked('p', 'user', 400, ['work', 'main']), stacked('p', 'user', 580, ['main']),
                  stacked('p', 'kernel', 20, ['main'], ['vfs_read']), stacked(None, 'idle', 77)])
    write('fast.json', [sampled('work', 'user', 300, 300), sampled('main', 'user', 185, 500),
                        sampled('vfs_read', 'kernel', 14, 14), sampled('[no stack]', 'user', 1, 1)], kind='profile',
          stacks=[stacked('p', 'user', 300, ['work', 'main']), stacked('p', 'user', 185, ['main'], user_end='[truncated]'),
                  stacked('p', 'kernel', 14, ['main'], ['vfs_read']), {'kind': 'user', 'count': 1, 'total_ns': 1001001}])


def without_times(row):
    return {name: value for name, value in row.items() if not name.endswith('_ns')}


def test_profiles_without_times():
    """Samples of events have shares, too; times off the CPU have none."""
    off = {'function': '[sleep]', 'mode': 'off', 'self_samples': 0, 'total_samples': 0, 'self_ns': 9, 'total_ns': 9}
    for name, own in ('a.json', 40), ('b.json', 60):
        write(name, [without_times(sampled('f', 'user', own, own)), without_times(sampled('g', 'user', 100 - own, 100)), off],
              kind='profile', stacks=[without_times(stacked('p', 'user', 100, ['f', 'g']))])
    rows = {row['name']: row for row in document('a.json', 'b.json')['rows']}
    assert sorted(rows) == ['f user', 'g user'], rows
    assert rows['f user']['self_ppm'] == {'a': 400000, 'b': 600000, 'change': 200000, 'change_percent': 50}, rows


def test_profiles():
    """Shares of samples are compared, because two runs differ in the number of their samples."""
    write_profiles()
    golden('profile.txt', diff('slow.json', 'fast.json')[0])
    rows = {row['name']: row for row in document('slow.json', 'fast.json')['rows']}
    assert rows['work user']['keys'] == {'function': 'work', 'mode': 'user'}, rows
    assert rows['work user']['self_ppm'] == {'a': 400000, 'b': 600000, 'change': 200000, 'change_percent': 50}, rows
    assert rows['main user']['total_ppm']['change'] == 0 and 'self_ns' not in rows['main user'], rows
    assert rows['[no stack] user']['in'] == 'b' and rows['[no stack] user']['self_ppm']['b'] == 2000, rows
    assert not any(change for row in document('slow.json', 'slow.json')['rows']
                   for change in (row['self_ppm']['change'], row['total_ppm']['change']))
    names = diff('slow.json', 'fast.json', '--format', 'csv')[0].splitlines()[0]
    assert ',self_ppm_a,' in names and ',total_ppm_change,' in names and 'self_ns' not in names, names
    measures = json.loads(diff('slow.json', 'fast.json', '--format', 'bmf')[0])['work user']
    assert measures['self_ppm'] == {'value': 600000, 'lower_value': 600000, 'upper_value': 600000}, measures
    first = [row['name'] for row in document('slow.json', 'fast.json', '--sort', 'self')['rows']]
    assert first == ['main user', 'work user', 'vfs_read kernel', '[no stack] user'], first
    fails('do not have it', 'slow.json', 'fast.json', '--sort', 'avg')
    fails('nothing in common', 'a.json', 'fast.json')


def test_profiles_are_judged():
    """By their shares; a change that is no more than chance is none."""
    errors = diff('slow.json', 'fast.json', '--fail-above', '5', status=1)[1]
    assert errors == ('ktrace: work user has a larger share of the samples: self 40.00 % in A, 60.00 % in B, +50.0 %.\n'
                      'ktrace: work user has a larger share of the samples: total 40.00 % in A, 60.00 % in B, '
                      '+50.0 %.\n'), errors
    diff('slow.json', 'fast.json', '--fail-above', '60')
    # 14 of 500 is more than 20 of 1000 by 40 %, and means nothing.
    diff('slow.json', 'fast.json', '--fail-above', '5', '-f', 'vfs_read')
    write('none.json', [], kind='profile', stacks=[])
    fails('needs a time in A', 'none.json', 'none.json', '--fail-above', '5')
    diff('none.json', 'none.json')


def test_profiles_have_paths():
    rows = {row['name']: row for row in document('slow.json', 'fast.json', '--paths')['rows']}
    assert rows['p;main']['total_ppm']['a'] == 1000000 and rows['p;main']['self_ppm']['a'] == 580000, rows
    assert rows['p;main;work']['self_ppm']['change'] == 200000 and rows['p']['self_ppm'] == \
        {'a': 0, 'b': 0, 'change': 0}, rows
    assert rows['p;[truncated];main']['in'] == 'b' and '-;[no stack]' in rows and len(rows) == 8, list(rows)
    found, texts = frames('slow.json', 'fast.json')
    assert color(found['work']) == 'red' and color(found['vfs_read']) == 'red', found
    title = found['work'].find(SVG + 'title').text
    assert '600 ms (60.00 %), self 600 ms' in title and 'A: 400 ms' in title, title
    assert texts['gone'] == 'No path has time in A only.', texts
    assert 'all samples of a side are one second' in ' '.join(texts.values()), texts
    write('keyed.json', [{'comm': 'p', 'samples': 3, 'total_ns': 9}], kind='profile', by=['comm'])
    fails('without --by', 'keyed.json', 'keyed.json', '--paths')
    assert document('keyed.json', 'keyed.json')['rows'][0]['total_ppm']['b'] == 1000000


def test_hostile_profiles():
    """What is no profile of ktrace is refused, or gives shares that are bounded."""
    write('odd.json', [{**sampled('f', 'user', 2, 2), 'total_samples': '18446744073709551615'}], kind='profile',
          stacks=[stacked('p', 'user', 1, ['f']), {'kind': None, 'count': 3, 'user': 'text'}])
    row, = document('odd.json', 'odd.json')['rows']
    assert row['total_ppm']['a'] == 1000000, row
    document('odd.json', 'odd.json', '--paths')
    for stacks, words in (([3], 'is not an object'), ([stacked('p', 'user', -1)], 'unsigned integer'),
                          ([stacked('p', 'user', 1, [5])], 'is no text'), ('x', 'is not a list')):
        write('wrong.json', [], kind='profile', stacks=stacks)
        fails(words, 'wrong.json', 'wrong.json', '--paths')
    most = {**sampled('f', 'user', 0, 0), 'self_samples': '18446744073709551615'}
    write('wrong.json', [most, most], kind='profile')
    fails('more than 2^64', 'wrong.json', 'wrong.json')


def test_recordings():
    for side, calls in ('old', '3000'), ('new', '4000'):
        os.mkdir(side)
        for run in range(1, 5):
            subprocess.run([GENERATE, f'{side}/{run:04}', calls, 'exits', '1', '1', '4'], check=True)
    read = document('old', 'new')
    assert read['command'][1] == 'diff' and read['test']['smallest_p'] == round(2 / 70, 10), read
    assert read['a']['files'] == [f'old/000{run}' for run in range(1, 5)], read['a']
    assert read['all']['self_ns']['change'] > 0 and all(row['b_runs'] == 4 for row in read['rows']), read
    assert sum(row['calls']['b'] for row in read['rows']) > sum(row['calls']['a'] for row in read['rows'])
    assert len(document('old/0001', 'new/0002,new/0003')['b']['files']) == 2
    assert not document('old', 'old')['all']['self_ns']['change']
    assert len(frames('old', 'new')[0]) > 2


def test_hostile():
    with open('a.json') as file:
        whole = file.read()
    fails('ends in the middle', raw('cut.json', whole[:len(whole) // 2]), 'b.json')
    fails('ends in the middle', 'a.json', raw('cut2.json', whole[:-1]))
    fails('is empty', raw('empty.json', ' \n'), 'b.json')
    fails('is not JSON', raw('binary.json', b'\x00\xff\xfe\x1b[31m'), 'b.json')
    fails('more than one document', raw('two.jsonl', whole + '\n' + whole), 'b.json')
    fails('too deep', raw('deep.json', '[' * 100000), 'b.json')
    fails('too deep', raw('deeper.json', '{"a":' * 5000 + '1' + '}' * 5000), 'b.json')
    fails('not a document of ktrace', raw('list.json', '[]'), 'b.json')
    fails('not a document of ktrace', raw('other.json', '{"schema":"other"}'), 'b.json')
    fails('not a document of ktrace', raw('null.json', 'null\n'), 'b.json')
    fails('reads ktrace.run/1', raw('next.json', '{"schema":"ktrace.run/2","rows":[]}'), 'b.json')
    fails('which is not compared', raw('doctor.json', '{"schema":"ktrace.doctor/1"}'), 'b.json')
    fails('has no rows', raw('rows.json', '{"schema":"ktrace.run/1"}'), 'b.json')
    fails('rows is not a list', raw('rows.json', '{"schema":"ktrace.run/1","rows":{}}'), 'b.json')
    fails('row 0 is not an object', raw('rows.json', '{"schema":"ktrace.run/1","rows":[7]}'), 'b.json')
    fails('row 0 is neither', raw('rows.json', '{"schema":"ktrace.run/1","rows":[{"name":[],"calls":1}]}'), 'b.json')
    for number in '-1', '1e400', '1.5', '99999999999999999999999', '"18446744073709551616"', '"x"', '[]', 'null', 'true':
        fails('total_ns of row 0 is not an unsigned integer',
              raw('number.json', '{"schema":"ktrace.run/1","rows":[{"name":"f","calls":1,"total_ns":%s}]}' % number),
              'b.json')
    for tree, words in ('7', 'tree is not a list'), ('[7]', 'node 0 has no name'), \
            ('[{"node":1,"parent":1,"name":"f","calls":1}]', 'parent of node 0 is not before it'):
        fails(words, raw('tree.json', '{"schema":"ktrace.run/1","rows":[],"tree":%s}' % tree), 'b.json', '--paths')
    fails('has no tree', 'count.json', 'count.json', '--format', 'flame')
    fails('is no recording', '.', 'b.json')
    fails('cannot be opened', 'missing \x1b[31m', 'b.json')
    fails('a comma without a file', 'a.json,', 'b.json')
    fails('compares two sides', 'a.json')
    fails('compares two sides', 'a.json', 'b.json', 'c.json')
    fails('-f matches no name', 'a.json', 'b.json', '-f', 'nothing')

    long = 'x' * 10000 + '\x1b]0;\x07'
    write('long.json', [function(long, 1, 5, 5)], [node(1, None, long, 1, 5, 5)])
    for form in 'table', 'csv', 'json', 'flame', 'bmf':
        assert '\x1b' not in diff('long.json', 'long.json', '--format', form, columns=80)[0]
    chain = [node(i, i - 1 if i else None, 'f' * 50, 1, 1, 1) for i in range(5000)]
    write('chain.json', [], chain)
    read = document('chain.json', 'chain.json', '--paths')
    assert len(read['rows']) == 5000 and max(len(row['name']) for row in read['rows']) < 5000
    # Documents can come from a pipe.
    out = subprocess.run(['bash', '-c', f'{shlex.quote(KTRACE)} diff <(cat a.json) <(cat a.json)'], stdout=subprocess.PIPE,
                         check=True).stdout
    assert b'main' in out, out
    # A file is written as a whole, with the data only.
    diff('a.json', 'a.json', '-o', 'written.txt')
    with open('written.txt') as file:
        assert '(all)' in file.read()
    fails('Writing to /dev/full failed', 'a.json', 'a.json', '-o', '/dev/full')


write_all()
test_screen()
test_several_runs()
test_edges()
test_commands()
test_fail_above()
test_bmf()
test_flame()
test_profiles()
test_profiles_are_judged()
test_profiles_have_paths()
test_hostile_profiles()
test_recordings()
test_hostile()
