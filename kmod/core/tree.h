/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TREE_H
#define KT_TREE_H

#include <linux/atomic.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_tree_cell;

struct kt_tree {
	u32 generation;		/* of the session's figures; a node is valid in one only */
	u32 max_nodes;
	bool keeps_max;		/* self_ns is the duration of the node's longest call */
	u32 order;		/* log2 of the slots; one more slot is the full node */
	atomic_t nr_nodes;
	u64 seed;		/* of hashes */
	u64 *keys;
	unsigned long *marks;	/* KTRACE_NODE_TAIL: a bit for each slot */
	struct kt_tree_cell ***cells;	/* [cpu][slot / nodes of a cell] */
};

void kt_tree_init(void);
void kt_tree_want(int cells);	/* as kt_pool_want() */

/* The node that counts the calls for which there is no room. */
static inline u32 kt_tree_full_node(const struct kt_tree *tree)
{
	return 1U << tree->order;
}

static inline bool kt_tree_is_full(const struct kt_tree *tree, u32 node)
{
	return node == kt_tree_full_node(tree);
}

/* Process context. Returns NULL if there is no memory. */
struct kt_tree *kt_tree_create(u32 max_nodes, u32 generation);
void kt_tree_put(struct kt_tree *tree);

/* Returns the child of parent for func, made if it is new, or the full node. Any context. */
u32 kt_tree_child(struct kt_tree *tree, u32 parent, u32 func);
/*
 * Returns the node for calls of node that ended unseen (KTRACE_NODE_AT_MOST), made if it is new, or
 * the full node. Any context.
 */
u32 kt_tree_at_most(struct kt_tree *tree, u32 node);
/* Any context, preemption off. Each returns false if the pool is empty. */
bool kt_tree_add(struct kt_tree *tree, u32 node, u64 duration, u64 self);
bool kt_tree_add_max(struct kt_tree *tree, u32 node, u64 duration);	/* tree has keeps_max */
bool kt_tree_add_self(struct kt_tree *tree, u32 node, u64 self);	/* counts no call */
void kt_tree_mark_tail(struct kt_tree *tree, u32 node);

/*
 * Fills in node, the first at or after *pos, and sets *pos to it. Returns false at the end. Process
 * context.
 */
bool kt_tree_next(const struct kt_tree *tree, u32 *pos, struct ktrace_node *node);

#endif
