/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns as data: columns of a printed table (table_print.c), or members of JSON objects
 * (json_table.c). Both refer to the catalogue of figures (figures.h) and to the keys of the table;
 * what is 0 here is as the catalogue says. If the style limits the length of lines (util/style.h),
 * columns are dropped, those with the highest number first and together, and names are cut. Names
 * are never dropped.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/table.h"

/* A column of a table, or a member in JSON. */
struct column {
	enum figure figure;	/* FIG_NONE: a key */
	const char *title;	/* in JSON its name, or "object.name" for an inner object */
	uint32_t parts;		/* bits of the parts that are summed; 0: the first part */
	uint32_t per_parts;	/* of the divisor of a quotient; 0: the same */
	unsigned int key;
	enum figure needs;	/* if this figure is 0, the text in none is printed; JSON omits
				 * the member */
	uint32_t when;		/* shown if the table has all of these flags ... */
	uint32_t unless;	/* ... and none of these */
	/* on the screen */
	const char *sort;	/* name of this column as a sort order; NULL: column_order() */
	const char *none;
	const char *unit;	/* printed after the value */
	int width;		/* minimum width; 0: that of the format, or of the key */
	int indent;		/* blanks in front, in addition to the gap */
	int drop;		/* on a line that is too long, the highest number is dropped
				 * first; 0: never */
	bool is_grown;		/* as wide as the longest text */
	bool is_cut;		/* a text that does not fit the line loses its middle ... */
	bool is_function;	/* ... or, as a function's name, what cut_name() leaves out */
	bool is_hidden;		/* only a sort order */
	bool is_of_total;	/* the line of the total has its title in this column */
	/* in JSON */
	const char *in;		/* the inner object of the member, "object." */
	bool is_number;		/* the number of a key, even if it has a text */
	/*
	 * these members for each part of a row, in an inner object with the name of the part; the
	 * member with the title "" has this name itself
	 */
	const struct layout *each;
};

/* The layout of one printed table, or of an object in JSON. */
struct layout {
	const struct column *columns;
	size_t nr;
	const char *begin, *gap;	/* in front of a line, and between columns; NULL: "" and " " */
	bool is_upper;		/* titles of figures and keys are in upper case */
	int time_width;		/* minimum width of times */
	const char *empty;	/* printed if no row is shown; NULL: the titles are printed */
	bool has_rule, has_total;
	uint32_t when;		/* printed if the table has all of these flags */
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

/* A figure, with other members of struct column; with another title; of some parts of a row. */
#define FIGURE(id, ...)			{ .figure = FIG_##id, __VA_ARGS__ }
#define NAMED(id, text, ...)		FIGURE(id, .title = (text), __VA_ARGS__)
#define OF_PARTS(id, text, which, ...)	NAMED(id, text, .parts = (which), __VA_ARGS__)

/* A time of the calls whose end was seen. */
#define OF_TIMED(id, ...)		FIGURE(id, .needs = FIG_TIMED, .none = "-", __VA_ARGS__)

#define COLUMNS(array) .columns = (array), .nr = sizeof(array) / sizeof((array)[0])

/*
 * Returns the name of a column as a sort order: its own, or that of its key, or the title of its
 * figure. NULL: a column with another title, or with a quotient, has no name unless it has its own.
 */
const char *column_order(const struct column *column, const struct table_kind *kind);
/*
 * Returns the first column of a printed table with this name, one that tables with these flags have
 * before the others, or NULL.
 */
const struct column *layout_find(const struct table_kind *kind, const struct layout *layout,
				 const char *order, uint32_t flags);
/* Sorts by the column that layout_find() finds: figures descend, keys and equal rows ascend. */
void table_sort(struct table *table, const char *order);

/* Returns true if at least one row is shown in a printed table, or in the first one. */
bool layout_is_shown(const struct table *table, const struct layout *layout);
bool table_is_shown(const struct table *table);
/*
 * Prints the tables of the kind, one below the other, or one of them. Without a row, only what the
 * first one prints.
 */
void table_print(FILE *out, const struct table *table);
void layout_print(FILE *out, const struct table *table, const struct layout *layout);
/*
 * Calls fn for each member of a row in JSON, whether this row has it or not; a member of a part has
 * that part in parts. Histograms are left out unless the table has them.
 */
void layout_each_member(const struct table *table, const struct layout *layout,
			void (*fn)(void *arg, const struct column *member), void *arg);
/*
 * json_add_table(): a list with one object per shown row, and the total, if the kind has one in
 * JSON. table_add_members(): the members of one row.
 */
void json_add_table(struct json_object *to, const char *name, const struct table *table);
void table_add_members(struct json_object *to, const struct table *table, const struct row *row,
		       const struct layout *layout);

/* Returns the name of a member in JSON. */
const char *column_member(const struct column *column, const struct table_kind *kind);

/* Returns the figures of all shown rows, summed, without histograms. The caller frees its parts. */
struct row table_sum(const struct table *table, const struct layout *layout);
bool row_is_shown(const struct table *table, const struct layout *layout, const struct row *row);
bool column_is_on(const struct column *column, const struct table *table);
/* Returns true if the row has a value in this column. needs: a figure that must not be 0. */
bool column_is_there(const struct column *column, const struct row *row, enum figure needs);
bool member_is_there(const struct column *member, const struct row *row);	/* in JSON */

#endif
