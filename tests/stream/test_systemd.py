# SPDX-License-Identifier: GPL-2.0
"""The units as they are installed, by a systemd that is the first process of a machine of its own."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from collectors import Skip, program
from played import HERE, KTRACE, MEMORY, wait

# systemd-analyze security, of the reader's unit and of that of its senders.
MOST_EXPOSED = 2.0
MOST_EXPOSED_SENDER = 1.6

NAMESPACES = '-m', '-p', '-u', '-C', '-n', '-i'
UNIT = '/etc/systemd/system/ktrace.service.d/test.conf'
WORDS = '/run/words'
READER = {'SYS_ADMIN': 21, 'SYS_PTRACE': 19, 'DAC_READ_SEARCH': 2}
NOTHING = '0' * 16
RECORDS = 2 * 200 * 50      # of KTRACE_PLAYED
IDS = re.compile(r'feed00000000cafe\.[0-9]+\.[0-9]+\.[0-9]+')

CONFIGURATION = """[Serve]
Textfile=/var/lib/prometheus/node-exporter
OtlpMetrics=http://127.0.0.1:9
[Sink net]
To=syslog:tcp:127.0.0.1:9
Require=no
[Sink otlp]
To=otlp:http://127.0.0.1:9
Require=no
[Sink file]
To=json:/var/log/ktrace/records.json
[Sink collector]
To=syslog:tcp:127.0.0.1:5140
"""

# Writes what it gets to /run/collected.
COLLECTOR = """
import socket, threading
def copy(connection):
    with open('/run/collected', 'ab', buffering=0) as file:
        while data := connection.recv(1 << 16):
            file.write(data)
with socket.create_server(('127.0.0.1', 5140)) as listener:
    while True:
        threading.Thread(target=copy, args=(listener.accept()[0],)).start()
"""


def own_cgroups():
    """Returns the folder of this process in each hierarchy of control groups."""
    found = []
    with open('/proc/self/cgroup') as file:
        for line in file:
            _, name, path = line.rstrip().split(':', 2)
            name = {'name=systemd': 'systemd', '': 'unified'}.get(name, name)
            for folder in f'/sys/fs/cgroup/{name}{path}', f'/sys/fs/cgroup{path}':
                if os.path.exists(f'{folder}/cgroup.procs'):
                    found.append(folder.rstrip('/'))
                    break
    return found


class Machine:
    """Its processes end with it."""

    def __init__(self, name='service', drop_in=''):
        program('systemd-sysusers')
        if not os.path.exists('/lib/systemd/systemd'):
            raise Skip('systemd is not installed')
        self.folder = tempfile.mkdtemp(prefix=f'ktrace-{name}-', dir=MEMORY)
        self.install()
        self.write(UNIT, f'[Service]\nStandardError=append:{WORDS}\n'
                         'Environment=KTRACE_PLAYED=/run/ktrace/.rings:2:200:50:1000:120000\n' + drop_in)
        self.write('/etc/ktrace/ktrace.conf', CONFIGURATION)
        self.write('/etc/systemd/system/ktrace-send@.service.d/test.conf', f'[Service]\nStandardError=append:{WORDS}\n')
        self.write('/etc/collector.py', COLLECTOR)
        self.write('/etc/systemd/system/collector.service',
                   f'[Service]\nExecStart={sys.executable} /etc/collector.py\n')
        self.write('/etc/ktrace/sessions.d/web.conf', '[Session]\nBinary=/bin/true\n')
        self.write('/sbin/modprobe', '#!/bin/sh\necho "$(id -u) $*" >/run/modprobe\n', 0o755)
        self.write('/var/lib/prometheus/node-exporter/other.prom', '')

    def __enter__(self):
        self.log = open(f'{self.folder}/log', 'w+')
        # Its control groups are below these, and go with it.
        self.cgroups = [f'{one}/{os.path.basename(self.folder)}' for one in own_cgroups()]
        self.process = subprocess.Popen(
            ['sh', '-c', 'while [ "$1" != -- ]; do mkdir "$1" && echo $$ >"$1/cgroup.procs"; shift; done; '
                         'shift; exec "$@"', 'sh', *self.cgroups, '--',
             'unshare', '-f', *NAMESPACES, '--kill-child', f'{HERE}/machine.sh', self.folder],
            stdout=self.log, stderr=self.log)
        try:
            wait(self.is_up, 15, self.said)
        except AssertionError as error:
            self.__exit__()
            raise Skip('systemd cannot be the first process of namespaces here: ' + str(error)) from None
        self.run('systemd-sysusers ktrace.conf && systemd-tmpfiles --create ktrace.conf')
        folder = '/var/lib/prometheus/node-exporter'
        self.run(f'chgrp ktrace {folder} && chmod g+w {folder}')
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        # Its processes may need some time to end.
        wait(lambda: not any(map(os.path.exists, self.cgroups)) or subprocess.run(
            ['find', *self.cgroups, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+'],
            stderr=subprocess.DEVNULL, check=False) and False)
        self.log.close()
        shutil.rmtree(self.folder)

    def install(self):
        subprocess.run(['make', '-s', '-C', f'{HERE}/../..', 'install', f'DESTDIR={self.folder}/installed',
                        'PREFIX=/usr'], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(KTRACE, f'{self.folder}/installed/usr/bin/ktrace')

    def write(self, path, text, mode=0o644):
        """Before the machine runs."""
        path = self.folder + '/installed' + os.path.realpath(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(text)
        os.chmod(path, mode)

    def said(self):
        self.log.seek(0)
        return self.log.read()[-1500:]

    def first(self):
        with open(f'/proc/{self.process.pid}/task/{self.process.pid}/children') as file:
            return file.read().strip()

    def is_up(self):
        assert self.process.poll() is None, self.said()
        return self.first() and self.run('systemctl is-system-running', may_fail=True) == 'running'

    def run(self, words, may_fail=False):
        """Runs commands of the shell there, and returns what it prints."""
        run = subprocess.run(['nsenter', '-t', self.first(), *NAMESPACES, '--', 'bash', '-c', words],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        assert may_fail or not run.returncode, f'{words}: {run.stdout} {self.words()} {self.said()}'
        return run.stdout.strip()

    def words(self):
        return self.run(f'cat {WORDS}', may_fail=True)

    def show(self, name, unit='ktrace.service'):
        return self.run(f'systemctl show -P {name} {unit}')

    def is_active(self):
        return self.run('systemctl is-active ktrace', may_fail=True) == 'active'

    def get(self):
        return self.run('exec 3<>/dev/tcp/127.0.0.1/9464; printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3; cat <&3')

    def status(self, pid):
        text = self.run(f'cat /proc/{pid}/status')
        return dict(line.split(':\t', 1) for line in text.splitlines() if ':\t' in line)

    def processes(self, unit='*ktrace*'):
        """Returns the pids of processes by their names; the reader is "ktrace"."""
        found = {}
        for line in self.run('shopt -s nullglob; for pid in $(cat /sys/fs/cgroup/{unified/,systemd/,}system.slice/'
                             f'{{,system-ktrace*/}}{unit}.service/cgroup.procs | sort -u); do '
                             'read -r name </proc/$pid/comm && echo $name $pid; done 2>/dev/null; :').splitlines():
            name, pid = line.split()
            found.setdefault(name, []).append(pid)
        return found

    def senders(self):
        return self.processes().get('ktrace-sender', ())

    def has(self, *pids):
        return self.run(f'for pid in {" ".join(pids)}; do [ ! -e /proc/$pid ] || echo $pid; done').split()

    def collected(self):
        return len(set(IDS.findall(self.run('cat /run/collected', may_fail=True))))

    def reader(self):
        return self.show('MainPID')


def bits(*names):
    return f'{sum(1 << READER[name] for name in names):016x}'


def check_process(machine, status, bound, filters):
    """It is no root, has nothing, gets nothing, and has its list of system calls."""
    assert status['Uid'].split() == [machine.run('id -u ktrace')] * 4, status['Uid']
    for one in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb'):
        assert status[one] == NOTHING, (one, status[one])
    assert status['CapBnd'] == bound, status['CapBnd']
    assert (status['NoNewPrivs'], status['Seccomp']) == ('1', '2'), status
    reader = machine.status(machine.reader())
    more = int(status['Seccomp_filters']) - int(reader['Seccomp_filters'])
    assert more == filters, (more, status)


def check_files(machine, pid, nr_sockets, others=()):
    files = machine.run(f'for one in /proc/{pid}/fd/*; do readlink $one; done').split()
    for name in ('/dev/null', WORDS):
        files = [one for one in files if one != name]
    sockets = [one for one in files if one.startswith('socket:')]
    rest = [one for one in files if one not in sockets]
    assert len(sockets) <= nr_sockets and set(rest) <= set(others), files


def check_processes(machine):
    """Of each kind: the pages, the metrics that are sent, and four sinks, one of them beside the reader."""
    wait(lambda: len(machine.senders()) == 4, 10, machine.words)
    beside = machine.processes('ktrace')
    assert {name: len(pids) for name, pids in beside.items()} == {'ktrace': 1, 'ktrace-sender': 1}, beside
    found = machine.processes('ktrace-send@*')
    assert {name: len(pids) for name, pids in found.items()} == {
        'ktrace-page': 1, 'ktrace-push': 1, 'ktrace-sender': 3}, found
    for pid in beside['ktrace-sender']:
        check_process(machine, machine.status(pid), bits(*READER), 1)
        check_files(machine, pid, 1, ['/var/log/ktrace/records.json'])
    for pid in sum(found.values(), []):
        # Their own list, and for x86-64 and i386 that of ProtectKernelTunables=, which the
        # reader's unit has not.
        check_process(machine, machine.status(pid), NOTHING, 3)
        check_files(machine, pid, 6, ['anon_inode:[eventpoll]', 'anon_inode:[eventfd]'])


def exposure(machine, words):
    text = machine.run(f'systemd-analyze security {words} | cat')
    return float(text.split('Overall exposure level for ', 1)[1].split(': ', 1)[1].split()[0])


def check_reload(machine):
    pid = machine.reader()
    machine.run('printf "[Sink more]\\nTo=json:/var/log/ktrace/more.json\\n" >/etc/ktrace/ktrace.conf.d/more.conf')
    machine.run('systemctl reload ktrace')
    wait(lambda: len(machine.senders()) == 5, 10, lambda: repr(machine.processes()))
    machine.run('echo "[Snik]" >/etc/ktrace/ktrace.conf.d/more.conf; systemctl reload ktrace')
    wait(lambda: 'The old configuration stays in use' in machine.words(), 10, machine.words)
    assert machine.is_active() and machine.reader() == pid
    machine.run('rm /etc/ktrace/ktrace.conf.d/more.conf')


def check_life(machine):
    """Begins, is killed, begins again."""
    metrics = machine.get()
    assert 'ktrace_build_info' in metrics and '200 OK' in metrics, metrics
    assert machine.is_active()
    pid, restarts = machine.reader(), int(machine.show('NRestarts'))
    others = [one for pids in machine.processes().values() for one in pids]
    machine.run(f'kill -9 {pid}')
    wait(lambda: not machine.has(*others), 3, lambda: machine.has(*others))
    wait(lambda: machine.is_active() and machine.reader() not in ('0', pid), 30, machine.words)
    assert int(machine.show('NRestarts')) == restarts + 1
    assert 'ktrace_build_info' in machine.get()


def check_senders_end(machine):
    """Each that is killed is followed by another; none outlives the reader, not even a stopped one."""
    wait(lambda: len(machine.senders()) == 4, 10, machine.words)
    for pid in machine.processes('ktrace-send@*')['ktrace-sender']:
        machine.run(f'kill -9 {pid}')
    assert 0 < machine.collected() < RECORDS, machine.collected()    # while records come
    wait(lambda: len(machine.senders()) == 4, 10, machine.words)
    machine.run('systemctl kill -s STOP collector')
    reader, senders = machine.reader(), machine.processes('ktrace-send@*')['ktrace-sender']
    machine.run(f'kill -STOP {senders[0]}; kill -9 {reader}')
    wait(lambda: not machine.has(*senders), 3, lambda: machine.has(*senders))
    machine.run('systemctl kill -s CONT collector')
    wait(lambda: machine.reader() not in ('0', reader) and len(machine.senders()) == 4, 10, machine.words)


def check_without_socket(machine):
    wait(lambda: len(machine.senders()) == 4, 10, machine.words)
    machine.run('systemctl stop ktrace-send.socket')
    machine.run('kill -9 ' + ' '.join(machine.processes('ktrace-send@*')['ktrace-sender']))
    wait(lambda: 'systemctl start ktrace-send.socket' in machine.words(), 10, machine.words)
    machine.run('systemctl start ktrace-send.socket')
    wait(lambda: len(machine.senders()) == 4, 10, machine.words)
    # Processes that began before do not see the new socket, either.
    for pid in sum(machine.processes('ktrace-send@*').values(), []):
        assert not machine.run(f'nsenter -t {pid} -m find /run/ktrace-send -type s', may_fail=True)


def check_end(machine, owner):
    machine.run('echo {} >/run/ktrace/name')
    machine.run('systemctl stop ktrace-metrics.socket ktrace')
    assert machine.show('Result') == 'success' and not machine.processes(), machine.processes()
    wait(lambda: not machine.run('systemctl list-units --all --plain --no-legend "ktrace-send@*"'), 5,
         lambda: machine.run('systemctl list-units --all "ktrace-send@*"'))
    assert machine.run('stat -c "%U %a" /run/ktrace; ls /run/ktrace').split() == [owner, '700', 'name']
    assert not machine.run('ls /var/lib/prometheus/node-exporter/ktrace.prom', may_fail=True).startswith('/')
    machine.run('printf "[Serve]\\nListen=9464\\n" >/etc/ktrace/ktrace.conf; systemctl start ktrace')
    assert machine.is_active() and machine.run('cat /run/ktrace/name') == '{}'
    assert 'ktrace_build_info' in machine.get()
    # The next page has the same address.
    pid = machine.processes()['ktrace-page']
    machine.run('systemctl reload ktrace')
    wait(lambda: machine.processes().get('ktrace-page', pid) != pid, 10, machine.words)
    assert machine.is_active() and 'ktrace_build_info' in machine.get()


def test_the_service():
    drop_in = 'WatchdogSec=10\nRestartSec=1\n'    # a reload may wait for 5 s
    with Machine(drop_in=drop_in) as machine:
        machine.run('mkdir -p /etc/ktrace/ktrace.conf.d; systemctl start collector ktrace-metrics.socket ktrace')
        assert machine.run('cat /run/modprobe') == '0 -q ktrace'
        main = machine.status(machine.reader())
        assert main['Uid'].split() == [machine.run('id -u ktrace')] * 4
        for one in ('CapPrm', 'CapEff', 'CapAmb', 'CapBnd'):
            assert main[one] == bits(*READER), (one, main[one])
        assert (main['NoNewPrivs'], main['Seccomp']) == ('1', '2')
        check_processes(machine)
        # For the names of kernel functions.
        seen = f'/proc/{machine.reader()}/root/proc'
        assert ' T ' in machine.run(f'head -200 {seen}/kallsyms'), 'Command=func'
        mounts = machine.run(f'cat /proc/{machine.reader()}/mounts').splitlines()
        for path in ('/proc/sys', '/proc/irq', '/sys'):
            assert any(f' {path} ' in line and ' ro,' in line for line in mounts), mounts
        assert not machine.run(f'head -c 4 {seen}/kcore', may_fail=True).startswith('\x7fELF')
        wait(lambda: machine.run('cat /var/lib/prometheus/node-exporter/ktrace.prom', may_fail=True)
             .startswith('# HELP'), 10, machine.words)
        for user, words in (('root', 'runs as process'), ('ktrace', 'runs as process'),
                            ('nobody', 'by root and the user ktrace only')):
            text = machine.run(f'setpriv --reuid {user} --clear-groups ktrace serve --status', may_fail=True)
            assert words in text, (user, text)
        began = machine.show('WatchdogTimestampMonotonic')
        wait(lambda: machine.show('WatchdogTimestampMonotonic') != began, 8, machine.words)
        check_senders_end(machine)
        check_reload(machine)
        check_life(machine)
        check_without_socket(machine)
        wait(lambda: machine.collected() == RECORDS, 20, lambda: f'{machine.collected()} {machine.words()}')
        check_end(machine, 'ktrace')
        reader, sender = exposure(machine, 'ktrace.service'), exposure(machine, 'ktrace-send@x.service')
        assert reader <= MOST_EXPOSED and sender <= MOST_EXPOSED_SENDER, (reader, sender)
    return f'exposure {reader}, of senders {sender}'


def test_the_service_as_root():
    """As systemd before 231 runs it."""
    with Machine('root', drop_in='RestartSec=1\n') as machine:
        machine.run('mkdir -p /etc/ktrace/ktrace.conf.d /run/systemd/system/ktrace.service.d && '
                    'ln -s /usr/share/ktrace/root.conf /run/systemd/system/ktrace.service.d/ && '
                    'systemctl daemon-reload && systemctl start collector ktrace-metrics.socket ktrace')
        assert machine.status(machine.reader())['Uid'].split() == ['0'] * 4
        wait(lambda: len(machine.senders()) == 4, 10, machine.words)
        found = machine.processes('ktrace')
        assert machine.processes() == found
        users = []
        for name in ('ktrace-page', 'ktrace-push', 'ktrace-sender'):
            for pid in found[name]:
                status = machine.status(pid)
                users.append(status['Uid'].split()[0] == '0')
                if not users[-1]:
                    check_process(machine, status, NOTHING, 1)
        assert sum(users) == 1, users    # of json:FILE
        check_life(machine)
        check_end(machine, 'root')
