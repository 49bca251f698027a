# SPDX-License-Identifier: GPL-2.0
"""Prometheus scrapes `ktrace serve`; node_exporter passes on its file; promtool checks both."""
import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from collectors import Program, free_ports, is_listening, program
from played import check_each_once, lines, wait
from served import Serve

CONFIG = '''
global: {{ scrape_interval: 1s, scrape_timeout: 1s }}
scrape_configs:
- {{ job_name: ktrace, static_configs: [ {{ targets: [ "127.0.0.1:{serve}" ] }} ] }}
- {{ job_name: node, static_configs: [ {{ targets: [ "127.0.0.1:{node}" ] }} ] }}
'''
FUNCTIONS = '[00+0x0]', '[00+0x10]', '[00+0x20]'
NATIVE_ERROR = 0.07     # of a value, with 16 buckets for each doubling


def truth(function, share):
    """The module that plays has 1000 calls of each function, see module.c."""
    return (function + 1) * (1000 * share) ** 2 * 1e-6


class Prometheus(Program):
    """Scrapes protobuf with native histograms from ktrace, and the text of node_exporter."""

    def __init__(self, serve, node):
        self.port, = free_ports(1)
        with open(serve.path('prometheus.yml'), 'w') as file:
            file.write(CONFIG.format(serve=serve.port, node=node))
        words = [program('prometheus'), '--enable-feature=native-histograms',
                 f'--config.file={serve.path("prometheus.yml")}',
                 f'--storage.tsdb.path={serve.path("tsdb")}',
                 f'--web.listen-address=127.0.0.1:{self.port}']
        super().__init__(words, serve.path('prometheus.log'), self.is_up)

    def is_up(self):
        try:
            return is_listening(self.port) and self.get('/-/ready') is not None
        except urllib.error.URLError:
            return False

    def get(self, path):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.port}{path}', timeout=10) as answer:
            return answer.read()

    def values(self, query):
        """Returns [(labels, value)]. There are none before the first scrape."""
        answer = json.loads(self.get('/api/v1/query?query=' + urllib.parse.quote(query)))
        assert answer['status'] == 'success', answer
        return [(one['metric'], float(one['value'][1])) for one in answer['data']['result']]

    def value(self, query):
        found = self.values(query)
        return found[0][1] if len(found) == 1 else None


def node_exporter(serve, port):
    return Program([program('prometheus-node-exporter'), '--collector.disable-defaults',
                    '--collector.textfile', f'--collector.textfile.directory={serve.path("text")}',
                    f'--web.listen-address=127.0.0.1:{port}'], serve.path('node.log'),
                   lambda: is_listening(port))


def check_text(text):
    run = subprocess.run([program('promtool'), 'check', 'metrics'], input=text, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout


def check_quantiles(prometheus):
    """Those of octaves are in the octave of the truth; those of native buckets are near it."""
    for share in 0.5, 0.99, 0.999:
        for function, name in enumerate(FUNCTIONS):
            of = f'{{session="web",function="{name}",job='
            native = prometheus.value(f'histogram_quantile({share}, '
                                      f'ktrace_call_duration_seconds{of}"ktrace"}})')
            classic = prometheus.value(f'histogram_quantile({share}, '
                                       f'ktrace_call_duration_seconds_bucket{of}"node"}})')
            real = truth(function, share)
            assert abs(native - real) <= NATIVE_ERROR * real, (name, share, native, real)
            low, high = octave(real)
            assert low <= classic <= high, (name, share, classic, real)
            if (function, share) == (0, 0.99):
                words = f'p99 {real:.4f} s: native {native:.4f} s, classic {classic:.4f} s'
    return words


def octave(seconds):
    low = 1024e-9
    while 2 * low < seconds:
        low *= 2
    return low, 2 * low


def check_sums(prometheus):
    """The accounts of records add up in each scrape."""
    total = 'ktrace_records_total{job="ktrace",state='
    rest = prometheus.value(f'{total}"produced"}} - ignoring(state) {total}"acknowledged"}} - '
                            f'ignoring(state) {total}"dropped"}} - ignoring(state) '
                            'ktrace_records_held{job="ktrace"}')
    assert rest == 0, rest


def test_promtool_finds_no_mistake():
    with Serve(packets=2000, period=10000, records=1) as serve:
        program('promtool')
        serve.serve()
        status, text = serve.get()
        assert status == 200
        check_text(text)


def test_prometheus_and_node_exporter():
    port, = free_ports(1)
    with Serve(packets=800, period=10000, records=10) as serve:
        os.mkdir(serve.path('text'))
        serve.write('ktrace.conf', f'[Serve]\nListen=127.0.0.1:{serve.port}\n'
                    f'Textfile={serve.path("text")}\nTextfileInterval=1s\n'
                    f'[Sink file]\nTo=json:{serve.out}\n')
        prometheus = Prometheus(serve, port)
        with node_exporter(serve, port), prometheus:
            serve.serve()
            wait(lambda: prometheus.value('ktrace_build_info{job="ktrace"}') and
                 prometheus.value('ktrace_build_info{job="node"}'), 20,
                 lambda: f'scraped: {prometheus.said()}')
            words = check_quantiles(prometheus)
            check_sums(prometheus)
            delivered = prometheus.value('ktrace_stream_records_total{job="ktrace",'
                                         f'result="delivered",sink="json:{serve.out}"}}')
            assert delivered and delivered <= serve.nr_lines(), delivered
            assert prometheus.value('node_textfile_scrape_error') == 0
            for job in 'ktrace', 'node':
                assert prometheus.value(f'up{{job="{job}"}}') == 1
            wait(lambda: prometheus.value(
                'ktrace_records_total{job="ktrace",state="acknowledged"}') == 16000, 25,
                lambda: f'acknowledged: {serve.words()}')
            check_sums(prometheus)
            for state, nr in ('produced', 16000), ('dropped', 0):
                found = prometheus.value(f'ktrace_records_total{{job="ktrace",state="{state}"}}')
                assert found == nr, (state, found)
            serve.finish()
            check_each_once(serve, lines(serve.out))
            # What ended counts no longer: a file that stays would be taken for the present.
            assert os.listdir(serve.path('text')) == []
            return words
