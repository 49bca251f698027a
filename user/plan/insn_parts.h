/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the disassembler share; for insn*.c alone. */
#ifndef INSN_PARTS_H
#define INSN_PARTS_H

#include <stdbool.h>

#include <capstone/capstone.h>

#include "plan/insn.h"

#define MAX_FIRST 12	/* instructions of the first block that are looked at */
#define MAX_BACK 16	/* instructions before an indirect jump */

struct first {
	uint64_t addr;
	bool is_emulated;
	bool is_push;
	bool is_jbe;
	bool is_refused;	/* no kernel takes a probe on it */
};

struct past {
	unsigned int id;
	x86_reg to, base, index;	/* to = ... [base + index * scale + disp] */
	int scale;
	int64_t disp;
	uint64_t next;
	bool has_mem;
	x86_reg from;
};

struct insn {
	csh handle;
	cs_insn *one;
	cs_insn *other;		/* for a look elsewhere */
	/* of the function being planned */
	const struct elf_file *file;
	const struct insn_range *range;
	struct insn_plan *plan;
	unsigned char *is_target;	/* [range->len]: something jumps there */
	size_t targets_len;
	struct first first[MAX_FIRST];
	unsigned int nr_first;
	bool is_first_over;
	bool jumps_anywhere;
	bool calls;
	bool is_spent;		/* the budget: targets may be missing */
	struct past past[MAX_BACK];
	unsigned int nr_past;
};

static inline bool insn_is_inside(const struct insn_range *range, uint64_t addr)
{
	return addr - range->addr < range->len ||
	       addr - range->cold_addr < range->cold_len;
}

static inline void insn_mark_target(struct insn *insn, uint64_t addr)
{
	if (addr - insn->range->addr < insn->range->len)
		insn->is_target[addr - insn->range->addr] = 1;
}

/* Does an indirect jump go by a table that leads inside? What it leads to is marked then. */
bool insn_is_table_jump(struct insn *insn, const cs_x86_op *op);
/* Is there a stub of the linker, which jumps to what a slot has? */
bool insn_is_stub(struct insn *insn, uint64_t addr, uint64_t *slot);
/* The instruction just decoded, for jumps behind it. */
void insn_remember(struct insn *insn);

/* Does the kernel take no probe on it? */
bool insn_is_refused(const cs_insn *one);
/* The instruction just decoded, of those that a function begins with. */
void insn_look_at_first(struct insn *insn);
/* Once all has been decoded. */
void insn_choose_entry(struct insn *insn);

#endif
