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
#include "plan/insn_parts.h"

static bool is_emulated(csh handle, const cs_insn *one)
{
	const cs_x86 *x86 = &one->detail->x86;

	switch (one->id) {
	case X86_INS_PUSH:
		return x86->operands[0].type == X86_OP_REG && one->size <= 2;
	case X86_INS_CALL:
	case X86_INS_JMP:
		return x86->operands[0].type == X86_OP_IMM;
	case X86_INS_NOP:
		return one->size == 1;
	default:
		return cs_insn_group(handle, one, CS_GRP_JUMP) &&
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

	if (cs_regs_access(handle, one, read, &nr_read, written, &nr_written))
		return true;
	for (i = 0; i < nr_written; i++)
		if (written[i] == X86_REG_RSP || written[i] == X86_REG_ESP ||
		    written[i] == X86_REG_SP)
			return true;
	return false;
}

static bool ends_block(csh handle, const cs_insn *one)
{
	return cs_insn_group(handle, one, CS_GRP_JUMP) ||
	       cs_insn_group(handle, one, CS_GRP_CALL) ||
	       cs_insn_group(handle, one, CS_GRP_RET) ||
	       cs_insn_group(handle, one, CS_GRP_INT) || one->id == X86_INS_HLT ||
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
	first->is_refused = insn_is_refused(insn->one);
	insn->is_first_over = moves_sp(insn->handle, insn->one) ||
			      ends_block(insn->handle, insn->one);
}

static bool may_be_entry(const struct insn *insn, const struct first *first)
{
	return !first->is_refused &&
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
	const struct first *last = &insn->first[insn->nr_first ? insn->nr_first - 1 : 0];

	if (!insn->file->is_go || !insn->nr_first || !last->is_jbe ||
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
	if (insn->calls || !insn->nr_first || insn->first[0].is_refused)
		insn->plan->no_entry = "its first instruction is the head of a loop";
	else
		insn->plan->is_loop = true;
	insn->plan->is_stepped = insn->nr_first && !insn->first->is_emulated;
}

void insn_choose_entry(struct insn *insn)
{
	const struct first *first, *end = insn->first + insn->nr_first, *best = NULL;

	insn->plan->entry = insn->range->addr;
	if (insn->is_target[0]) {
		if (!enter_at_check(insn))
			enter_loop(insn);
		return;
	}
	for (first = insn->first; first < end && !(best && best->is_emulated); first++) {
		if (insn->is_target[first->addr - insn->range->addr])
			break;
		if (may_be_entry(insn, first) && (!best || first->is_emulated))
			best = first;
	}
	if (best && insn->file->is_go && !best->is_emulated)
		insn->plan->no_entry = "it is a Go function: a single step of its first instruction may disturb Go's signals";
	else if (best)
		insn->plan->entry = best->addr;
	insn->plan->is_stepped = best && !best->is_emulated;
	insn->plan->is_args_stepped = insn->nr_first && !insn->first->is_emulated;
	/* Before a later instruction, the registers of arguments may have been overwritten. */
	if (insn->nr_first && !insn->first->is_refused && !insn->file->is_go)
		insn->plan->args_entry = insn->first->addr;
	if (!best && insn->nr_first)
		insn->plan->no_entry = "the kernel refuses a probe on its first instruction (lock prefix or AVX)";
}
