# SPDX-License-Identifier: GPL-2.0
"""
Compares what test_rows prints of the descriptions of tables with docs/schema, with --sort and --by
of the commands, and with what their help and manual pages say of these.
rows.py KTRACE < output
"""
import json
import os
import re
import subprocess
import sys

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs')
# Members that a key consists of, besides those of keys of --by.
ADDED = {'errors': ['errors', 'went_on'], 'stack': ['kernel', 'kernel_end', 'user', 'user_end']}
# Where the schema of a row is, if it is not in common.json.
PLACES = {'syscall_errors': 'syscall.json#/properties/errors/items', 'queue': 'virtio.json#/properties/rows/items',
          'chain': 'func.json#/properties/chains/items'}
SORTED = ('syscall', 'sched', 'profile', 'io', 'fault', 'virtio', 'func', 'graph', 'run', 'ctl read', 'ctl watch')
ROWS = {'syscall': 'table_row', 'func': 'table_row', 'fault': 'table_row', 'sched': 'period_row',
        'profile': 'sample_row',
        'io': 'request_row', 'run': 'table_row', 'ctl attach': 'table_row', 'ctl read': 'table_row',
        'ctl watch': 'table_row'}
# What these commands are given, besides the option.
GIVEN = {'func': ['vfs_read'], 'run': ['--', 'true'], 'ctl attach': ['-b', 'file'], 'ctl read': ['name'],
         'ctl watch': ['name']}
wrong = []


def expect(is_right, *words):
    if not is_right:
        wrong.append(' '.join(map(str, words)))


# --- schemas ----------------------------------------------------------------------

def load(ref):
    file, _, path = ref.partition('#')
    with open(os.path.join(DOCS, 'schema', file)) as schema:
        found = json.load(schema)
    for word in filter(None, path.split('/')):
        found = found[word]
    return found


def type_of(schema):
    name = schema.get('$ref', '').rpartition('/')[2]
    if name in ('u64', 'histogram'):
        return name
    if 'anyOf' in schema:
        return 'key'
    return 'true' if schema.get('const') is True else 'text'


def leaves(schema, path=''):
    """Yields the path of each member, its type, and whether it is required."""
    for key, inner in schema['properties'].items():
        is_required = key in schema.get('required', [])
        if '$ref' in inner and type_of(inner) not in ('u64', 'histogram'):
            inner = load(inner['$ref'])
        if 'properties' in inner:
            for name, kind, is_inner in leaves(inner, path + key + '.'):
                yield name, kind, is_required and is_inner
        else:
            yield path + key, type_of(inner), is_required


def check_schema(row, members, keys):
    schema = {path: (kind, is_required) for path, kind, is_required
              in leaves(load(PLACES.get(row, 'common.json#/$defs/' + row)))}
    described = {}
    for path, kind, how in members:
        for name in ADDED[path] if kind == 'added' else [path]:
            described[name] = kind, how
    if row in ROWS.values():
        described.update((name, ('key', 'sometimes')) for name in keys)
    for path, (kind, how) in described.items():
        if path not in schema:
            # A key that no command with these rows offers.
            expect(kind == 'key' and row in ROWS.values(), row, path, 'is not in the schema')
            continue
        expect(kind in ('key', 'added', schema[path][0]), row, path, 'is', kind, 'and not', schema[path][0])
    for path, (kind, is_required) in schema.items():
        expect(path in described, row, path, 'is in the schema only')
        if path in described and described[path][0] not in ('key', 'added'):
            expect(described[path][1] == 'always' or not is_required, row, path, 'is not in every row')


# --- options ------------------------------------------------------------------------

def ran(ktrace, *words):
    done = subprocess.run([ktrace, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout


def help_of(text, option):
    """Returns the lines of one option, as words."""
    lines = re.search(r'\n[ -,a-z]*--%s .*(?:\n {20,}[^ ].*)*' % option, text)
    return re.findall(r'[a-z0-9_]+', lines.group()) if lines else []


def man_of(command, option):
    path = os.path.join(DOCS, 'man', 'ktrace-%s.8' % command.split()[0])
    with open(path) as page:
        text = page.read().replace('\\-', '-').replace('\\fB', '').replace('\\fR', '').replace('\\fI', '')
    return set(re.findall(r'[a-z0-9_]+', ' '.join(re.findall(
        r'\n--%s [^\n]*(?:\n(?!\.TP|\.SH|--)[^\n]*)*' % option, text))))


def check_orders(ktrace, command):
    choices = re.search(r'choose one of (.*)\.$', ran(ktrace, *command.split(), '--sort', '?')).group(1).split('|')
    shown = help_of(ran(ktrace, *command.split(), '-h'), 'sort')
    for name in choices:
        expect(re.fullmatch('[a-z0-9-]+', name), command, '--sort', name, 'is not one word')
        expect(name in shown, command, '--sort', name, 'is not in -h')
        expect(name in man_of(command, 'sort'), command, '--sort', name, 'is not in the manual page')


def check_keys(ktrace, command, keys):
    words = command.split() + ['--by', '?'] + GIVEN.get(command, [])
    offered = re.search(r'one to \d of (.*), each once', ran(ktrace, *words)).group(1).split(', ')
    shown = help_of(ran(ktrace, *command.split(), '-h'), 'by')
    schema = {path for path, _, _ in leaves(load('common.json#/$defs/' + ROWS[command]))}
    for name in keys:
        expect((name in offered) == (name in shown), command, '--by', name, 'differs in -h')
        if name in offered:
            expect(name in man_of(command, 'by'), command, '--by', name, 'is not in the manual page')
            for member in ADDED[name] if keys[name] == 'added' else [keys[name]]:
                expect(member in schema, ROWS[command], member, 'is not in the schema')


def main(ktrace):
    members, keys = {}, {}
    for line in sys.stdin:
        what, name, *rest = line.split()
        if what == 'member':
            members.setdefault(name, []).append(rest)
        else:
            keys[name] = rest[0]
            ADDED.setdefault(name, rest[1:])
    names = {member for name, kind in keys.items() for member in (ADDED[name] if kind == 'added' else [kind])}
    for row in members:
        check_schema(row, members[row], names)
    for command in SORTED:
        check_orders(ktrace, command)
    for command in ROWS:
        check_keys(ktrace, command, keys)
    if wrong:
        sys.exit('\n'.join(wrong))
    print('%d members, %d keys and %d commands are as described' %
          (sum(map(len, members.values())), len(keys), len(SORTED)))


if __name__ == '__main__':
    main(sys.argv[1])
