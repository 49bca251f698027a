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
	uint64_t budget;	/* of bytes of code and entries of tables, to be read */
};

/* Where to probe it. Offsets of exits are addresses here. */
struct insn_plan {
	uint64_t entry;
	uint64_t args_entry;	/* where arguments are still in their registers; 0: at entry */
	bool is_stepped;	/* the kernel steps the instruction at entry ... */
	bool is_args_stepped;	/* ... or at args_entry; else it emulates it */
	struct ktrace_exit exits[KTRACE_MAX_EXITS];
	unsigned int nr_exits;
	uint64_t jumps[KTRACE_MAX_EXITS];	/* where direct jumps leave it for */
	unsigned int nr_jumps;
	uint64_t nr_read;	/* of the budget */
	bool is_loop;		/* it jumps back to its entry, and calls nothing */
	bool is_check;		/* its entry is a jbe, which calls do not take */
	const char *no_entry;	/* why it cannot be probed at all, or NULL */
	const char *no_return;	/* why its returns cannot be seen, or NULL */
};

struct insn;	/* a disassembler */

struct insn *insn_open(struct err *err);
void insn_close(struct insn *insn);

/* Decodes a function and picks the places for its probes. */
void insn_plan(struct insn *insn, const struct elf_file *file,
	       const struct insn_range *range, struct insn_plan *plan);

/* Where the instruction begins that holds addr, told from one at first; ~0: none is there. */
uint64_t insn_start(struct insn *insn, const struct elf_file *file, uint64_t first,
		    uint64_t addr);

#endif
