# SPDX-License-Identifier: GPL-2.0
"""Reads the counts of valgrind's callgrind."""
import re

NAME = re.compile(r'(c?)(ob|fn|fl|fi|fe)=\((\d+)\)(?: (.*))?$')


def entries(path):
    """Returns {(object, function): entries}: the arrivals at each function's first instruction.

    That is what callgrind calls a call, including a jump from another function. A recursion, which
    it calls NAME'2, counts for NAME.
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
