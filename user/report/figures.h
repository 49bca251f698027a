/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The catalogue of figures: what a figure of a row is, whatever table and output it stands in. A
 * figure that follows from others is one line here, and one in the description of each table that
 * shows it (layout.h).
 */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"
#include "report/hist.h"

/* How a value is written; in JSON, numbers are neither scaled nor rounded. */
enum format {
	FORMAT_COUNT,		/* 4711 */
	FORMAT_TIME,		/* 1.50 us */
	FORMAT_BYTES,		/* 4.00 KiB */
	FORMAT_RATE,		/* 1.50 */
	FORMAT_REAL,		/* 1.50 */
	FORMAT_PERCENT,		/* 1.50 */
	/* in JSON only */
	FORMAT_HIST,
	FORMAT_ERROR,		/* text of an errno */
	FORMAT_TRUE,		/* it is so */
	NR_FORMATS
};

/*
 * Figures of the module's tables, in the order of enum ktrace_figure: F(id, format, title, name in
 * JSON, other members of struct figure_kind). Times are in ns. The title is also the name that
 * --sort takes.
 */
#define TABLE_FIGURES(F)								\
	F(CALLS, COUNT, "calls", "calls", .grows = true)				\
	F(ENTRIES, COUNT, "entries", "entries", .grows = true)				\
	F(ERRORS, COUNT, "errors", "errors", .is_rare = true)				\
	F(TOTAL, TIME, "total", "total_ns", .grows = true)				\
	F(SELF, TIME, "self", "self_ns", .grows = true)					\
	F(SUM, TIME, "sum", "sum_ns", .needs = FIG_RECURSION)				\
	F(MIN, TIME, "min", "min_ns")							\
	F(MAX, TIME, "max", "max_ns")							\
	F(BYTES, BYTES, "bytes", "bytes")						\
	F(GAPS, COUNT, "gaps", "gaps")							\
	F(GAP_TIME, TIME, "gap time", "gap_ns")						\
	F(PAGE_HITS, COUNT, "hits", "pages.hits")					\
	F(PAGE_MISSES, COUNT, "misses", "pages.misses")					\
	F(PAGES_AHEAD, COUNT, "ahead", "pages.read_ahead")				\
	F(PAGES_DIRTIED, COUNT, "dirtied", "pages.dirtied")				\
	F(AT_MOST, COUNT, "at most", "at_most", .needs = FIG_AT_MOST)			\
	F(SINCE, TIME, "since", "last_since_monotonic_ns", .needs = FIG_SINCE)		\
	/* of the task that counted last, which keys show */				\
	F(LAST, TIME, "last", NULL)							\
	F(COMM, COUNT, "comm", NULL)							\
	F(AT_MOST_TIME, TIME, "at most time", "at_most_ns", .needs = FIG_AT_MOST)	\
	F(AT_MOST_SELF, TIME, "at most self", "at_most_self_ns",			\
	  .needs = FIG_AT_MOST_SELF)

/* Further figures of functions. */
#define FUNCTION_FIGURES(F)								\
	/* the errno of a probe that could not be set */				\
	F(FAILURE, ERROR, "failure", "error", .needs = FIG_FAILURE)			\
	/* struct ktrace_taken_out */							\
	F(OUT_TIME, TIME, "out", "taken_out.monotonic_ns", .needs = FIG_OUT_TIME)	\
	F(OUT_CALLS, COUNT, "out calls", "taken_out.calls", .needs = FIG_OUT_TIME)	\
	F(OUT_COST, TIME, "out cost", "taken_out.cost_ns", .needs = FIG_OUT_TIME)	\
	F(OUT_MOMENT, TIME, "out moment", "taken_out.moment_ns", .needs = FIG_OUT_TIME)	\
	/* how much of the window was observed; 0: all of it */				\
	F(OBSERVED, TIME, "observed", "taken_out.observed_ns", .needs = FIG_OBSERVED)	\
	/* 1: a callee was not observed all the time, so its time is own time here */	\
	F(HAS_BLIND, TRUE, "blind", "has_blind_callees", .needs = FIG_HAS_BLIND)

/* Figures that follow from others, in numbers; the name in JSON is NULL if it has none. */
#define DERIVED_FIGURES(F)								\
	/* calls, or entries if no return was seen */					\
	F(SEEN, COUNT, "calls", NULL, .plus = { FIG_CALLS }, .otherwise = FIG_ENTRIES,	\
	  .grows = true)								\
	/* calls whose end was seen: those of all times */				\
	F(TIMED, COUNT, "timed", NULL, .plus = { FIG_CALLS }, .minus = FIG_AT_MOST)	\
	F(AVG, TIME, "avg", "avg_ns", .plus = { FIG_TOTAL }, .by = FIG_TIMED)		\
	/* includes inner calls of a recursion */					\
	F(MEAN, TIME, "avg", "avg_ns", .plus = { FIG_SUM }, .by = FIG_TIMED,		\
	  .needs = FIG_TIMED)								\
	F(RECURSION, TIME, "recursion", NULL, .plus = { FIG_SUM }, .minus = FIG_TOTAL)	\
	F(P50, TIME, "p50", "p50_ns", .permille = 500, .is_of_rows = true)		\
	F(P90, TIME, "p90", "p90_ns", .permille = 900, .is_of_rows = true)		\
	F(P99, TIME, "p99", "p99_ns", .permille = 990, .is_of_rows = true)		\
	F(P999, TIME, "p999", "p999_ns", .permille = 999, .is_of_rows = true)		\
	F(HIST, HIST, "histogram", "histogram")						\
	F(PAGES_TOUCHED, COUNT, "pages", NULL, .plus = { FIG_PAGE_HITS, FIG_PAGE_MISSES })	\
	F(PAGES_ANY, COUNT, "pages", NULL,						\
	  .plus = { FIG_PAGE_HITS, FIG_PAGE_MISSES, FIG_PAGES_AHEAD, FIG_PAGES_DIRTIED })

/* Quotients of two figures, on the screen only. */
#define QUOTIENTS(F)									\
	F(SEEN_RATE, RATE, "/s", NULL, .of = FIG_SEEN, .per = FIG_SECONDS)		\
	F(ENTRY_RATE, RATE, "/s", NULL, .of = FIG_ENTRIES, .per = FIG_SECONDS)		\
	F(CALL_RATE, RATE, "/s", NULL, .of = FIG_CALLS, .per = FIG_SECONDS)		\
	F(BYTE_RATE, BYTES, "bytes/s", NULL, .of = FIG_BYTES, .per = FIG_SECONDS)	\
	F(BYTES_EACH, BYTES, "each", NULL, .of = FIG_BYTES, .per = FIG_CALLS,		\
	  .is_of_rows = true)								\
	F(TOTAL_EACH, TIME, "each", NULL, .of = FIG_TOTAL, .per = FIG_CALLS)		\
	F(ENTRIES_EACH, REAL, "each", NULL, .of = FIG_ENTRIES, .per = FIG_CALLS, .decimals = 2)	\
	F(CALLS_PER_ENTRY, REAL, "each", NULL, .of = FIG_CALLS, .per = FIG_ENTRIES,	\
	  .decimals = 2)								\
	F(GAP, TIME, "gap", NULL, .of = FIG_GAP_TIME, .per = FIG_GAPS,			\
	  .is_of_rows = true)								\
	F(TOTAL_OF_ALL, PERCENT, "share", NULL, .of = FIG_TOTAL, .per = FIG_WHOLE,	\
	  .decimals = 2)								\
	F(SELF_OF_ALL, PERCENT, "self share", NULL, .of = FIG_SELF, .per = FIG_WHOLE,	\
	  .decimals = 2)								\
	F(TOTAL_OF_PARTS, PERCENT, "", NULL, .of = FIG_TOTAL, .per = FIG_TOTAL)		\
	F(HITS_OF_PAGES, PERCENT, "hit %", NULL, .of = FIG_PAGE_HITS,			\
	  .per = FIG_PAGES_TOUCHED, .decimals = 2)					\
	F(PAGES_EACH, REAL, "pages/call", NULL, .of = FIG_PAGES_TOUCHED, .per = FIG_CALLS,	\
	  .decimals = 1)								\
	F(DIRTIED_EACH, REAL, "dirty/call", NULL, .of = FIG_PAGES_DIRTIED, .per = FIG_CALLS,	\
	  .decimals = 1)

/*
 * Groups: figures that tables show together, as columns or as members in JSON (layout.h). A figure
 * that joins a group is in all of these tables. The result of calls; what calls did to the page
 * cache; and, in JSON, the distribution of times.
 */
#define RESULT(...) FIGURE(ERRORS, __VA_ARGS__)
#define PAGES(...)									\
	FIGURE(PAGE_HITS, __VA_ARGS__), FIGURE(PAGE_MISSES, __VA_ARGS__),		\
	FIGURE(PAGES_AHEAD, __VA_ARGS__), FIGURE(PAGES_DIRTIED, __VA_ARGS__)
#define DISTRIBUTION(...)								\
	FIGURE(MIN, __VA_ARGS__), FIGURE(MAX, __VA_ARGS__), FIGURE(P50, __VA_ARGS__),	\
	FIGURE(P90, __VA_ARGS__), FIGURE(P99, __VA_ARGS__), FIGURE(P999, __VA_ARGS__),	\
	FIGURE(HIST, __VA_ARGS__)
/* In JSON: in which part of the window a function and its callees were observed. */
#define OBSERVATION									\
	FIGURE(OUT_TIME), FIGURE(OUT_CALLS), FIGURE(OUT_COST), FIGURE(OUT_MOMENT),	\
	FIGURE(OBSERVED), FIGURE(HAS_BLIND)

#define FIGURE_ID(id, ...) FIG_##id,
enum figure {
	FIG_NONE,
	TABLE_FIGURES(FIGURE_ID)
	FUNCTION_FIGURES(FIGURE_ID)
	NR_FIGURES,
	DERIVED_FIGURES(FIGURE_ID)
	QUOTIENTS(FIGURE_ID)
	NR_ALL_FIGURES,
	/* divisors of quotients */
	FIG_SECONDS = NR_ALL_FIGURES,	/* length of the table's window */
	FIG_WHOLE,		/* the same figure of the table's total row */
};

struct figure_kind {
	enum format format;
	const char *title;
	const char *name;
	enum figure needs;	/* JSON omits the member if this figure is 0 */
	bool is_rare;		/* on the screen, the cell is empty if the figure is 0 */
	bool grows;		/* with the time of observation */
	bool is_of_rows;	/* not shown in the line of the total */
	/* a sum, less a figure, divided by a figure; at least 0 */
	enum figure plus[4], minus, by;
	enum figure otherwise;	/* the figure in place of this one if the sum is 0 */
	unsigned int permille;	/* a percentile */
	enum figure of, per;	/* a quotient, */
	int decimals;		/* with so many digits after the point */
};

extern const struct figure_kind figure_kinds[NR_ALL_FIGURES];

/* Figures of one part of a row: of one stage of requests, or of one kind of periods. */
struct row_part {
	uint64_t figures[NR_FIGURES];
	struct hist hist;
};

/* Reads all figures that the module's table has. */
void part_read(struct row_part *part, const struct ktr_row *row);
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

/*
 * Returns a figure of several parts together, those whose bits are set in `which`. Of a quotient it
 * is the dividend.
 */
uint64_t parts_figure(const struct row_part *parts, enum figure figure, uint32_t which);

#endif
