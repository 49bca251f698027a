# SPDX-License-Identifier: GPL-2.0
"""Reads what valgrind's callgrind counted."""
import re

NAME = re.compile(r'(c?)(ob|fn|fl|fi|fe)=\((\d+)\)(?: (.*))?$')


def entries(path):
    """{(object, function): entries}: every arrival at a function's first instruction.

    That is what callgrind calls a call: also a jump to it from another function. A
    recursion, which it calls NAME'2, counts for NAME.
    """
    names, at, count = {}, {'ob': '', 'cob': '', 'cfn': ''}, {}
    with open(path) as lines:
        for line in lines:
            match = NAME.match(line)
            if match:
                called, what, number, name = match.groups()
                table = 'ob' if what == 'ob' else 'fn' if what == 'fn' else 'file'
                if name is not None:
                    names[table, number] = re.sub(r"'\d+$", '', name)
                at[called + what] = names[table, number]
                if what == 'ob' and not called:
                    at['cob'] = at['ob']
            elif line.startswith('calls='):
                key = at['cob'] or at['ob'], at['cfn']
                count[key] = count.get(key, 0) + int(line[6:].split()[0])
                at['cob'] = at['ob']
    return count
