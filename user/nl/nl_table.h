/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NL_TABLE_H
#define NL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"

/* The columns that are read. A newer module may have more, which are skipped. */
#define KNL_COLUMNS 64

/* The schema of a table. */
struct knl_table {
	struct ktrace_table shape;
	struct ktrace_column columns[KNL_COLUMNS];	/* keys first */
	uint32_t at[KNL_COLUMNS];	/* index of each column's first cell in a row */
	size_t nr_columns;
};

#define KNL_CELLS (2 * KNL_COLUMNS)

struct knl_row {
	const struct knl_table *table;	/* the table of the row */
	const char *name;		/* the name that a driver gave to its queue, or NULL */
	uint64_t cells[KNL_CELLS];	/* words of the columns; 0 if the module sent none */
	bool is_head;		/* no row: the columns of the rows that follow, if there are any */
	bool is_other;		/* the row for all keys without a row of their own */
	const struct ktrace_bucket *buckets;
	size_t nr_buckets;
};

typedef void (*knl_row_fn)(void *arg, const struct knl_row *row);

/*
 * Calls fn for the head of every table of a session, then for every row, in no particular order.
 * flags: KTRACE_READ_BEFORE. Returns 0 or a negative errno.
 */
int knl_row_each(struct knl *nl, uint64_t id, uint32_t flags, knl_row_fn fn, void *arg);

/* nl_columns.c: returns the number of cells that a column has in a row. */
uint32_t knl_column_words(const struct ktrace_column *column);
/* Returns true for the table with chosen keys, false for the table by function. */
bool knl_table_is_chosen(const struct knl_table *table);
/* Return the column of a key or of a figure, or NULL. */
const struct ktrace_column *knl_table_key(const struct knl_table *table, uint32_t key);
const struct ktrace_column *knl_table_figure(const struct knl_table *table, uint32_t figure);
/* Return the number of a key or of a figure, or 0 if the table has no such column. */
uint64_t knl_row_key(const struct knl_row *row, uint32_t key);
uint64_t knl_row_figure(const struct knl_row *row, uint32_t figure);
/* Copies the text of a column to text, with a terminating zero; "" if column is NULL. */
const char *knl_row_text(char text[KTRACE_COLUMN_TEXT_LEN + 1], const struct knl_row *row,
			 const struct ktrace_column *column);
/* Returns the inode of a file and sets dev to its device; both are 0 if column is NULL. */
uint64_t knl_row_file(uint32_t *dev, const struct knl_row *row, const struct ktrace_column *column);

#endif
