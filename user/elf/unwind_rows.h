/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNWIND_ROWS_H
#define UNWIND_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/ktrace_unwind.h>

/* A table for unwinding while it is made. Begins with zeroes. */
struct unwind_rows {
	struct ktrace_unwind_row *rows;
	size_t nr_rows;
	size_t nr_complex;	/* rows whose rule a table cannot express */
	struct ktrace_unwind_rule *rules;
	size_t nr_rules;
	uint16_t *slots;	/* hash table of rules: their number + 1, or 0 */
	uint32_t *pages;
	size_t nr_pages;
	uint32_t first_page;
	uint16_t last_rule;
	uint64_t last_offset;
	const char *why;	/* what does not fit, a clause about the file; or NULL */
};

/*
 * Adds a rule that holds from an offset on. Offsets do not decrease; of two rules for one offset
 * the second one holds. Does nothing if rows->why is set.
 */
void unwind_rows_add(struct unwind_rows *rows, uint64_t offset,
		     const struct ktrace_unwind_rule *rule);

/* Returns the table, see ktrace_unwind.h. The caller frees it. There is at least one row. */
void *unwind_rows_table(struct unwind_rows *rows, size_t *len);

void unwind_rows_free(struct unwind_rows *rows);

#endif
