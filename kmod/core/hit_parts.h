/* SPDX-License-Identifier: GPL-2.0 */
/* Internals shared by the hit*.c files. */
#ifndef KT_HIT_PARTS_H
#define KT_HIT_PARTS_H

#include <linux/percpu.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/tree.h"

/* Not 0 during a hit on this CPU, in any context: a probe inside a hit does not count as a hit. */
DECLARE_PER_CPU(int, kt_in_hit);
/*
 * For how long the hit on this CPU has let other tasks run (kt_hit_rest()), ns. Each measured hit
 * begins with 0. A walk takes the time along to the next CPU.
 */
DECLARE_PER_CPU(u64, kt_rested);

static inline struct kt_session_cpu *kt_hit_this_cpu_of(struct kt_session *session)
{
	return this_cpu_ptr(session->hot.cpu);
}

/* Gives an open call a node of the present tree. The outermost call must be the first. */
void kt_hit_renew_node(struct kt_shadow *stack, struct kt_frame *frame);
/*
 * Counts a call whose end was not seen: duration, in ns, is an upper bound, and so is its self
 * time. A walk: may rest.
 */
void kt_hit_add_bound(struct kt_session *session, struct kt_shadow *stack, struct kt_frame *frame,
		      u64 duration);

static inline bool kt_hit_has_node(const struct kt_tree *tree, const struct kt_frame *frame)
{
	return frame->generation == tree->generation;
}

/* The node under which the callees of frame go. After a reset, all open calls get new nodes. */
static inline u32 kt_hit_node_of(struct kt_shadow *stack, const struct kt_frame *frame)
{
	if (!frame)
		return KTRACE_NODE_ROOT;
	if (unlikely(!kt_hit_has_node(stack->tree, frame))) {
		kt_shadow_for_each(stack, kt_hit_renew_node);
		/* A minimum time that is set during the walk leaves frames without a node. */
		if (!kt_hit_has_node(stack->tree, frame))
			return kt_tree_full_node(stack->tree);
	}
	return frame->node;
}

static inline void kt_hit_set_node(struct kt_shadow *stack, struct kt_frame *frame, u32 parent)
{
	frame->node = kt_tree_child(stack->tree, parent, frame->func);
	frame->generation = stack->tree->generation;
}

/* The callees of a hidden frame become children of the node that would be the frame's parent. */
static inline void kt_hit_inherit_node(struct kt_shadow *stack, struct kt_frame *frame, u32 parent)
{
	frame->node = parent;
	frame->generation = stack->tree->generation;
}

#endif
