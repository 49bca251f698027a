// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "report/sched_rows.h"
#include "util/mem.h"

const char *sched_kind(uint32_t what)
{
	static const char *const names[KTRACE_NR_SCHED] = {
		"run", "run_out", "wakeup", "preempted", "sleep", "disk", "stopped",
		"run_cut"
	};

	return names[what];
}

static void add(struct sched_part *to, const struct sched_part *part)
{
	to->calls += part->calls;
	to->total_ns += part->total_ns;
	to->max_ns = part->max_ns > to->max_ns ? part->max_ns : to->max_ns;
}

struct sched_part sched_sum(const struct sched_row *row, uint32_t kinds)
{
	struct sched_part sum = { 0, 0, 0 };
	uint32_t what;

	for (what = 0; what < KTRACE_NR_SCHED; what++)
		if (kinds & 1U << what)
			add(&sum, &row->parts[what]);
	return sum;
}

uint64_t sched_avg(const struct sched_part *part)
{
	return part->calls ? (part->total_ns + part->calls / 2) / part->calls : 0;
}

/* --- reading -------------------------------------------------------------- */

static void take(void *arg, const struct knl_func *func)
{
	struct sched_rows *rows = arg;
	struct sched_part *part;

	/* What a newer module counts beside is not known here. */
	if (func->func >= KTRACE_NR_SCHED || !func->stats.calls)
		return;
	part = &rows->all.parts[func->func];
	part->calls = func->stats.calls;
	part->total_ns = func->stats.total_ns;
	part->max_ns = func->stats.max_ns;
	hist_read(&rows->hists[func->func], func->buckets, func->nr_buckets);
}

static struct sched_row *add_row(struct sched_rows *rows, uint32_t tid)
{
	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	rows->rows[rows->nr].tid = tid;
	return &rows->rows[rows->nr++];
}

/* Parents come first; a thread that was seen, but in no whole period, is none. */
static void take_nodes(struct sched_rows *rows, const struct graph *graph)
{
	unsigned int *depths = graph_depths(graph);
	const struct ktrace_node *node;
	struct sched_part part;
	struct sched_row *row = NULL;
	uint32_t tid = 0;
	size_t i;

	for (i = 0; i < graph->nr; i++) {
		node = &graph->nodes[i];
		if (node->func == KTRACE_FUNC_FULL)
			continue;
		if (!depths[i]) {
			tid = node->func;
			row = NULL;
		} else if (depths[i] == 1 && node->func < KTRACE_NR_SCHED && node->calls) {
			row = row ? row : add_row(rows, tid);
			part = (struct sched_part){ node->calls, node->total_ns, node->self_ns };
			row->parts[node->func] = part;
		}
	}
	free(depths);
}

int sched_rows_read(struct sched_rows *rows, struct knl *nl, const struct knl_session *session,
		    uint32_t read_flags, const struct threads *threads)
{
	struct graph graph;
	size_t i;
	int error;

	memset(rows, 0, sizeof(*rows));
	error = knl_func_each(nl, session->id, read_flags, take, rows);
	if (error)
		return error;
	if (!(session->flags & KTRACE_F_TREE))
		return 0;
	error = graph_read(&graph, nl, session->id, read_flags);
	if (!error)
		take_nodes(rows, &graph);
	graph_free(&graph);
	for (i = 0; i < rows->nr; i++)
		rows->rows[i].comm = threads_comm(threads, rows->rows[i].tid);
	return error;
}

void sched_rows_free(struct sched_rows *rows)
{
	uint32_t what;

	for (what = 0; what < KTRACE_NR_SCHED; what++)
		hist_free(&rows->hists[what]);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

/* --- order ---------------------------------------------------------------- */

static uint64_t run(const struct sched_row *row)
{
	return sched_sum(row, SCHED_ON_CPU).total_ns;
}

static uint64_t wait(const struct sched_row *row)
{
	return sched_sum(row, SCHED_WAIT).total_ns;
}

static uint64_t blocked(const struct sched_row *row)
{
	return sched_sum(row, SCHED_BLOCKED).total_ns;
}

static uint64_t switches(const struct sched_row *row)
{
	return sched_sum(row, SCHED_RUN).calls;
}

static uint64_t avg(const struct sched_row *row)
{
	struct sched_part part = sched_sum(row, SCHED_WAIT);

	return sched_avg(&part);
}

static uint64_t max(const struct sched_row *row)
{
	return sched_sum(row, SCHED_WAIT).max_ns;
}

/* The lowest first. */
static uint64_t tid(const struct sched_row *row)
{
	return UINT64_MAX - row->tid;
}

#define COMPARE(column)								\
	static int by_##column(const void *a, const void *b)			\
	{									\
		uint64_t x = column(a), y = column(b);				\
		if (x != y)							\
			return x > y ? -1 : 1;					\
		x = tid(a), y = tid(b);						\
		return x > y ? -1 : x < y;					\
	}
COMPARE(run)
COMPARE(wait)
COMPARE(blocked)
COMPARE(switches)
COMPARE(avg)
COMPARE(max)
COMPARE(tid)

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} columns[] = {
	{ "run", by_run }, { "wait", by_wait }, { "blocked", by_blocked },
	{ "switches", by_switches }, { "avg", by_avg }, { "max", by_max }, { "tid", by_tid },
};

void sched_rows_sort(struct sched_rows *rows, const char *column)
{
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (rows->nr && !strcmp(columns[i].name, column))
			qsort(rows->rows, rows->nr, sizeof(*rows->rows), columns[i].compare);
}
