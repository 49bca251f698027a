/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only kind of table. A reader fills rows from the data of the module. A description
 * (layout.h) says what a specific table consists of and how it is shown.
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
	const void *object;	/* data that the text does not contain */
	bool is_none;		/* not known, or not present in this row */
	uint32_t dev;		/* of a file, whose inode is the number: device of its file
				 * system */
};

#define TABLE_KEYS 6

struct row {
	struct row_key keys[TABLE_KEYS];
	struct row_part *parts;	/* [nr_parts] of the table */
};

struct json_object;
struct table;

/* The kind of a key, and how two keys of this kind compare. */
struct key_kind {
	const char *name;
	int (*compare)(const struct row_key *x, const struct row_key *y);
	uint32_t id;	/* the module's enum ktrace_key (table_read.h); 0: the module has no such
			 * key */
	/* reads a key without an id from a row of the module; NULL: the table's reader sets it */
	struct row_key (*read)(struct table *table, const struct ktr_row *row);
	const char *title;	/* on the screen; NULL: the name */
	const char *json;	/* in JSON; NULL: the name */
	int width;		/* minimum width */
	bool is_left;		/* aligned to the left */
	/* adds several members for the object of a key; NULL: one member */
	void (*add)(struct json_object *to, const struct row_key *key);
	const char *members[3];	/* their names, if csv has them; all are texts or integers */
};

int key_by_number(const struct row_key *x, const struct row_key *y);
int key_by_text(const struct row_key *x, const struct row_key *y);	/* then by number */

struct layout;

/* The description of a kind of table: what it consists of, and how it is shown. */
struct table_kind {
	const struct key_kind *keys;
	size_t nr_keys;
	size_t nr_telling;	/* number of first keys that identify a row; 0: all */
	size_t nr_leading;	/* number of first keys whose rows stay together when sorted */
	/* the parts of a row, such as stages: 0: one part without a name */
	const char *const *parts;
	size_t nr_parts;
	uint32_t part_key;	/* KTRACE_KEY_*: the key that selects the part of a row; 0: one
				 * part */
	enum figure needs;	/* rows of the module without this figure are skipped; FIG_NONE:
				 * none is skipped */
	/* printed one below the other, up to NULL; and the members in JSON */
	const struct layout *screens[3];
	const struct layout *json;
	const struct layout *json_total;	/* of the object "all", NULL: there is none */
};

struct table {
	const struct table_kind *kind;
	size_t nr_keys, nr_parts;	/* of kind */
	struct row *rows;
	size_t nr;
	struct row total;	/* parts NULL: the total is the sum of all rows */
	struct row others;	/* all keys for which the module had no room; parts NULL: none */
	uint32_t flags;		/* flags of the specific table; they select columns */
	uint64_t duration_ns;	/* length of the window; 0: not known, and rates are not shown.
				 * A row's rates are those of its FIG_OBSERVED */
	bool has_hists;		/* histograms are shown in JSON */
	uint64_t now;		/* time of the read, CLOCK_MONOTONIC; 0: not known */
	char **texts;		/* made by table_text() */
	size_t nr_texts;
};

/* Compares the first nr keys. */
int table_compare(const struct table *table, const struct row_key *x, const struct row_key *y,
		  size_t nr);

void table_init(struct table *table, const struct table_kind *kind);
struct row *table_add(struct table *table);
/*
 * Sorts rows by keys, and merges rows with the same first nr_telling keys. The merged row has the
 * keys of the first one.
 */
void table_unite(struct table *table);
void table_free(struct table *table);
/* Drops the rows for which is_kept returns false. */
void table_keep(struct table *table, bool (*is_kept)(const struct row *row));
/* Returns a formatted text that lives as long as the table. */
const char *table_text(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Returns the rows of a sorted table whose first nr_keys keys equal those of row. The slice must
 * not be freed.
 */
struct table table_slice(const struct table *table, const struct row *row, size_t nr_keys);

static inline uint64_t row_figure(const struct row *row, enum figure figure, uint32_t parts)
{
	return parts_figure(row->parts, figure, parts);
}

#endif
