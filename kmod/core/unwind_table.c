// SPDX-License-Identifier: GPL-2.0
/* Tables for unwinding: checked once, searched in hits. Tests in user space include this file. */
#include <linux/sched.h>

#include "core/unwind_table.h"

#define LOW(offset) ((u32)(offset) & ((1U << KTRACE_UNWIND_PAGE_BITS) - 1))

#define PAGES_AT_ONCE 64	/* are checked; a page has at most 4096 rows */

static const struct ktrace_unwind_rule unwind_table_none = { .cfa = KTRACE_UNWIND_CFA_NONE };

/* --- checking -------------------------------------------------------------- */

static bool unwind_table_is_head(const struct ktrace_unwind_head *head, size_t len)
{
	return head->version == KTRACE_UNWIND_VERSION && !head->pad &&
	       head->first_page < KTRACE_UNWIND_MAX_PAGES && head->nr_pages &&
	       head->nr_pages <= KTRACE_UNWIND_MAX_PAGES - head->first_page &&
	       head->nr_rules <= KTRACE_UNWIND_MAX_RULES &&
	       head->nr_rows <= KTRACE_UNWIND_MAX_ROWS &&
	       len == sizeof(*head) + (head->nr_pages + 1) * sizeof(u32) +
		       head->nr_rules * sizeof(struct ktrace_unwind_rule) +
		       head->nr_rows * sizeof(struct ktrace_unwind_row);
}

static bool unwind_table_is_rule(const struct ktrace_unwind_rule *rule)
{
	return rule->cfa < KTRACE_UNWIND_NR_CFAS && rule->rbp < KTRACE_UNWIND_NR_REGS &&
	       rule->rbx < KTRACE_UNWIND_NR_REGS &&
	       (rule->cfa < KTRACE_UNWIND_CFA_OTHER || rule->cfa_add < KTRACE_UNWIND_NR_OTHERS);
}

static bool unwind_table_has_rules(const struct kt_unwind_table *table, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!unwind_table_is_rule(&table->rules[i]))
			return false;
	return true;
}

static bool unwind_table_has_pages(const struct kt_unwind_table *table, u32 nr_rows)
{
	u32 i;

	for (i = 0; i < table->nr_pages; i++)
		if (table->pages[i] > table->pages[i + 1])
			return false;
	return !table->pages[0] && table->pages[table->nr_pages] == nr_rows;
}

static bool unwind_table_has_rows(const struct kt_unwind_table *table, u32 page, u32 nr_rules)
{
	const struct ktrace_unwind_row *row = table->rows + table->pages[page];
	const struct ktrace_unwind_row *end = table->rows + table->pages[page + 1];
	u32 low = 0;

	for (; row < end; row++) {
		if (row->rule >= nr_rules || row->low != LOW(row->low) || row->low < low)
			return false;
		low = row->low + 1;
	}
	return true;
}

bool kt_unwind_table_open(struct kt_unwind_table *table, const void *bytes, size_t len)
{
	const struct ktrace_unwind_head *head = bytes;
	u32 i;

	if (len < sizeof(*head) || !unwind_table_is_head(head, len))
		return false;
	table->first_page = head->first_page;
	table->nr_pages = head->nr_pages;
	table->pages = (const void *)(head + 1);
	table->rules = (const void *)(table->pages + head->nr_pages + 1);
	table->rows = (const void *)(table->rules + head->nr_rules);
	if (!unwind_table_has_rules(table, head->nr_rules) ||
	    !unwind_table_has_pages(table, head->nr_rows))
		return false;
	for (i = 0; i < table->nr_pages; i++) {
		if (!unwind_table_has_rows(table, i, head->nr_rules))
			return false;
		if (i % PAGES_AT_ONCE == 0)
			cond_resched();
	}
	return true;
}

/* --- searching ------------------------------------------------------------- */

const struct ktrace_unwind_rule *kt_unwind_table_find(const struct kt_unwind_table *table,
						      u64 offset)
{
	u64 page = (offset >> KTRACE_UNWIND_PAGE_BITS) - table->first_page;
	const struct ktrace_unwind_row *row;
	u32 low = LOW(offset), nr, half;

	if (page >= table->nr_pages)
		return &unwind_table_none;
	row = table->rows + table->pages[page];
	/* A page has at most 4096 rows, as they increase. */
	nr = table->pages[page + 1] - table->pages[page];
	if (!nr || row->low > low)
		/* The row in front is one of an earlier page. */
		return row > table->rows ? &table->rules[row[-1].rule] : &unwind_table_none;
	for (; nr > 1; nr -= half) {
		half = nr / 2;
		if (row[half].low <= low)
			row += half;
	}
	return &table->rules[row->rule];
}
