/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns, which are data: of a printed table (table_print.c), of objects in JSON (json_table.c).
 * Where the style limits a line (util/style.h), columns are dropped by their numbers, all of one
 * number together, and names are cut. Names are never dropped.
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
	FORMAT_PERCENT,		/* of per: 1.50 */
	FORMAT_KEY,		/* a key's text, or its number */
	/* in JSON only */
	FORMAT_KEY_NUMBER,
	FORMAT_HIST,
	FORMAT_ERROR,		/* what an errno means */
};

struct json_object;

/* A column of a table, or a member in JSON. */
struct column {
	const char *title;	/* in JSON "name", or "object.name" of an object; NULL: not shown */
	const char *sort;	/* its name to sort by its figure, without per; NULL: it has none */
	enum format format;
	unsigned int key;
	enum figure figure;
	uint32_t parts;		/* bits: these are taken together; 0: the first one */
	enum figure per;	/* what the figure is divided by; 0: by nothing */
	uint32_t per_parts;
	double scale;		/* a further divisor; 0: none */
	int decimals;
	const char *unit;	/* behind it */
	int width;		/* at least */
	int indent;		/* more blanks in front than the gap */
	int drop;		/* in a line that is too long the highest goes first; 0: it stays */
	bool is_left;		/* it is aligned to the left ... */
	bool is_grown;		/* ... and as wide as the longest text */
	bool is_cut;		/* a text that is too long for the line loses its middle */
	enum figure needs;	/* where this is 0, none is shown; in JSON nothing */
	uint32_t needs_parts;
	const char *none;
	uint32_t when;		/* the column is shown if the table has all of these flags ... */
	uint32_t unless;	/* ... and none of these */
	bool is_of_total;	/* the total's line is named here */
	bool is_of_rows;	/* it is not in the total's line */
	/* in JSON: adds the members that show a key's object */
	void (*add)(struct json_object *to, const struct row_key *key);
};

/* The layout of one kind of table. */
struct layout {
	const struct column *columns;
	size_t nr;
	const char *begin, *gap;	/* of a line, between columns */
	const char *empty;	/* is printed where there is no row to show; NULL: the titles are */
	bool has_rule, has_total;
	enum figure tie;	/* rows that are equal are sorted by this, then by keys */
	bool (*is_shown)(const struct table *table, const struct row *row);	/* NULL: all are */
	/* Behind a row, in its line or, where that has no room, in the next; and below. */
	void (*remark)(FILE *out, const struct table *table, const struct row *row);
	void (*detail)(FILE *out, const struct table *table, const struct row *row);
};

/* In JSON: the distribution of a part's times; required and flags are needs and unless. */
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

/* By the column of that name: figures descending, keys and equal rows ascending. */
void table_sort(struct table *table, const struct layout *layout, const char *name);

/* Is there a row to show? */
bool table_is_shown(const struct table *table, const struct layout *layout);
void table_print(FILE *out, const struct table *table, const struct layout *layout);
/* Objects of all rows that are shown; members of one. */
struct json_object *table_json(const struct table *table, const struct layout *layout);
void table_add_members(struct json_object *to, const struct table *table, const struct row *row,
		       const struct layout *layout);

/* Figures of all rows that are shown, without histograms; its parts are to be freed. */
struct row table_sum(const struct table *table, const struct layout *layout);
bool row_is_shown(const struct table *table, const struct layout *layout, const struct row *row);
bool column_is_on(const struct column *column, const struct table *table);
/* Does this row have its figure? */
bool column_is_there(const struct column *column, const struct row *row);

#endif
