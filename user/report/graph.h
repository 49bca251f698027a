/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stddef.h>
#include <stdio.h>

#include "client/client.h"
#include "report/table.h"
#include "session/names.h"

/* The calling-context tree that the module counted: the paths of calls, and their times. */
struct graph {
	struct ktrace_node *nodes;
	size_t nr;
	struct ktrace_node *bounds;	/* by parent and function: calls that ended unseen */
	size_t nr_bounds;
	struct row **rows;	/* of functions, sorted by number, for graph_row(); or NULL */
	size_t nr_rows;
};

/* Reads the tree, sorted by total time. Returns 0 or a negative errno. */
int graph_read(struct graph *graph, struct ktr *ktr, uint64_t session, uint32_t flags);
void graph_free(struct graph *graph);

#define GRAPH_COLUMNS "total|self|calls"
/* Sorts nodes into preorder: a caller before its callees, siblings by one of these columns. */
void graph_sort(struct graph *graph, const char *column);

/* Called for one node. path[depth] is its function; path[0] to path[depth - 1] are the callers. */
typedef void graph_take(void *arg, const struct ktrace_node *node, const uint32_t *path,
			unsigned int depth);
/* Calls take for all nodes in preorder, except for the "tree full" node. */
void graph_walk(const struct graph *graph, graph_take *take, void *arg);
/* Reads the tree of a session and walks it. Returns 0 or a negative errno. */
int graph_each(struct ktr *ktr, uint64_t session, uint32_t flags, graph_take *take, void *arg);

/*
 * Prepares nodes that were just read. Their calls then include those that ended unseen, and their
 * own times add up to those of the functions, as in the table of functions.
 */
void graph_settle(struct graph *graph);
/* Returns the upper bounds of the calls of a node that ended unseen, or NULL. */
const struct ktrace_node *graph_bound(const struct graph *graph, const struct ktrace_node *node);

/*
 * Chooses a table of functions, whose marks the nodes then have, too. It must neither be sorted nor
 * freed before the graph.
 */
void graph_set_rows(struct graph *graph, struct table *functions);
/* Returns the row of a function, or NULL. */
struct row *graph_row(const struct graph *graph, uint32_t func);

/* Returns the depth of each node of a sorted graph, 0 for roots. The caller frees it. */
unsigned int *graph_depths(const struct graph *graph);

/*
 * Prints the mark of calls that ended unseen: upper bounds of their time, and of the function's own
 * time, that are in no other figure.
 */
void graph_print_bound(FILE *out, uint64_t calls, uint64_t time, uint64_t self);

/* Marks figures of a part of the window, and those that have the time of others. */
void graph_print_observed(FILE *out, const struct row *row);

void graph_print(FILE *out, const struct graph *graph, const struct names *names);

/* Returns the name of a node's function, or a text for the "tree full" node. */
const char *graph_name(const struct ktrace_node *node, const struct names *names);

#endif
