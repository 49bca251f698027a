#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report_streams.py FIGURES: prints docs/costs-streams.md, from the figures of streams.py."""
import sys

from report import say

TARGET = 2000       # instructions per record
SINKS = [
    ('json', '`json:FILE`, in memory', 'none'),
    ('disk', '`json:FILE`, on a disk ({host.disk})', 'none'),
    ('relp', '`relp`', 'rsyslog {version.rsyslog}'),
    ('tcp', '`syslog:tcp`', 'rsyslog {version.rsyslog}'),
    ('local', '`syslog`', 'rsyslog {version.rsyslog}'),
    ('syslog_ng', '`syslog:tcp`', 'syslog-ng {version.syslog-ng}'),
    ('journald', '`journald`', 'systemd-journald {version.systemd-journald}'),
    ('fluent', '`fluent`', 'fluent-org/logger, Node.js {version.node}'),
    ('otlp', '`otlp`', 'a server of the tests, Python {host.python}'),
]
KINDS = [('exit', 'call of a function'), ('syscall', 'system call'), ('request', 'disk request')]
FORMATS = [
    ('line', 'JSON, as screens and files of other commands have it', TARGET),
    ('json', 'JSON of `json:FILE`', TARGET),
    ('relp', 'JSON behind the head of syslog (`relp`, `syslog:tcp`)', TARGET),
    ('fluent', 'MessagePack (`fluent`)', TARGET),
    ('journald', 'fields (`journald`)', TARGET),
    ('otlp', 'log record (`otlp`)', None),
    ('otlp-traces', 'span (`otlp-traces`)', None),
]
PROCESSES = [
    ('ktrace', 'reader'),
    ('ktrace-page', 'metrics'),
    ('sender-file', 'sender of `json:FILE`'),
    ('sender-tcp', 'sender of `syslog:tcp`'),
]


def number(figures, key):
    return f'{int(figures[key]):,}' if key in figures else '-'


def print_how(figures):
    print('# What streams to collectors cost\n')
    say('Written by `make bench`, or alone by `tests/bench/bench.sh streams`, in five minutes. '
        '[streams.md](streams.md) describes the sinks. The command and its senders are those that '
        'are installed, and the collectors are real ones with their own files and ports, on one '
        'host. Only the module is another: one that plays full packets of 350 calls of functions '
        '(tests/stream/module.c), as fast as they are read. What the module costs is in '
        '[costs.md](costs.md).')
    print()
    say(f'The host: {figures["host.processor"]}, {figures["host.cpus"]} CPUs, Linux '
        f'{figures["host.kernel"]}, whose load average was {figures["host.load"]} before the run. '
        '**Times are those of this run**: on a host that is slower, or that does other work at the '
        'same time, rates are lower. Instructions and memory hardly depend on it.')


def print_sinks(figures):
    print('\n## Records a second\n')
    say('One session and one sink, three runs each: the median, and the least and most in '
        'brackets. The time ends when the collector has all records. CPU times are medians per '
        'record, of the process that reads the ring and formats, and of the one that speaks with '
        'the collector; the last column has both as a share of one CPU, at 10,000 records a '
        'second. Where a collector parses and writes each message, it is the collector that '
        'limits the rate.')
    print('\n| sink | collector | records a second | lost | reader, us | sender, us | '
          'at 10,000 a second |')
    print('|---|---|---|---|---|---|---|')
    for name, text, collector in SINKS:
        if f'sink.{name}.rate' in figures:
            print_sink(figures, f'sink.{name}.', fill(text, figures), fill(collector, figures))


def fill(text, figures):
    for key, value in figures.items():
        text = text.replace('{' + key + '}', value)
    return text


def print_sink(figures, prefix, text, collector):
    reader, sender = [int(figures[prefix + who]) for who in ('streamer', 'sender')]
    cells = [text, collector, '%s (%s to %s)' % tuple(
        number(figures, prefix + key) for key in ('rate', 'least', 'most')),
        figures[prefix + 'lost'], f'{reader / 1000:.2f}', f'{sender / 1000:.2f}',
        f'{(reader + sender) / 1000:.1f} %']
    print('| ' + ' | '.join(cells) + ' |')


def print_formats(figures):
    print('\n## Instructions per record\n')
    say('What one record takes on its way from the packet of the ring to the message for the '
        'sender, by callgrind: it is read, named and written in the format. Records have all '
        'fields that busy programs have, and a name, a session, a host and a time, except in the '
        'first row. tests/unit/run.sh has limits for them, and fails above.')
    print('\n| format | ' + ' | '.join(text for _, text in KINDS) + ' | target |')
    print('|---|' + '---|' * (len(KINDS) + 1))
    for name, text, target in FORMATS:
        cells = [number(figures, f'format.{name}.{kind}') for kind, _ in KINDS]
        if cells != ['-'] * len(KINDS):
            print(f'| {text} | {" | ".join(cells)} | {f"{target:,}" if target else ""} |')


def print_memory(figures):
    print('\n## Memory of `ktrace serve`\n')
    say('64 sessions on 32 CPUs, all of which have records for two sinks and are scraped. Resident '
        'memory of each process (RSS), and all of them (PSS: what processes share counts in parts). '
        'Names of functions come on top, about 60 bytes each.')
    print('\n| KiB | ' + ' | '.join(text for _, text in PROCESSES) + ' | all, PSS | target |')
    print('|---|' + '---|' * (len(PROCESSES) + 2))
    print('| 64 sessions | ' + ' | '.join(number(figures, f'memory.{name}')
                                          for name, _ in PROCESSES) +
          f' | {number(figures, "memory.shared")} | {16 << 10:,} |')


def print_day(figures):
    print('\n## A long run of `ktrace serve`\n')
    say('A million records for two sinks, one of which renames its file. Meanwhile 10,000 rows come '
        f'and go, {number(figures, "day.scrapes")} scrapes and a file each second are answered, and '
        f'the configuration is read again {number(figures, "day.reloads")} times. Nothing grows:')
    print('\n| | resident KiB at 10 % | at the end | open files at 10 % | at the end |')
    print('|---|---|---|---|---|')
    for name, text in PROCESSES:
        print(f'| {text} | ' + ' | '.join(number(figures, f'day.{name}.{key}') for key in (
            'before', 'after', 'files_before', 'files_after')) + ' |')


def print_scrape(figures):
    print('\n## A scrape\n')
    say(f'A scrape of {number(figures, "scrape.series")} series, as many as `MaxScrape=` allows by '
        f'default, has {int(figures["scrape.bytes"]) / 1e6:.1f} MB and takes {figures["scrape.ms"]} '
        'ms (the targets are 10 MB and 1 s).')


def main(path):
    with open(path) as file:
        figures = dict(line.rstrip('\n').split(' ', 1) for line in file)
    print_how(figures)
    for prefix, write in (('sink.', print_sinks), ('format.', print_formats),
                          ('memory.', print_memory), ('day.', print_day), ('scrape.', print_scrape)):
        if any(key.startswith(prefix) for key in figures):
            write(figures)


if __name__ == '__main__':
    main(sys.argv[1])
