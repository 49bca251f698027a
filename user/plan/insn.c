// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes a function with Capstone, to find where calls enter and leave it.
 *
 * insn_entry.c chooses the place of the entry, insn_table.c follows indirect jumps.
 *
 * Exits are returns, and jumps out of the function. An indirect jump stays inside if its jump table
 * can be read and leads inside. Any other indirect jump is probed; the module reads its target at
 * the hit.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/insn_parts.h"
#include "system/kernel_version.h"
#include "util/mem.h"

struct insn *insn_open(struct err *err)
{
	struct insn *insn;

	if (decoder_open(err))
		return NULL;
	insn = mem_alloc(sizeof(*insn));
	if (decoder.cs_open(CS_ARCH_X86, CS_MODE_64, &insn->handle) != CS_ERR_OK) {
		free(insn);
		err_set(err, "The Capstone library cannot decode x86-64; install a build with x86.");
		return NULL;
	}
	decoder.cs_option(insn->handle, CS_OPT_DETAIL, CS_OPT_ON);
	insn->one = decoder.cs_malloc(insn->handle);
	insn->other = decoder.cs_malloc(insn->handle);
	insn->kernel = kernel_version();
	return insn;
}

void insn_close(struct insn *insn)
{
	if (!insn)
		return;
	decoder.cs_free(insn->one, 1);
	decoder.cs_free(insn->other, 1);
	decoder.cs_close(&insn->handle);
	free(insn->is_target);
	free(insn);
}

/* --- exits -------------------------------------------------------------- */

static struct ktrace_exit *add_exit(struct insn *insn, unsigned int kind)
{
	struct insn_plan *plan = insn->plan;
	struct ktrace_exit *exit;

	if (insn_refused(insn)) {
		plan->no_return = "one of its exits cannot be probed (it has a notrack, lock or 16-bit prefix)";
		return NULL;
	}
	if (plan->nr_exits == KTRACE_MAX_EXITS) {
		plan->no_return = "it has more than 64 exits";
		return NULL;
	}
	exit = &plan->exits[plan->nr_exits++];
	memset(exit, 0, sizeof(*exit));
	exit->offset = insn->one->address;
	exit->kind = kind;
	exit->base = KTRACE_REG_NONE;
	exit->index = KTRACE_REG_NONE;
	exit->scale = 1;
	exit->len = insn->one->size;
	return exit;
}

static void add_return(struct insn *insn, const cs_x86_op *op)
{
	struct ktrace_exit *exit = add_exit(insn, KTRACE_EXIT_RET);

	if (exit && insn->one->detail->x86.op_count)
		exit->disp = op->imm & 0xffff;
}

static void add_indirect(struct insn *insn, const cs_x86_op *op)
{
	struct ktrace_exit *exit;
	int base, index;

	insn->jumps_anywhere |= op->type != X86_OP_MEM || op->mem.base != X86_REG_RIP;
	if (op->type == X86_OP_REG) {
		base = insn_reg_number(op->reg);
		exit = base < 0 ? NULL : add_exit(insn, KTRACE_EXIT_JMP_REG);
		if (exit)
			exit->base = base;
		if (base >= 0)
			return;
	} else if (op->type == X86_OP_MEM && op->mem.segment == X86_REG_INVALID) {
		base = insn_reg_number(op->mem.base);
		index = insn_reg_number(op->mem.index);
		if (base >= 0 && index >= 0 && (int32_t)op->mem.disp == op->mem.disp) {
			exit = add_exit(insn, KTRACE_EXIT_JMP_MEM);
			if (!exit)
				return;
			exit->base = base;
			exit->index = index;
			exit->scale = op->mem.scale;
			exit->disp = op->mem.disp;
			return;
		}
	}
	insn->plan->no_return = "it has an indirect jump of unknown form";
}

/* --- walking ------------------------------------------------------------ */

static bool is_conditional(const cs_insn *one)
{
	return one->id != X86_INS_JMP && one->id != X86_INS_LJMP;
}

/* Reads the condition of a jcc, the low nibble of its last opcode byte. False: it is no jcc. */
static bool condition_of(const cs_insn *one, uint8_t *cc)
{
	const uint8_t *opcode = one->detail->x86.opcode;

	if (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80) {
		*cc = opcode[1] & 15;
		return true;
	}
	*cc = opcode[0] & 15;
	return (opcode[0] & 0xf0) == 0x70;
}

static void set_target(struct ktrace_exit *exit, uint64_t target)
{
	exit->disp = target - (exit->offset + exit->len);
}

static void add_jump(struct insn *insn, uint64_t target)
{
	struct ktrace_exit *exit = add_exit(insn, KTRACE_EXIT_JMP);
	uint64_t slot;

	if (!exit)
		return;
	if (insn_is_stub(insn, target, &slot)) {
		set_target(exit, slot);
		/* A jump reaches its target, but the slot of the stub there may be too far away. */
		if (exit->offset + exit->len + exit->disp == slot) {
			exit->kind = KTRACE_EXIT_JMP_PLT;
			exit->base = KTRACE_REG_RIP;
			return;
		}
	}
	set_target(exit, target);
	insn->plan->jumps[insn->plan->nr_jumps++] = target;
}

static void see_direct_jump(struct insn *insn, uint64_t target)
{
	struct ktrace_exit *exit;
	uint8_t cc;

	if (insn_is_inside(insn->range, target)) {
		insn_mark_target(insn, target);
		return;
	}
	if (!is_conditional(insn->one)) {
		add_jump(insn, target);
		return;
	}
	if (!condition_of(insn->one, &cc)) {
		insn->plan->no_return = "it is left by a loop or jrcxz instruction";
		return;
	}
	exit = add_exit(insn, KTRACE_EXIT_JCC);
	if (!exit)
		return;
	exit->cc = cc;
	set_target(exit, target);
	insn->plan->jumps[insn->plan->nr_jumps++] = target;
}

static void see(struct insn *insn)
{
	const cs_insn *one = insn->one;
	const cs_x86_op *op = &one->detail->x86.operands[0];

	insn->calls |= decoder.cs_insn_group(insn->handle, one, CS_GRP_CALL);
	if (decoder.cs_insn_group(insn->handle, one, CS_GRP_RET)) {
		if (one->id == X86_INS_RET)
			add_return(insn, op);
		else
			insn->plan->no_return = "it ends with a far or interrupt return";
	} else if (decoder.cs_insn_group(insn->handle, one, CS_GRP_JUMP)) {
		if (op->type == X86_OP_IMM)
			see_direct_jump(insn, op->imm);
		else if (one->id != X86_INS_JMP)
			insn->plan->no_return = "it contains a far jump";
		else if (!insn_is_table_jump(insn, op))
			add_indirect(insn, op);
	}
}

/*
 * Returns true if execution may continue behind the last instruction, which is the end of the
 * function. A call there does not return.
 */
static bool runs_on(const struct insn *insn)
{
	const cs_insn *one = insn->one;

	if (decoder.cs_insn_group(insn->handle, one, CS_GRP_CALL) || one->id == X86_INS_HLT ||
	    one->id == X86_INS_UD2 || decoder.cs_insn_group(insn->handle, one, CS_GRP_RET) ||
	    one->id == X86_INS_NOP || one->id == X86_INS_INT3)
		return false;
	return !decoder.cs_insn_group(insn->handle, one, CS_GRP_JUMP) || is_conditional(one);
}

static void walk(struct insn *insn, uint64_t addr, uint64_t len, bool is_hot)
{
	const uint8_t *code = elf_file_bytes(insn->file, addr, len);
	size_t left = len;

	if (!code) {
		insn->plan->no_return = "its code is not in the file";
		return;
	}
	insn->nr_past = 0;
	while (left) {
		if (!decoder.cs_disasm_iter(insn->handle, &code, &left, &addr, insn->one)) {
			insn->plan->no_return = "it has an unknown instruction";
			return;
		}
		if (is_hot)
			insn_look_at_first(insn);
		see(insn);
		insn_remember(insn);
	}
	if (runs_on(insn))
		insn->plan->no_return = "it runs on into the next function";
}

static void start(struct insn *insn, const struct elf_file *file,
		  const struct insn_range *range, struct insn_plan *plan)
{
	insn->file = file;
	insn->range = range;
	insn->plan = plan;
	insn->nr_first = 0;
	insn->is_first_over = false;
	insn->jumps_anywhere = false;
	insn->calls = false;
	insn->is_spent = false;
	if (range->len > insn->targets_len) {
		free(insn->is_target);
		insn->is_target = mem_alloc(range->len);
		insn->targets_len = range->len;
	} else {
		memset(insn->is_target, 0, range->len);
	}
}

static void plan_places(struct insn *insn, const struct elf_file *file,
			const struct insn_range *range, struct insn_plan *plan)
{
	start(insn, file, range, plan);
	walk(insn, range->addr, range->len, true);
	if (range->cold_len)
		walk(insn, range->cold_addr, range->cold_len, false);
	insn_choose_entry(insn);
	plan->is_endless = !plan->nr_exits && !plan->no_return;
	if (plan->is_endless)
		plan->no_return = "it has no exit: it never returns";
}

void insn_plan(struct insn *insn, const struct elf_file *file,
	       const struct insn_range *range, struct insn_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	/* Check the lengths before memory of that length is allocated. */
	if (!elf_file_bytes(file, range->addr, range->len) ||
	    (range->cold_len && !elf_file_bytes(file, range->cold_addr, range->cold_len))) {
		plan->no_entry = "its code is not in the file";
		return;
	}
	if (range->len + range->cold_len <= range->budget) {
		plan->nr_read = range->len + range->cold_len;
		plan_places(insn, file, range, plan);
		if (!insn->is_spent)
			return;
	}
	plan->no_entry = "functions or jump tables of its file overlap more than those of any compiler";
}

#define MAX_INSN 15

const char *insn_why_not(struct insn *insn, const struct elf_file *file, uint64_t addr)
{
	size_t left = MAX_INSN;
	const uint8_t *code;

	/* The last instruction may lie at the end of the code. */
	while (left && !(code = elf_file_bytes(file, addr, left)))
		left--;
	if (!left || !decoder.cs_disasm_iter(insn->handle, &code, &left, &addr, insn->one))
		return insn_unknown;
	return insn_why_refused(insn_refused(insn));
}

uint64_t insn_start(struct insn *insn, const struct elf_file *file, uint64_t first,
		    uint64_t addr)
{
	uint64_t len = addr - first + MAX_INSN;
	const uint8_t *code;
	size_t left;

	/* The last instruction may lie at the end of the code. */
	while (!(code = elf_file_bytes(file, first, len)))
		if (--len <= addr - first)
			return UINT64_MAX;
	for (left = len; decoder.cs_disasm_iter(insn->handle, &code, &left, &first, insn->one);)
		if (first > addr)
			return insn->one->address;
	return UINT64_MAX;
}
