// SPDX-License-Identifier: GPL-2.0
/*
 * Chooses the place of a function's entry probe.
 *
 * The kernel emulates push, relative jump and call, jcc and nop at a probe. It single-steps other
 * instructions, which costs a second trap. So the probe is placed on the first emulated instruction
 * of the first basic block, provided that the stack pointer has not moved before it, and that no
 * jump leads to an instruction of the block up to this one. An indirect jump with an unknown target
 * may lead to any instruction except a push, which no loop repeats.
 */
#include <string.h>

#include "plan/insn_parts.h"

const char insn_unknown[] = "its first instruction is unknown";

static bool is_emulated(csh handle, const cs_insn *one)
{
	const cs_x86 *x86 = &one->detail->x86;

	switch (one->id) {
	case X86_INS_PUSH:
		/* 50 to 57, also with the prefix 41; no segment, not 16 bits */
		return (one->bytes[one->size - 1] & 0xf8) == 0x50 &&
		       (one->size == 1 || (one->size == 2 && one->bytes[0] == 0x41));
	case X86_INS_CALL:
	case X86_INS_JMP:
		return x86->operands[0].type == X86_OP_IMM;
	case X86_INS_NOP:
		return one->size == 1;
	default:
		return decoder.cs_insn_group(handle, one, CS_GRP_JUMP) &&
		       x86->operands[0].type == X86_OP_IMM &&
		       one->id != X86_INS_JCXZ && one->id != X86_INS_JECXZ &&
		       one->id != X86_INS_JRCXZ && one->id != X86_INS_LOOP &&
		       one->id != X86_INS_LOOPE && one->id != X86_INS_LOOPNE;
	}
}

static bool moves_sp(csh handle, const cs_insn *one)
{
	cs_regs read, written;
	uint8_t nr_read, nr_written, i;

	if (decoder.cs_regs_access(handle, one, read, &nr_read, written, &nr_written))
		return true;
	for (i = 0; i < nr_written; i++)
		if (written[i] == X86_REG_RSP || written[i] == X86_REG_ESP ||
		    written[i] == X86_REG_SP)
			return true;
	return false;
}

/* The registers of C's integer arguments. Capstone names what is written by its widest name. */
static bool sets_args(csh handle, const cs_insn *one)
{
	static const char *const args[] = {
		"rdi", "edi", "di", "dil", "rsi", "esi", "si", "sil", "rdx", "edx", "dx", "dl",
		"rcx", "ecx", "cx", "cl", "r8", "r8d", "r8w", "r8b", "r9", "r9d", "r9w", "r9b",
		"dh", "ch",
	};
	cs_regs read, written;
	uint8_t nr_read, nr_written, i;
	size_t arg;

	if (decoder.cs_regs_access(handle, one, read, &nr_read, written, &nr_written))
		return true;
	for (i = 0; i < nr_written; i++)
		for (arg = 0; arg < sizeof(args) / sizeof(args[0]); arg++)
			if (!strcmp(decoder.cs_reg_name(handle, written[i]), args[arg]))
				return true;
	return false;
}

static bool ends_block(csh handle, const cs_insn *one)
{
	return decoder.cs_insn_group(handle, one, CS_GRP_JUMP) ||
	       decoder.cs_insn_group(handle, one, CS_GRP_CALL) ||
	       decoder.cs_insn_group(handle, one, CS_GRP_RET) ||
	       decoder.cs_insn_group(handle, one, CS_GRP_INT) || one->id == X86_INS_HLT ||
	       one->id == X86_INS_UD2 || one->id == X86_INS_SYSCALL;
}

void insn_look_at_first(struct insn *insn)
{
	struct first *first;

	if (insn->is_first_over || insn->nr_first == MAX_FIRST)
		return;
	first = &insn->first[insn->nr_first++];
	first->addr = insn->one->address;
	first->is_emulated = is_emulated(insn->handle, insn->one);
	first->is_jbe = insn->one->id == X86_INS_JBE;
	first->is_push = insn->one->id == X86_INS_PUSH;
	first->refused = insn_refused(insn);
	first->sets_args = sets_args(insn->handle, insn->one);
	insn->is_first_over = moves_sp(insn->handle, insn->one) ||
			      ends_block(insn->handle, insn->one);
}

static bool may_be_entry(const struct insn *insn, const struct first *first)
{
	return !first->refused &&
	       (first == insn->first || first->is_push || !insn->jumps_anywhere);
}

/*
 * A Go function first checks whether its stack has room. If not, a jbe leads to code that grows the
 * stack and jumps back to the first instruction. Each call passes this jbe untaken exactly once.
 * The kernel emulates a jbe, which avoids a single step: on Linux 7.3, single steps fail when Go
 * interrupts its threads by signals.
 */
static bool enter_at_check(struct insn *insn)
{
	const struct first *last = &insn->first[insn->nr_first - 1];

	if (!insn->file->is_go || !last->is_jbe || last->refused ||
	    insn->is_target[last->addr - insn->range->addr])
		return false;
	insn->plan->entry = last->addr;
	insn->plan->is_stepped = !last->is_emulated;
	insn->plan->is_check = true;
	return true;
}

/*
 * The module distinguishes an iteration of the loop from a call: an iteration has the stack pointer
 * of the open call. This fails if a callee may abandon that call by an exception, so the function
 * must not call anything.
 */
static void enter_loop(struct insn *insn)
{
	if (insn->first[0].refused)
		insn->plan->no_entry = insn_why_refused(insn->first[0].refused);
	else if (insn->calls)
		insn->plan->no_entry = "its first instruction is the head of a loop";
	else
		insn->plan->is_loop = true;
	insn->plan->is_stepped = !insn->first->is_emulated;
}

/* Without an instruction before it that overwrites an argument. */
static void choose_args_entry(struct insn *insn)
{
	const struct first *first, *end = insn->first + insn->nr_first;

	if (insn->file->is_go)
		return;
	for (first = insn->first; first < end; first++) {
		if (insn->is_target[first->addr - insn->range->addr])
			break;
		if (may_be_entry(insn, first)) {
			insn->plan->args_entry = first->addr;
			insn->plan->is_args_stepped = !first->is_emulated;
			return;
		}
		if (first->sets_args)
			break;
	}
	insn->plan->no_args = "its first instructions, which overwrite arguments, cannot be probed";
}

static const struct first *best_entry(const struct insn *insn)
{
	const struct first *first, *end = insn->first + insn->nr_first, *best = NULL;

	for (first = insn->first; first < end && !(best && best->is_emulated); first++) {
		if (insn->is_target[first->addr - insn->range->addr])
			break;
		if (may_be_entry(insn, first) && (!best || first->is_emulated))
			best = first;
	}
	return best;
}

static void enter_at(struct insn *insn, const struct first *best)
{
	if (!best) {
		insn->plan->no_entry = insn_why_refused(insn->first[0].refused);
		return;
	}
	if (insn->file->is_go && !best->is_emulated)
		insn->plan->no_entry = "it is a Go function: a single step of its first instruction may disturb Go's signals";
	insn->plan->entry = best->addr;
	insn->plan->is_stepped = !best->is_emulated;
	choose_args_entry(insn);
}

void insn_choose_entry(struct insn *insn)
{
	insn->plan->entry = insn->range->addr;
	if (!insn->nr_first)
		insn->plan->no_entry = insn_unknown;
	else if (!insn->is_target[0])
		enter_at(insn, best_entry(insn));
	else if (!enter_at_check(insn))
		enter_loop(insn);
}
