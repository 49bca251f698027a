# SPDX-License-Identifier: GPL-2.0
"""docs/netlink/ktrace.yaml says what include/uapi/ktrace.h says: names, order, types."""
import os
import re
import sys

import yaml

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def text_of(path):
    with open(os.path.join(root, path), encoding='ascii') as file:
        return file.read()


header = text_of('include/uapi/ktrace.h')
spec = yaml.safe_load(text_of('docs/netlink/ktrace.yaml'))


def plain(name):
    return name.strip('_').lower().replace('_', '-')


def body_of(kind, name):
    return re.search(r'%s %s \{(.*?)\n\};' % (kind, name), header, re.S).group(1)


def enum(name, prefix):
    code = re.sub(r'/\*.*?\*/', '', body_of('enum', name), flags=re.S)
    return [plain(entry) for entry in re.findall(r'\b%s(\w+)' % prefix, code)]


def attributes():
    types = dict(re.findall(r'KTRACE_A_(\w+),\s*/\* ([us]\d+|string)(?![\w\[])', header))
    for name in enum('ktrace_attr', 'KTRACE_A_')[1:]:
        kind = 'pad' if name == 'pad' else types.get(name.upper().replace('-', '_'), 'binary')
        yield name, kind


def members(name):
    return [(plain(member), 'binary' if array else kind) for kind, member, array in
            re.findall(r'__([us]\d+) (\w+)(\[\w+\])?;', body_of('struct', 'ktrace_' + name.replace('-', '_')))]


def main():
    failed = 0

    def same(what, there, here):
        nonlocal failed
        if there != here:
            print('%s: the header says %s, the specification %s' % (what, there, here))
            failed = 1

    same('attributes', list(attributes()),
         [(a['name'], a['type']) for a in spec['attribute-sets'][0]['attributes']])
    same('commands', enum('ktrace_cmd', 'KTRACE_CMD_')[1:],
         [operation['name'] for operation in spec['operations']['list']])
    known = {name for name, _ in attributes()}
    for operation in spec['operations']['list']:
        for part in re.findall(r"'attributes': (\[.*?\])", str(operation)):
            same(operation['name'], set(), set(re.findall(r"'([\w-]+)'", part)) - known)
    structs = {d['name']: d for d in spec['definitions'] if d['type'] == 'struct'}
    same('structs', [plain(name) for name in re.findall(r'\nstruct ktrace_(\w+) \{', header)],
         list(structs))
    for name, definition in structs.items():
        same('struct ' + name, members(name),
             [(m['name'], m['type']) for m in definition['members']])
    for name in ('state', 'event', 'return', 'exit-kind', 'key', 'figure', 'column-kind'):
        entries = [d['entries'] for d in spec['definitions'] if d['name'] == name][0]
        c_name = name.replace('-', '_')
        prefix = 'KTRACE_%s_' % c_name.replace('_kind', '').upper()
        same(name, enum('ktrace_' + c_name, prefix), entries)
    return failed


sys.exit(main())
