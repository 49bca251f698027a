/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of calls, as one tree of names: what pictures and exports are made of. Calling-context
 * trees and tables of stacks are turned into it. A path that occurs twice is one node.
 */
#ifndef PATHS_H
#define PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/names.h"

struct graph;

#define PATHS_ROOT SIZE_MAX	/* the parent of the outermost functions */
#define PATHS_OFF_CPU "[off-cpu: "	/* how the names of times off a CPU begin, beside times on one */

/* The last function of a path. */
struct path_node {
	size_t parent;		/* index of a node before this one, or PATHS_ROOT */
	unsigned int depth;	/* 0: outermost */
	uint32_t name;		/* index of a name */
	uint64_t calls;
	uint64_t self_ns;	/* own time */
	uint64_t total_ns;	/* own times of this path and of the longer ones that begin with it */
	/* in a comparison: the same on the other side, which is compared with */
	struct path_before {
		uint64_t calls, self_ns, total_ns;
	} before;
};

struct path_name;

struct paths {
	struct path_node *nodes;	/* in preorder, siblings by time, the longest first */
	size_t nr;
	char **names;		/* valid UTF-8 without control characters, each once */
	uint32_t nr_names;
	uint64_t total_ns, calls;	/* of all nodes */
	bool is_comparison;
	struct path_before before;	/* of all nodes */
	const char *counted;	/* the title of what is counted as calls; NULL: "CALLS" */
	const char *title;	/* of a comparison; NULL: that of the head (head.h) */
	struct path_name *known;	/* while nodes are added: hashes */
	struct path_child *children;
};

/* Returns the index of the node with this name below a node, or PATHS_ROOT; it is added if new. */
size_t paths_child(struct paths *paths, size_t parent, const char *name);
/* Adds figures to a node. */
void paths_count(struct paths *paths, size_t node, uint64_t calls, uint64_t self_ns);
/* Adds figures of the other side, with which a comparison is made. */
void paths_count_before(struct paths *paths, size_t node, uint64_t calls, uint64_t self_ns);
/* Brings the nodes into their order, and computes their times. Nothing is added after it. */
void paths_settle(struct paths *paths);

/* Makes paths of a sorted graph. */
void paths_take_graph(struct paths *paths, const struct graph *graph, const struct names *names);

/* Makes paths of the nr nodes with the longest times, among which are the callers of each. */
void paths_take_largest(struct paths *paths, const struct paths *from, size_t nr);

/* A node with its path: path[depth] is its name, path[0] to path[depth - 1] those of its callers. */
typedef void paths_take(void *arg, const struct path_node *node, const uint32_t *path);
/* Calls take for each node, in their order. */
void paths_each(const struct paths *paths, paths_take *take, void *arg);

void paths_free(struct paths *paths);

#endif
