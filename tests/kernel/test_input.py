# SPDX-License-Identifier: GPL-2.0
"""Files and processes that cannot be traced: the reason is reported, and nothing stays attached."""
import json
import mmap
import os
import struct
import subprocess

from suite import Skip
from tool import TMP, detach_all, ktrace, sessions, victim, wait_for

HUGE = 2 << 20

PROGRAM = '''
#include <stdio.h>
int refused(void);
asm(".globl refused\\n.type refused, @function\\nrefused:\\n"
    "	in (%%dx), %%al\\n1:	ret\\n	jmp 1b\\n.size refused, . - refused\\n");
int (*volatile unused)(void) = refused;
__attribute__((noipa)) int good(int x) { return x + 1; }
int main(void) { puts("ready"); fflush(stdout); getchar(); return good(6); }
'''

teardown = detach_all


def complaint(*args, status=1):
    errors = ktrace(*args, status=status)[1].splitlines()
    assert len(errors) == 1 and errors[0].startswith('ktrace: '), errors
    assert sessions() == []
    return errors[0]


def refuses(path, words):
    text = complaint('ctl', 'attach', '--budget', 'none', '--binary', path)
    assert words in text, text


def test_input_no_program_file():
    fifo = os.path.join(TMP, 'input-fifo')
    os.mkfifo(fifo)
    refuses(fifo, 'not a regular file')
    assert 'is not an executable program' in complaint('run', '--', fifo, status=126)
    refuses(TMP, 'not a regular file')
    assert 'is not an executable program' in complaint('run', '--', TMP, status=126)
    refuses('/dev/null', 'not a regular file')
    for path in ('/proc/version', '/proc/self/mem', '/sys/kernel/uevent_seqnum'):
        refuses(path, 'program or library')


def test_input_other_machines():
    for name, kind, machine in (('i386', 1, 3), ('arm64', 2, 183), ('x32', 1, 62)):
        path = os.path.join(TMP, name)
        head = b'\x7fELF' + bytes([kind, 1, 1]) + bytes(9) + struct.pack('HHI', 2, machine, 1)
        size = 64 if kind == 2 else 52
        with open(path, 'wb') as file:
            file.write(head + bytes(size - len(head)))
        os.chmod(path, 0o755)
        refuses(path, 'is not for x86-64')
        assert 'is not for x86-64' in complaint('run', '--', path, status=125)


def test_input_processes():
    thread = next(pid for pid in filter(str.isdigit, os.listdir('/proc'))
                  if not os.path.exists('/proc/%s/exe' % pid))
    assert 'is a kernel thread' in complaint('ctl', 'attach', '--budget', 'none', '--pid', thread)
    zombie = subprocess.Popen(['true'])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    assert 'a zombie' in complaint('ctl', 'attach', '--budget', 'none', '--pid', str(zombie.pid))
    assert 'a zombie' in complaint('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--pid',
                                   str(zombie.pid))
    zombie.wait()
    assert 'is gone' in complaint('ctl', 'attach', '--budget', 'none', '--pid', str(zombie.pid))


def test_input_refused_by_the_kernel():
    """A function that cannot be probed is reported; the others are probed."""
    path = os.path.join(TMP, 'refused')
    with open(path + '.c', 'w') as source:
        source.write(PROGRAM.replace('%%', '%'))
    subprocess.check_call(['gcc', '-O2', '-o', path, path + '.c'])
    process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    attach = ('ctl', 'attach', '--budget', 'none', '--pid', str(process.pid), '--name', 'some', '--no-lib')
    text, errors = ktrace(*attach)
    assert not errors and 'Session some: 2 functions' in text, (text, errors)
    assert ' more were left out' in text, text
    ktrace('ctl', 'detach', 'some')
    text, errors = ktrace(*attach, '-f', 'refused,good')
    assert errors == 'ktrace: refused is not probed: the kernel refuses a probe on its first ' \
                     'instruction (such as a lock prefix, or AVX).\n', errors
    ktrace('ctl', 'detach', 'some')
    assert 'None of the 1 matching functions can be probed' in complaint(*attach, '-f', 'refused')
    assert sessions() == [] and not os.path.exists('/run/ktrace/some')
    process.communicate('\n')
    assert process.returncode == 7


def test_input_without_page_cache():
    """Huge pages are not read through the page cache, so no probe can be put into them."""
    folder = os.path.join(TMP, 'huge')
    os.mkdir(folder)
    with open('/proc/sys/vm/nr_hugepages', 'w') as file:
        file.write('8')
    if subprocess.run(['mount', '-t', 'hugetlbfs', 'huge', folder], stderr=subprocess.DEVNULL).returncode:
        raise Skip('there is no hugetlbfs')
    path = os.path.join(folder, 'recursion')
    with open(victim('recursion'), 'rb') as file:
        text = file.read()
    try:
        with open(path, 'w+b') as file:
            file.truncate(-(-len(text) // HUGE) * HUGE)
            with mmap.mmap(file.fileno(), 0) as pages:
                pages[:len(text)] = text
        _, errors = ktrace('ctl', 'attach', '--binary', path, '-f', 'down', '--name', 'some',
                           '--no-lib', status=1)
        assert errors.splitlines() == [
            'ktrace: down is not probed: its file system has no page cache for a breakpoint; '
            'copy the file to a disk.',
            'ktrace: None of the functions could be probed; nothing stays attached.'], errors
        assert sessions() == [] and not os.path.exists('/run/ktrace/some')
    finally:
        # The kernel releases the session's file a little later.
        wait_for(lambda: not subprocess.run(['umount', folder], stderr=subprocess.DEVNULL).returncode)


def with_writable_code(path):
    """Copies a program and makes its code segment writable."""
    with open(victim('recursion'), 'rb') as file:
        text = bytearray(file.read())
    start, size, nr = (int.from_bytes(text[at:at + length], 'little')
                       for at, length in ((32, 8), (54, 2), (56, 2)))
    for at in range(start, start + size * nr, size):
        if text[at] == 1 and text[at + 4] & 1:     # PT_LOAD, PF_X
            text[at + 4] |= 2                      # PF_W
    with open(path, 'wb') as file:
        file.write(text)
    os.chmod(path, 0o755)


def test_input_with_writable_code():
    """The kernel places no probe there, so the data is incomplete, or the program is refused."""
    path = os.path.join(TMP, 'writable')
    with_writable_code(path)
    text, errors = ktrace('run', '--format', 'json', '-o', '-', '--', path, status=3)
    assert 'of %s cannot be probed: its code is writable' % path in errors, errors
    data = json.loads(text)
    names = {row['name'] for row in data['rows']}
    assert names and all(name.endswith('@libc.so.6') for name in names), names
    for command in (('run', '--no-lib', '--', path), ('run', '-f', 'down', '--', path)):
        assert 'its code is writable' in complaint(*command, status=125)
    assert 'its code is writable' in complaint('ctl', 'attach', '--budget', 'none', '--binary', path, '--name', 'some',
                                               '--no-lib')
    assert sessions() == []


def test_input_with_thread_sanitizer():
    """It refuses to start beside the page for single steps, which the first hit maps."""
    path = os.path.join(TMP, 'sanitized')
    with open(path + '.c', 'w') as source:
        source.write('__attribute__((noipa)) int work(int x) { return x + 1; }\n'
                     'int main(void) { return work(4); }')
    if subprocess.run(['gcc', '-O1', '-fsanitize=thread', '-o', path, path + '.c'],
                      stderr=subprocess.DEVNULL).returncode or subprocess.run([path]).returncode != 5:
        raise Skip('there is no ThreadSanitizer that runs here')
    text, errors = ktrace('run', '--format', 'json', '-o', '-', '--', path, status=5)
    assert errors.startswith('ktrace: %s is built with ThreadSanitizer' % path), errors
    rows = json.loads(text)['rows']
    assert {row['name']: row['entries'] for row in rows} == {'main': 1, 'work': 1}, rows
    # As a program that another executes, it hits a probe in its loader, and does not start.
    _, errors = ktrace('run', '-o', '/dev/null', '--', 'sh', '-c', path + '; [ $? = 5 ] || exit 3', status=3)
    assert 'ktrace: %s is built with ThreadSanitizer' % path in errors, errors
    assert 'use run --no-follow' in errors, errors
    _, errors = ktrace('run', '-o', '/dev/null', '--no-follow', '--', 'sh', '-c', path, status=5)
    assert 'ThreadSanitizer' not in errors, errors


HOSTILE = b'h\x1b[2J\x9b\xe2\x80\xae\n\x7f'
ESCAPED = r'h\x1b[2J\x9b\u202e\x0a\x7f'
STEERING = b'\x1b', b'\x7f', b'\xe2\x80\xae', b'\xc2\x9b'


def hostile_program():
    """A program whose path, comm and function names contain control sequences for a terminal."""
    path = os.path.join(TMP.encode(), HOSTILE)
    with open(victim('recursion'), 'rb') as file:
        text = file.read()
    assert b'\0bottom\0' in text
    with open(path, 'wb') as file:
        file.write(text.replace(b'\0bottom\0', b'\0bo\x1b\x9b\xc2\x9b\0'))
    os.chmod(path, 0o755)
    return path


def shown_by(*args):
    """Returns both outputs of ktrace, and checks that they contain no control sequence."""
    done = subprocess.run(['ktrace', *args], capture_output=True, stdin=subprocess.DEVNULL)
    out = done.stdout + done.stderr
    assert not any(steering in out for steering in STEERING), (args, out)
    text = out.decode()
    assert done.returncode < 128 and 'Sanitizer' not in text, text
    return text


def test_input_names_that_steer_a_terminal():
    path = hostile_program()
    run = 'run', '--no-lib'
    for style in 'tree', 'flat', 'summary', 'hist':
        text = shown_by(*run, '--format', style, '--stream', '--', path)
        assert r'bo\x1b\x9b\u009b' in text, (style, text)
    out = os.path.join(TMP, 'hostile.json')
    shown_by(*run, '--format', 'json', '-o', out, '--', path)
    with open(out, 'rb') as file:
        text = file.read()
    assert not any(steering in text for steering in STEERING), text
    names = [row['name'] for row in json.loads(text)['rows']]
    assert 'bo\x1b\ufffd\x9b' in names, names
    assert ESCAPED in shown_by('run', '--dry-run', '--', path)
    assert ESCAPED in shown_by('syscall', '--slow', '0', '--', path)
    assert ESCAPED in shown_by('ctl', 'attach', '--budget', 'none', '--binary', path, '--no-lib', '--name', 'some')
    subprocess.run([path], stdout=subprocess.DEVNULL)
    assert r'bo\x1b\x9b\u009b' in shown_by('ctl', 'read', 'some', '--format', 'summary')
    assert ESCAPED in shown_by('ctl', 'attach', '--budget', 'none', '--binary', b'/none/' + HOSTILE)
    assert r"command '\x1b[2J\x0a'" in shown_by('\x1b[2J\n')


def test_input_closed_output_and_full_disk():
    ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'some')
    for command in (['list'], ['show', 'some'], ['read', 'some']):
        with open('/dev/full', 'w') as full:
            done = subprocess.run(['ktrace', 'ctl', *command], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and 'No space left' in done.stderr, done
        done = subprocess.run(['ktrace', 'ctl', *command], stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: os.close(1))
        assert done.returncode == 1 and done.stderr.count('\n') == 1, done
    assert [s['name'] for s in sessions()] == ['some']
