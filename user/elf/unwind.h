/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNWIND_H
#define UNWIND_H

#include "elf/elf.h"

/*
 * Limits for what a file may contain; a file beyond them is refused. ktrace_unwind.h has the limits
 * of tables, eh_frame.h and cfi.h those of .eh_frame, effort.h those of time and memory.
 */
#define UNWIND_MAX_FUNCTIONS	(1UL << 21)	/* large browsers have 700,000 */

/*
 * Fewer bytes between two functions, which begin as padding does, have the rule of the function in
 * front: no instruction in them is executed, and they would need a row. Other code without a rule
 * may be as short: clone3() of the C library has 10 bytes in which two stacks are possible.
 */
#define UNWIND_PADDING		16

/* The table for unwinding of one file. */
struct unwind {
	void *table;		/* its format is described in ktrace_unwind.h */
	size_t len;
	size_t nr_functions;
	size_t nr_rows;
	size_t nr_complex;	/* rows whose rule a table cannot express */
	size_t nr_rules;
	const char *why;	/* a clause why there is no table, or NULL */
};

/*
 * Compiles the .eh_frame of a file, which need not have symbols or sections. The rows have offsets
 * in the file. Returns 0; the caller frees the table. Returns -1 with err set if the file has no
 * .eh_frame, or a damaged one, or one beyond the limits.
 */
int unwind_compile(struct unwind *unwind, const struct elf_file *file, struct err *err);
void unwind_free(struct unwind *unwind);

#endif
