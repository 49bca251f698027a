// SPDX-License-Identifier: GPL-2.0
/* Follows indirect jumps through jump tables, in the forms that compilers write. */
#include <string.h>

#include "plan/insn_parts.h"

static const struct past *writer_of(const struct insn *insn, x86_reg reg, unsigned int *n)
{
	const struct past *past;

	for (; *n && insn->nr_past - *n < MAX_BACK; --*n) {
		past = &insn->past[(*n - 1) % MAX_BACK];
		if (past->to == reg) {
			--*n;
			return past;
		}
	}
	return NULL;
}

/* Each entry read counts against the budget: many jumps may share one table. */
static bool may_read(struct insn *insn)
{
	insn->is_spent = insn->plan->nr_read == insn->range->budget;
	insn->plan->nr_read += !insn->is_spent;
	return !insn->is_spent;
}

/*
 * Marks the targets of a table of 32-bit distances from the table, or of 64-bit addresses. Returns
 * false if the first entry does not lead into the function.
 */
static bool read_table(struct insn *insn, uint64_t table, size_t width)
{
	const uint8_t *bytes;
	uint64_t target, at;
	int32_t distance;
	bool is_any = false;

	for (at = table; may_read(insn) && (bytes = elf_file_bytes(insn->file, at, width));
	     at += width) {
		if (width == sizeof(distance)) {
			memcpy(&distance, bytes, sizeof(distance));
			target = table + (int64_t)distance;
		} else {
			memcpy(&target, bytes, sizeof(target));
		}
		if (!insn_is_inside(insn->range, target))
			break;
		insn_mark_target(insn, target);
		is_any = true;
	}
	return is_any;
}

/*
 * lea table(%rip), A;  movslq (A, I, 4), B;  add A, B;  jmp *B
 * with other instructions in between. The add may have its operands in either order.
 */
static bool is_distance_table(struct insn *insn, x86_reg reg)
{
	unsigned int n = insn->nr_past;
	const struct past *add = writer_of(insn, reg, &n), *load, *lea;
	x86_reg base;

	if (!add || add->id != X86_INS_ADD || add->has_mem)
		return false;
	load = writer_of(insn, reg, &n);
	if (load && load->id == X86_INS_LEA) {
		/* The add wrote to the register that had the table's address. */
		lea = load;
		n = insn->nr_past - 1;
		load = writer_of(insn, add->from, &n);
		base = reg;
	} else {
		if (!load || load->id != X86_INS_MOVSXD)
			return false;
		base = load->base;
		lea = writer_of(insn, base, &n);
	}
	return load && load->id == X86_INS_MOVSXD && load->has_mem && load->scale == 4 &&
	       load->base == base && !load->disp && lea && lea->id == X86_INS_LEA &&
	       lea->base == X86_REG_RIP && read_table(insn, lea->next + lea->disp, 4);
}

/* jmp *table(, I, 8), in code that is not position-independent */
static bool is_address_table(struct insn *insn, const cs_x86_op *op)
{
	return op->mem.base == X86_REG_INVALID && op->mem.index != X86_REG_INVALID &&
	       op->mem.scale == 8 && read_table(insn, op->mem.disp, 8);
}

bool insn_is_table_jump(struct insn *insn, const cs_x86_op *op)
{
	if (op->type == X86_OP_REG)
		return is_distance_table(insn, op->reg);
	return op->type == X86_OP_MEM && is_address_table(insn, op);
}

void insn_remember(struct insn *insn)
{
	const cs_x86 *x86 = &insn->one->detail->x86;
	struct past *past = &insn->past[insn->nr_past++ % MAX_BACK];
	const cs_x86_op *from = x86->op_count > 1 ? &x86->operands[1] : NULL;

	memset(past, 0, sizeof(*past));
	past->id = insn->one->id;
	past->next = insn->one->address + insn->one->size;
	if (x86->op_count && x86->operands[0].type == X86_OP_REG &&
	    (x86->operands[0].access & CS_AC_WRITE))
		past->to = insn_wide(x86->operands[0].reg);
	if (from && from->type == X86_OP_REG)
		past->from = from->reg;
	if (from && from->type == X86_OP_MEM) {
		past->has_mem = true;
		past->base = from->mem.base;
		past->index = from->mem.index;
		past->scale = from->mem.scale;
		past->disp = from->mem.disp;
	}
}
