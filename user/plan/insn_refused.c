// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions on which no probe is placed.
 *
 * The kernel refuses some of them. It takes others, but executes them with another result. It
 * emulates some instructions, and executes a copy of each other one elsewhere, with the trap flag
 * set, until a trap comes after one instruction. Afterwards it corrects what it knows about:
 * instruction pointers, relative addresses and popf.
 */
#include <string.h>

#include <linux/version.h>

#include "plan/insn_parts.h"

/* The parts of an instruction; see Intel SDM volume 2, chapter 2. */
struct parts {
	bool has_segment, has_lock, has_16, has_rep;
	bool is_vector, is_evex, is_xop;	/* it has a VEX, EVEX or XOP prefix; EVEX; XOP */
	uint8_t rex;
	uint8_t opcode, second;	/* second: behind 0f, if the opcode is 0f */
	uint8_t modrm;		/* the byte behind the opcode, or 0 */
};

static bool take_prefix(struct parts *parts, uint8_t byte)
{
	switch (byte) {
	case 0xf0:
		parts->has_lock = true;
		return true;
	case 0x26: case 0x2e: case 0x36: case 0x3e:
		parts->has_segment = true;
		return true;
	case 0x66:
		parts->has_16 = true;
		return true;
	case 0xf2: case 0xf3:
		parts->has_rep = true;
		return true;
	case 0x64: case 0x65: case 0x67:
		return true;
	default:
		return false;
	}
}

/* Returns the length of a prefix of vector instructions, or 0. In a pop, reg is 0. */
static size_t vector_prefix(const uint8_t *byte)
{
	switch (byte[0]) {
	case 0xc5:
		return 2;
	case 0xc4:
		return 3;
	case 0x62:
		return 4;
	case 0x8f:
		return byte[1] & 0x38 ? 3 : 0;
	default:
		return 0;
	}
}

static struct parts parts_of(const cs_insn *one)
{
	uint8_t bytes[sizeof(one->bytes) + 8] = { 0 };
	const uint8_t *at = bytes;
	struct parts parts = { 0 };

	memcpy(bytes, one->bytes, one->size);
	while (at < bytes + one->size && take_prefix(&parts, *at))
		at++;
	if ((*at & 0xf0) == 0x40)
		parts.rex = *at++;
	parts.is_vector = vector_prefix(at);
	parts.is_evex = *at == 0x62;
	parts.is_xop = parts.is_vector && *at == 0x8f;
	at += vector_prefix(at);
	parts.opcode = *at++;
	if (parts.opcode == 0x0f && !parts.is_vector)
		parts.second = *at++;
	parts.modrm = *at;
	return parts;
}

static unsigned int reg_of(const struct parts *parts)
{
	return parts->modrm >> 3 & 7;
}

/* Opcodes that some kernel refuses as invalid or privileged: see good_insns_64[] in uprobes.c. */
static bool is_opcode_refused(uint8_t opcode)
{
	static const uint8_t bad[] = {
		0x06, 0x07, 0x0e, 0x0f, 0x16, 0x17, 0x1e, 0x1f, 0x26, 0x27, 0x2e, 0x2f,
		0x36, 0x37, 0x3e, 0x3f, 0x60, 0x61, 0x62, 0x64, 0x65, 0x66, 0x67, 0x6c,
		0x6d, 0x6e, 0x6f, 0x82, 0x9a, 0xc4, 0xc5, 0xcc, 0xcd, 0xce, 0xcf, 0xd4,
		0xd5, 0xd6, 0xe4, 0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf0,
		0xf1, 0xf2, 0xf3, 0xf4, 0xfa, 0xfb,
	};

	return memchr(bad, opcode, sizeof(bad));
}

/* Opcodes behind 0f that kernels before 4.1 refuse: see good_2byte_insns[] there. */
static bool is_long_unknown(uint8_t second)
{
	switch (second) {
	case 0x00 ... 0x0d:	/* rdtscp, prefetchw */
	case 0x18:		/* prefetch */
	case 0x24 ... 0x27: case 0x30: case 0x34 ... 0x37:
	case 0x38 ... 0x3f:	/* pshufb, crc32, pcmpistri */
	case 0x78 ... 0x7d:	/* haddps */
	case 0xa6: case 0xa7: case 0xd0: case 0xf0: case 0xff:
	case 0xae:		/* mfence, stmxcsr */
	case 0xb8:		/* popcnt */
		return true;
	default:
		return false;
	}
}

/* The kernel looks at the opcode of a vector instruction as if it had no such prefix. */
static bool is_mistaken(uint8_t opcode)
{
	switch (opcode) {
	case 0x70 ... 0x7f:	/* vzeroupper, vpcmpeqb: a conditional jump */
	case 0x90:		/* kmovw: nop */
	case 0xe8:		/* vpsubsb: call */
	case 0xe9: case 0xeb:	/* vpsubsw, vpor: jmp */
	case 0x9d:		/* vfnmadd132sd: popf */
	case 0xc2: case 0xc3: case 0xca: case 0xcb:	/* vcmpsd: ret */
	case 0xff:		/* call or jmp */
		return true;
	default:
		return false;
	}
}

/* Kernels before 4.8 cannot decode EVEX. */
static enum insn_refused vector_refused(const struct parts *parts, unsigned int kernel)
{
	if (is_opcode_refused(parts->opcode) ||
	    (parts->is_evex && kernel < KERNEL_VERSION(4, 8, 0)))
		return INSN_REFUSED_BY_KERNEL;
	/* The kernel cannot decode XOP: it would take a relative address for an absolute one. */
	return parts->is_xop || is_mistaken(parts->opcode) ? INSN_REFUSED_STEP : INSN_TAKEN;
}

/* Near jumps, calls and returns, which a prefix 66 makes 16 bits wide on some processors. */
static bool is_transfer(const struct parts *parts)
{
	switch (parts->opcode) {
	case 0x70 ... 0x7f:
	case 0xc2: case 0xc3: case 0xe8: case 0xe9: case 0xeb:
		return true;
	case 0x0f:
		return (parts->second & 0xf0) == 0x80;
	case 0xff:
		return reg_of(parts) >= 2 && reg_of(parts) <= 5;
	default:
		return false;
	}
}

/* Instructions with the opcode 0f. */
static bool is_long_refused(const struct parts *parts)
{
	switch (parts->second) {
	case 0x00:	/* sldt, str: the kernel emulates them and then steps one too many */
		return true;
	case 0x01:	/* the same for sgdt and smsw; xend; but not xgetbv and rdtscp */
		return parts->modrm != 0xd0 && parts->modrm != 0xf9;
	case 0x05: case 0x07: case 0x34: case 0x35:	/* syscall saves flags and ip */
	case 0x0b:	/* ud2 */
	case 0xb2:	/* lss */
		return true;
	case 0xa6: case 0xa7:	/* padlock: a repetition */
		return parts->has_rep;
	default:
		return false;
	}
}

static bool is_step_different(const struct parts *parts)
{
	switch (parts->opcode) {
	case 0x9c:	/* pushf: the program would see the trap flag */
		return true;
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:	/* rep: a step is one repetition, and each would be a hit */
		return parts->has_rep;
	case 0x8e:	/* mov to ss: the trap comes one instruction too late */
		return reg_of(parts) == 2;
	case 0x90:	/* xchg %r8, %rax: taken for nop. pause: 7.3 continues elsewhere */
		if (parts->has_rep)
			return true;
		return parts->rex & 1;
	case 0xc6: case 0xc7:	/* xabort, xbegin */
		return parts->modrm == 0xf8;
	case 0xca: case 0xcb:	/* far returns, calls and jumps */
		return true;
	case 0xff:
		return reg_of(parts) == 3 || reg_of(parts) == 5;
	case 0x0f:
		return is_long_refused(parts);
	default:
		return false;
	}
}

enum insn_refused insn_refused(const struct insn *insn)
{
	struct parts parts = parts_of(insn->one);

	/* es, cs, ss and ds: also the prefixes notrack and of expected jumps */
	if (parts.has_lock || parts.has_segment)
		return INSN_REFUSED_BY_KERNEL;
	if (parts.is_vector)
		return vector_refused(&parts, insn->kernel);
	if (parts.opcode != 0x0f && is_opcode_refused(parts.opcode))
		return INSN_REFUSED_BY_KERNEL;
	if (parts.has_16 && (is_transfer(&parts) || parts.opcode == 0x90))
		return INSN_REFUSED_BY_KERNEL;
	if (is_step_different(&parts))
		return INSN_REFUSED_STEP;
	return parts.opcode == 0x0f && insn->kernel < KERNEL_VERSION(4, 1, 0) &&
	       is_long_unknown(parts.second) ? INSN_REFUSED_BY_KERNEL : INSN_TAKEN;
}

const char *insn_why_refused(enum insn_refused refused)
{
	switch (refused) {
	case INSN_REFUSED_BY_KERNEL:
		return "the kernel refuses a probe on its first instruction (such as a lock prefix, or AVX)";
	case INSN_REFUSED_STEP:
		return "its first instruction would have another result with a probe (such as pushf, syscall or rep)";
	default:
		return NULL;
	}
}
