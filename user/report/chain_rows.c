// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/chain_rows.h"
#include "util/mem.h"

/* --- from the module ---------------------------------------------------------- */

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

/* How often chains ended at each node: what those below it do not have. To be freed. */
static uint64_t *calls_of(const struct graph *graph, const unsigned int *depths)
{
	uint64_t *calls = mem_alloc(graph->nr * sizeof(*calls));
	size_t *path = NULL, i;

	for (i = 0; i < graph->nr; i++) {
		path = mem_grow(path, depths[i], sizeof(*path));
		path[depths[i]] = i;
		calls[i] = graph->nodes[i].calls;
		if (depths[i])
			calls[path[depths[i] - 1]] = less(calls[path[depths[i] - 1]], calls[i]);
	}
	free(path);
	return calls;
}

static void add(struct chain_rows *rows, const struct chain_link *path, size_t nr,
		const struct ktrace_node *node, uint64_t calls)
{
	struct chain_row *row;

	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	row->gone_on = path[nr - 1].error ? NULL : path[nr - 1].name;
	row->nr = nr - !!row->gone_on;
	row->links = mem_alloc(nr * sizeof(*path));
	memcpy(row->links, path, nr * sizeof(*path));
	row->calls = calls;
	row->total_ns = less(node->total_ns, node->self_ns);
	rows->calls += calls;
}

void chain_rows_take(struct chain_rows *rows, const struct graph *graph,
		     const struct names *names)
{
	unsigned int *depths = graph_depths(graph);
	uint64_t *calls = calls_of(graph, depths);
	struct chain_link *path = NULL;
	const struct ktrace_node *node;
	size_t i;

	for (i = 0; i < graph->nr; i++) {
		node = &graph->nodes[i];
		path = mem_grow(path, depths[i], sizeof(*path));
		path[depths[i]].name = names_get(names, KTRACE_ERROR_FUNC(node->func));
		path[depths[i]].error = KTRACE_ERROR_NR(node->func);
		if (calls[i] && node->func != KTRACE_FUNC_FULL)
			add(rows, path, depths[i] + 1, node, calls[i]);
	}
	free(path);
	free(calls);
	free(depths);
}

int chain_rows_read(struct chain_rows *rows, struct knl *nl, const struct knl_session *session,
		    uint32_t read_flags, const struct names *names)
{
	struct graph graph;
	int error = graph_read(&graph, nl, session->id, read_flags);

	memset(rows, 0, sizeof(*rows));
	if (!error)
		chain_rows_take(rows, &graph, names);
	graph_free(&graph);
	return error;
}

void chain_rows_free(struct chain_rows *rows)
{
	while (rows->nr)
		free(rows->rows[--rows->nr].links);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

/* --- order -------------------------------------------------------------------- */

static int down(uint64_t a, uint64_t b)
{
	return a == b ? 0 : a > b ? -1 : 1;
}

/* Those of the same figures. */
static int by_links(const struct chain_row *x, const struct chain_row *y)
{
	size_t i;
	int order;

	for (i = 0; i < x->nr && i < y->nr; i++) {
		order = strcmp(x->links[i].name, y->links[i].name);
		order = order ? order : x->links[i].error - y->links[i].error;
		if (order)
			return order;
	}
	return x->nr == y->nr ? 0 : x->nr < y->nr ? -1 : 1;
}

static int by_total(const void *a, const void *b)
{
	const struct chain_row *x = a, *y = b;
	int order = down(x->total_ns, y->total_ns);

	return order ? order : by_links(x, y);
}

static int by_calls(const void *a, const void *b)
{
	const struct chain_row *x = a, *y = b;
	int order = down(x->calls, y->calls);

	return order ? order : by_total(x, y);
}

void chain_rows_sort(struct chain_rows *rows, const char *column)
{
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows),
		      strcmp(column, "calls") ? by_total : by_calls);
}
