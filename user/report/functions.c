// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/functions.h"
#include "report/graph.h"
#include "report/layout.h"
#include "report/table_read.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"

/* --- from the module ---------------------------------------------------- */

struct reading {
	struct table *functions;
	const struct names *names;
};

struct row *functions_add(struct table *functions, uint32_t func, const struct names *names)
{
	struct row *row = table_add(functions);

	row->keys->number = func;
	row->keys->text = names_get(names, func);
	return row;
}

/* Takes the state of a function's probe. */
static void take_func(void *arg, const struct ktr_func *func)
{
	struct reading *reading = arg;
	uint64_t *figures;

	if (!func->error && !func->taken_out.time)
		return;
	figures = functions_add(reading->functions, func->func, reading->names)->parts->figures;
	figures[FIG_FAILURE] = -(int64_t)func->error;
	figures[FIG_OUT_TIME] = func->taken_out.time;
	figures[FIG_OUT_CALLS] = func->taken_out.calls;
	figures[FIG_OUT_COST] = func->taken_out.cost_ns;
	figures[FIG_OUT_MOMENT] = func->taken_out.moment_ns;
}

/*
 * FIG_SINCE is kept only for functions with entries without a return: their last call may still be
 * open.
 */
static void forget_ended(struct table *functions)
{
	struct row *row = functions->rows, *end = row + functions->nr;
	uint64_t *figures;

	for (; row < end; row++) {
		figures = row->parts->figures;
		if (figures[FIG_ENTRIES] <= figures[FIG_CALLS])
			figures[FIG_SINCE] = 0;
	}
}

int functions_read(struct table *functions, struct ktr *ktr, uint64_t session, uint32_t read_flags,
		   const struct names *names)
{
	struct table_source source = {
		.to = functions, .names = { .functions = names },
	};
	struct reading reading = { functions, names };
	int error;

	table_init(functions, &functions_kind);
	error = table_read(&source, NULL, ktr, session, read_flags);
	if (!error)
		error = ktr_func_each(ktr, session, read_flags, take_func, &reading);
	table_unite(functions);
	forget_ended(functions);
	return error;
}

/* Sets the part of the window in which each function was observed. */
static void set_observed(struct table *functions, uint64_t from)
{
	struct row *row = functions->rows, *end = row + functions->nr;
	uint64_t out;

	for (; row < end; row++) {
		out = row->parts->figures[FIG_OUT_TIME];
		if (out && out < from + functions->duration_ns)
			row->parts->figures[FIG_OBSERVED] = out > from ? out - from : 1;
	}
}

void functions_set_window(struct table *functions, uint64_t from, uint64_t to)
{
	functions->duration_ns = to - from;
	set_observed(functions, from);
}

/* Marks the caller of a function that was not observed all the time. */
static void mark_caller(void *arg, const struct ktrace_node *node, const uint32_t *path,
			unsigned int depth)
{
	const struct graph *graph = arg;
	struct row *row = graph_row(graph, node->func);
	struct row *caller = depth ? graph_row(graph, path[depth - 1]) : NULL;

	if (row && caller && caller != row && row->parts->figures[FIG_OBSERVED])
		caller->parts->figures[FIG_HAS_BLIND] = 1;
}

int functions_mark_callers(struct table *functions, struct ktr *ktr,
			   const struct ktr_session *session, uint32_t read_flags)
{
	const struct row *row = functions->rows, *end = row + functions->nr;
	struct graph graph;
	int error;

	while (row < end && !row->parts->figures[FIG_OBSERVED])
		row++;
	if (row == end || !(session->sinks & KTRACE_SINK_TREE))
		return 0;
	error = graph_read(&graph, ktr, session->id, read_flags);
	graph_set_rows(&graph, functions);
	if (!error)
		graph_walk(&graph, mark_caller, &graph);
	graph_free(&graph);
	return error;
}

void functions_describe(struct table *functions, const struct ktr_session *session, uint64_t now)
{
	functions->flags |= session->sinks & KTRACE_SINK_COUNT ? FUNCTIONS_COUNT : 0;
	functions->flags |= session->min_time ? FUNCTIONS_MIN_TIME : 0;
	functions->flags |= session->sinks & KTRACE_SINK_TREE ? 0 : FUNCTIONS_NO_TREE;
	functions->now = now;
}

/* --- the table ------------------------------------------------------------ */

/* Entries of calls that were shorter than the minimum time do not count. */
static bool is_hit(const struct table *functions, const struct row *row)
{
	const uint64_t *figures = row->parts->figures;

	return figures[FIG_CALLS] ||
	       (figures[FIG_ENTRIES] && !(functions->flags & FUNCTIONS_MIN_TIME));
}

/* For timed kernel functions, only complete calls are seen. */
static bool is_shown(const struct table *functions, const struct row *row)
{
	if ((functions->flags & (FUNCTIONS_KERNEL | FUNCTIONS_COUNT)) == FUNCTIONS_KERNEL)
		return row->parts->figures[FIG_CALLS];
	return is_hit(functions, row);
}

/* A recursive call counts in AVG, but adds to TOTAL only as a part of the outermost call. */
void functions_print_bounds(FILE *out, const struct row *row)
{
	if (row_figure(row, FIG_RECURSION, 0))
		fputs(" /* recursive: TOTAL of outermost calls */", out);
	graph_print_bound(out, row_figure(row, FIG_AT_MOST, 0),
			  row_figure(row, FIG_AT_MOST_TIME, 0),
			  row_figure(row, FIG_AT_MOST_SELF, 0));
}

/* Marks calls whose end was not seen: the last one is still running, or has ended since. */
static void print_age(FILE *out, const uint64_t *figures, uint64_t now)
{
	char text[FMT_LEN];

	if (figures[FIG_SINCE] && now > figures[FIG_SINCE])
		out_put(out, " /* %llu not ended; the last began %s ago */",
			(unsigned long long)(figures[FIG_ENTRIES] - figures[FIG_CALLS]),
			fmt_plain(text, now - figures[FIG_SINCE]));
}

static void remark(FILE *out, const struct table *functions, const struct row *row)
{
	const char *text = row->keys->text;

	if (functions->flags & FUNCTIONS_KERNEL) {
		graph_print_observed(out, row);
		return;
	}
	if (!text[fmt_name_len(text)])
		out_put(out, "%s", fmt_parentheses(text));
	graph_print_observed(out, row);
	if (functions->flags & FUNCTIONS_COUNT)
		return;
	if ((functions->flags & FUNCTIONS_NO_TREE) && row_figure(row, FIG_OBSERVED, 0))
		fputs(" /* its callers are not known: their SELF has its time since then */", out);
	functions_print_bounds(out, row);
	print_age(out, row->parts->figures, functions->now);
}

static const struct key_kind keys[] = {
	{ "name", key_by_text, KTRACE_KEY_FUNCTION, .title = "function", .is_left = true },
};

static const struct column columns[] = {
	OF_TIMED(TOTAL, .unless = FUNCTIONS_COUNT),
	FIGURE(SELF, .needs = FIG_CALLS, .none = "-", .drop = 1,
	       .unless = FUNCTIONS_COUNT | FUNCTIONS_KERNEL),
	FIGURE(SEEN, .width = 8, .unless = FUNCTIONS_COUNT),
	FIGURE(SEEN_RATE, .width = 7, .drop = 5, .unless = FUNCTIONS_COUNT),
	NAMED(ENTRIES, "CALLS", .sort = "calls", .width = 12, .when = FUNCTIONS_COUNT),
	FIGURE(ENTRY_RATE, .width = 7, .drop = 5, .when = FUNCTIONS_COUNT),
	OF_TIMED(MEAN, .drop = 2, .unless = FUNCTIONS_COUNT),
	OF_TIMED(P50, .drop = 3, .unless = FUNCTIONS_COUNT),
	OF_TIMED(P99, .drop = 3, .unless = FUNCTIONS_COUNT),
	OF_TIMED(MIN, .drop = 6, .unless = FUNCTIONS_COUNT | FUNCTIONS_KERNEL),
	OF_TIMED(MAX, .drop = 4, .unless = FUNCTIONS_COUNT),
	RESULT(.width = 7, .when = FUNCTIONS_KERNEL, .unless = FUNCTIONS_COUNT),
	{ .is_cut = true, .is_function = true },
};

static const struct layout screen = {
	COLUMNS(columns), .begin = " ", .is_upper = true, .time_width = 7, .is_shown = is_shown,
	.remark = remark,
};

static bool is_member(const struct table *functions, const struct row *row)
{
	return is_hit(functions, row) || row->parts->figures[FIG_FAILURE] ||
	       !(functions->flags & FUNCTIONS_MIN_TIME);
}

static const struct column members[] = {
	{ .key = 0 },
	FIGURE(ENTRIES), FIGURE(CALLS), FIGURE(SINCE), FIGURE(FAILURE), OBSERVATION,
	FIGURE(TOTAL, .needs = FIG_CALLS),
	RESULT(.needs = FIG_CALLS, .when = FUNCTIONS_KERNEL),
	FIGURE(SELF, .needs = FIG_CALLS, .unless = FUNCTIONS_KERNEL),
	FIGURE(MEAN), FIGURE(SUM), FIGURE(AT_MOST), FIGURE(AT_MOST_TIME), FIGURE(AT_MOST_SELF),
	DISTRIBUTION(.needs = FIG_TIMED),
};

static const struct layout json = { COLUMNS(members), .is_shown = is_member };

const struct table_kind functions_kind = {
	.keys = keys, .nr_keys = 1, .screens = { &screen }, .json = &json,
};

void functions_sort(struct table *functions, const char *column)
{
	if (!column)
		column = functions->flags & FUNCTIONS_COUNT ? "calls" : "total";
	table_sort(functions, column);
}

void functions_print(FILE *out, const struct table *functions)
{
	if ((functions->flags & FUNCTIONS_KERNEL) && !table_is_shown(functions))
		out_put(out, "No call was counted.\n");
	else
		table_print(out, functions);
}

void functions_print_hists(FILE *out, const struct table *functions)
{
	const struct row *row;
	const char *name;
	int len;

	for (row = functions->rows; row < functions->rows + functions->nr; row++) {
		if (!row->parts->figures[FIG_CALLS])
			continue;
		name = row->keys->text;
		len = fmt_name_len(name);
		out_put(out, "%.*s%s%s\n", len, name, fmt_parentheses(name), name + len);
		hist_print(out, &row->parts->hist);
		fputc('\n', out);
	}
}
