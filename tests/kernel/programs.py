# SPDX-License-Identifier: GPL-2.0
"""
Real programs that do the same in each run: their commands, and the files whose functions are
counted.

As a program, "programs.py DIR" counts their calls by callgrind, outside of the machine:
DIR/NAME.calls is callgrind's file, DIR/NAME.out the program's output, DIR/environment its
environment: valgrind adds variables, from which bash and perl make values.
"""
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBS = '/usr/lib/x86_64-linux-gnu/'

ENVIRONMENT = {'PATH': '/usr/bin:/bin', 'HOME': '/', 'LC_ALL': 'C', 'LD_BIND_NOW': '1',
               'PERL_HASH_SEED': '0', 'PYTHONHASHSEED': '0'}


def script(name):
    return os.path.join(HERE, 'programs', name)


# name: (command, standard input or None, the file whose functions are counted)
PROGRAMS = {
    'bash': (['/bin/bash', '--norc', script('script.bash')], None, '/bin/bash'),
    'perl': (['/usr/bin/perl', script('script.pl')], None, '/usr/bin/perl'),
    'python': (['/usr/bin/python3', '-I', '-S', '-B', script('script.py')], None,
               '/usr/bin/python3'),
    'sqlite': (['/usr/bin/sqlite3', '-batch', ':memory:'], script('script.sql'),
               LIBS + 'libsqlite3.so.0'),
    'xz': (['/usr/bin/xz', '-9', '-c', script('script.sql')], None, LIBS + 'liblzma.so.5'),
}


def default_signals():
    """Sets signals to their defaults: in a background job some are ignored, which bash inherits."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def run(name, before=(), environment=None):
    """Returns a program's output and status; before: a command that runs it."""
    command, stdin, _ = PROGRAMS[name]
    with open(stdin or '/dev/null') as standard_input:
        done = subprocess.run([*before, *command], stdin=standard_input, cwd='/',
                              env=environment or ENVIRONMENT, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, preexec_fn=default_signals)
    return done.stdout, done.returncode


def environment_of(folder):
    with open(os.path.join(folder, 'environment')) as file:
        return dict(item.split('=', 1) for item in file.read().split('\0') if item)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'environment'), 'wb') as file:
        subprocess.run(['valgrind', '-q', '--tool=none', '/usr/bin/env', '-0'], cwd='/',
                       env=ENVIRONMENT, stdout=file, check=True)
    for name in PROGRAMS:
        path = os.path.join(folder, name)
        newest = max(os.path.getmtime(file) for file in
                     (__file__, PROGRAMS[name][2], *map(script, os.listdir(script('')))))
        if os.path.exists(path + '.out') and os.path.getmtime(path + '.out') > newest:
            continue
        output, status = run(name, ['valgrind', '-q', '--tool=callgrind',
                                    '--callgrind-out-file=%s.calls' % path])
        assert status == 0 or name == 'sqlite', (name, status)
        with open(path + '.out', 'wb') as file:
            file.write(output)


if __name__ == '__main__':
    main()
