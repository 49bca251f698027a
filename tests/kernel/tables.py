# SPDX-License-Identifier: GPL-2.0
"""Tables as any client can read them: nothing here depends on what a provider counts."""
import struct

from genl import enum_of, u32, u64

KINDS = {number: name[len('KTRACE_COLUMN_'):].lower()
         for name, number in enum_of('ktrace_column_kind').items()}
KEYS = {name[len('KTRACE_KEY_'):].lower(): number for name, number in enum_of('ktrace_key').items()}
FIGURES = {name[len('KTRACE_FIGURE_'):].lower(): number
           for name, number in enum_of('ktrace_figure').items()}
HISTOGRAM, OTHERS, BEFORE, CPUS = 1, 1, 1 << 1, 1 << 3
COLUMN, SHAPE = struct.Struct('16s8sIBBH'), struct.Struct('QII4I')


def text(data):
    return data.rstrip(b'\0').decode()


def shape(*keys, values=(), flags=0, max_rows=0):
    """Returns the TABLE attribute of SESSION_NEW."""
    numbers = [KEYS[key] if isinstance(key, str) else key for key in keys]
    return SHAPE.pack(sum(1 << FIGURES[value] for value in values), flags, max_rows,
                      *(numbers + [0] * 4)[:4])


class Column:
    def __init__(self, data):
        name, unit, self.id, self.is_key, kind, pad = data
        self.name, self.unit, self.kind = text(name), text(unit), KINDS[kind]
        assert self.name and not pad, data
        assert self.is_key == (self.kind in ('number', 'text', 'file')), (self.name, self.kind)
        self.words = 2 if self.kind in ('text', 'latest', 'file') else 1

    def value(self, words):
        if self.kind == 'file':
            return words
        return text(struct.pack('2Q', *words)) if self.words == 2 else words[0]


class Row:
    def __init__(self, columns, answer):
        words = struct.unpack('%dQ' % (len(answer['CELLS']) // 8), answer['CELLS'])
        assert len(words) == sum(column.words for column in columns), (len(words), columns)
        self.is_other = struct.unpack('I', answer['FLAGS'])[0] == OTHERS if 'FLAGS' in answer \
            else False
        self.cpu = struct.unpack('I', answer['CPU'])[0] if 'CPU' in answer else None
        self.buckets = dict(struct.iter_unpack('I4xQ', answer['BUCKETS'])) \
            if 'BUCKETS' in answer else None
        self.keys, self.values, at = {}, {}, 0
        for column in columns:
            value = column.value(words[at:at + column.words])
            (self.keys if column.is_key else self.values)[column.name] = value
            at += column.words

    def key(self):
        return tuple(self.keys.values()), self.is_other


class Table:
    def __init__(self, answer):
        self.values, self.flags, self.max_rows, *keys = SHAPE.unpack(answer['TABLE'])
        self.columns = [Column(data) for data in COLUMN.iter_unpack(answer['COLUMNS'])]
        self.rows = []
        names = [column.name for column in self.columns]
        assert len(set(names)) == len(names), names
        assert [c.id for c in self.columns if c.is_key] == [key for key in keys if key], names
        assert sum(1 << c.id for c in self.columns if not c.is_key) == self.values, names
        assert sorted(self.columns, key=lambda column: -column.is_key) == self.columns, names

    def together(self, rows):
        """Combines the values of several rows into one, as their columns define it."""
        found = {}
        for column in self.columns:
            values = [row.values[column.name] for row in rows] if not column.is_key else []
            if column.kind == 'sum':
                found[column.name] = sum(values) % (1 << 64)
                if column.name == 'self' and found[column.name] >> 63:
                    found[column.name] = 0    # the part of one CPU may be below zero
            elif column.kind == 'least':
                found[column.name] = min(values)
            elif column.kind == 'most':
                found[column.name] = max(values)
            elif column.kind == 'latest':
                found[column.name] = max(rows, key=lambda row: row.values['last']).values[column.name]
        return found

    def total(self, name):
        return sum(row.values[name] for row in self.rows)

    def check(self):
        keys = [row.key() + (row.cpu,) for row in self.rows]
        assert len(set(keys)) == len(keys), keys
        for row in self.rows:
            assert (row.buckets is None) == (not self.flags & HISTOGRAM), self.flags
            timed = row.values.get('calls', 0) - row.values.get('at_most', 0)
            if row.buckets is not None and 'calls' in row.values:
                assert sum(row.buckets.values()) == timed, row.values
            # On one CPU, there may be inner calls of a recursion alone.
            if timed and row.cpu is None and {'min', 'max', 'total'} <= row.values.keys():
                assert row.values['min'] <= row.values['max'] <= row.values['total'], row.values

    def text(self, title):
        """Returns a table as a client without knowledge of providers shows it: names, units, first
        rows."""
        columns = ('%s%s%s' % (c.name, ' [key]' if c.is_key else '', ' (%s)' % c.unit if c.unit else '')
                   for c in self.columns)
        rows = (', '.join('%s=%s' % item for item in {**row.keys, **row.values}.items())
                for row in self.rows[:5])
        kind = 'keys that were chosen' if self.max_rows else 'its own keys'
        return '\n  '.join(['%s: %s' % (title, kind), ', '.join(columns), *rows])


def tables_of(client, session, flags=0):
    tables = []
    for answer in client.dump('TABLE_GET', SESSION=u64(session), FLAGS=u32(flags)):
        if 'TABLE' in answer:
            tables.append(Table(answer))
        elif 'CELLS' in answer:
            tables[-1].rows.append(Row(tables[-1].columns, answer))
    for table in tables:
        table.check()
    return tables


def check_cpus(client, session):
    """Checks that the rows of all CPUs add up to the rows, in a session that counts nothing
    meanwhile."""
    tables, of_cpus = tables_of(client, session), tables_of(client, session, CPUS)
    assert len(tables) == len(of_cpus) > 0, (tables, of_cpus)
    for whole, parts in zip(tables, of_cpus):
        rows = {}
        for row in parts.rows:
            assert row.cpu is not None, row.keys
            rows.setdefault(row.key(), []).append(row)
        assert rows.keys() == {row.key() for row in whole.rows}, (rows.keys(), whole.rows)
        for row in whole.rows:
            assert whole.together(rows[row.key()]) == row.values, (row.keys, row.values)
    return tables
