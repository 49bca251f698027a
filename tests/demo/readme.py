#!/usr/bin/env python3
"""Runs the commands of README.md in the virtual machine and writes their outputs into it,
shortened.

readme.py writes README.md; K=6.1 is the kernel. "readme.py run" is the part that runs inside the
machine. A command is an indented line that begins with "$ ", with its continuation lines. The
indented lines after it are its output. A line "..." stands for omitted lines.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
README = os.path.join(TOP, 'README.md')
WIDTH = 76    # of a terminal of 80 columns, without the indentation


def matching(*parts):
    """Returns a function that chooses lines: per (PATTERN, NR), NR lines from the next match on."""
    def choose(lines):
        end = 0
        for pattern, nr in parts:
            at = next((i for i in range(end, len(lines)) if re.search(pattern, lines[i])), None)
            assert at is not None, (pattern, lines)
            yield from ['...'] * (at > end > 0) + lines[at:at + nr]
            end = at + nr
    return choose


def one_thread(lines):
    """Chooses the beginning of a worker's tree, and its first step with an unwound call."""
    worker = next(line.split()[0] for line in lines if 'Worker::loop' in line)
    own = [line for line in lines if line.split()[:1] == [worker]]
    at = next(i for i, line in enumerate(own) if '} /* measure */ /* unwound' in line)
    return [lines[0], own[0], '...'] + own[at - 3:at + 2]


def one_event(lines):
    """Chooses the first system call of a stream, and some of its members."""
    event = next(one for one in map(json.loads, lines) if one['event'] == 'syscall')

    def members(*names):
        return ','.join('%s:%s' % (json.dumps(name), json.dumps(event[name])) for name in names)
    return ['{%s,' % members('schema', 'event', 'id'), ' %s,...,%s,...,%s,...}' % (
        members('session', 'host'), members('name'), members('duration_ns'))]


CUT = {
    'ktrace run': one_thread,
    'ktrace syscall --slow': lambda lines: [],
    'timeout 2 ktrace stream': one_event,
    'ktrace ctl attach': matching(('^Session', 1)),
    'ktrace ctl read': matching(('TOTAL', 4)),
    'ktrace syscall': matching(('% time', 4), ('^100.00', 1), ('errors  errno', 2)),
    'ktrace io': matching((' read nullb0', 5)),
    'ktrace sched': matching((' OFF CPU', 1), (' sleep$', 1), ('do_epoll_wait', 1), ('^ *--$', 2)),
}


def blocks(lines):
    """Yields (start, end, command) of each command and its output."""
    at = 0
    while at < len(lines):
        if not lines[at].startswith('    $ '):
            at += 1
            continue
        start, command = at, lines[at][6:]
        while command.endswith('\\'):
            at += 1
            command = command[:-1].rstrip() + ' ' + lines[at].strip()
        output = at = at + 1
        while at < len(lines) and lines[at].startswith('    ') and not lines[at].startswith('    $ '):
            at += 1
        yield start, output, at, command


def cut(command, lines):
    return next(CUT[words] for words in CUT if command.startswith(words))(lines)


def run():
    scene = ['bash', '-c', '. "$0"; "$@"', os.path.join(HERE, 'scene.sh')]
    subprocess.check_call(scene + ['serve', '6379'])
    subprocess.check_call(scene + ['slow_file'])
    load = subprocess.Popen(scene + ['load', '6379'], start_new_session=True)
    outputs = {}
    for *_, command in blocks(open(README).read().splitlines()):
        if not command.startswith(('ktrace ctl', 'timeout 2 ktrace stream')):
            subprocess.check_call(['ktrace', 'ctl', 'detach', '--all'], stdout=subprocess.DEVNULL)
        # What sinks promise is for people; the output is one document per line.
        words = subprocess.DEVNULL if 'ktrace stream' in command else subprocess.STDOUT
        done = subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, stderr=words, text=True,
                              cwd=TOP, env=dict(os.environ, COLUMNS=str(WIDTH)))
        outputs[command] = done.stdout
    os.killpg(load.pid, 15)
    print(json.dumps(outputs))


def write():
    redis = os.path.join(os.environ.get('KTRACE_CACHE', os.path.expanduser('~/.cache/ktrace')), 'redis')
    command = 'cp -a %s/root/usr / && python3 tests/demo/readme.py run' % redis
    subprocess.check_call(['make', '-s', '-C', 'tests/victims', 'OUT=/tmp', 'demo'], cwd=TOP)
    subprocess.check_call([os.path.join(TOP, 'tests/packages.sh'), 'redis', 'redis-server', 'redis-tools'])
    out = subprocess.check_output(['tests/vm/vm.sh'], cwd=TOP, text=True, env=dict(os.environ, RUN=command))
    outputs = json.loads(out)
    lines, at, text = open(README).read().splitlines(), 0, []
    for start, output, end, command in blocks(lines):
        text += lines[at:output]
        text += ['    ' + line for line in cut(command, outputs[command].splitlines())] if outputs[command] else []
        at = end
    open(README, 'w').write('\n'.join(text + lines[at:]) + '\n')


if __name__ == '__main__':
    run() if sys.argv[1:] == ['run'] else write()
