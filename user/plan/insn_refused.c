// SPDX-License-Identifier: GPL-2.0
/* Instructions on which the kernel refuses a probe. */
#include <string.h>

#include "plan/insn_parts.h"

/*
 * The kernel looks up the opcode of an AVX instruction in its table of one-byte opcodes, too. It
 * refuses the opcodes below because they are invalid or privileged there: for example vmovd (6e)
 * and vpxor (ef).
 */
static bool is_refused_avx(const cs_insn *one, size_t at)
{
	static const uint8_t bad[] = {
		0x06, 0x07, 0x0e, 0x0f, 0x16, 0x17, 0x1e, 0x1f, 0x26, 0x27, 0x2e, 0x2f,
		0x36, 0x37, 0x3e, 0x3f, 0x60, 0x61, 0x62, 0x64, 0x65, 0x66, 0x67, 0x6c,
		0x6d, 0x6e, 0x6f, 0x82, 0x9a, 0xc4, 0xc5, 0xcc, 0xcd, 0xce, 0xcf, 0xd4,
		0xd5, 0xd6, 0xe4, 0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf0,
		0xf1, 0xf2, 0xf3, 0xf4, 0xfa, 0xfb,
	};

	switch (one->bytes[at]) {
	case 0xc5:
		at += 2;
		break;
	case 0xc4:
		at += 3;
		break;
	case 0x62:
		at += 4;
		break;
	default:
		return false;
	}
	return at < one->size && memchr(bad, one->bytes[at], sizeof(bad));
}

/* Like is_prefix_bad() of the kernel: refuses lock and the segments es, cs, ss, ds (notrack). */
bool insn_is_refused(const cs_insn *one)
{
	size_t i;

	for (i = 0; i < one->size && one->bytes[i] && strchr("\x66\x67\xf2\xf3\x64\x65"
	     "\xf0\x26\x2e\x36\x3e", one->bytes[i]); i++)
		if (strchr("\xf0\x26\x2e\x36\x3e", one->bytes[i]))
			return true;
	return i < one->size && is_refused_avx(one, i);
}
