/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that have ended, merged by function: the callees of a call, before the call itself is known.
 * Memory is bounded by a number of nodes.
 */
#ifndef FOREST_H
#define FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;

/* The calls of one caller, one node per function. All zeroes: none. */
struct forest {
	struct node *first;
	struct node **slots;	/* of a wide forest, a hash by function; or NULL */
	uint32_t nr, nr_slots;
};

struct node {
	uint32_t func;
	bool has_tail;		/* some of the calls were jumps of the caller */
	struct node *next;
	struct forest callees;
	uint64_t calls, total_ns;
	uint64_t self_ns;	/* modulo 2^64: it may be below 0 */
	uint64_t bound_calls, bound_ns, bound_self_ns;	/* calls that ended unseen */
};

/* All nodes of a session. */
struct nodes {
	struct node *free;
	struct node **chunks;
	size_t nr_chunks, nr_used, most;
	struct merge_step {
		struct forest *to;
		struct node *from;
	} *steps;		/* of a merge in progress */
	size_t room;
};

#define NODES_MOST (1 << 20)

void nodes_free(struct nodes *nodes);

/* Returns the node of a function, made if it is new; NULL if there is no room. */
struct node *forest_get(struct nodes *nodes, struct forest *forest, uint32_t func);
/* Moves all nodes of a forest to another one, and leaves it empty. */
void forest_absorb(struct nodes *nodes, struct forest *to, struct forest *from);
/* Returns the number of calls, without callees. */
uint64_t forest_calls(const struct forest *forest);

#endif
