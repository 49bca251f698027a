/* SPDX-License-Identifier: GPL-2.0 */
#ifndef INSN_H
#define INSN_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf.h"
#include "uapi/ktrace.h"
#include "util/err.h"

/* The code of one function; cold_len is 0 without a .cold part. */
struct insn_range {
	uint64_t addr, len;
	uint64_t cold_addr, cold_len;
	uint64_t budget;	/* limit of the bytes of code and entries of jump tables read */
};

/* Where to probe a function. The offset of an exit is an address here. */
struct insn_plan {
	uint64_t entry;
	uint64_t args_entry;	/* where arguments are still in their registers; 0: at entry */
	bool is_stepped;	/* the kernel single-steps the entry; false: it emulates it */
	bool is_args_stepped;	/* the same for args_entry */
	const char *no_args;	/* why its arguments cannot be read, or NULL */
	struct ktrace_exit exits[KTRACE_MAX_EXITS];
	unsigned int nr_exits;
	uint64_t jumps[KTRACE_MAX_EXITS];	/* targets of direct jumps out of the function */
	unsigned int nr_jumps;
	uint64_t nr_read;	/* the used part of the budget */
	bool is_loop;		/* it jumps back to its entry, and calls nothing */
	bool is_check;		/* its entry is a jbe, which each call passes untaken once */
	const char *no_entry;	/* why it cannot be probed at all, or NULL */
	const char *no_return;	/* why its returns cannot be seen, or NULL */
	bool is_endless;	/* all of its code is known, and has no exit */
};

struct insn;	/* a disassembler */

struct insn *insn_open(struct err *err);
void insn_close(struct insn *insn);

/* Decodes a function and picks the places for its probes. */
void insn_plan(struct insn *insn, const struct elf_file *file,
	       const struct insn_range *range, struct insn_plan *plan);

/* Returns the reason why no probe may be placed on the instruction at addr, or NULL. */
const char *insn_why_not(struct insn *insn, const struct elf_file *file, uint64_t addr);

/*
 * Decodes from the instruction at first on. Returns the address of the instruction that contains
 * addr, or UINT64_MAX if there is none.
 */
uint64_t insn_start(struct insn *insn, const struct elf_file *file, uint64_t first,
		    uint64_t addr);

#endif
