#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""seeds.py FOLDER: makes the first inputs of the fuzzers, mostly from output of the compiler."""
import importlib
import json
import os
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FUNCTIONS = os.path.join(HERE, "../unit/functions.S")
SMALL = ["-nostdlib", "-shared", "-Wl,--hash-style=gnu", "-Wl,-z,noseparate-code",
         "-Wl,-z,max-page-size=64", "-Wl,--build-id=0x0102030405060708", "-Wl,-z,norelro"]
SYMBOLS = r"""
	.text
	.globl f, __f, g, chosen, far
	.type f, @function
	.type __f, @function
f: __f:	push %rbp
	call outer@plt
	call other@plt
	test %eax, %eax
	js f.cold
	pop %rbp
	ret
	.size f, . - f
	.size __f, . - __f
	.type f.cold, @function
f.cold:	ud2
	.size f.cold, . - f.cold
	.type g, @function
g:	mov 8(%rdi), %rax
	ret
	.size g, 0
	.type chosen, @gnu_indirect_function
chosen:	lea far.1(%rip), %rax
	ret
	.size chosen, . - chosen
	.type _ZN1A1fIiEEvT_, @function
_ZN1A1fIiEEvT_:
	jmp *far@GOTPCREL(%rip)
	.size _ZN1A1fIiEEvT_, . - _ZN1A1fIiEEvT_
	.type far, @function
far: far.1: ret
	.size far, . - far
	.symver outer, outer@OLD
	.symver other, other@@@NEW
	.section .note.GNU-stack
"""
LIBRARY = """
.globl outer_1, other_1
.type outer_1, @function
.type other_1, @function
outer_1: other_1: ret
.symver outer_1, outer@OLD
.symver other_1, other@@NEW
"""
VERSIONS = "OLD { global: outer; }; NEW { global: other; local: *; } OLD;"
MINE = "ONE { global: f; __f; chosen; }; TWO { global: g; far; local: nothing; } ONE;"


def run(*words, text=None):
    subprocess.run(words, check=True, input=text, text=True)


def gcc(out, text, *options):
    run("gcc", *SMALL, "-o", out, "-x", "assembler", "-", "-x", "none", *options, text=text)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, data):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "wb") as file:
        file.write(data)


def save(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def make_files():
    """Makes ELF files in all the ways that symbols are found."""
    save("versions", VERSIONS)
    save("mine", MINE)
    gcc("libouter.so", LIBRARY, "-Wl,--version-script=versions")
    gcc("whole", SYMBOLS, "-Wl,--version-script=mine", "./libouter.so")
    run("gcc", *SMALL, FUNCTIONS, "-o", "functions")
    run("gcc", *SMALL, "-DGO", FUNCTIONS, "-o", "go")
    run("objcopy", "--only-keep-debug", "whole", "201")
    run("strip", "-o", "stripped", "whole")
    run("objcopy", "--add-gnu-debuglink=201", "stripped", "linked")
    run("objcopy", "--remove-section=.note.gnu.build-id", "linked", "summed")
    run("objcopy", "-S", "--strip-all", "--keep-symbol=f", "--remove-section=.comment", "201",
        "packed")
    run("xz", "-kf", "packed")
    write("./plain", b"PLAIN:" + read("packed"))
    run("objcopy", "--add-section", ".gnu_debugdata=packed.xz", "stripped", "mini")
    run("objcopy", "--add-section", ".gnu_debugdata=plain", "stripped", "open")


def hostile(data):
    """Makes files that would cost their reader much, by name."""
    shoff = struct.unpack_from("<Q", data, 40)[0]
    shnum, shstrndx = struct.unpack_from("<HH", data, 60)

    def section(nr, **values):
        fields = {"type": (4, "<I"), "offset": (24, "<Q"), "size": (32, "<Q")}
        for name, value in values.items():
            at, form = fields[name]
            struct.pack_into(form, changed, shoff + 64 * nr + at, value)

    changed = bytearray(data)
    for nr in range(1, shnum):
        section(nr, type=7, offset=64, size=len(data) - 64)
    yield "notes", bytes(changed)
    changed = bytearray(data)
    struct.pack_into("<H", changed, 60, 0)
    section(0, size=1 << 40)
    yield "sections", bytes(changed)
    changed = bytearray(data)
    section(shstrndx, offset=0, size=64)
    yield "strings", bytes(changed)
    changed = bytearray(data)
    struct.pack_into("<Q", changed, 32, len(data))
    struct.pack_into("<HH", changed, 54, 56, 100)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, len(data), len(data), 4096)
    yield "segments", bytes(changed) + 100 * load


def make_elf(folder):
    mark = b"\n--- debug ---\n"
    for name in ("whole", "functions", "go", "stripped", "mini", "open"):
        write(f"{folder}/elf/{name}", read(name))
    for name, data in hostile(read("whole")):
        write(f"{folder}/elf/{name}", data)
    write(f"{folder}/elf/linked", read("linked") + mark + read("201"))
    write(f"{folder}/elf/summed", read("summed") + mark + read("201"))


def symbols_of(name):
    listing = subprocess.run(["nm", "-S", "--defined-only", name], check=True, text=True,
                             capture_output=True).stdout
    for line in listing.splitlines():
        words = line.split()
        if len(words) == 4:
            yield int(words[0], 16), int(words[1], 16), words[3]


def make_insn(folder):
    run("objcopy", "-O", "binary", "functions", "bytes")
    data = read("bytes")
    symbols = list(symbols_of("functions"))
    colds = {name[:-5]: (at, size) for at, size, name in symbols if name.endswith(".cold")}
    # The segment begins with the headers of the file, before everything else.
    first = min(at for at, _, _ in symbols)
    start = data.find(read("functions")[first:first + 64])
    for at, size, name in symbols:
        cold, cold_size = colds.get(name, (first, 0))
        write(f"{folder}/insn/{name}",
              struct.pack("<HHHHB", at - first, size - 1, cold - first, cold_size, 0) +
              data[start:start + 4096])


def record(rec, words=(), tid=5, func=0, depth=0, flags=0, time=200, times=()):
    words = [*times, *words]
    return struct.pack("<QIIIHBB", time, rec, tid, func, depth, flags,
                       len(words) - len(times)) + struct.pack(f"<{len(words)}Q", *words)


def make_records(folder):
    text = int.from_bytes(b"text\n\xff\"\\", "little")
    records = record(1, (0x0201, 7, 8, text), flags=32) + record(1, func=2, depth=1, time=201) + \
        record(2, (1, 1 << 40), func=2, depth=1, time=300, flags=32, times=(99,)) + \
        record(1, (150,), func=3, depth=1, time=301, flags=4) + record(4, (6, 6), time=302) + \
        record(5, (0x6873, 0), time=303) + record(2, times=(200,), time=400, flags=1) + \
        record(1, func=1, tid=6, time=401, flags=8) + record(3, tid=6, time=402) + \
        record(6, (-2 & (1 << 64) - 1, 3, 0, 8, 0, 0, 0, 0x6464, 0, 0x632f), time=403, times=(9, 402)) + \
        record(7, (1, 2, 3, 4, 2048, 12, 8 << 52 | 8 << 20, 15 << 32 | 512, 7 << 32 | 5, 0x6464, 0),
               time=404, times=(10, 401))
    for which in range(5):
        packet = struct.pack("<BH", 2, len(records)) + records
        write(f"{folder}/records/{which}", struct.pack("<BB", which | 32, 250) + packet +
              struct.pack("<BB", 129, 250) + packet)


def numbers():
    """Returns the numbers of KTRACE_A_NAME in the header, by name."""
    with open(os.path.join(HERE, "../../include/uapi/ktrace.h"), encoding="ascii") as file:
        names = re.findall(r"^\tKTRACE_A_(\w+)", file.read(), re.MULTILINE)
    return {name: number for number, name in enumerate(names)}


NUMBERS = numbers()


def attributes(**values):
    """Packs a number as bytes, or bytes, for each name."""
    packed = b""
    for name, value in values.items():
        packed += struct.pack("<BH", NUMBERS[name], len(value)) + value
    return packed


def nest(name, **values):
    """Packs the attributes of a nest as in a message."""
    packed = b""
    with open(os.path.join(HERE, "../../include/uapi/ktrace.h"), encoding="ascii") as file:
        names = re.findall(rf"^\tKTRACE_{name}_(\w+)", file.read(), re.MULTILINE)
    for attr, value in values.items():
        packed += struct.pack("<HH", 4 + len(value), names.index(attr)) + value
        packed += bytes(-len(value) % 4)
    return packed


def u32(number):
    return struct.pack("<I", number)


def u64(number):
    return struct.pack("<Q", number)


def table(keys, figures, cells, max_rows=0):
    """Returns a dump: the columns of a table, by number, then a row and the row of the others."""
    kinds = {("key", 6): 2, ("key", 16): 7, ("figure", 6): 4, ("figure", 7): 5, ("figure", 18): 6}
    columns = b"".join(
        struct.pack("<16s8sIBBH", name.encode(), b"", number, name == "key",
                    kinds.get((name, number), 1 if name == "key" else 3), 0)
        for name, numbers in (("key", keys), ("figure", figures)) for number in numbers)
    shape = struct.pack("<QII4I", sum(1 << number for number in figures), 1, max_rows,
                        *(keys + [0] * 4)[:4])
    row = dict(CELLS=struct.pack("<%dQ" % len(cells), *cells), NAME=b"req.1\0",
               BUCKETS=struct.pack("<IIQIIQ", 5, 0, 2, 30, 0, 3))
    return [attributes(TABLE=shape, COLUMNS=columns), attributes(**row),
            attributes(FLAGS=u32(1), **row)]


LETTERS = int.from_bytes(b"program\0", "little")


def answers():
    """Yields answers by the number of a command in netlink.c, whose upper bits choose the
    format."""
    session = attributes(SESSION=u64(1), COOKIE=u64(2), NAME=b"name\0", STATE=u32(3),
                         CLOCKS=bytes(64), COUNTERS=bytes(152), ERROR=u32(0), PROVIDER=u32(1),
                         SINKS=u32(9), TARGET=nest("TARGET", NR_FUNCS=u32(7)),
                         WHO=nest("WHO", PIDS=u32(5) * 2, FOLLOW=b""),
                         LIMIT=nest("LIMIT", MIN_TIME=u64(1), LIFETIME=u64(2), BUDGET=u32(3)))
    func = attributes(FUNC=u32(1), ERROR=u32(2**32 - 22), BUILD_ID=bytes(20), OFFSET=u64(64),
                      TAKEN_OUT=bytes(range(32)))
    functions = table([1], [0, 1, 3, 5, 16], [1, 5, 4, 900, 1000, 70])
    node = struct.Struct("<IIIIQQQ")
    nodes = attributes(NODES=node.pack(0, 2**32 - 1, 1, 0, 1, 2, 3) +
                       node.pack(1, 0, 2, 0, 1, 2, 3))
    yield 0, [attributes(VERSION=b"1.0\0", ABI=u32(3), LIMITS=bytes(40))]
    yield from ((which, [session]) for which in (1, 2, 5))
    yield 3, [func]
    yield 4, [attributes(CLOCK=u64(9), COUNTERS=bytes(136)) +
              attributes(CURSOR=u64(1), PACKET=bytes(100))]
    yield 6, [attributes(SESSION=u64(1), EVENT=u32(2), PID=u32(77))]
    # Functions that show figures first ask for the session.
    yield from ((8 + 9 * form, [session, functions, func]) for form in (2, 3, 4, 8))
    yield 8 + 9 * 65, [session, nodes]
    yield 8 + 9 * 67, [session, functions, func, nodes]
    yield 7 + 9 * 1, [table([2], [0, 2, 3, 8, 11], [512, 9, 1, 800, 4096, 3])]
    yield 7 + 9 * 11, [table([2, 3], [0], [1, 13, 4], max_rows=8)]
    yield 7 + 9 * 2, [table([10], [0, 3], [4, 2, 3000])]
    yield 7 + 9 * 3, [table([11, 12, 13], [0, 3, 8], [8 << 20, 1, 4, 2, 3000, 512])]
    yield 7 + 9 * 4, [table([11, 14, 12], [1, 2, 8], [3, 0, 0, 7, 1, 512])]
    yield 7 + 9 * 16, [table([6, 5, 2, 3], [0, 3, 17, 18],
                             [LETTERS, 0, 42, 257, 2, 6, 900, 50, LETTERS, 0], max_rows=8)]
    stack = attributes(STACK=u32(0), FLAGS=u32(5), COMM=b"comm\0", PID=u32(1),
                       KERNEL_FRAMES=b"__schedule\0worker [ext4]\0", USER_FRAMES=bytes(16),
                       USER_PLACES=bytes(48))
    periods = [node.pack(nr, parent, func, 0, 2, 300000, 200000) for nr, parent, func in
               ((0, 2**32 - 1, 77), (1, 0, 4), (2, 1, 0), (3, 0, 3), (4, 3, 9))]
    yield 7, [stack, attributes(NODES=b"".join(periods))]


def refusal(text, request):
    """Returns an error with a sentence, after the request or its header."""
    said = struct.pack("<HH", 4 + len(text), 1) + text + bytes(-len(text) % 4)
    packed = struct.pack("<iIHHII", -22, 16 + len(request), 30, 5, 0, 0) + request + said
    return struct.pack("<BH", 1, len(packed)) + packed


def make_netlink(folder):
    done = struct.pack("<BH", 2, 4) + bytes(4)
    for text in b"It is so.\0", b"No end of it":
        write(f"{folder}/netlink/refused-{len(text)}",
              struct.pack("<H", 5) + refusal(text, b"") + refusal(text, bytes(8)))
    for which, dumps in answers():
        data = struct.pack("<H", which)
        for packed in dumps:
            messages = packed if isinstance(packed, list) else [packed, packed]
            data += b"".join(struct.pack("<BH", 0, len(one)) + one for one in messages) + done
        write(f"{folder}/netlink/{which}", data)


def make_recording(folder):
    """Packs recordings as recording.c takes them: lines, then records of each CPU."""
    sys.path.insert(0, os.path.join(HERE, "../keep"))
    recorded = importlib.import_module("recorded")
    syscalls = recorded.Session(1, "syscalls", "syscalls")
    for kind, words in ((6, (2**64 - 2, 3, 0, 0, 0, 0, 0)), (9, ()), (8, (5,)),
                        (7, (1, 2, 3, 4, 2048, 12, 9, 8 << 52 | 8 << 20, 15 << 32 | 512, 7 << 32))):
        syscalls.put(0, recorded.record(kind, recorded.BEGIN + 9, 7, 1, words=words + recorded.chars("comm"),
                                        times=(5, recorded.BEGIN + 8)))
    for seed in range(4):
        program = recorded.Program(seed, functions=4).run(40)
        session = (program if seed % 2 else program.finish()).session(seed > 1)
        head = dict(recorded.HEAD)
        lines = [head, *session.facts(), *syscalls.facts(), session.last(),
                 {"is": "stack", "session": 1, "stack": 0, "comm": "c", "kernel": ["k"], "user": ["u"]},
                 {"is": "disk", "dev": 8 << 20, "name": "vda"}, {"is": "task", "pid": 1, "tid": 1000, "comm": "x"}]
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        data = struct.pack("<BH", 0, len(text)) + text
        for nr, stream in [(2 * cpu, stream) for cpu, stream in session.streams.items()] + \
                [(1, syscalls.streams[0])]:
            data += struct.pack("<BH", nr, len(stream.records)) + stream.records
        write(f"{folder}/recording/{seed}", data)


def make_compare(folder):
    """Documents of two sides, with rows or with trees; the first byte says which."""
    figures = '"calls":3,"total_ns":90,"self_ns":50,"avg_ns":30,"p50_ns":8,"p99_ns":"9007199254740993","at_most":1'
    rows = ('{"name":"f","abi":"x86-64",%s}' % figures, '{"comm":"x","tid":4,"period":"run","count":3,"total_ns":7}',
            '{"layer":"block","rows":[{"disk":"vda","requests":2,"total_ns":5,"stages":{"q2c":{"total_ns":4}}}]}')
    tree = '{"node":1,"name":"f",%s},{"node":2,"parent":1,"name":"g",%s}' % (figures, figures)
    for kind, row in zip(('run', 'sched', 'io'), rows):
        lines = ['%s{"schema":"ktrace.%s/1","command":["ktrace","-o","x","--","y"],"kernel":"k","lost":%d,'
                 '"window_s":1.5,"rows":[%s,%s],"tree":[%s]}\n' % (side, kind, nr, row, row, tree)
                 for nr in range(4) for side in '01']
        write(f"{folder}/compare/{kind}", ''.join(lines).encode())
        write(f"{folder}/compare/{kind}-paths", ''.join(lines).replace('0{', '2{').replace('1{', '3{').encode())


FRAMES = """
	.text
	.skip 16
	.cfi_startproc
	.cfi_undefined rip
	nop
	.cfi_endproc
	.skip 64
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	push %rbp
	.cfi_def_cfa_offset 24
	.cfi_offset rbp, -24
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	.cfi_remember_state
	pop %rbp
	.cfi_restore rbp
	.cfi_def_cfa rsp, 16
	ret
	.cfi_restore_state
	.skip 300
	.cfi_escape 0x0f, 3, 0x76, 0x78, 6
	.cfi_escape 0x10, 6, 2, 0x76, 0
	.cfi_escape 0x10, 3, 2, 0x77, 8
	.skip 66000
	.cfi_escape 0x0f, 6, 0x77, 0x80, 1, 6, 0x23, 8
	.cfi_def_cfa rbx, 16
	.cfi_val_offset rbp, 8
	.cfi_register rbx, rax
	.cfi_escape 0x2e, 8
	nop
	.cfi_endproc
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1
	nop
	.cfi_endproc
	.cfi_startproc
	.cfi_personality 0x1b, .text
	.cfi_lsda 0x1b, .text
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	nop
	.cfi_escape 0x0f, 10, 0x77, 16, 0x79, 0, 0x38, 0x1e, 0x22, 6, 0x23, 8
	nop
	.cfi_def_cfa r10, 16
	nop
	.cfi_def_cfa rsp, 0
	.cfi_register rip, rdi
	nop
	.cfi_endproc
"""


def make_unwind(folder):
    """.eh_frame for the code of unwind.c, which is in the first 72 KiB, and a table."""
    run("gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x1000", "-Wl,-e0", "-Wl,--section-start=.eh_frame=0x12000",
        "-Wl,--build-id=none", "-o", "frames", "-x", "assembler", "-", text=FRAMES)
    run("objcopy", "-O", "binary", "--only-section=.eh_frame", "frames", "frame")
    write(f"{folder}/unwind/frame", b"e" + read("frame"))
    rules = [(0, 0, 0, 1, 0, 0, 0), (16, -16, 0, 4, 0, 2, 0), (-8, 0, 8, 8, 0, 3, 4), (24, 0, 0, 10, 10, 0, 0),
             (0, 0, 0, 12, 5, 0, 0), (64, 0, 0, 11, 9, 2, 0)]
    rows = [(0, 1), (64, 2), (70, 0), (80, 3), (90, 4), (99, 5), (9, 1)]
    table = struct.pack("<6I", 2, 0, 2, len(rules), len(rows), 0) + struct.pack("<3I", 0, len(rows) - 1, len(rows)) + \
        b"".join(struct.pack("<ihh4B", *rule) for rule in rules) + b"".join(struct.pack("<HH", *row) for row in rows)
    write(f"{folder}/unwind/table", b"t" + table)


def main():
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(folder + "/work", exist_ok=True)
    os.chdir(folder + "/work")
    make_files()
    make_elf(folder)
    make_insn(folder)
    make_records(folder)
    make_netlink(folder)
    make_recording(folder)
    make_compare(folder)
    make_unwind(folder)


if __name__ == "__main__":
    main()
