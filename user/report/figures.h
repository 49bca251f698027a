/* SPDX-License-Identifier: GPL-2.0 */
/* The numbers of a row: what the module counts, and what is computed of that. */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdint.h>

#include "nl/nl_table.h"
#include "report/hist.h"

/* What is counted, times in ns; the first ones in the order of enum ktrace_figure. */
enum figure {
	FIG_NONE,
	FIG_CALLS, FIG_ENTRIES, FIG_ERRORS, FIG_TOTAL, FIG_SELF, FIG_SUM, FIG_MIN, FIG_MAX,
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

/* All figures that the module's table has. */
void part_read(struct row_part *part, const struct knl_row *row);
void part_read_node(struct row_part *part, const struct ktrace_node *node);
void part_free(struct row_part *part);
void part_add(struct row_part *to, const struct row_part *from);
/* Without the histogram. */
void part_add_figures(struct row_part *to, const struct row_part *from);

/* The number of the first set bit; 0 of none: the first part. */
static inline unsigned int part_first(uint32_t parts)
{
	return parts ? __builtin_ctz(parts) : 0;
}

/* A figure of all parts whose bits are set, taken together. */
uint64_t parts_figure(const struct row_part *parts, enum figure figure, uint32_t which);

#endif
