/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one kind of table. A reader fills rows from what the module says; the kinds of their keys
 * tell rows apart, and bring them into order; columns say what is shown (layout.h). A kind of table
 * is its keys, its reader and its columns.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/figures.h"

struct row_key {
	uint64_t number;
	const char *text;	/* NULL: the number is shown */
	const void *object;	/* of what a text does not tell */
	bool is_none;		/* it is not known, or the row has none */
	uint32_t dev;		/* of a file, whose inode is the number: of its file system */
};

#define TABLE_KEYS 6

struct row {
	struct row_key keys[TABLE_KEYS];
	struct row_part *parts;	/* [nr_parts] of the table */
};

/* What rows are of, and how two of them are told apart. */
struct key_kind {
	const char *name;
	int (*compare)(const struct row_key *x, const struct row_key *y);
	uint32_t id;	/* the module's, an enum ktrace_key (table_read.h); 0: it has none */
};

int key_by_number(const struct row_key *x, const struct row_key *y);
int key_by_text(const struct row_key *x, const struct row_key *y);	/* then by number */

struct table {
	const struct key_kind *keys;
	size_t nr_keys;
	size_t nr_parts;
	size_t nr_telling;	/* rows whose first keys are the same are one */
	size_t nr_leading;	/* rows of the same first keys stay together when sorted */
	struct row *rows;
	size_t nr;
	struct row total;	/* parts NULL: it is the sum of all rows */
	struct row others;	/* of all keys for which the module had no room; parts NULL: of none */
	uint32_t flags;		/* the kind's own: they choose columns */
	uint64_t duration_ns;	/* of its window; 0: not known, and there are no rates */
	bool has_hists;		/* they are shown in JSON */
	uint64_t now;		/* when it was read, CLOCK_MONOTONIC; 0: not known */
	char **texts;		/* that table_text() made */
	size_t nr_texts;
};

/* By the first nr keys. */
int table_compare(const struct table *table, const struct row_key *x, const struct row_key *y,
		  size_t nr);

void table_init(struct table *table, const struct key_kind *keys, size_t nr_keys, size_t nr_parts);
struct row *table_add(struct table *table);
/*
 * Sorts rows by keys, and makes one of those that the first nr_telling keys do not tell apart: it
 * keeps the keys of the first.
 */
void table_unite(struct table *table);
void table_free(struct table *table);
/* Drops rows that are not to be kept. */
void table_keep(struct table *table, bool (*is_kept)(const struct row *row));
/* A text that lives as long as the table. */
const char *table_text(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The rows of a sorted table with the first nr_keys keys of a row; not to be freed. */
struct table table_slice(const struct table *table, const struct row *row, size_t nr_keys);

static inline uint64_t row_figure(const struct row *row, enum figure figure, uint32_t parts)
{
	return parts_figure(row->parts, figure, parts);
}

#endif
