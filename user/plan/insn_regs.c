// SPDX-License-Identifier: GPL-2.0
/* The registers of Capstone, and their numbers for the module. */
#include "plan/insn_parts.h"

/* The 64-bit registers by number, and their lower halves. */
static const x86_reg regs[][2] = {
	{ X86_REG_RAX, X86_REG_EAX }, { X86_REG_RCX, X86_REG_ECX }, { X86_REG_RDX, X86_REG_EDX },
	{ X86_REG_RBX, X86_REG_EBX }, { X86_REG_RSP, X86_REG_ESP }, { X86_REG_RBP, X86_REG_EBP },
	{ X86_REG_RSI, X86_REG_ESI }, { X86_REG_RDI, X86_REG_EDI }, { X86_REG_R8, X86_REG_R8D },
	{ X86_REG_R9, X86_REG_R9D }, { X86_REG_R10, X86_REG_R10D }, { X86_REG_R11, X86_REG_R11D },
	{ X86_REG_R12, X86_REG_R12D }, { X86_REG_R13, X86_REG_R13D },
	{ X86_REG_R14, X86_REG_R14D }, { X86_REG_R15, X86_REG_R15D },
	{ X86_REG_RIP, X86_REG_EIP },
};

#define NR_REGS (sizeof(regs) / sizeof(regs[0]))

x86_reg insn_wide(x86_reg reg)
{
	unsigned int i = 0;

	while (i < NR_REGS && regs[i][1] != reg)
		i++;
	return i < NR_REGS ? regs[i][0] : reg;
}

int insn_reg_number(x86_reg reg)
{
	unsigned int i = 0;

	if (reg == X86_REG_INVALID || reg == X86_REG_RIZ)
		return KTRACE_REG_NONE;
	while (i < NR_REGS && regs[i][0] != reg)
		i++;
	return i < NR_REGS ? (int)i : -1;
}
