// SPDX-License-Identifier: GPL-2.0
/* The x86-64 psABI level of this machine: what the processor has and the kernel enables. */
#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plan/hwcaps.h"

#define BIT(n) (1U << (n))

/* Leaf 1, ecx: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT */
#define V2_BASIC (BIT(0) | BIT(9) | BIT(13) | BIT(19) | BIT(20) | BIT(23))
/* Leaf 0x80000001, ecx: LAHF */
#define V2_EXTENDED BIT(0)
/* FMA, MOVBE, OSXSAVE, AVX, F16C; leaf 7, ebx: BMI1, AVX2, BMI2; LZCNT */
#define V3_BASIC (BIT(12) | BIT(22) | BIT(27) | BIT(28) | BIT(29))
#define V3_MORE (BIT(3) | BIT(5) | BIT(8))
#define V3_EXTENDED BIT(5)
/* AVX512F, DQ, CD, BW, VL */
#define V4_MORE (BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31))
#define AVX512CD BIT(28)
#define AVX512ER BIT(27)

/* State that the kernel saves (XCR0): SSE and AVX; and the three parts of AVX-512 */
#define STATE_V3 0x6U
#define STATE_V4 0xe6U

struct cpu {
	uint32_t basic, more, extended, state;
	bool is_intel;
};

static bool has(uint32_t bits, uint32_t wanted)
{
	return (bits & wanted) == wanted;
}

static uint32_t read_state(void)
{
	uint32_t low, high;

	__asm__ volatile(".byte 0x0f, 0x01, 0xd0" /* xgetbv */ : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

static void look(struct cpu *cpu)
{
	uint32_t a = 0, b = 0, c = 0, d = 0;

	*cpu = (struct cpu){ 0 };
	__get_cpuid(0, &a, &b, &c, &d);
	cpu->is_intel = b == signature_INTEL_ebx;
	if (a >= 7) {
		__cpuid_count(7, 0, a, b, c, d);
		cpu->more = b;
	}
	if (__get_cpuid(1, &a, &b, &c, &d))
		cpu->basic = c;
	if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		cpu->extended = c;
	if (has(cpu->basic, BIT(27)))
		cpu->state = read_state();
}

static bool has_v3(const struct cpu *cpu)
{
	return has(cpu->basic, V3_BASIC) && has(cpu->more, V3_MORE) &&
	       has(cpu->extended, V3_EXTENDED) && has(cpu->state, STATE_V3);
}

int hwcaps_level(void)
{
	struct cpu cpu;

	look(&cpu);
	if (!has(cpu.basic, V2_BASIC) || !has(cpu.extended, V2_EXTENDED))
		return 1;
	if (!has_v3(&cpu))
		return 2;
	return has(cpu.more, V4_MORE) && has(cpu.state, STATE_V4) ? 4 : 3;
}

int hwcaps_level_of(const char *folder)
{
	int level, len = 0;

	if (sscanf(folder, "x86-64-v%1d%n", &level, &len) != 1 || folder[len] ||
	    level < 2 || level > 4)
		return 0;
	return level;
}

const char *hwcaps_platform(void)
{
	struct cpu cpu;

	look(&cpu);
	if (!cpu.is_intel || !has_v3(&cpu))
		return "x86_64";
	return has(cpu.more, AVX512CD | AVX512ER) && has(cpu.state, STATE_V4) ? "xeon_phi" :
										 "haswell";
}
