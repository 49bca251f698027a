// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "util/bound.h"
#include "util/cut.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"
#include "util/style.h"

static void add(struct ktrace_node **nodes, size_t *nr, const struct ktrace_node *node)
{
	*nodes = mem_grow(*nodes, *nr, sizeof(*node));
	(*nodes)[(*nr)++] = *node;
}

/* In a message, nodes are only aligned to 4 bytes. */
static void take(void *arg, const struct ktrace_node *nodes, size_t nr)
{
	struct graph *graph = arg;
	struct ktrace_node node;

	for (; nr--; nodes++) {
		memcpy(&node, (const void *)nodes, sizeof(node));
		if (node.marks & KTRACE_NODE_AT_MOST)
			add(&graph->bounds, &graph->nr_bounds, &node);
		else
			add(&graph->nodes, &graph->nr, &node);
	}
}

/* --- figures -------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
	const struct ktrace_node *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

const struct ktrace_node *graph_bound(const struct graph *graph, const struct ktrace_node *node)
{
	if (!graph->nr_bounds)
		return NULL;
	return bsearch(node, graph->bounds, graph->nr_bounds, sizeof(*node), by_path);
}

/* Sorts the nodes of a function by their own time, the largest first. */
static int by_self(const void *a, const void *b)
{
	const struct ktrace_node *x = a, *y = b;
	int64_t x_self = x->self_ns, y_self = y->self_ns;

	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	return x_self < y_self ? 1 : x_self > y_self ? -1 : 0;
}

/*
 * The nodes of one function. What is below 0 in one of them, because costs of hits were subtracted,
 * is too much in the others.
 */
static void settle_self(struct ktrace_node *nodes, size_t nr)
{
	uint64_t missing = 0, part;
	size_t i;

	for (i = nr; i-- && (int64_t)nodes[i].self_ns < 0; nodes[i].self_ns = 0)
		missing -= nodes[i].self_ns;
	for (i = 0; i < nr && missing; i++, missing -= part) {
		part = nodes[i].self_ns < missing ? nodes[i].self_ns : missing;
		nodes[i].self_ns -= part;
	}
}

void graph_settle(struct graph *graph)
{
	const struct ktrace_node *bound;
	size_t i, end;

	if (graph->nr_bounds)
		qsort(graph->bounds, graph->nr_bounds, sizeof(*graph->bounds), by_path);
	if (graph->nr)
		qsort(graph->nodes, graph->nr, sizeof(*graph->nodes), by_self);
	for (i = 0; i < graph->nr; i = end) {
		for (end = i; end < graph->nr && graph->nodes[end].func == graph->nodes[i].func; end++) {
			bound = graph_bound(graph, &graph->nodes[end]);
			graph->nodes[end].calls += bound ? bound->calls : 0;
		}
		settle_self(&graph->nodes[i], end - i);
	}
}

int graph_read(struct graph *graph, struct ktr *ktr, uint64_t session, uint32_t flags)
{
	int error;

	memset(graph, 0, sizeof(*graph));
	error = ktr_node_each(ktr, session, flags, take, graph);
	graph_settle(graph);
	if (!error)
		graph_sort(graph, "total");
	return error;
}

void graph_free(struct graph *graph)
{
	free(graph->nodes);
	free(graph->bounds);
	free(graph->rows);
	memset(graph, 0, sizeof(*graph));
}

/* --- order -------------------------------------------------------------- */

static uint64_t figure(const struct ktrace_node *node, const char *column)
{
	return !strcmp(column, "calls") ? node->calls :
	       !strcmp(column, "self") ? node->self_ns : node->total_ns;
}

/* Groups children by parent, the largest figure first, the "tree full" node last. */
static int by_parent(const void *a, const void *b, void *column)
{
	const struct ktrace_node *x = a, *y = b;
	uint64_t x_figure = figure(x, column), y_figure = figure(y, column);

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if ((x->func == KTRACE_FUNC_FULL) != (y->func == KTRACE_FUNC_FULL))
		return x->func == KTRACE_FUNC_FULL ? 1 : -1;
	if (x_figure != y_figure)
		return x_figure > y_figure ? -1 : 1;
	return x->node == y->node ? 0 : x->node < y->node ? -1 : 1;
}

/* The children of a node that are being visited. */
struct level {
	uint32_t parent;
	size_t next;		/* index of the next child */
};

struct walk {
	const struct graph *graph;
	struct level *levels;
	size_t nr;
};

static void enter(struct walk *walk, uint32_t parent)
{
	const struct ktrace_node *nodes = walk->graph->nodes;

	walk->levels = mem_grow(walk->levels, walk->nr, sizeof(*walk->levels));
	walk->levels[walk->nr].parent = parent;
	walk->levels[walk->nr++].next = BOUND(walk->graph->nr, i, nodes[i].parent < parent);
}

/* Walks depth first, without recursion, because a tree may be as deep as a stack. */
void graph_sort(struct graph *graph, const char *column)
{
	struct walk walk = { .graph = graph };
	struct ktrace_node *sorted, *node;
	struct level *level;
	size_t nr = 0;

	if (!graph->nr)
		return;
	qsort_r(graph->nodes, graph->nr, sizeof(*graph->nodes), by_parent, (char *)column);
	sorted = mem_alloc(graph->nr * sizeof(*sorted));
	enter(&walk, KTRACE_NODE_ROOT);
	while (walk.nr) {
		level = &walk.levels[walk.nr - 1];
		node = &graph->nodes[level->next++];
		if (node >= graph->nodes + graph->nr || node->parent != level->parent ||
		    nr == graph->nr) {
			walk.nr--;
			continue;
		}
		sorted[nr++] = *node;
		enter(&walk, node->node);
	}
	free(graph->nodes);
	free(walk.levels);
	graph->nodes = sorted;
	graph->nr = nr;
}

unsigned int *graph_depths(const struct graph *graph)
{
	unsigned int *depths = mem_alloc(graph->nr * sizeof(*depths));
	uint32_t *path = NULL;
	unsigned int depth = 0;
	size_t i;

	for (i = 0; i < graph->nr; i++) {
		while (depth && path[depth - 1] != graph->nodes[i].parent)
			depth--;
		depths[i] = depth;
		path = mem_grow(path, depth, sizeof(*path));
		path[depth++] = graph->nodes[i].node;
	}
	free(path);
	return depths;
}

void graph_walk(const struct graph *graph, graph_take *take, void *arg)
{
	unsigned int *depths = graph_depths(graph);
	uint32_t *path = NULL;
	size_t i;

	for (i = 0; i < graph->nr; i++) {
		path = mem_grow(path, depths[i], sizeof(*path));
		path[depths[i]] = graph->nodes[i].func;
		if (graph->nodes[i].func != KTRACE_FUNC_FULL)
			take(arg, &graph->nodes[i], path, depths[i]);
	}
	free(path);
	free(depths);
}

int graph_each(struct ktr *ktr, uint64_t session, uint32_t flags, graph_take *take, void *arg)
{
	struct graph graph;
	int error = graph_read(&graph, ktr, session, flags);

	if (!error)
		graph_walk(&graph, take, arg);
	graph_free(&graph);
	return error;
}

/* --- rows of functions -------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	return (x->keys->number > y->keys->number) - (x->keys->number < y->keys->number);
}

/* The numbers come from the module, so they are no indexes here. */
void graph_set_rows(struct graph *graph, struct table *functions)
{
	size_t i;

	graph->nr_rows = functions->nr;
	graph->rows = mem_alloc(graph->nr_rows * sizeof(*graph->rows));
	for (i = 0; i < graph->nr_rows; i++)
		graph->rows[i] = &functions->rows[i];
	qsort(graph->rows, graph->nr_rows, sizeof(*graph->rows), by_number);
}

struct row *graph_row(const struct graph *graph, uint32_t func)
{
	size_t i = BOUND(graph->nr_rows, at, graph->rows[at]->keys->number < func);

	return i < graph->nr_rows && graph->rows[i]->keys->number == func ? graph->rows[i] : NULL;
}

#define BEFORE_NAME 33	/* columns of figures */
#define NAME_LEAST 16

/* --- output ------------------------------------------------------------- */

const char *graph_name(const struct ktrace_node *node, const struct names *names)
{
	if (node->func == KTRACE_FUNC_FULL)
		return "[tree full: calls on other paths]";
	return names_get(names, node->func);
}

/* Cuts a name to the room that its indentation leaves on the line. The caller frees it. */
static char *fitting(const char *name, unsigned int depth)
{
	int columns = style_get()->columns, room = columns - BEFORE_NAME - 2 * (int)depth;

	if (!columns)
		return mem_string(name);
	return cut_name(name, room > NAME_LEAST ? room : NAME_LEAST);
}

void graph_print_bound(FILE *out, uint64_t calls, uint64_t time, uint64_t self)
{
	char text[FMT_LEN];

	if (calls)
		out_put(out, " /* + at most %s in %llu call%s */", fmt_plain(text, time),
			(unsigned long long)calls, calls == 1 ? "" : "s");
	if (self > time)
		out_put(out, " /* SELF + at most %s */", fmt_plain(text, self));
}

void graph_print_observed(FILE *out, const struct row *row)
{
	const uint64_t *figures = row->parts->figures;
	char text[FMT_LEN];

	if (figures[FIG_OBSERVED])
		out_put(out, " /* in the first %s, then no longer probed */",
			fmt_plain(text, figures[FIG_OBSERVED]));
	if (figures[FIG_HAS_BLIND])
		fputs(" /* SELF has time of callees that are no longer probed */", out);
}

/* Returns the marks of a node, or "". The caller frees them. */
static char *marks_of(const struct graph *graph, const struct ktrace_node *node)
{
	const struct ktrace_node *bound = graph_bound(graph, node);
	const struct row *row = graph_row(graph, node->func);
	char *text = NULL;
	size_t len;
	FILE *out = bound || row ? open_memstream(&text, &len) : NULL;

	if (!out)
		return mem_string("");
	if (row)
		graph_print_observed(out, row);
	if (bound)
		graph_print_bound(out, bound->calls, bound->total_ns, bound->self_ns);
	fclose(out);
	return text;
}

static void print_node(FILE *out, const struct graph *graph, const struct ktrace_node *node,
		       unsigned int depth, const char *whole)
{
	char *name = fitting(whole, depth), *marks = marks_of(graph, node);
	char total[FMT_LEN], self[FMT_LEN];
	const char *parentheses = fmt_parentheses(whole);
	int len = fmt_name_len(name), at = BEFORE_NAME + 2 * depth + strlen(parentheses);

	out_put(out, "  %8s  %8s  %9llu  %*s%.*s%s%s", fmt_duration(total, node->total_ns),
		fmt_duration(self, node->self_ns), (unsigned long long)node->calls, depth * 2, "",
		len, name, parentheses, name + len);
	out_comments(out, marks, at + plain_columns(name, strlen(name)), style_get()->columns);
	fputc('\n', out);
	free(name);
	free(marks);
}

void graph_print(FILE *out, const struct graph *graph, const struct names *names)
{
	unsigned int *depths = graph_depths(graph);
	size_t i;

	style_begin(out, STYLE_TITLE);
	out_put(out, "  %8s  %8s  %9s  %s\n", "TOTAL", "SELF", "CALLS", "CALL TREE");
	style_end(out, STYLE_TITLE);
	for (i = 0; i < graph->nr; i++)
		print_node(out, graph, &graph->nodes[i], depths[i],
			   graph_name(&graph->nodes[i], names));
	free(depths);
}
