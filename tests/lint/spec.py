# SPDX-License-Identifier: GPL-2.0
"""Checks that docs/netlink/ktrace.yaml agrees with include/uapi/ktrace.h: names, order, types."""
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


def attributes(c_name, prefix):
    types = dict(re.findall(prefix + r'(\w+),\s*/\* ([us]\d+|string|nest|flag):', header))
    for name in enum(c_name, prefix)[1:]:
        kind = 'pad' if name == 'pad' else types.get(name.upper().replace('-', '_'), 'binary')
        yield name, kind


def sets():
    """Yields the names of the attributes of every set: that of messages, and nests."""
    yield 'ktrace', 'ktrace_attr', 'KTRACE_A_'
    for nest in re.findall(r'\nenum ktrace_(\w+)_attr \{', header):
        yield nest, 'ktrace_%s_attr' % nest, 'KTRACE_%s_' % nest.upper()


def bits(prefix):
    found = re.findall(r'#define %s(\w+)\s+\(1U << (\d+)\)' % prefix, header)
    return [(plain(name), int(bit)) for name, bit in found]


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

    same('version', re.search(r'#define KTRACE_ABI\s+(\d+)', header).group(1), str(spec['version']))
    same('sets of attributes', [name for name, _, _ in sets()],
         [a['name'] for a in spec['attribute-sets']])
    for there, (name, c_name, prefix) in zip(spec['attribute-sets'], sets()):
        same('attributes of ' + name, list(attributes(c_name, prefix)),
             [(a['name'], a['type']) for a in there['attributes']])
    same('nests', [name for name, kind in attributes('ktrace_attr', 'KTRACE_A_') if kind == 'nest'],
         [name for name, _, _ in sets()][1:])
    same('commands', enum('ktrace_cmd', 'KTRACE_CMD_')[1:],
         [operation['name'] for operation in spec['operations']['list']])
    known = {name for name, _ in attributes('ktrace_attr', 'KTRACE_A_')}
    for operation in spec['operations']['list']:
        for part in re.findall(r"'attributes': (\[.*?\])", str(operation)):
            same(operation['name'], set(), set(re.findall(r"'([\w-]+)'", part)) - known)
    structs = {d['name']: d for d in spec['definitions'] if d['type'] == 'struct'}
    same('structs', [plain(name) for name in re.findall(r'\nstruct ktrace_(\w+) \{', header)],
         list(structs))
    for name, definition in structs.items():
        same('struct ' + name, members(name),
             [(m['name'], m['type']) for m in definition['members']])
    for name, prefix in (('sinks', 'KTRACE_SINK_'), ('session-flags', 'KTRACE_F_')):
        entries = [d['entries'] for d in spec['definitions'] if d['name'] == name][0]
        same(name, bits(prefix), [(entry['name'], entry['value']) for entry in entries])
    for name in ('provider', 'state', 'event', 'return', 'exit-kind', 'key', 'figure', 'column-kind'):
        entries = [d['entries'] for d in spec['definitions'] if d['name'] == name][0]
        c_name = name.replace('-', '_')
        prefix = 'KTRACE_%s_' % c_name.replace('_kind', '').upper()
        same(name, enum('ktrace_' + c_name, prefix), entries)
    return failed


sys.exit(main())
