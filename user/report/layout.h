/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns as data: columns of a printed table (table_print.c), or members of JSON objects
 * (json_table.c). If the style limits the length of lines (util/style.h), columns are dropped, those
 * with the highest number first and together, and names are cut. Names are never dropped.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/table.h"

enum format {
	FORMAT_COUNT,		/* 4711 */
	FORMAT_TIME,		/* 1.50 us */
	FORMAT_BYTES,		/* 4.00 KiB */
	FORMAT_RATE,		/* 1.50 */
	FORMAT_REAL,		/* 1.50 */
	FORMAT_PERCENT,		/* percentage of per: 1.50 */
	FORMAT_KEY,		/* the text of a key, or its number */
	/* in JSON only */
	FORMAT_KEY_NUMBER,
	FORMAT_HIST,
	FORMAT_ERROR,		/* text of an errno */
	FORMAT_TRUE,		/* what needs says is so */
};

struct json_object;

/* A column of a table, or a member in JSON. */
struct column {
	const char *title;	/* in JSON "name", or "object.name" for an inner object; NULL:
				 * not shown */
	const char *sort;	/* name of this column as a sort order (its figure, without per);
				 * NULL if it is no sort order */
	enum format format;
	unsigned int key;
	enum figure figure;
	uint32_t parts;		/* bits of the parts that are summed; 0: the first part */
	enum figure per;	/* divisor of the figure; 0: none */
	uint32_t per_parts;
	double scale;		/* an additional divisor; 0: none */
	int decimals;
	const char *unit;	/* printed after the value */
	int width;		/* minimum width */
	int indent;		/* blanks in front, in addition to the gap */
	int drop;		/* on a line that is too long, the highest number is dropped
				 * first; 0: never */
	bool is_left;		/* aligned to the left ... */
	bool is_grown;		/* ... and as wide as the longest text */
	bool is_cut;		/* a text that does not fit the line loses its middle ... */
	bool is_function;	/* ... or, as a function's name, what cut_name() leaves out */
	enum figure needs;	/* if this figure is 0, the text in none is printed; JSON omits
				 * the member */
	uint32_t needs_parts;
	const char *none;
	uint32_t when;		/* shown if the table has all of these flags ... */
	uint32_t unless;	/* ... and none of these */
	bool grows;		/* an amount that grows with the time of observation */
	bool is_of_total;	/* the line of the total has its title in this column */
	bool is_of_rows;	/* not shown in the line of the total */
	/* in JSON: adds the members for the object of a key */
	void (*add)(struct json_object *to, const struct row_key *key);
};

/* The layout of one kind of table. */
struct layout {
	const struct column *columns;
	size_t nr;
	const char *begin, *gap;	/* in front of a line, and between columns */
	const char *empty;	/* printed if no row is shown; NULL: the titles are printed */
	bool has_rule, has_total;
	uint32_t tells_dropped;	/* with this flag of the table, dropped columns are named below it */
	enum figure tie;	/* equal rows are sorted by this figure, then by keys */
	bool (*is_shown)(const struct table *table, const struct row *row);	/* NULL: all rows */
	/*
	 * remark: printed after a row, on its line or, if there is no room, on the next. detail:
	 * below it.
	 */
	void (*remark)(FILE *out, const struct table *table, const struct row *row);
	void (*detail)(FILE *out, const struct table *table, const struct row *row);
};

/* In JSON: the distribution of a part's times. required and flags become needs and unless. */
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

/* Sorts by the column with this sort name: figures descend, keys and equal rows ascend. */
void table_sort(struct table *table, const struct layout *layout, const char *name);

/* Returns true if at least one row is shown. */
bool table_is_shown(const struct table *table, const struct layout *layout);
void table_print(FILE *out, const struct table *table, const struct layout *layout);
/*
 * table_json(): a list with one object per shown row. table_add_members(): the members of one row.
 */
struct json_object *table_json(const struct table *table, const struct layout *layout);
void table_add_members(struct json_object *to, const struct table *table, const struct row *row,
		       const struct layout *layout);

/* Returns the figures of all shown rows, summed, without histograms. The caller frees its parts. */
struct row table_sum(const struct table *table, const struct layout *layout);
bool row_is_shown(const struct table *table, const struct layout *layout, const struct row *row);
bool column_is_on(const struct column *column, const struct table *table);
/* Returns true if the row has a value in this column. */
bool column_is_there(const struct column *column, const struct row *row);

#endif
