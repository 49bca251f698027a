#!/usr/bin/env python3
"""metrics.py TEXT PROTOBUF: checks an exposition more strictly than promtool and Prometheus do, and
that the one in Protocol Buffers has the same series, and native histograms of the same counts."""
import importlib.util
import math
import re
import sys

from messages import message_class

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf'({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ([0-9]+(?:\.[0-9]*[1-9])?)')
SUFFIX = re.compile(r'_(bucket|sum|count)$')
TYPES = ('gauge', 'counter', 'histogram')


class Histogram:
    def __init__(self):
        self.bounds, self.counts, self.sum, self.count = [], [], None, None

    def add(self, part, bound, value):
        if part == 'bucket':
            self.bounds.append(bound)
            self.counts.append(int(value))
        elif part == 'sum':
            self.sum = float(value)
        else:
            self.count = int(value)

    def check(self):
        assert self.sum is not None and self.count is not None
        assert self.bounds[-1] == '+Inf' and len(self.bounds) == 26
        bounds = [float(bound) for bound in self.bounds]
        assert bounds == sorted(set(bounds))
        assert self.counts == sorted(self.counts) and self.counts[-1] == self.count

    def all(self):
        return [float(bound) for bound in self.bounds], self.counts, self.sum, self.count


def samples(text):
    """Yields (family, type, name, labels, value), and checks the order of families."""
    assert text.endswith('\n')
    families, family, kind = set(), None, None
    for line in text[:-1].split('\n'):
        if line.startswith('# HELP '):
            family, words = line[7:].split(' ', 1)
            assert family not in families and words.endswith('.'), line
            families.add(family)
            kind = None
        elif line.startswith('# TYPE '):
            name, kind = line[7:].split(' ')
            assert name == family and kind in TYPES, line
        else:
            match = SAMPLE.fullmatch(line)
            assert match and kind, line
            yield family, kind, match[1], match[2] or '', match[3]


def plain(value):
    return re.sub(r'\\(.)', lambda match: '\n' if match[1] == 'n' else match[1], value)


def labels_of(text):
    found = re.findall(r'([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"', text)
    assert len(found) == len({name for name, _ in found}), text
    return tuple((name, plain(value)) for name, value in found)


def read_text(text):
    """Returns {(family, type, labels): value or Histogram}, in the order of the text."""
    seen, series = set(), {}
    for family, kind, name, text_labels, value in samples(text):
        labels, bound = labels_of(text_labels), None
        assert (name, labels) not in seen, f'twice: {name}{{{text_labels}}}'
        seen.add((name, labels))
        assert (kind == 'counter') == family.endswith('_total'), family
        if kind != 'histogram':
            assert name == family, name
            series[family, kind, labels] = float(value)
            continue
        part = SUFFIX.search(name)[1]
        assert name == f'{family}_{part}'
        if part == 'bucket':
            assert labels[-1][0] == 'le', labels
            labels, bound = labels[:-1], labels[-1][1]
        series.setdefault((family, kind, labels), Histogram()).add(part, bound, value)
    for value in series.values():
        if isinstance(value, Histogram):
            value.check()
    assert len({tuple(v.bounds) for v in series.values() if isinstance(v, Histogram)}) == 1
    print(f'{len(seen)} series')
    return series


# --- Protocol Buffers ---------------------------------------------------------------------

# io.prometheus.client, as message_class() takes it.
MESSAGES = {
    'LabelPair': ('name 1 string', 'value 2 string'),
    'Number': ('value 1 double',),
    'BucketSpan': ('offset 1 sint32', 'length 2 uint32'),
    'Bucket': ('cumulative_count 1 uint64', 'upper_bound 2 double'),
    'Histogram': ('sample_count 1 uint64', 'sample_sum 2 double', 'bucket 3 *Bucket',
                  'schema 5 sint32', 'zero_threshold 6 double', 'zero_count 7 uint64',
                  'positive_span 12 *BucketSpan', 'positive_delta 13 *sint64'),
    'Metric': ('label 1 *LabelPair', 'gauge 2 Number', 'counter 3 Number',
               'histogram 7 Histogram'),
    'MetricFamily': ('name 1 string', 'help 2 string', 'type 3 int32', 'metric 4 *Metric'),
}


def read_families(data):
    cls, at = message_class(MESSAGES, 'MetricFamily'), 0
    while at < len(data):
        size = shift = 0
        while True:
            byte = data[at]
            size |= (byte & 127) << shift
            shift, at = shift + 7, at + 1
            if byte < 128:
                break
        yield cls.FromString(data[at:at + size])
        at += size
    assert at == len(data)


def native_counts(histogram):
    """Returns {number of a bucket: count}, and checks that spans and deltas fit."""
    counts, number, count, deltas = {}, 0, 0, list(histogram.positive_delta)
    for span in histogram.positive_span:
        assert span.length
        number += span.offset
        for _ in range(span.length):
            count += deltas.pop(0)
            assert count > 0 and number not in counts
            counts[number] = count
            number += 1
    assert not deltas and histogram.schema == 4 and 0 < histogram.zero_threshold < 1e-9
    assert sum(counts.values()) + histogram.zero_count == histogram.sample_count
    return counts


def expected(values):
    """The native buckets of durations in ns: where the middles of the module's buckets lie."""
    counts = {}
    for value in values:
        width = 1 << max(value.bit_length() - 5, 0)
        low = value // width * width
        number = math.ceil(math.log2((low + (width - 1) / 2) / 1e9) * 16)
        for reported in 2 ** ((number - 1) / 16), 2 ** (number / 16):
            assert abs(reported * 1e9 / value - 1) < 0.0675, (value, reported)
        counts[number] = counts.get(number, 0) + 1
    return counts


def same_histogram(histogram, text):
    buckets = histogram.bucket
    return text.all() == ([bucket.upper_bound for bucket in buckets],
                          [bucket.cumulative_count for bucket in buckets],
                          histogram.sample_sum, histogram.sample_count)


def check_families(families, text):
    series, natives = [], {}
    for family in families:
        kind = {0: 'counter', 1: 'gauge', 4: 'histogram'}[family.type]
        assert family.help.endswith('.')
        for metric in family.metric:
            labels = tuple((label.name, label.value) for label in metric.label)
            key = family.name, kind, labels
            series.append(key)
            if kind == 'histogram':
                assert same_histogram(metric.histogram, text[key]), key
                natives[labels] = native_counts(metric.histogram)
            else:
                assert getattr(metric, kind).value == text[key], key
    assert series == list(text)
    return natives


def main(text_path, protobuf_path):
    with open(text_path, encoding='utf-8', newline='\n') as file:
        text = read_text(file.read())
    if not importlib.util.find_spec('google') or not importlib.util.find_spec('google.protobuf'):
        print('note: python3-protobuf is missing, so metrics in Protocol Buffers are not decoded.')
        return
    with open(protobuf_path, 'rb') as file:
        natives = check_families(read_families(file.read()), text)
    assert natives[('session', 'web'), ('function', 'say("hi\\n")\n')] == expected(
        [1023, 1024, 1025, 999999, 17179869183, 17179869184])
    assert natives[('session', 'web'), ('function', 'caf\ufffd é')] == expected([1])
    print(f'{len(natives)} native histograms')


if __name__ == '__main__':
    main(*sys.argv[1:])
