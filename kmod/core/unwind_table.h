/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_TABLE_H
#define KT_UNWIND_TABLE_H

#include <linux/types.h>

#include <uapi/ktrace_unwind.h>

/* A table for unwinding (ktrace_unwind.h) that has been checked. */
struct kt_unwind_table {
	const u32 *pages;
	const struct ktrace_unwind_rule *rules;
	const struct ktrace_unwind_row *rows;
	u32 first_page, nr_pages;
};

/*
 * Checks a table of len bytes, which are kept; they are aligned to 4 bytes. Returns false if
 * anything in it is wrong. The time grows with the number of rows, so it is not for a hit.
 * Process context, sleeps.
 */
bool kt_unwind_table_open(struct kt_unwind_table *table, const void *bytes, size_t len);

/*
 * Returns the rule for an offset in the file; never NULL. Any context. It reads at most 14 rows of
 * a table that was checked.
 */
const struct ktrace_unwind_rule *kt_unwind_table_find(const struct kt_unwind_table *table,
						      u64 offset);

#endif
