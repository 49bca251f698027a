#!/usr/bin/env python3
"""Decodes requests of OTLP by the published numbers of fields (opentelemetry-proto 1.x).
otlp.py metrics TEXT OTLP: the metrics are those of the exposition as text.
otlp.py records JSON LOGS SPANS: each log record and each span has the members of its JSON line."""
import importlib.util
import json
import re
import sys

from messages import message_class
from metrics import Histogram, read_text

COMMON = {
    'AnyValue': ('string_value 1 string', 'bool_value 2 bool', 'int_value 3 int64',
                 'double_value 4 double', 'array_value 5 ArrayValue', 'kvlist_value 6 KeyValueList',
                 'bytes_value 7 bytes'),
    'ArrayValue': ('values 1 *AnyValue',),
    'KeyValueList': ('values 1 *KeyValue',),
    'KeyValue': ('key 1 string', 'value 2 AnyValue'),
    'InstrumentationScope': ('name 1 string', 'version 2 string'),
    'Resource': ('attributes 1 *KeyValue',),
}
LOGS = {
    'LogRecord': ('time_unix_nano 1 fixed64', 'severity_number 2 int32', 'severity_text 3 string',
                  'body 5 AnyValue', 'attributes 6 *KeyValue', 'trace_id 9 bytes',
                  'span_id 10 bytes', 'observed_time_unix_nano 11 fixed64',
                  'event_name 12 string'),
    'ScopeLogs': ('scope 1 InstrumentationScope', 'log_records 2 *LogRecord'),
}
SPANS = {
    'Status': ('message 2 string', 'code 3 int32'),
    'Span': ('trace_id 1 bytes', 'span_id 2 bytes', 'parent_span_id 4 bytes', 'name 5 string',
             'kind 6 int32', 'start_time_unix_nano 7 fixed64', 'end_time_unix_nano 8 fixed64',
             'attributes 9 *KeyValue', 'status 15 Status'),
    'ScopeSpans': ('scope 1 InstrumentationScope', 'spans 2 *Span'),
}
METRICS = {
    'NumberDataPoint': ('attributes 7 *KeyValue', 'start_time_unix_nano 2 fixed64',
                        'time_unix_nano 3 fixed64', 'as_double 4 double', 'as_int 6 sfixed64'),
    'Buckets': ('offset 1 sint32', 'bucket_counts 2 *uint64'),
    'ExponentialHistogramDataPoint': (
        'attributes 1 *KeyValue', 'start_time_unix_nano 2 fixed64', 'time_unix_nano 3 fixed64',
        'count 4 fixed64', 'sum 5 double', 'scale 6 sint32', 'zero_count 7 fixed64',
        'positive 8 Buckets', 'negative 9 Buckets', 'zero_threshold 14 double'),
    'Gauge': ('data_points 1 *NumberDataPoint',),
    'Sum': ('data_points 1 *NumberDataPoint', 'aggregation_temporality 2 int32',
            'is_monotonic 3 bool'),
    'ExponentialHistogram': ('data_points 1 *ExponentialHistogramDataPoint',
                             'aggregation_temporality 2 int32'),
    'Metric': ('name 1 string', 'description 2 string', 'unit 3 string', 'gauge 5 Gauge',
               'sum 7 Sum', 'exponential_histogram 10 ExponentialHistogram'),
    'ScopeMetrics': ('scope 1 InstrumentationScope', 'metrics 2 *Metric'),
    'ResourceMetrics': ('resource 1 Resource', 'scope_metrics 2 *ScopeMetrics'),
    'ExportMetricsServiceRequest': ('resource_metrics 1 *ResourceMetrics',),
}
CUMULATIVE = 2
NOW = 1700000000000000000


def has_unknown(message):
    """Returns true if a field is none of the described ones, at any level."""
    from google.protobuf.internal import api_implementation
    if api_implementation.Type() != 'upb' and len(message.UnknownFields()):
        return True
    inner = (value for field, value in message.ListFields() if field.message_type)
    return any(has_unknown(one) for value in inner
               for one in (value if hasattr(value, '__len__') else [value]))


def value_of(value):
    kinds = [field.name for field, _ in value.ListFields()]
    assert len(kinds) <= 1, kinds
    if not kinds:
        return None
    if kinds[0] == 'array_value':
        return [value_of(one) for one in value.array_value.values]
    if kinds[0] == 'kvlist_value':
        return attributes_of(value.kvlist_value.values)
    return getattr(value, kinds[0])


def attributes_of(pairs):
    found = {pair.key: value_of(pair.value) for pair in pairs}
    assert len(found) == len(pairs), found
    return found


# --- metrics ------------------------------------------------------------------------------

def prometheus_name(metric, kind):
    """Returns the name that Prometheus makes of it."""
    name = metric.name.replace('.', '_')
    unit = {'s': 'seconds', 'By': 'bytes'}.get(metric.unit)
    assert unit or not metric.unit or re.fullmatch(r'\{[a-z]+\}', metric.unit), metric.unit
    if unit and unit not in name.split('_'):
        name += f'_{unit}'
    return name + '_total' if kind == 'sum' else name


def check_point(point, kind, text):
    assert point.time_unix_nano == NOW
    if kind == 'gauge':
        assert not point.HasField('start_time_unix_nano')
    else:
        assert 0 <= point.start_time_unix_nano - 1600000000000000000 < 20
    if kind != 'exponential_histogram':
        value = point.as_int if point.HasField('as_int') else point.as_double
        assert value == text and point.HasField('as_int') != point.HasField('as_double')
        return
    assert isinstance(text, Histogram) and point.scale == 4 and 0 < point.zero_threshold < 1e-9
    counts = list(point.positive.bucket_counts)
    assert point.count == text.count == sum(counts) + point.zero_count
    assert not counts or (counts[0] and counts[-1])
    assert point.sum == text.sum


def buckets_of(point):
    """Returns {number of a bucket, as Prometheus counts: count}."""
    return {point.positive.offset + i + 1: count
            for i, count in enumerate(point.positive.bucket_counts) if count}


def check_metrics(text_path, otlp_path):
    from metrics import expected
    with open(text_path, encoding='utf-8', newline='\n') as file:
        text = read_text(file.read())
    with open(otlp_path, 'rb') as file:
        request = message_class({**COMMON, **METRICS}, 'ExportMetricsServiceRequest').FromString(
            file.read())
    assert not has_unknown(request)
    resource, = request.resource_metrics
    scope, = resource.scope_metrics
    assert attributes_of(resource.resource.attributes)['service.name'] == 'ktrace'
    series, natives, names = [], {}, []
    for metric in scope.metrics:
        names.append(metric.name)
        kind, = [field.name for field, _ in metric.ListFields() if field.message_type]
        data = getattr(metric, kind)
        assert kind == 'gauge' or data.aggregation_temporality == CUMULATIVE
        assert kind != 'sum' or data.is_monotonic
        assert metric.description.endswith('.') and data.data_points
        prom = {'sum': 'counter', 'gauge': 'gauge', 'exponential_histogram': 'histogram'}[kind]
        for point in data.data_points:
            labels = tuple(attributes_of(point.attributes).items())
            key = prometheus_name(metric, kind), prom, labels
            series.append(key)
            check_point(point, kind, text[key])
            if kind == 'exponential_histogram':
                natives[labels] = buckets_of(point)
    assert series == list(text) and len(names) == len(set(names))
    assert natives[('session', 'web'), ('function', 'say("hi\\n")\n')] == expected(
        [1023, 1024, 1025, 999999, 17179869183, 17179869184])
    print(f'{len(series)} series in {len(names)} metrics of OTLP')


# --- records ------------------------------------------------------------------------------

RENAMED = {'tid': 'thread.id', 'pid': 'process.pid'}
OF_IDENTITY = ('schema', 'event', 'host', 'boot', 'time', 'session', 'id')


def exact(value):
    """JSON has integers above 2^53 as texts, and OTLP those above 2^63."""
    if isinstance(value, str) and re.fullmatch(r'-?\d{16,}', value) and int(value) < 1 << 63:
        return int(value)
    if isinstance(value, list):
        return [exact(one) for one in value]
    if isinstance(value, dict):
        return {name: exact(one) for name, one in value.items()}
    return value


def expected_attributes(line):
    found = {'ktrace.session': line['session']}
    if 'id' in line:
        found['ktrace.id'] = line['id']
    for name, value in line.items():
        if name in OF_IDENTITY:
            continue
        if name == 'name' and line['event'] in ('entry', 'exit', 'call'):
            name = 'code.function.name'
        found[RENAMED.get(name, name if '.' in name else f'ktrace.{name}')] = exact(value)
    return found


def check_log(record, line):
    assert attributes_of(record.attributes) == expected_attributes(line), (
        attributes_of(record.attributes), expected_attributes(line))
    assert record.event_name == f'ktrace.{line["event"]}'
    assert record.severity_number == (13 if line['event'] == 'gap' else 9)
    assert record.time_unix_nano == record.observed_time_unix_nano == NOW
    body = record.body.string_value
    assert body.split(' ')[0].rstrip(',') == line['event'], body
    if 'duration_ns' in line:
        assert body.endswith(f', {line["duration_ns"]} ns'), body


def is_span(line):
    return line['event'] in ('syscall', 'request', 'call') or (
        line['event'] == 'exit' and not line['depth'])


def check_span(span, line):
    assert attributes_of(span.attributes) == expected_attributes(line)
    assert span.kind == 1 and not span.parent_span_id
    assert span.end_time_unix_nano == NOW
    assert span.start_time_unix_nano == NOW - int(line['duration_ns'])
    assert len(span.trace_id) == 16 and len(span.span_id) == 8
    assert span.name.startswith(f'{line["event"]} ')
    assert span.status.code == (2 if 'errno' in line else 0)
    assert span.status.message == line.get('errno', '')


def check_records(json_path, logs_path, spans_path):
    with open(json_path, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    with open(logs_path, 'rb') as file:
        logs = message_class({**COMMON, **LOGS}, 'ScopeLogs').FromString(file.read())
    with open(spans_path, 'rb') as file:
        spans = message_class({**COMMON, **SPANS}, 'ScopeSpans').FromString(file.read())
    assert not has_unknown(logs) and not has_unknown(spans)
    assert len(logs.log_records) == len(lines)
    for record, line in zip(logs.log_records, lines):
        check_log(record, line)
    of_spans = [line for line in lines if is_span(line)]
    assert len(spans.spans) == len(of_spans)
    for span, line in zip(spans.spans, of_spans):
        check_span(span, line)
    assert len({span.trace_id for span in spans.spans}) == len({one['id'] for one in of_spans})
    print(f'{len(lines)} log records, {len(of_spans)} spans')


def main(what, *paths):
    if not importlib.util.find_spec('google') or not importlib.util.find_spec('google.protobuf'):
        print('note: python3-protobuf is missing, so requests of OTLP are not decoded.')
        return
    {'metrics': check_metrics, 'records': check_records}[what](*paths)


main(*sys.argv[1:])
