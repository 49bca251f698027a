/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stddef.h>
#include <stdio.h>

#include "nl/nl.h"
#include "session/names.h"

/* The calling-context tree that the module kept: which function called which, and for how long. */
struct graph {
	struct ktrace_node *nodes;
	size_t nr;
};

/* Sorted by total time. Returns 0 or a negative errno. */
int graph_read(struct graph *graph, struct knl *nl, uint64_t session, uint32_t flags);
void graph_free(struct graph *graph);

#define GRAPH_COLUMNS "total|self|calls"
/* Brings nodes into the order of a walk: callers first, children by one of these columns. */
void graph_sort(struct graph *graph, const char *column);

/* Takes a node; path has its function, at depth, behind those that lead to it. */
typedef void graph_take(void *arg, const struct ktrace_node *node, const uint32_t *path,
			unsigned int depth);
/* All nodes in the order of a walk, without the one of "tree full". */
void graph_walk(const struct graph *graph, graph_take *take, void *arg);
/* Those of a session; 0 or a negative errno. */
int graph_each(struct knl *nl, uint64_t session, uint32_t flags, graph_take *take, void *arg);

/* Depth of each node of a sorted graph, 0 for roots; to be freed. */
unsigned int *graph_depths(const struct graph *graph);

void graph_print(FILE *out, const struct graph *graph, const struct names *names);

/* The name of a node's function, of the "tree full" node too. */
const char *graph_name(const struct ktrace_node *node, const struct names *names);

#endif
