/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of a row: those that the module counts, and those that are computed from them. */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdint.h>

#include "nl/nl_table.h"
#include "report/hist.h"

/* Counted figures; times are in ns. The first ones are in the order of enum ktrace_figure. */
enum figure {
	FIG_NONE,
	FIG_CALLS, FIG_ENTRIES, FIG_ERRORS, FIG_TOTAL, FIG_SELF, FIG_SUM, FIG_MIN, FIG_MAX,
	FIG_BYTES, FIG_GAPS, FIG_GAP_TIME, FIG_PAGE_HITS, FIG_PAGE_MISSES, FIG_PAGES_AHEAD,
	FIG_PAGES_DIRTIED, FIG_AT_MOST, FIG_SINCE,
	/* in an order of their own: */
	FIG_AT_MOST_TIME, FIG_AT_MOST_SELF,
	/* of functions only: */
	FIG_FAILURE,		/* errno of a probe that could not be set */
	FIG_OUT_TIME, FIG_OUT_CALLS, FIG_OUT_COST, FIG_OUT_MOMENT, /* struct ktrace_taken_out */
	FIG_OBSERVED,		/* ns, how much of the window was observed; 0: all of it */
	FIG_HAS_BLIND,		/* 1: a callee was not observed all the time, so that time of it */
				/* is own time here */
	NR_FIGURES,
	/* The figures below are computed. */
	FIG_SEEN = NR_FIGURES,	/* calls, or entries if no return was seen */
	FIG_TIMED,		/* calls whose end was seen: those of all times */
	FIG_AVG,		/* total per timed call */
	FIG_MEAN,		/* sum per timed call, including inner calls of a recursion */
	FIG_RECURSION,		/* sum minus total */
	FIG_P50, FIG_P90, FIG_P99, FIG_P999,
	FIG_PAGES_TOUCHED, FIG_PAGES_ANY,
	FIG_SECONDS,		/* length of the table's window */
	FIG_WHOLE,		/* the same figure of the table's total row */
};

/* Figures of one part of a row: of one stage of requests, or of one kind of periods. */
struct row_part {
	uint64_t figures[NR_FIGURES];
	struct hist hist;
};

/* Reads all figures that the module's table has. */
void part_read(struct row_part *part, const struct knl_row *row);
void part_read_node(struct row_part *part, const struct ktrace_node *node);
void part_free(struct row_part *part);
void part_add(struct row_part *to, const struct row_part *from);
/* Adds all figures except the histogram. */
void part_add_figures(struct row_part *to, const struct row_part *from);

/* Returns the number of the first set bit, or 0 (the first part) if no bit is set. */
static inline unsigned int part_first(uint32_t parts)
{
	return parts ? __builtin_ctz(parts) : 0;
}

/* Returns a figure of several parts together, those whose bits are set in `which`. */
uint64_t parts_figure(const struct row_part *parts, enum figure figure, uint32_t which);

#endif
