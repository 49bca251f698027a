# SPDX-License-Identifier: GPL-2.0
"""Servers of OTLP, well-behaved and not. What they got is read from the wire, by field numbers."""
import collections
import email.utils
import gzip
import http.server
import os
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time

from played import Play, wait
from served import Serve

os.environ['no_proxy'] = '127.0.0.1,localhost'
OK = (200, {}, b'')
# ExportLogsServiceResponse {partial_success {rejected_log_records: 3, error_message: "too old"}}
PARTIAL = (200, {}, b'\x0a\x0b\x08\x03\x12\x07too old')


# --- Protocol Buffers ---------------------------------------------------------------------

def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return number, at


def fields(data):
    """Yields (number, value) of a message; the value is an integer, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = struct.unpack_from('<Q', data, at)[0], at + 8
        else:
            assert tag & 7 == 2, tag
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield tag >> 3, value


def all_of(data, number):
    return [value for field, value in fields(data) if field == number]


def value_of(any_value):
    for number, value in fields(any_value):
        return value.decode() if number == 1 else value


def attributes(data, number):
    pairs = [dict(fields(one)) for one in all_of(data, number)]
    found = {pair[1].decode(): value_of(pair[2]) for pair in pairs}
    assert len(found) == len(pairs), found
    return found


def items(body):
    """Returns the log records or spans of a request."""
    resource, = all_of(body, 1)
    scope, = all_of(resource, 2)
    return all_of(scope, 2)


def ids(body, number=6):
    found = [attributes(item, number).get('ktrace.id') for item in items(body)]
    return [one for one in found if one]


# --- the server ---------------------------------------------------------------------------

Request = collections.namedtuple('Request', 'path headers body at connection')


class Server:
    """
    Answers each request by the next one of its answers, and 200 when there are no more: (status,
    headers, body), or a function that gets the handler. What 200 is answered to is taken.
    """

    def __init__(self, *answers, port=0):
        self.answers = list(answers)
        self.requests, self.taken = [], []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                server.answer(self)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(('127.0.0.1', port), Handler)
        self.port = self.http.server_port
        self.url = f'http://127.0.0.1:{self.port}'
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, handler):
        body = handler.rfile.read(int(handler.headers['Content-Length']))
        if handler.headers['Content-Encoding'] == 'gzip':
            body = gzip.decompress(body)
        self.requests.append(Request(handler.path, handler.headers, body, time.monotonic(),
                                     handler.client_address))
        answer = self.answers.pop(0) if self.answers else OK
        if callable(answer):
            answer(handler)
            return
        self.send(handler, body, *answer)

    def send(self, handler, body, status, headers, text):
        if status == 200:
            self.taken.append(body)
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header('Content-Length', str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def taken_ids(server, number=6):
    return [one for body in server.taken for one in ids(body, number)]


def check_each_once(play, server):
    counts = collections.Counter(taken_ids(server))
    assert set(counts) == play.expected(), (len(counts), len(play.expected()))
    assert max(counts.values()) == 1, counts.most_common(1)


def check_sent_as_taken(server):
    """No request came twice."""
    bodies = [request.body for request in server.requests]
    assert len(bodies) == len(set(bodies))


def end_connection(handler):
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


# --- logs ---------------------------------------------------------------------------------

def test_logs():
    server = Server()
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
        check_each_once(play, server)
        check_sent_as_taken(server)
        assert 'confirmed' in play.words()
    assert len({request.connection for request in server.requests}) == 1
    for request in server.requests:
        assert request.path == '/v1/logs'
        assert request.headers['Content-Type'] == 'application/x-protobuf'
        assert request.headers['User-Agent'].startswith('ktrace/')
        assert request.headers['Expect'] is None
        assert len(request.body) < 300000 and items(request.body)
        check_envelope(request.body)
    records = [item for body in server.taken for item in items(body)]
    check_record(next(one for one in records if dict(fields(one))[12] == b'ktrace.exit'))
    names = collections.Counter(dict(fields(one))[12] for one in records)
    assert names == {b'ktrace.begin': 1, b'ktrace.exit': 10000, b'ktrace.end': 1}, names


def check_envelope(body):
    resource, = all_of(all_of(body, 1)[0], 1)
    found = attributes(resource, 1)
    assert found['service.name'] == 'ktrace' and found['os.type'] == 'linux'
    assert found['os.version'] == os.uname().release
    assert found['host.name'] == socket.gethostname()
    boot = found['ktrace.boot.id']
    assert found['service.instance.id'] == f'{socket.gethostname()}:{boot}' and len(boot) == 36
    scope, = all_of(all_of(all_of(body, 1)[0], 2)[0], 1)
    assert dict(fields(scope))[1] == b'ktrace'


def check_record(record):
    """An exit of the module that plays."""
    found = dict(fields(record))
    assert found[2] == 9 and found[1] == found[11]
    assert abs(found[1] / 1e9 - (time.time() - time.monotonic() + 1)) < 60
    assert attributes(record, 6) == {
        'ktrace.session': 'web', 'ktrace.id': 'feed00000000cafe.0.0.0', 'thread.id': 4711,
        'ktrace.time_ns': 1000000000, 'code.function.name': '[00+0x0]', 'ktrace.depth': 0,
        'ktrace.duration_ns': 1000}, attributes(record, 6)
    assert value_of(found[5]) == 'exit [00+0x0], 1000 ns'


def test_headers_in_the_environment():
    server = Server()
    headers = 'api-key=a%20b=c, x-scope=team'
    with Play(packets=1, OTEL_EXPORTER_OTLP_HEADERS=headers) as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
    for request in server.requests:
        assert request.headers['api-key'] == 'a b=c' and request.headers['x-scope'] == 'team'
        assert request.headers['Content-Type'] == 'application/x-protobuf'


def test_certificates():
    """A certificate that nobody has signed is refused, unless it is a trusted one."""
    server = Server()
    with Play(packets=1) as play:
        key, certificate = play.path('key'), play.path('certificate')
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj',
                        '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key,
                        '-out', certificate], check=True, capture_output=True)
        os.chmod(play.folder, 0o755)
        os.chmod(certificate, 0o644)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.http.socket = context.wrap_socket(server.http.socket, server_side=True)
        url = f'otlp:https://localhost:{server.port}'
        play.begin('--to', url)
        play.wait_for_words('certificate')
        assert not server.requests
        play.process.kill()
        play.process.wait()
        play.env['OTEL_EXPORTER_OTLP_CERTIFICATE'] = certificate
        assert play.run('--to', url) == 0, play.words()
        check_each_once(play, server)


def test_spans():
    server = Server()
    with Play(packets=20) as play:
        assert play.run('--to', f'otlp-traces:{server.url}/') == 0, play.words()
        expected = {one for one in play.expected() if int(one.split('.')[-1]) % 5 == 0}
    assert {request.path for request in server.requests} == {'/v1/traces'}
    found = taken_ids(server, 9)
    assert set(found) == expected and len(found) == len(expected)
    spans = [dict(fields(item)) for body in server.taken for item in items(body)]
    assert len({span[1] for span in spans}) == len({span[2] for span in spans}) == len(spans)
    for span in spans:
        assert len(span[1]) == 16 and len(span[2]) == 8 and span[6] == 1
        assert 1000 <= span[8] - span[7] < 1050
        assert span[5].startswith(b'exit [00+0x')


# --- answers that allow another try -----------------------------------------------------------

def test_retry_after():
    """503 with Retry-After: the same request comes again, not earlier."""
    for header_of in lambda: '2', lambda: email.utils.formatdate(time.time() + 3, usegmt=True):
        server = Server(OK, (503, {'Retry-After': header_of()}, b'busy\nfor a while'))
        with Play() as play:
            assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
            check_each_once(play, server)
            assert 'answered 503: busy. They stay in the module' in play.words(), play.words()
            assert play.words().count('takes records again') == 1
        first, second = server.requests[1:3]
        assert first.body == second.body
        assert 1.5 < second.at - first.at < 3.5, second.at - first.at


def test_each_temporary_status():
    server = Server(*[(status, {}, b'') for status in (429, 502, 503, 504)])
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
        check_each_once(play, server)
    assert len({request.body for request in server.requests[:5]}) == 1


def test_a_redirection_is_not_followed():
    other = Server()
    server = Server(*[(308, {'Location': f'{other.url}/v1/logs'}, b'')] * 2)
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
        check_each_once(play, server)
        assert 'answered 308' in play.words()
    assert not other.requests


def test_a_server_that_is_not_there_yet():
    server = Server()
    server.close()
    with Play() as play:
        play.begin('--to', f'otlp:{server.url}')
        play.wait_for_words('takes no records now')
        server = Server(port=server.port)
        assert play.process.wait(30) == 0, play.words()
        check_each_once(play, server)
        assert play.words().count('takes records again') == 1


def test_a_server_that_is_restarted():
    """It is killed in the middle of a request, so what it has of this one is gone."""
    killed = []

    def kill(handler):
        server.close()
        end_connection(handler)
        killed.append(server.requests[-1].body)
    server = Server(OK, OK, kill)
    with Play() as play:
        play.begin('--to', f'otlp:{server.url}')
        wait(lambda: killed)
        time.sleep(0.5)
        other = Server(port=server.port)
        assert play.process.wait(30) == 0, play.words()
        assert other.requests[0].body == killed[0]
        other.taken[:0] = server.taken
        check_each_once(play, other)


def test_a_server_that_is_stopped():
    def wait_first(handler):
        time.sleep(3)
        server.send(handler, server.requests[-1].body, *OK)
    server = Server(OK, wait_first)
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
        check_each_once(play, server)
        check_sent_as_taken(server)


def closes_at(count):
    """Returns an answer that ends after so many bytes, although the server has the request."""
    def answer(handler):
        text = b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789'
        handler.wfile.write(text[:count])
        end_connection(handler)
    return answer


def test_connections_that_break():
    """Where they break in the answer makes no difference."""
    counts = range(49)
    server = Server(*[answer for count in counts for answer in (closes_at(count), OK)])
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
        check_each_once(play, server)
    for count in counts:
        first, second = server.requests[2 * count:2 * count + 2]
        assert first.body == second.body, count


def test_a_server_that_closes_idle_connections():
    def answer(handler):
        handler.send_response(200)
        handler.send_header('Content-Length', '0')
        handler.end_headers()
        server.taken.append(server.requests[-1].body)
        end_connection(handler)
    server = Server(*[answer] * 1000)
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
        check_each_once(play, server)


# --- answers that do not ------------------------------------------------------------------

def check_refused(answer, words, refused=None):
    """The second request is refused: its records are counted, and never come again."""
    server = Server(OK, answer)
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 3, play.words()
        check_sent_as_taken(server)
        nr = refused or len(items(server.requests[1].body))
        assert f'has refused {nr} records so far' in play.words(), play.words()
        assert words in play.words(), play.words()
        found = taken_ids(server)
        assert len(found) == len(set(found))
        if not refused:
            assert play.expected() - set(found) <= set(ids(server.requests[1].body))


def test_refused():
    check_refused((400, {}, b'no\tlogs here\nline 2'), 'answered 400: no')
    # google.rpc.Status {code: 3, message: "bad field"}
    check_refused((400, {}, b'\x08\x03\x12\x09bad field'), 'answered 400: bad field')
    check_refused((404, {}, b''), 'answered 404')
    check_refused((500, {'Retry-After': '1'}, b''), 'answered 500')


def test_partial_success():
    check_refused(PARTIAL, 'because too old', 3)


def test_a_partial_success_that_only_warns():
    server = Server((200, {}, b'\x0a\x09\x12\x07be nice'))
    with Play() as play:
        assert play.run('--to', f'otlp:{server.url}') == 0, play.words()
        check_each_once(play, server)


def test_answers_of_no_otlp_server():
    def garbage(handler):
        handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>Login</html>'[:57])
        end_connection(handler)
    check_refused(garbage, 'none of OTLP')

    def endless(handler):
        handler.wfile.write(b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n')
        try:
            while True:
                handler.wfile.write(bytes(1 << 16))
        except OSError:
            handler.close_connection = True
    check_refused(endless, 'longer than 4 MiB')


# --- the command ----------------------------------------------------------------------------

def test_addresses_that_are_wrong():
    for url, words in (('127.0.0.1:4318', 'give http://HOST:4318'),
                       ('http://127.0.0.1:4318/v1/logs', 'give http://127.0.0.1:4318')):
        with Play() as play:
            assert play.run('--to', f'otlp:{url}') != 0
            assert words in play.words(), play.words()


def test_ctrl_c_does_not_wait_for_a_silent_server():
    with socket.create_server(('127.0.0.1', 0)) as listener, Play() as play:
        play.begin('--to', f'otlp:http://127.0.0.1:{listener.getsockname()[1]}')
        connection, _ = listener.accept()
        assert connection.recv(10)
        sender, begin = play.sender(), time.monotonic()
        assert play.end() == 3
        assert time.monotonic() - begin < 8
        wait(lambda: not os.path.exists(f'/proc/{sender}'))


def test_libcurl_is_loaded_by_the_sender_only():
    with socket.create_server(('127.0.0.1', 0)) as listener, Play() as play:
        play.begin('--to', f'otlp:http://127.0.0.1:{listener.getsockname()[1]}')
        connection, _ = listener.accept()
        for pid, does_have in (play.process.pid, False), (play.sender(), True):
            with open(f'/proc/{pid}/maps') as file:
                assert ('libcurl' in file.read()) == does_have
        connection.close()


def test_metrics_are_sent():
    """ktrace serve sends them by itself; what a server does not take is in the next ones."""
    server = Server(OK, (503, {}, b''))
    with Serve(f'OtlpMetrics={server.url}\nOtlpInterval=1s', packets=100) as serve:
        serve.serve()
        serve.wait_for_words(f'{server.url} takes no metrics now')
        serve.wait_for_words(f'{server.url} takes metrics again')
        assert all(request.path == '/v1/metrics' for request in server.requests), server.requests
        assert any(b'ktrace.stream.records' in body for body in server.taken)
        assert serve.end(signal.SIGTERM) == 0, serve.words()
