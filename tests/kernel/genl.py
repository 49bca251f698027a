# SPDX-License-Identifier: GPL-2.0
"""A minimal client of the netlink family "ktrace", independent of the command line."""
import os
import re
import socket
import struct

HEADER = os.path.join(os.path.dirname(__file__), '../../include/uapi/ktrace.h')
RECORD_HEADER = HEADER.replace('ktrace.h', 'ktrace_record.h')
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
NLM_F_ACK_TLVS, NLMSGERR_ATTR_MSG = 0x200, 1
NLA_F_NESTED = 0x8000
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_ID, CTRL_ATTR_NAME = 16, 3, 1, 2


def enum_of(name):
    """Returns the values of an enum of the public header."""
    with open(HEADER) as header:
        body = re.search(r'enum %s \{(.*?)\}' % name, header.read(), re.S).group(1)
    names = re.findall(r'^\s*(KTRACE_\w+)', body, re.M)
    return {n: i for i, n in enumerate(names)}


def bits_of(prefix, path=HEADER):
    """Returns the flags of a public header with this prefix, by the rest of their names."""
    with open(path) as header:
        found = re.findall(r'#define %s(\w+)\s+\(1U << (\d+)\)' % prefix, header.read())
    return {name: 1 << int(bit) for name, bit in found}


def number_of(name):
    """Returns the number of a #define of the public header."""
    with open(HEADER) as header:
        return int(re.search(r'#define %s\s+(\d+)\b' % name, header.read(), re.M).group(1))


def fields_of(name):
    """Returns the names of the 64-bit fields of a struct of the public header, in order."""
    with open(HEADER) as header:
        body = re.search(r'struct %s \{(.*?)\n\}' % name, header.read(), re.S).group(1)
    return re.findall(r'^\s*__u64 (\w+);', body, re.M)


COMMANDS = {n[len('KTRACE_CMD_'):]: v for n, v in enum_of('ktrace_cmd').items()}
ATTRS = {n[len('KTRACE_A_'):]: v for n, v in enum_of('ktrace_attr').items()}
NESTS = {nest: {n[len('KTRACE_%s_' % nest):]: v
                for n, v in enum_of('ktrace_%s_attr' % nest.lower()).items()}
         for nest in ('TARGET', 'WHO', 'LIMIT')}
PROVIDERS, SINKS, FLAGS = enum_of('ktrace_provider'), bits_of('KTRACE_SINK_'), bits_of('KTRACE_F_')
EVENTS = enum_of('ktrace_event')
INTERFACE = number_of('KTRACE_ABI')
COSTS = []      # those of probes, since they were measured: suites and modules come and go
COUNTERS = fields_of('ktrace_counters')
STATES = [name[len('KTRACE_STATE_'):].lower() for name in enum_of('ktrace_state')]


def u32(value):
    return struct.pack('I', value)


def u64(value):
    return struct.pack('Q', value)


def pack(number, data):
    length = 4 + len(data)
    return struct.pack('HH', length, number) + data + b'\0' * (-length % 4)


def pack_nest(numbers, values):
    """Packs attributes; values: bytes by name, or a list of (name, bytes), in which a name may come
    twice."""
    return b''.join(pack(numbers[name], data)
                    for name, data in (values.items() if isinstance(values, dict) else values))


def pack_named(name, data):
    if isinstance(data, bytes):
        return pack(ATTRS[name], data)
    return pack(ATTRS[name] | NLA_F_NESTED, pack_nest(NESTS[name], data))


def asked(provider, *sinks, flags=(), **more):
    """Returns the attributes of a SESSION_NEW."""
    return {'PROVIDER': u32(PROVIDERS['KTRACE_PROVIDER_' + provider]),
            'SINKS': u32(sum(SINKS[sink] for sink in sinks)),
            'FLAGS': u32(sum(FLAGS[flag] for flag in flags)), **more}


def name_values(found, numbers):
    names = {v: n for n, v in numbers.items()}
    named = {names[k]: v for k, v in found.items() if k in names}
    return {name: name_values(unpack(value), NESTS[name]) if numbers is ATTRS and name in NESTS
            else value for name, value in named.items()}


def unpack(data):
    found, at = {}, 0
    while at + 4 <= len(data):
        length, number = struct.unpack_from('HH', data, at)
        found[number & 0x3fff] = data[at + 4:at + length]
        at += (length + 3) & ~3
    return found


def message_in(data):
    """Returns the attributes of the first message of a datagram."""
    return name_values(unpack(data[20:struct.unpack_from('I', data)[0]]), ATTRS)


def counters_of(answer):
    return dict(zip(COUNTERS, struct.unpack('%dQ' % len(COUNTERS), answer['COUNTERS'])))


class Refused(OSError):
    """The kernel's error, its sentence, and the answers that came before it."""

    def __init__(self, error, answers, said=''):
        super().__init__(error, os.strerror(error))
        self.answers = answers
        self.said = said


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.socket.bind((0, 0))
        for option in NETLINK_CAP_ACK, NETLINK_EXT_ACK:
            try:
                self.socket.setsockopt(SOL_NETLINK, option, 1)
            except OSError:
                pass    # an old kernel
        self.sequence = 0
        self.interface = INTERFACE
        family = self.send(GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
                           pack(CTRL_ATTR_NAME, b'ktrace\0'), NLM_F_ACK)
        self.family = struct.unpack('H', family[0][CTRL_ATTR_ID])[0]

    def close(self):
        self.socket.close()

    def send(self, family, command, attrs, flags):
        self.sequence += 1
        body = struct.pack('BBH', command, self.interface, 0) + attrs
        self.socket.send(struct.pack('IHHII', 16 + len(body), family,
                                     NLM_F_REQUEST | flags, self.sequence, 0) + body)
        answers = []
        while True:
            data, at = self.socket.recv(65536), 0
            while at < len(data):
                length, kind, told = struct.unpack_from('IHH', data, at)
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    error = struct.unpack_from('i', data, at + 16)[0]
                    if error:
                        behind = at + (36 if kind == NLMSG_ERROR else 20)
                        said = unpack(data[behind:at + length]) if told & NLM_F_ACK_TLVS else {}
                        raise Refused(-error, answers, said.get(NLMSGERR_ATTR_MSG, b'')
                                      .rstrip(b'\0').decode())
                    return answers
                answers.append(unpack(data[at + 20:at + length]))
                at += (length + 3) & ~3

    def call(self, command, flags=NLM_F_ACK, **attrs):
        """Sends a command and returns its answers; a nest is a dict in both."""
        packed = b''.join(pack_named(name, data) for name, data in attrs.items())
        answers = self.send(self.family, COMMANDS[command], packed, flags)
        return [name_values(answer, ATTRS) for answer in answers]

    def dump(self, command, **attrs):
        return self.call(command, NLM_F_DUMP, **attrs)

    def counters(self, session):
        return counters_of(self.call('SESSION_GET', SESSION=u64(session))[0])

    def state(self, session):
        answer = self.call('SESSION_GET', SESSION=u64(session))[0]
        return struct.unpack('I', answer['STATE'])[0]

    def sessions(self):
        """Returns all sessions: what tests look at, named as in JSON."""
        return [{'id': struct.unpack('Q', one['SESSION'])[0],
                 'name': one['NAME'].rstrip(b'\0').decode() if 'NAME' in one else None,
                 'state': STATES[struct.unpack('I', one['STATE'])[0]],
                 'functions': struct.unpack('I', one['NR_USED'])[0],
                 'sites': struct.unpack('I', one['NR_SITES'])[0],
                 'failed': struct.unpack('I', one['NR_FAILED'])[0],
                 'counters': counters_of(one)} for one in self.dump('SESSION_GET')]
