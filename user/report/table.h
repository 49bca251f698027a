/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one kind of table. A reader fills rows from what the module says; the kinds of its keys
 * tell rows apart and bring them into order; columns, which are data, say what is printed
 * (table_print.c) and what JSON has (json_table.c). A kind of table is its keys, its columns, and its
 * reader.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/hist.h"

/* What is counted, times in ns; the first ones in the order of struct ktrace_stats. */
enum figure {
	FIG_NONE,
	FIG_CALLS, FIG_ENTRIES, FIG_TOTAL, FIG_SELF, FIG_MIN, FIG_MAX, FIG_SUM, FIG_ERRORS,
	FIG_BYTES, FIG_GAPS, FIG_GAP_TIME, FIG_PAGE_HITS, FIG_PAGE_MISSES, FIG_PAGES_AHEAD,
	FIG_PAGES_DIRTIED, FIG_AT_MOST, FIG_SINCE,
	/* of functions: */
	FIG_FAILURE,		/* errno: it could not be probed */
	FIG_OUT_TIME, FIG_OUT_CALLS, FIG_OUT_COST, FIG_OUT_MOMENT, /* struct ktrace_taken_out */
	NR_FIGURES,
	/* What follows is computed. */
	FIG_SEEN = NR_FIGURES,	/* calls, or entries where no return was seen */
	FIG_AVG,		/* total for each call */
	FIG_MEAN,		/* sum for each call: inner calls of a recursion are in it */
	FIG_RECURSION,		/* what sum has more than total */
	FIG_P50, FIG_P90, FIG_P99, FIG_P999,
	FIG_PAGES_TOUCHED, FIG_PAGES_ANY,
	FIG_SECONDS,		/* how long the table's window was */
	FIG_WHOLE,		/* the same figure of the table's total */
};

/* Figures of one part of a row: of a stage of requests, a kind of periods. */
struct row_part {
	uint64_t figures[NR_FIGURES];
	struct hist hist;
};

struct row_key {
	uint64_t number;
	const char *text;	/* NULL: the number is shown */
	const void *object;	/* of what a text does not tell */
	bool is_none;		/* it is not known, or the row has none */
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
};

int key_by_number(const struct row_key *x, const struct row_key *y);
int key_by_text(const struct row_key *x, const struct row_key *y);	/* then by number */

struct table {
	const struct key_kind *keys;
	size_t nr_keys;
	size_t nr_parts;
	size_t nr_leading;	/* rows of the same first keys stay together when sorted */
	struct row *rows;
	size_t nr;
	struct row total;	/* parts NULL: it is the sum of all rows */
	uint32_t flags;		/* the kind's own: they choose columns */
	uint64_t duration_ns;	/* of its window */
	uint64_t now;		/* when it was read, CLOCK_MONOTONIC; 0: not known */
	char **texts;		/* that table_text() made */
	size_t nr_texts;
};

enum format {
	FORMAT_COUNT,		/* 4711 */
	FORMAT_TIME,		/* 1.500 us */
	FORMAT_REAL,		/* 1.50 */
	FORMAT_PERCENT,		/* of per: 1.50 */
	FORMAT_KEY,		/* a key's text, or its number */
	/* in JSON only */
	FORMAT_KEY_NUMBER,
	FORMAT_KEY_TEXT,	/* if it has one */
	FORMAT_HIST,
	FORMAT_ERROR,		/* what an errno means */
};

struct json_object;

/* A column of a table, or a member in JSON. */
struct column {
	const char *title;	/* in JSON "name", or "object.name" of an object; NULL: not shown */
	const char *sort;	/* what to sort by its figure, without per, is called; or NULL */
	enum format format;
	unsigned int key;
	enum figure figure;
	uint32_t parts;		/* bits of those that are taken together; 0: the first */
	enum figure per;	/* it is divided by this; 0 of nothing */
	uint32_t per_parts;
	double scale;		/* and by this; 0: not */
	int decimals;
	const char *unit;	/* behind it */
	int width;		/* at least */
	int indent;		/* more blanks in front than the gap */
	bool is_left;		/* it is aligned to the left ... */
	bool is_grown;		/* ... and as wide as the longest text */
	enum figure needs;	/* without any of this there is only none; in JSON nothing */
	uint32_t needs_parts;
	const char *none;
	uint32_t when, unless;	/* flags of the table: all of them, none of them; else it is left out */
	const char *above;	/* a line above the titles has this, its end above that of the column ... */
	bool is_above_left;	/* ... or its start above the start */
	bool is_of_total;	/* the total's line is named here */
	bool is_of_rows;	/* it is not in the total's line */
	/* in JSON: what a key's object is shown as, in members of its own */
	void (*add)(struct json_object *to, const struct row_key *key);
};

/* How tables of one kind are shown. */
struct layout {
	const struct column *columns;
	size_t nr;
	const char *begin, *gap;	/* of a line, between columns */
	bool has_rule, has_total;
	enum figure tie;	/* rows that are equal are sorted by this, then by keys */
	bool (*is_shown)(const struct table *table, const struct row *row);	/* NULL: all are */
	/* Behind a row, in its line and below. */
	void (*remark)(FILE *out, const struct table *table, const struct row *row);
	void (*detail)(FILE *out, const struct table *table, const struct row *row);
};

/* In JSON: how times of a part are distributed; the last two as needs and unless. */
#define DISTRIBUTION(prefix, which, required, flags)					\
	DISTRIBUTION_OF(prefix "min_ns", FORMAT_COUNT, FIG_MIN, which, required, flags),	\
	DISTRIBUTION_OF(prefix "max_ns", FORMAT_COUNT, FIG_MAX, which, required, flags),	\
	DISTRIBUTION_OF(prefix "p50_ns", FORMAT_COUNT, FIG_P50, which, required, flags),	\
	DISTRIBUTION_OF(prefix "p90_ns", FORMAT_COUNT, FIG_P90, which, required, flags),	\
	DISTRIBUTION_OF(prefix "p99_ns", FORMAT_COUNT, FIG_P99, which, required, flags),	\
	DISTRIBUTION_OF(prefix "p999_ns", FORMAT_COUNT, FIG_P999, which, required, flags),	\
	DISTRIBUTION_OF(prefix "histogram", FORMAT_HIST, FIG_NONE, which, required, flags)
#define DISTRIBUTION_OF(name, as, what, which, required, flags)				\
	{ name, .format = (as), .figure = (what), .parts = (which), .needs = (required),	\
	  .unless = (flags) }

#define COLUMNS(array) .columns = (array), .nr = sizeof(array) / sizeof((array)[0])

void table_init(struct table *table, const struct key_kind *keys, size_t nr_keys, size_t nr_parts);
/* Whoever adds rows may do it anew for the same keys, and unite them then. */
struct row *table_add(struct table *table);
/* The last row if its keys are these, else a new one. */
struct row *table_row(struct table *table, const struct row_key *keys);
void table_unite(struct table *table);
/* Figures of all rows that are shown, without histograms; its parts are to be freed. */
struct row table_sum(const struct table *table, const struct layout *layout);
void table_free(struct table *table);
/* Drops rows that are not to be kept. */
void table_keep(struct table *table, bool (*is_kept)(const struct row *row));
/* A text that lives as long as the table. */
const char *table_text(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What of the table has the first nr_keys keys of a row; of one that was sorted. Not to be freed. */
struct table table_slice(const struct table *table, const struct row *row, size_t nr_keys);

/* By the column of that name, the most first; a key the least first, as are rows that are equal. */
void table_sort(struct table *table, const struct layout *layout, const char *name);

/* Is there a row to show? */
bool table_is_shown(const struct table *table, const struct layout *layout);
void table_print(FILE *out, const struct table *table, const struct layout *layout);
/* Objects of all rows that are shown; members of one. */
struct json_object *table_json(const struct table *table, const struct layout *layout);
void table_add_members(struct json_object *to, const struct table *table, const struct row *row,
		       const struct layout *layout);

void part_read(struct row_part *part, const struct knl_func *func);
void part_read_node(struct row_part *part, const struct ktrace_node *node);
void part_add(struct row_part *to, const struct row_part *from);
void part_free(struct row_part *part);

uint64_t row_figure(const struct row *row, enum figure figure, uint32_t parts);
bool row_is_shown(const struct table *table, const struct layout *layout, const struct row *row);
bool column_is_on(const struct column *column, const struct table *table);
/* Is there what it shows, of this row? */
bool column_is_there(const struct column *column, const struct row *row);

#endif
