/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A comparison of two sides, A and B, each of one or several runs. Documents of runs are added
 * (compare_read.h); then the rows are compared and shown.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keep/spread.h"
#include "report/figures.h"
#include "report/paths.h"
#include "util/match.h"

struct json_object;
struct compare_found;

#define COMPARE_P 0.05	/* a change with a smaller p is marked as significant */

enum compare_side { SIDE_A, SIDE_B, NR_SIDES };

/*
 * Figures that are compared: F(id of the catalogue, other members of struct compare_figure), in the
 * order of tables. Their titles, names and formats are those of the catalogue. Two runs of a profile
 * differ in the number of their samples, so profiles have shares of them, in millionths.
 */
#define COMPARE_FIGURES(F)								\
	F(SELF, .is_sum = true)								\
	F(TOTAL, .is_sum = true)							\
	F(SELF_OF_ALL, .is_sum = true, .is_share = true, .title = "self", .name = "self_ppm")	\
	F(TOTAL_OF_ALL, .is_sum = true, .is_share = true, .title = "total", .name = "total_ppm") \
	F(CALLS, .is_sum = true, .drop = 1)						\
	F(AVG, .drop = 5)								\
	F(P50, .drop = 3)								\
	F(P99, .drop = 2)								\
	F(MIN, .is_hidden = true)							\
	F(MAX, .is_hidden = true)

#define COMPARE_ID(id, ...) COMPARE_##id,
enum compare_figure_id { COMPARE_FIGURES(COMPARE_ID) NR_COMPARED };

struct compare_figure {
	enum figure figure;
	const char *title, *name;	/* if they are not those of the catalogue */
	bool is_sum;		/* 0 in a run without the row, and added up when rows are united */
	bool is_share;		/* of all samples, in millionths */
	bool is_hidden;		/* not in tables */
	int drop;		/* tables lose it first, if lines are too long; 0: last */
};

extern const struct compare_figure compare_figures[NR_COMPARED];

#define COMPARE_ALL 1000000U	/* the share of all samples */

static inline const char *compare_figure_title(enum compare_figure_id id)
{
	const struct compare_figure *figure = &compare_figures[id];

	return figure->title ? figure->title : figure_kinds[figure->figure].title;
}

/* Returns the name in JSON. */
static inline const char *compare_figure_name(enum compare_figure_id id)
{
	const struct compare_figure *figure = &compare_figures[id];

	return figure->name ? figure->name : figure_kinds[figure->figure].name;
}

/* Marks of a row: F(id, text). Each is of one side, in at least one run. */
#define COMPARE_MARKS(F)								\
	F(LOST, "events were lost")							\
	F(AT_MOST, "at most")								\
	F(PART, "part of the window")							\
	F(BLIND, "has blind callees")							\
	F(FAILED, "could not be probed")						\
	F(UNITED, "several rows")

#define COMPARE_MARK_ID(id, ...) COMPARE_MARK_##id,
enum compare_mark { COMPARE_MARKS(COMPARE_MARK_ID) NR_COMPARE_MARKS };

extern const char *const compare_marks[NR_COMPARE_MARKS];

struct compare_row {
	char *key;		/* of the hash */
	char *label;
	char *name;		/* which patterns are compared with */
	struct json_object *keys;	/* the members that tell rows apart; NULL: a path */
	uint32_t runs[NR_SIDES];	/* bits of the runs that have the row */
	uint32_t marks[NR_SIDES];	/* bits of enum compare_mark */
	uint32_t has[NR_SIDES][NR_COMPARED];	/* bits of the runs that have the figure */
	uint64_t (*values[NR_SIDES])[NR_COMPARED];	/* of the first runs; others have 0 */
	uint8_t nr_values[NR_SIDES];
};

/* Returns a figure of a run. */
static inline uint64_t compare_value(const struct compare_row *row, size_t side, size_t run,
				     enum compare_figure_id id)
{
	return run < row->nr_values[side] ? row->values[side][run][id] : 0;
}

/* A document of a run, without its rows. */
struct compare_run {
	char *path;
	struct json_object *head;
	uint64_t lost;
};

struct comparison {
	/* chosen before documents are added */
	bool has_paths;		/* the rows are paths of the tree of calls */
	const struct match *match;	/* only rows with these names; NULL: all */

	struct compare_run runs[NR_SIDES][SPREAD_MOST];
	size_t nr_runs[NR_SIDES];
	bool has_shares;	/* the documents are profiles */
	uint64_t nr_samples[NR_SIDES];	/* with has_shares: of all runs */
	struct compare_row **rows;
	size_t nr;
	struct compare_found *found;	/* a hash of rows, by their keys */
	bool has_figure[NR_COMPARED];	/* in at least one row */
	struct compare_row whole;	/* sums of rows that do not contain each other ... */
	bool has_whole;			/* ... if the documents have such rows */
	bool has_part;			/* something of a recording is missing */
	struct paths paths;		/* with has_paths: the means of the runs */
};

/* Returns the row with this key; a new row has no figures. *is_new may be NULL. */
struct compare_row *compare_row(struct comparison *comparison, const char *key, bool *is_new);
/* Adds a figure of a run. A sum is added to what is there; another figure is then unknown. */
void compare_count(struct compare_row *row, enum compare_side side, size_t run,
		   enum compare_figure_id id, uint64_t value);
/* Frees the figures of a row that is no row of a comparison. */
void compare_drop_values(struct compare_row *row);
/* After the last document: fills in what follows from the others, and drops what is not chosen. */
void compare_settle(struct comparison *comparison);
/* Sorts by the size of the change of a figure; NR_COMPARED: by name. */
void compare_sort(struct comparison *comparison, enum compare_figure_id id);
/*
 * Returns the own time, or, if the documents have none, the total, or, without times, the calls; of
 * profiles the same of shares.
 */
enum compare_figure_id compare_time(const struct comparison *comparison);
void compare_free(struct comparison *comparison);

/* --- changes ------------------------------------------------------------------ */

/* A figure of a row on both sides. */
struct compare_change {
	bool has[NR_SIDES];
	struct spread of[NR_SIDES];	/* a sum of a side without the row is 0 */
	bool is_known;		/* both are there: */
	bool is_less;		/* B is smaller, ... */
	uint64_t by;		/* ... or greater */
	bool has_percent;	/* A is not 0 */
	double percent;
	double p;		/* of the test; above 1: not tested */
};

struct compare_change compare_change(const struct comparison *comparison,
				     const struct compare_row *row, enum compare_figure_id id);
/* Returns whether the test is made: both sides have several runs. */
bool compare_is_tested(const struct comparison *comparison);
/* Returns whether the test can have a p below COMPARE_P. */
bool compare_is_decisive(const struct comparison *comparison);
/* Returns whether samples differ so much by chance, in about one of 20 cases or more often. */
bool compare_is_chance(const struct comparison *comparison, const struct compare_change *change);
static inline bool change_is_significant(const struct compare_change *change)
{
	return change->p < COMPARE_P;
}

/* Returns "both", "a" or "b": which sides have the row. */
const char *compare_where(const struct compare_row *row);

#endif
