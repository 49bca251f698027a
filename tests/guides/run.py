#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""run.py [--write] NAME: runs the commands of docs/guides/NAME.md, and checks what they print.

A command must end with its documented status, tables must have the documented headings, and
check(guide) of tests/guides/NAME.py must accept the outputs: it asserts the cause that the guide
names. --write replaces the outputs and the pictures of the guide. The victims must have been built (KTRACE_VICTIMS,
or those of tests/run.sh)."""
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from guide import Guide

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.environ.get('KTRACE_CACHE', os.path.expanduser('~/.cache/ktrace'))
VICTIMS = os.environ.get('KTRACE_VICTIMS', CACHE + '/victims')
HEADING = re.compile(r'[A-Za-z% ]+ /s [A-Za-z0-9 ]+$')


def script(part, folder):
    """Returns the script of a part: the commands run in one shell, in this folder."""
    lines = ['exec 2>&1 </dev/null; export COLUMNS=100', 'mkdir -p %s && cd %s' % (folder, folder)]
    for step in part.steps:
        lines += [step.command, "printf '\\036%d\\036\\n' $?"]
    return '\n'.join(lines) + '\n'


def run_here(part, folder):
    environment = dict(os.environ, KTRACE_VICTIMS=VICTIMS)
    return subprocess.run(['bash', '-c', script(part, folder)], env=environment, timeout=120,
                          stdout=subprocess.PIPE, text=True, errors='replace').stdout


def run_in_machine(part, folder):
    """Runs the part in /tmp/guide of a machine; what it leaves there is copied to the folder."""
    settings = dict(word.split('=', 1) for word in part.settings)
    command = script(part, '/tmp/guide') + 'mkdir /out/left && cp -r . /out/left\n'
    environment = {**os.environ, 'TIMEOUT': '300', 'KTRACE_VICTIMS': VICTIMS, **settings,
                   'RUN': command, 'LEFT': folder}
    done = subprocess.run([HERE + '/tests/vm/vm.sh'], env=environment, cwd=HERE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors='replace')
    assert done.returncode == 0, 'the machine ended with %d:\n%s%s' % (
        done.returncode, done.stdout[-2000:], done.stderr[-3000:])
    return done.stdout


def run(part, folder):
    text = (run_here if part.settings is None else run_in_machine)(part, folder)
    for step in part.steps:
        step.printed, mark, rest = text.partition('\036')
        status, _, text = rest.partition('\036\n')
        assert mark, 'the shell ended in "%s":\n%s' % (step.command, step.printed)
        assert int(status) == step.status, '"%s" ended with %s:\n%s' % (step.command, status, step.printed)
        print('      $ ' + step.command, *step.printed.splitlines(), sep='\n      ')


def headings(lines):
    return [' '.join(line.split()) for line in lines if HEADING.match(line)]


def check_headings(step):
    """Checks that tables in the guide look as they do now."""
    old, new = headings(step.documented), headings(step.shown())
    assert old == new, 'the guide is outdated (--write): "%s" has headings %s, not %s' % (step.command, new, old)


def check_picture(guide, name):
    with open(os.path.join(guide.folder, name)) as file:
        assert file.read().startswith('<?xml'), '%s is no picture' % name


def keep_pictures(guide, path):
    """Copies the pictures of the guide into the folder with the page."""
    for picture in guide.pictures:
        shutil.copy(os.path.join(guide.folder, picture), '%s-%s' % (os.path.splitext(path)[0], picture))


def main():
    write = sys.argv[1:2] == ['--write']
    name = sys.argv[-1]
    path = '%s/docs/guides/%s.md' % (HERE, name)
    with open(path) as file:
        guide = Guide(file.read())
    subprocess.check_call(['make', '-s', '-C', HERE + '/user', 'all'])
    os.environ['PATH'] = HERE + '/build:' + os.environ['PATH']
    guide.folder = tempfile.mkdtemp(prefix='guide.')
    try:
        for part in guide.parts:
            if part.steps:
                run(part, guide.folder)
        for picture in guide.pictures:
            check_picture(guide, picture)
        if write:
            keep_pictures(guide, path)
            with open(path, 'w') as file:
                file.write(guide.written())
        else:
            for step in guide.steps():
                if not step.hidden:
                    check_headings(step)
        importlib.import_module(name).check(guide)
    except AssertionError as error:
        sys.exit('%s: %s' % (name, error))
    finally:
        shutil.rmtree(guide.folder)


if __name__ == '__main__':
    main()
