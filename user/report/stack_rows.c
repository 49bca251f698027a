// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "report/sched_rows.h"
#include "report/stack_rows.h"
#include "util/mem.h"

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

/* "name", "name [module]"; of a function that may be "module:name". */
static bool is_name_of(const char *frame, const char *function)
{
	const char *colon = strchr(function, ':');
	size_t len;

	function = colon ? colon + 1 : function;
	len = strlen(function);
	return !strncmp(frame, function, len) && (!frame[len] || frame[len] == ' ');
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

size_t stack_first(const struct stack *stack, const char *function)
{
	size_t i;

	for (i = 0; i < stack->nr_kernel; i++)
		if (is_name_of(stack->frames[i], function))
			return i + 1;
	return 0;
}

/*
 * Those of stacks below a node, at a depth, each a row; what they are not of it is another.
 * Returns the first node behind.
 */
static size_t take_below(struct stack_rows *rows, const struct graph *graph, size_t i,
			 const unsigned int *depths, struct stack_row rest,
			 const struct stacks *stacks)
{
	const struct ktrace_node *node = &graph->nodes[i];
	unsigned int depth = depths[i];
	struct stack_row row = rest;

	rest.calls = node->calls;
	rest.total_ns = node->total_ns;
	for (i++; i < graph->nr && depths[i] > depth; i++) {
		node = &graph->nodes[i];
		row.stack = stacks_get(stacks, node->func);
		if (!row.stack || node->calls > rest.calls || node->total_ns > rest.total_ns)
			continue;
		row.comm = row.stack->comm;
		row.first = rows->is_of_calls ? stack_first(row.stack, row.kind) : 0;
		row.calls = node->calls;
		row.total_ns = node->total_ns;
		row.max_ns = rows->is_of_calls ? 0 : node->self_ns;
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

static int compare_numbers(size_t x, size_t y)
{
	return x < y ? -1 : x > y;
}

static int compare_stacks(const struct stack_row *a, const struct stack_row *b)
{
	const struct stack *x = a->stack, *y = b->stack;
	size_t i;
	int order;

	if (x == y || !x || !y)
		return x == y ? 0 : x ? 1 : -1;
	order = compare_numbers(x->nr - a->first, y->nr - b->first);
	if (!order)
		order = compare_numbers(x->nr_kernel - a->first, y->nr_kernel - b->first);
	for (i = a->first; !order && i < x->nr; i++)
		order = strcmp(x->frames[i], y->frames[i - a->first + b->first]);
	return order ? order : compare_numbers(x->flags, y->flags);
}

/* Who is called the same, and was at the same place, is one row. */
static int by_key(const void *a, const void *b)
{
	const struct stack_row *x = a, *y = b;
	int order = compare_texts(x->comm, y->comm);

	order = order ? order : strcmp(x->kind, y->kind);
	return order ? order : compare_stacks(x, y);
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
	struct stack_row row = { .comm = NULL };
	size_t i = 0;

	while (i < graph->nr) {
		if (!depths[i])
			row.comm = threads_comm(threads, graph->nodes[i].func);
		if (depths[i] == 1 && is_off_cpu(graph->nodes[i].func)) {
			row.kind = sched_kind(graph->nodes[i].func);
			i = take_below(rows, graph, i, depths, row, stacks);
		} else {
			i++;
		}
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
	if (!error)
		stack_rows_take(rows, &graph, threads, stacks);
	graph_free(&graph);
	return error;
}

static void take_calls(struct stack_rows *rows, const struct graph *graph,
		       const struct names *names, const struct stacks *stacks)
{
	unsigned int *depths = graph_depths(graph);
	struct stack_row row = { .comm = NULL };
	size_t i = 0;

	while (i < graph->nr) {
		if (depths[i] || graph->nodes[i].func == KTRACE_FUNC_FULL) {
			i++;
			continue;
		}
		row.kind = names_get(names, graph->nodes[i].func);
		i = take_below(rows, graph, i, depths, row, stacks);
	}
	free(depths);
	merge(rows);
}

int stack_rows_read_calls(struct stack_rows *rows, struct knl *nl,
			  const struct knl_session *session, uint32_t read_flags,
			  const struct names *names, const struct stacks *stacks)
{
	struct graph graph;
	int error = graph_read(&graph, nl, session->id, read_flags);

	memset(rows, 0, sizeof(*rows));
	rows->is_of_calls = true;
	if (!error)
		take_calls(rows, &graph, names, stacks);
	graph_free(&graph);
	return error;
}

void stack_rows_free(struct stack_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
