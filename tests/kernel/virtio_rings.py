# SPDX-License-Identifier: GPL-2.0
"""Virtio devices of the machine by their negotiated features, and its network to send packets
to."""
import glob
import mmap
import os
import socket
import struct
import subprocess

from suite import Skip
from tool import RELEASE, limit, wait_for

DEVICES = '/sys/bus/virtio/devices/*'
INDIRECT, PACKED = 28, 34       # features of rings
ROUTER, OWN = '10.0.2.2', '10.0.2.15'      # QEMU's user network answers and routes nothing
ROUTER_MAC = '52:55:0a:00:02:02'
SECTOR, SPACING = 512, 1024


def has(device, feature):
    with open(os.path.join(device, 'features')) as file:
        return file.read()[feature] == '1'


def disk_with(packed, indirect):
    """Returns the name of a disk with such a ring."""
    for device in sorted(glob.glob(DEVICES)):
        for block in glob.glob(device + '/block/*'):
            if has(device, PACKED) == packed and has(device, INDIRECT) == indirect:
                return os.path.basename(block)
    raise Skip('the machine has no such disk: DISK=packed,direct')


class Scattered:
    """Direct transfers of a disk in pieces of a sector each, which are not adjacent in memory."""
    def __init__(self, disk, pieces):
        self.memory = mmap.mmap(-1, pieces * SPACING)
        self.whole = memoryview(self.memory)
        self.pieces = [self.whole[at:at + SECTOR] for at in range(0, pieces * SPACING, SPACING)]
        self.disk = os.open('/dev/' + disk, os.O_RDWR | os.O_DIRECT)

    def __enter__(self):
        return self

    def read(self, count):
        for at in range(count):
            assert os.preadv(self.disk, self.pieces, at << 16) == len(self.pieces) * SECTOR

    def write(self, count):
        for at in range(count):
            assert os.pwritev(self.disk, self.pieces, at << 16) == len(self.pieces) * SECTOR

    def __exit__(self, *_error):
        os.close(self.disk)
        for piece in self.pieces + [self.whole]:
            piece.release()
        self.memory.close()


def ip(*words):
    subprocess.run(['ip', *words], check=True, timeout=limit(60))


def write(setting, value):
    path = os.path.join('/proc/sys', setting)
    if os.path.exists(path):
        with open(path, 'w') as file:
            file.write(value)


def checksum(data):
    words = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while words >> 16:
        words = (words & 0xffff) + (words >> 16)
    return ~words & 0xffff


def echo_request(number, size):
    head = struct.pack('!BBHHH', 8, 0, 0, 4711, number)
    data = bytes(size)
    return head[:2] + struct.pack('!H', checksum(head + data)) + head[4:] + data


class Network:
    """The interface of virtio_net, idle except for the packets that are sent here."""
    def __init__(self):
        names = glob.glob(DEVICES + '/net/*')
        if not names:
            raise Skip('the machine has no virtio network: NET=1, and a kernel with virtio_net')
        if RELEASE < (4, 12):
            raise Skip('before 4.12 a packet that was sent stays in the queue until the next one is')
        self.name = os.path.basename(names[0])

    def read(self, what):
        with open('/sys/class/net/%s/%s' % (self.name, what)) as file:
            return file.read().strip()

    def figures(self):
        return {what: int(self.read('statistics/' + what))
                for what in ('tx_packets', 'tx_bytes', 'rx_packets', 'rx_bytes')}

    def since(self, before):
        return {what: value - before[what] for what, value in self.figures().items()}

    def __enter__(self):
        """Sets it up: the address of the router is known, and nothing announces this machine to
        others."""
        write('net/core/default_qdisc', 'pfifo_fast')      # does not drop packets that wait long
        write('net/ipv6/conf/%s/disable_ipv6' % self.name, '1')
        ip('link', 'set', self.name, 'up')
        wait_for(lambda: self.read('operstate') == 'up')
        ip('addr', 'add', OWN + '/24', 'dev', self.name)
        ip('neigh', 'replace', ROUTER, 'lladdr', ROUTER_MAC, 'dev', self.name, 'nud', 'permanent')
        before = self.figures()
        self.introduce()
        self.wait_for_taken(before, 1, 1)
        return self

    def __exit__(self, *_error):
        ip('link', 'set', self.name, 'down')
        ip('addr', 'flush', 'dev', self.name)

    def introduce(self):
        """Sends an ARP request for the router once, like the kernel, so that it knows our
        address."""
        own = bytes.fromhex(self.read('address').replace(':', ''))
        ask = struct.pack('!HHBBH', 1, 0x800, 6, 4, 1) + own + socket.inet_aton(OWN)
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
            sender.bind((self.name, 0))
            sender.send(b'\xff' * 6 + own + b'\x08\x06' + ask + bytes(6) + socket.inet_aton(ROUTER))

    def send(self, count, size):
        """Sends datagrams, which nobody answers."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(count):
                assert sender.sendto(bytes(size), (ROUTER, 9)) == size

    def ping(self, count, size):
        """Sends pings, one after the other, each of which is answered."""
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sender:
            sender.settimeout(limit(60))
            for number in range(count):
                sender.sendto(echo_request(number, size), (ROUTER, 0))
                while True:
                    answer = sender.recv(65536)[20:]
                    if answer[0] == 0 and answer[6:8] == struct.pack('!H', number):
                        break

    def wait_for_taken(self, before, sent, received=0):
        """Waits until all sent packets are counted, which the driver does when it removes them from
        the queue."""
        def are_taken():
            now = self.since(before)
            return now['tx_packets'] >= sent and now['rx_packets'] >= received
        wait_for(are_taken)
