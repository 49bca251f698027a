/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files insn*.c share. */
#ifndef INSN_PARTS_H
#define INSN_PARTS_H

#include <stdbool.h>

#include "plan/decoder.h"
#include "plan/insn.h"

/* Whether a probe may be placed on an instruction. */
enum insn_refused {
	INSN_TAKEN,
	INSN_REFUSED_BY_KERNEL,
	INSN_REFUSED_STEP,	/* the program would notice the probe */
};

#define MAX_FIRST 12	/* examined instructions of the first block */
#define MAX_BACK 16	/* examined instructions before an indirect jump */

struct first {
	uint64_t addr;
	bool is_emulated;
	bool is_push;
	bool is_jbe;
	bool sets_args;		/* it writes a register that has an argument */
	enum insn_refused refused;
};

struct past {
	unsigned int id;
	x86_reg to, base, index;	/* OP to, [base + index * scale + disp] */
	int scale;
	int64_t disp;
	uint64_t next;
	bool has_mem;
	x86_reg from;
};

struct insn {
	csh handle;
	cs_insn *one;
	cs_insn *other;		/* for instructions outside the function */
	unsigned int kernel;	/* KERNEL_VERSION() of the machine: old ones refuse more */
	/* The rest belongs to the function being planned. */
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
	bool is_spent;		/* the budget is used up: targets may be missing */
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

/* Returns the 64-bit register of a 32-bit one, or reg itself. */
x86_reg insn_wide(x86_reg reg);
/* Returns KTRACE_REG_NONE if reg is none, or -1 if the module has no number for it. */
int insn_reg_number(x86_reg reg);
/* Returns true if an indirect jump uses a table that leads inside. Marks the targets. */
bool insn_is_table_jump(struct insn *insn, const cs_x86_op *op);
/* Returns true if a stub of the linker is at addr. slot is the address that it jumps through. */
bool insn_is_stub(struct insn *insn, uint64_t addr, uint64_t *slot);
/* Records the instruction just decoded, for insn_is_table_jump(). */
void insn_remember(struct insn *insn);

/* Whether a probe may be placed on the instruction just decoded. */
enum insn_refused insn_refused(const struct insn *insn);
extern const char insn_unknown[];	/* the reason if an instruction cannot be decoded */
/* Returns the reason why a function that begins with such an instruction cannot be probed. */
const char *insn_why_refused(enum insn_refused refused);
/* Records the instruction just decoded, for insn_choose_entry(), if it is in the first block. */
void insn_look_at_first(struct insn *insn);
/* Chooses the entry, after all code of the function has been decoded. */
void insn_choose_entry(struct insn *insn);

#endif
