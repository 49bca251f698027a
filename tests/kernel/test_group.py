# SPDX-License-Identifier: GPL-2.0
"""Members of the module's group may read what is traced, and nothing else."""
import errno
import json
import socket
import subprocess

from genl import Client, Refused
from strangers import GROUP, Stranger
from test_privilege import NAME, STATE_ACTIVE, Traced, ask_all
from tool import detach_all, none_left, reload_module, sessions

READING = {'INFO', 'SESSION_GET', 'FUNC_GET', 'TREE_GET', 'TABLE_GET', 'STACK_GET', 'STREAM_READ', 'SUBSCRIBE'}


def setup():
    reload_module(group=GROUP)


def teardown():
    detach_all()
    none_left()
    reload_module()


def answers_of(who, client=None, ask=ask_all):
    """What a user is answered about a session of root, which none of the messages changes."""
    with Traced() as traced:
        stranger = Stranger(who, lambda mine: ask(mine, traced.id), (lambda: client) if client else Client)
        results = stranger.go()
        assert isinstance(results, list), results
        assert [s['id'] for s in sessions()] == [traced.id]
        assert Client().state(traced.id) == STATE_ACTIVE
    detach_all()
    return results


def check_refused(who, client=None):
    results = answers_of(who, client)
    assert {tuple(row[1:]) for row in results} == {(errno.EPERM, 0)}, (who, results)


def test_group_reads():
    setup()
    results = answers_of('member')
    wrong = [row for row in results if row[1:] != [errno.EPERM, 0] and row[0] not in READING]
    assert wrong == [], wrong
    refused = [row for row in results if row[0] in READING and row[1]]
    assert refused == [], refused
    assert all(row[2] for row in results if row[0] in READING - {'SUBSCRIBE', 'TREE_GET', 'STACK_GET'}), results
    with Traced():
        listing = Stranger('member', lambda: subprocess.check_output(
            ['ktrace', 'ctl', 'list', '--format', 'json'], text=True)).go()
        assert [row['name'] for row in json.loads(listing)['rows']] == [NAME], listing


def test_group_commands():
    """A member's commands read, and say who may do the rest."""
    setup()
    with Traced():
        read = command('ctl', 'read', NAME, '--format', 'json')
        assert read[0] == 0 and sum(row['calls'] for row in json.loads(read[1])['rows']) > 0, read
        for words in ('ctl', 'detach', NAME), ('syscall', '-d', '1'), ('ctl', 'read', NAME, '--reset'):
            code, _, errors = command(*words)
            assert code == 1 and 'only root may do this' in errors, (words, errors)


def command(*words):
    """Returns the status of a member's command, and what it has printed."""
    def run():
        done = subprocess.run(['ktrace', *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr
    return Stranger('member', run).go()


def test_doctor_tells_the_group():
    words = f'members of group {GROUP} (group) may read'
    assert words not in subprocess.run(['ktrace', 'doctor'], stdout=subprocess.PIPE, text=True, check=False).stdout
    setup()
    assert words in subprocess.run(['ktrace', 'doctor'], stdout=subprocess.PIPE, text=True, check=False).stdout


def test_group_others():
    setup()
    for who in 'nobody', 'net_admin', 'member in a container', 'member in a user namespace':
        check_refused(who)


def test_group_of_a_socket():
    """A socket of root does not help a member, nor one of a member another user."""
    setup()
    client = Client()
    check_refused('member', client)
    ours, theirs = socket.socketpair()
    Stranger('member', lambda mine: socket.send_fds(theirs, [b'.'], [mine.socket.fileno()]) and None,
             Client).go()
    client.close()
    client.socket = socket.socket(fileno=socket.recv_fds(ours, 1, 1)[1][0])
    check_refused('nobody', client)


def test_group_subscribers():
    """Members cannot make the module send a notice to any number of sockets."""
    setup()
    assert Stranger('member', subscribe_300).go() == [256, errno.EMFILE]
    assert subscribe_300() == [300, 0]


def subscribe_300():
    """Returns how many sockets were accepted, and why not more."""
    clients = [Client() for _ in range(300)]
    for nr, client in enumerate(clients):
        try:
            client.call('SUBSCRIBE')
        except Refused as error:
            return [nr, error.errno]
    return [len(clients), 0]
