# SPDX-License-Identifier: GPL-2.0
"""
A load of files and of TCP connections in which the number of all calls is known. chores.py FOLDER
[forever] makes one round of them and prints the results; with forever, rounds until its input ends.
"""
import hashlib
import os
import select
import socket
import sys
import threading

FILES = 24
BLOCKS = 3
CONNECTIONS = 6
REQUESTS = 8
SIZE = 3000

# The calls that the kernel must be seen to make in a round, by names of its functions.
CALLS = {
    'ext4_*': {'ext4_create': FILES, 'ext4_sync_file': FILES, 'ext4_rename2': FILES,
               'ext4_unlink': FILES, 'ext4_mkdir': 1, 'ext4_rmdir': 1},
    'vfs_*': {'vfs_rename': FILES, 'vfs_unlink': FILES, 'vfs_mkdir': 1, 'vfs_rmdir': 1},
    # Requests and replies. The server also reads the end of each connection, and closes its socket.
    'tcp_*': {'tcp_v4_connect': CONNECTIONS, 'tcp_sendmsg': 2 * CONNECTIONS * REQUESTS,
              'tcp_recvmsg': CONNECTIONS * (2 * REQUESTS + 1), 'tcp_close': 2 * CONNECTIONS + 1},
}


def block(*words):
    """Returns bytes that differ for other words."""
    digest = hashlib.sha256(repr(words).encode()).digest()
    return (digest * (SIZE // len(digest) + 1))[:SIZE]


def read_back(path):
    with open(path, 'rb') as file:
        return file.read()


def make_file(folder, number):
    """Writes a file under another name, syncs it, and then renames it."""
    draft, path = os.path.join(folder, 'draft'), os.path.join(folder, 'file%d' % number)
    fd = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    for part in range(BLOCKS):
        os.write(fd, block('file', number, part))
    os.fsync(fd)
    os.close(fd)
    os.rename(draft, path)


def file_round(folder):
    """Returns {name: content} of all files that exist at the end, before they are removed."""
    folder = os.path.join(folder, 'round%d' % os.getpid())
    os.mkdir(folder)
    for number in range(FILES):
        make_file(folder, number)
    found = {name: read_back(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}
    for name in found:
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)
    return found


def serve(listener):
    """Sends back the data that it receives, reversed."""
    for _ in range(CONNECTIONS):
        client, _ = listener.accept()
        with client:
            while True:
                request = client.recv(SIZE, socket.MSG_WAITALL)
                if not request:
                    break
                client.sendall(request[::-1])


def ask(address, connection):
    with socket.socket() as server:
        server.connect(address)
        for number in range(REQUESTS):
            server.sendall(block('request', connection, number))
            yield server.recv(SIZE, socket.MSG_WAITALL)


def tcp_round():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        replies = [reply for number in range(CONNECTIONS)
                   for reply in ask(listener.getsockname(), number)]
        thread.join()
    return replies


def make_round(folder):
    """Prints one line: the amounts, and a digest of all content."""
    files, replies = file_round(folder), tcp_round()
    whole = hashlib.sha256(repr((files, replies)).encode()).hexdigest()
    return '%d files %d replies %s' % (len(files), len(replies), whole)


def expected_round():
    """Computes what make_round() returns if nothing goes wrong, without doing any of it."""
    names = sorted('file%d' % number for number in range(FILES))
    files = {name: b''.join(block('file', int(name[4:]), part) for part in range(BLOCKS))
             for name in names}
    replies = [block('request', connection, number)[::-1]
               for connection in range(CONNECTIONS) for number in range(REQUESTS)]
    whole = hashlib.sha256(repr((files, replies)).encode()).hexdigest()
    return '%d files %d replies %s' % (len(files), len(replies), whole)


def main():
    folder, is_forever = sys.argv[1], 'forever' in sys.argv[2:]
    print(make_round(folder), flush=True)
    while is_forever and not select.select([sys.stdin], [], [], 0)[0]:
        print(make_round(folder), flush=True)


if __name__ == '__main__':
    main()
