// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "mem.h"
#include "sched_rows.h"
#include "stack_rows.h"

const char *stack_end(const struct stack *stack, bool is_kernel)
{
	if (is_kernel)
		return stack->flags & KTRACE_STACK_KERNEL_CUT ? "[goes on]" : NULL;
	return stack->flags & KTRACE_STACK_USER_CUT ? "[goes on]" :
	       stack->flags & KTRACE_STACK_USER_GONE ? "[not in memory]" : NULL;
}

/* --- taking ----------------------------------------------------------------- */

static bool is_off_cpu(uint32_t what)
{
	return what >= KTRACE_SCHED_PREEMPTED && what <= KTRACE_SCHED_STOPPED;
}

static void add(struct stack_rows *rows, const struct stack_row *row)
{
	if (!row->calls)
		return;
	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	rows->rows[rows->nr++] = *row;
	rows->calls += row->calls;
	rows->total_ns += row->total_ns;
}

/* Of the kind's node what those of stacks below it are not. Returns the first node behind. */
static size_t take_kind(struct stack_rows *rows, const struct graph *graph,
			const unsigned int *depths, size_t i, const char *comm,
			const struct stacks *stacks)
{
	const struct ktrace_node *node = &graph->nodes[i];
	struct stack_row row = { .comm = comm, .kind = sched_kind(node->func) }, rest = row;

	rest.calls = node->calls;
	rest.total_ns = node->total_ns;
	for (i++; i < graph->nr && depths[i] > 1; i++) {
		node = &graph->nodes[i];
		if (node->calls > rest.calls || node->total_ns > rest.total_ns)
			continue;
		row.stack = stacks_get(stacks, node->func);
		if (!row.stack)
			continue;
		row.comm = row.stack->comm;
		row.calls = node->calls;
		row.total_ns = node->total_ns;
		row.max_ns = node->self_ns;
		rest.calls -= row.calls;
		rest.total_ns -= row.total_ns;
		add(rows, &row);
	}
	add(rows, &rest);
	return i;
}

/* --- order ------------------------------------------------------------------ */

static int compare_texts(const char *x, const char *y)
{
	return strcmp(x ? x : "", y ? y : "");
}

static int compare_stacks(const struct stack *x, const struct stack *y)
{
	size_t i;
	int order;

	if (x == y || !x || !y)
		return x == y ? 0 : x ? 1 : -1;
	if (x->nr != y->nr || x->nr_kernel != y->nr_kernel)
		return x->nr != y->nr ? (x->nr < y->nr ? -1 : 1) :
		       x->nr_kernel < y->nr_kernel ? -1 : 1;
	for (i = 0; i < x->nr; i++) {
		order = strcmp(x->frames[i], y->frames[i]);
		if (order)
			return order;
	}
	return x->flags < y->flags ? -1 : x->flags > y->flags;
}

/* Who is called the same, and was at the same place, is one row. */
static int by_key(const void *a, const void *b)
{
	const struct stack_row *x = a, *y = b;
	int order = compare_texts(x->comm, y->comm);

	order = order ? order : strcmp(x->kind, y->kind);
	return order ? order : compare_stacks(x->stack, y->stack);
}

static int by_time(const void *a, const void *b)
{
	const struct stack_row *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return by_key(a, b);
}

static void merge(struct stack_rows *rows)
{
	struct stack_row *to = rows->rows, *from;

	if (!rows->nr)
		return;
	qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_key);
	for (from = to + 1; from < rows->rows + rows->nr; from++) {
		if (by_key(to, from)) {
			*++to = *from;
			continue;
		}
		to->calls += from->calls;
		to->total_ns += from->total_ns;
		to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
	}
	rows->nr = to + 1 - rows->rows;
	qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_time);
}

/* --- the whole -------------------------------------------------------------- */

void stack_rows_take(struct stack_rows *rows, const struct graph *graph,
		     const struct threads *threads, const struct stacks *stacks)
{
	unsigned int *depths = graph_depths(graph);
	const char *comm = NULL;
	size_t i = 0;

	while (i < graph->nr) {
		if (!depths[i])
			comm = threads_comm(threads, graph->nodes[i].func);
		if (depths[i] == 1 && is_off_cpu(graph->nodes[i].func))
			i = take_kind(rows, graph, depths, i, comm, stacks);
		else
			i++;
	}
	free(depths);
	merge(rows);
}

int stack_rows_read(struct stack_rows *rows, struct knl *nl, const struct knl_session *session,
		    uint32_t read_flags, const struct threads *threads,
		    const struct stacks *stacks)
{
	struct graph graph;
	int error = graph_read(&graph, nl, session->id, read_flags);

	memset(rows, 0, sizeof(*rows));
	if (!error) {
		graph_sort(&graph);
		stack_rows_take(rows, &graph, threads, stacks);
	}
	graph_free(&graph);
	return error;
}

void stack_rows_free(struct stack_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
