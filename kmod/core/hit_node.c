// SPDX-License-Identifier: GPL-2.0
/* The nodes of a tree that open calls have. */
#include "core/hit_parts.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/tree.h"

void kt_hit_renew_node(struct kt_shadow *stack, struct kt_frame *frame)
{
	const struct kt_frame *parent = frame->parent;
	bool is_kept = !stack->session->hot.min_time || (frame->flags & KT_FRAME_WANTED);
	u32 node = KTRACE_NODE_ROOT;

	if (!is_kept || kt_hit_has_node(stack->tree, frame))
		return;
	if (parent && kt_hit_has_node(stack->tree, parent))
		node = parent->node;
	if (frame->flags & KT_FRAME_HIDDEN)
		kt_hit_inherit_node(stack, frame, node);
	else
		kt_hit_set_node(stack, frame, node);
	if ((frame->flags & (KT_FRAME_TAIL | KT_FRAME_HIDDEN)) == KT_FRAME_TAIL)
		kt_tree_mark_tail(stack->tree, frame->node);
}
