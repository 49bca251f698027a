# SPDX-License-Identifier: GPL-2.0
"""syslog-ng: TCP and a local socket, restarted and killed in the middle."""
import glob
import json
import os
import signal

from collectors import Program, fetched, free_ports, is_listening, program, socket_queue
from played import Play, check_each_once, ids, wait

# Debian's package conflicts with rsyslog, so it is unpacked.
PACKAGES = 'syslog-ng-core', 'libivykis0', 'libnet1', 'libwrap0'
CONFIG = '''@version: 3.38
@define scl-root "{root}/usr/share/syslog-ng/include/scl"
options {{ keep-hostname(yes); stats-freq(0); log-msg-size(8192); }};
source tcp {{ syslog(transport("tcp") ip(127.0.0.1) port({port}) log-iw-size(1000)); }};
source local {{ unix-dgram("{folder}/log" flags(no-hostname)); }};
parser json {{ json-parser(marker("@cee:") prefix(".cee.")); }};
template line {{
	template("${{PROGRAM}} $(or ${{MSGID}} -) $(format-json --key .cee.* --shift-levels 2)\\n");
}};
destination tcp {{ file("{folder}/tcp" template(line)); }};
destination local {{ file("{folder}/local" template(line)); }};
log {{ source(tcp); parser(json); destination(tcp); flags(flow-control); }};
log {{ source(local); parser(json); destination(local); flags(flow-control); }};
'''
NAMES = 'tcp', 'local'


class SyslogNg(Program):
    def __init__(self, play):
        program('apt-get')
        folder = fetched('syslog-ng', 'apt-get download ' + ' '.join(PACKAGES),
                         'for package in *.deb; do dpkg -x "$package" root || exit 1; done')
        root = f'{folder}/root'
        modules, = glob.glob(f'{root}/usr/lib/syslog-ng/*.*/')
        self.play, (self.port,) = play, free_ports(1)
        os.chmod(play.folder, 0o755)
        with open(play.path('syslog-ng.conf'), 'w') as file:
            file.write(CONFIG.format(root=root, folder=play.folder, port=self.port))
        words = [f'{root}/usr/sbin/syslog-ng', '-F', '--no-caps', f'--module-path={modules}']
        for option, name in ('-f', 'conf'), ('-R', 'persist'), ('-c', 'ctl'), ('-p', 'pid'):
            words += [option, play.path(f'syslog-ng.{name}')]
        libraries = f'{root}/usr/lib/syslog-ng', f'{root}/usr/lib/x86_64-linux-gnu', \
            f'{root}/lib/x86_64-linux-gnu'
        super().__init__(words, play.path('syslog-ng.log'), self.is_there,
                         env={**os.environ, 'LD_LIBRARY_PATH': ':'.join(libraries)})

    def is_there(self):
        return is_listening(self.port) and os.path.exists(self.play.path('log'))

    def begin(self):
        if os.path.exists(self.play.path('log')):
            os.unlink(self.play.path('log'))
        super().begin()

    def sinks(self):
        return ('--to', f'syslog:tcp:127.0.0.1:{self.port}',
                '--to', f'syslog:{self.play.path("log")}')


def documents(play, name):
    found = []
    if not os.path.exists(play.path(name)):
        return found
    with open(play.path(name)) as file:
        for line in file:
            if not line.endswith('\n'):
                break
            app, msgid, fields = line.split(' ', 2)
            fields = json.loads(fields)
            assert app == 'ktrace' and msgid == ('-' if name == 'local' else fields['event']), line
            found.append(fields)
    return found


def wait_for_end(play):
    for name in NAMES:
        wait(lambda: documents(play, name)[-1:] and documents(play, name)[-1]['event'] == 'end',
             10, lambda: f'the end of {name}')


def restart(number):
    with Play(packets=100, period=15000) as play, SyslogNg(play) as syslog_ng:
        play.begin(*syslog_ng.sinks())
        wait(lambda: len(documents(play, 'tcp')) > 3000)
        syslog_ng.restart(number)
        assert play.process.wait(30) == 0, play.words()
        wait_for_end(play)
        found = {name: ids(documents(play, name)) for name in NAMES}
        for name in NAMES:
            assert not set(found[name]) - play.expected()
        return {name: (10000 - len(set(found[name])), len(found[name]) - len(set(found[name])))
                for name in NAMES}


def text(found):
    return ', '.join(f'{name} lost {lost} twice {twice}' for name, (lost, twice) in found.items())


def test_each_record_once():
    with Play() as play, SyslogNg(play) as syslog_ng:
        assert play.run(*syslog_ng.sinks()) == 0, play.words()
        wait_for_end(play)
        for name in NAMES:
            check_each_once(play, documents(play, name))
        one = documents(play, 'tcp')[1]
        assert one['event'] == 'exit' and one['session'] == 'web' and one['duration_ns'], one


def test_an_orderly_restart():
    found = restart(signal.SIGTERM)
    assert found['tcp'][0] <= 7000 and found['local'][0] <= socket_queue(), found
    return text(found)


def test_a_kill():
    found = restart(signal.SIGKILL)
    assert found['tcp'][0] <= 7000 and found['local'][0] <= socket_queue(), found
    return text(found)
