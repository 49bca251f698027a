// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "report/syscall_rows.h"
#include "util/mem.h"

static struct syscall_row *add_row(struct syscall_rows *rows, uint32_t func)
{
	struct syscall_row *row;

	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	row->func = func;
	syscall_text(row->name, func);
	return row;
}

/* --- histograms: a row a call ---------------------------------------------- */

static void take(void *arg, const struct knl_func *func)
{
	struct syscall_row *row;

	if (!func->stats.calls)
		return;
	row = add_row(arg, func->func);
	row->stats = func->stats;
	hist_read(&row->hist, func->buckets, func->nr_buckets);
}

/* --- the tree: threads, calls, errors --------------------------------------- */

struct walk {
	struct syscall_rows *rows;
	const struct graph *graph;	/* sorted: parents come first */
	const unsigned int *depths;
	const struct threads *threads;
	bool by_tid;
	uint32_t tid;
	struct syscall_row *row;	/* of the call that was last */
	uint32_t func;
};

static void walk_call(struct walk *walk, const struct ktrace_node *node)
{
	walk->func = node->func;
	walk->row = NULL;
	if (!walk->by_tid || !node->calls)
		return;
	walk->row = add_row(walk->rows, node->func);
	walk->row->tid = walk->tid;
	walk->row->comm = threads_comm(walk->threads, walk->tid);
	walk->row->stats.calls = node->calls;
	walk->row->stats.total_ns = node->total_ns;
}

static void walk_pages(struct walk *walk, const struct ktrace_node *node)
{
	struct ktrace_stats *stats;

	if (!walk->row)
		return;
	stats = &walk->row->stats;
	if (node->func == KTRACE_SYSCALL_PAGES) {
		stats->page_hits = node->total_ns;
		stats->page_misses = node->self_ns;
	} else {
		stats->pages_ahead = node->total_ns;
		stats->pages_dirtied = node->self_ns;
	}
}

static void walk_error(struct walk *walk, const struct ktrace_node *node)
{
	struct syscall_rows *rows = walk->rows;
	struct syscall_error *error;

	/* There was no memory to count it. */
	if (!node->calls)
		return;
	if (walk->row)
		walk->row->stats.errors += node->calls;
	rows->errors = mem_grow(rows->errors, rows->nr_errors, sizeof(*rows->errors));
	error = &rows->errors[rows->nr_errors++];
	error->func = walk->func;
	error->tid = walk->tid;
	error->error = node->func;
	error->calls = node->calls;
}

static void walk_node(struct walk *walk, const struct ktrace_node *node, unsigned int depth)
{
	if (node->func == KTRACE_FUNC_FULL)
		return;
	if (walk->by_tid && !depth)
		walk->tid = node->func;
	else if (depth == walk->by_tid)
		walk_call(walk, node);
	else if (node->func == KTRACE_SYSCALL_PAGES || node->func == KTRACE_SYSCALL_PAGES_MORE)
		walk_pages(walk, node);
	else
		walk_error(walk, node);
}

static int read_tree(struct syscall_rows *rows, struct knl *nl, const struct knl_session *session,
		     uint32_t read_flags, const struct threads *threads)
{
	struct walk walk = { .rows = rows, .threads = threads,
			     .by_tid = session->flags & KTRACE_F_BY_TID };
	int error;
	struct graph graph;
	unsigned int *depths;
	size_t i;

	error = graph_read(&graph, nl, session->id, read_flags);
	if (error)
		return error;
	depths = graph_depths(&graph);
	for (i = 0; i < graph.nr; i++)
		walk_node(&walk, &graph.nodes[i], depths[i]);
	free(depths);
	graph_free(&graph);
	return 0;
}

int syscall_rows_read(struct syscall_rows *rows, struct knl *nl,
		      const struct knl_session *session, uint32_t read_flags,
		      const struct threads *threads)
{
	int error = 0;

	memset(rows, 0, sizeof(*rows));
	rows->has_pages = session->flags & KTRACE_F_PAGES;
	if (!(session->flags & KTRACE_F_BY_TID))
		error = knl_func_each(nl, session->id, read_flags, take, rows);
	if (!error && (session->flags & KTRACE_F_TREE))
		error = read_tree(rows, nl, session, read_flags, threads);
	return error;
}

void syscall_rows_use_cpu_time(struct syscall_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		rows->rows[i].stats.total_ns = rows->rows[i].stats.self_ns;
}

void syscall_rows_free(struct syscall_rows *rows)
{
	while (rows->nr)
		hist_free(&rows->rows[--rows->nr].hist);
	free(rows->rows);
	free(rows->errors);
	memset(rows, 0, sizeof(*rows));
}

uint64_t syscall_percentile(const struct syscall_row *row, unsigned int permille)
{
	return hist_percentile_of(&row->hist, &row->stats, permille);
}

/* --- order ---------------------------------------------------------------- */

static uint64_t avg(const struct syscall_row *row)
{
	return row->stats.calls ? row->stats.total_ns / row->stats.calls : 0;
}

static uint64_t p99(const struct syscall_row *row)
{
	return syscall_percentile(row, 990);
}

#define TIME(row) ((row)->stats.total_ns)
#define CALLS(row) ((row)->stats.calls)
#define ERRORS(row) ((row)->stats.errors)
#define MAX(row) ((row)->stats.max_ns)
#define BYTES(row) ((row)->stats.bytes)
#define HITS(row) ((row)->stats.page_hits)
#define MISSES(row) ((row)->stats.page_misses)
#define AHEAD(row) ((row)->stats.pages_ahead)
#define DIRTIED(row) ((row)->stats.pages_dirtied)
#define NAME(row) 0

/* A thread's stay together, and so do those of 32 bits. */
static int compare_groups(const struct syscall_row *x, const struct syscall_row *y)
{
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return syscall_is_compat(x->func) - syscall_is_compat(y->func);
}

bool syscall_is_one_group(uint32_t func, uint32_t tid, const struct syscall_row *row)
{
	return tid == row->tid && syscall_is_compat(func) == syscall_is_compat(row->func);
}

#define COMPARE(column, key)							\
	static int by_##column(const void *a, const void *b)			\
	{									\
		const struct syscall_row *x = a, *y = b;			\
		uint64_t in_x = key(x), in_y = key(y);				\
		int group = compare_groups(x, y);				\
		if (group)							\
			return group;						\
		if (in_x != in_y)						\
			return in_x > in_y ? -1 : 1;				\
		return strcmp(x->name, y->name);				\
	}
COMPARE(time, TIME)
COMPARE(calls, CALLS)
COMPARE(errors, ERRORS)
COMPARE(avg, avg)
COMPARE(max, MAX)
COMPARE(p99, p99)
COMPARE(bytes, BYTES)
COMPARE(hits, HITS)
COMPARE(misses, MISSES)
COMPARE(ahead, AHEAD)
COMPARE(dirtied, DIRTIED)
COMPARE(name, NAME)

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} columns[] = {
	{ "time", by_time }, { "calls", by_calls }, { "errors", by_errors }, { "avg", by_avg },
	{ "max", by_max }, { "p99", by_p99 }, { "bytes", by_bytes }, { "name", by_name },
	{ "hits", by_hits }, { "misses", by_misses }, { "ahead", by_ahead },
	{ "dirtied", by_dirtied },
};

static int compare_errors(const void *a, const void *b)
{
	const struct syscall_error *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return x->func != y->func ? x->func < y->func ? -1 : 1 : x->error - y->error;
}

void syscall_rows_sort(struct syscall_rows *rows, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (rows->nr && !strcmp(columns[i].name, name))
			qsort(rows->rows, rows->nr, sizeof(*rows->rows), columns[i].compare);
	if (rows->nr_errors)
		qsort(rows->errors, rows->nr_errors, sizeof(*rows->errors), compare_errors);
}

const struct syscall_error *syscall_errors_of(const struct syscall_rows *rows, uint32_t tid)
{
	size_t low = 0, high = rows->nr_errors, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (rows->errors[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return rows->errors + low;
}
