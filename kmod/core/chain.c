// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of errors, as nodes of the tree. An error counts when it is returned, in the node that
 * stands for the whole chain up to there. The count of a node minus the counts of its children is
 * the number of chains that ended there. So nothing has to be finished when a task or a session
 * ends, and a reset cuts a chain in two, but loses no part of it.
 */
#include "core/chain.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/tree.h"

static bool chain_has_failed(const struct kt_shadow *stack, const struct kt_frame *frame)
{
	return frame->generation == stack->tree->generation;
}

/*
 * Adds a link to the chain that frame keeps, or begins a chain. frame no longer keeps a chain
 * afterwards. Returns the node of the link.
 */
static u32 chain_add_link(struct kt_shadow *stack, struct kt_frame *frame, u64 duration, u32 error)
{
	struct ktrace_counters *c = &kt_session_this_cpu(stack->session)->counters;
	struct kt_tree *tree = stack->tree;
	u32 node = KTRACE_NODE_ROOT;

	if (chain_has_failed(stack, frame)) {
		node = frame->node;
		if (!kt_tree_add_self(tree, node, frame->self))
			c->lost_pool++;
		frame->generation = 0;
	}
	node = kt_tree_child(tree, node, KTRACE_ERROR_LINK(frame->func, error));
	if (unlikely(kt_tree_is_full(tree, node)))
		c->lost_tree++;
	if (!kt_tree_add(tree, node, duration, 0))
		c->lost_pool++;
	return node;
}

/* The function went on after the error that frame keeps: ends the chain with error 0. */
static void chain_go_on(struct kt_shadow *stack, struct kt_frame *frame)
{
	if (chain_has_failed(stack, frame))
		chain_add_link(stack, frame, frame->self, 0);
}

void kt_chain_add(struct kt_shadow *stack, struct kt_frame *frame, u64 duration, u32 error)
{
	struct kt_frame *caller;
	u32 node;

	if (likely(!error)) {
		chain_go_on(stack, frame);
		return;
	}
	node = chain_add_link(stack, frame, duration, error);
	caller = kt_shadow_caller(stack, frame);
	if (!caller)
		return;
	chain_go_on(stack, caller);
	caller->node = node;
	caller->generation = stack->tree->generation;
	caller->self = duration;
}
