/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NL_TABLE_H
#define NL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"

/* Columns that a reader looks at; what a newer module has beyond is skipped. */
#define KNL_COLUMNS 64

/* What columns of a table are. */
struct knl_table {
	struct ktrace_table shape;
	struct ktrace_column columns[KNL_COLUMNS];	/* keys first */
	uint32_t at[KNL_COLUMNS];	/* of a column in a row's cells */
	size_t nr_columns;
};

#define KNL_CELLS (2 * KNL_COLUMNS)

struct knl_row {
	const struct knl_table *table;	/* that it is of */
	const char *name;		/* that a driver gave what the row is of; or NULL */
	uint64_t cells[KNL_CELLS];	/* words of columns; of what the module did not say 0 */
	bool is_other;		/* of all keys that have no row */
	const struct ktrace_bucket *buckets;
	size_t nr_buckets;
};

typedef void (*knl_row_fn)(void *arg, const struct knl_row *row);

/*
 * Every row of every table of a session, in no order. flags: KTRACE_READ_BEFORE. 0 or a negative
 * errno.
 */
int knl_row_each(struct knl *nl, uint64_t id, uint32_t flags, knl_row_fn fn, void *arg);

/* nl_columns.c: of a row's cells, how many a column takes. */
uint32_t knl_column_words(const struct ktrace_column *column);
/* Does the session choose the keys? Else it is the table by function. */
bool knl_table_is_chosen(const struct knl_table *table);
/* The column of a key, or of a figure; NULL: there is none. */
const struct ktrace_column *knl_table_key(const struct knl_table *table, uint32_t key);
const struct ktrace_column *knl_table_figure(const struct knl_table *table, uint32_t figure);
/* The number of a key, or of a figure; 0: the table has no such column. */
uint64_t knl_row_key(const struct knl_row *row, uint32_t key);
uint64_t knl_row_figure(const struct knl_row *row, uint32_t figure);
/* What a row has in a column: a text, which ends with a zero in text; a file. NULL: "", 0. */
const char *knl_row_text(char text[KTRACE_COLUMN_TEXT_LEN + 1], const struct knl_row *row,
			 const struct ktrace_column *column);
/* Returns the inode; the device of its file system goes to dev. */
uint64_t knl_row_file(uint32_t *dev, const struct knl_row *row, const struct ktrace_column *column);

#endif
