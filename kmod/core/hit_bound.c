// SPDX-License-Identifier: GPL-2.0
/* Times that are only known to be at most so long: they are in no figure, but shown apart. */
#include <linux/kernel.h>

#include "core/figures.h"
#include "core/hist.h"
#include "core/hit.h"
#include "core/hit_parts.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/tree.h"

static void bound_add_node(struct kt_shadow *stack, const struct kt_frame *frame, u64 duration,
			   u64 self, bool is_call)
{
	/* This may rest, so stack->tree is read afterwards. */
	u32 node = kt_hit_node_of(stack, frame);
	struct kt_tree *tree = stack->tree;
	u32 bound = kt_tree_at_most(tree, node);
	struct ktrace_counters *c = &kt_hit_this_cpu_of(stack->session)->counters;

	/* The node for all other paths has the call, but no bound. */
	if (unlikely(kt_tree_is_full(tree, bound))) {
		c->lost_tree += is_call;
		duration = 0;
		self = 0;
	}
	if (!(is_call ? kt_tree_add(tree, bound, duration, self) :
			kt_tree_add_self(tree, bound, self)))
		c->lost_pool++;
}

/* The end of this call was not seen: counts its duration as an upper bound only. */
static struct kt_hist *bound_add_call(struct kt_session *session, struct kt_shadow *stack,
				      const struct kt_frame *frame, u64 duration)
{
	bool is_inner = (frame->flags & KT_FRAME_RECURSIVE) &&
			kt_shadow_is_recursive(stack, frame->parent, frame->func);
	struct kt_hist *hist = kt_figures_hist(kt_hit_this_cpu_of(session), frame->func);

	if (hist) {
		hist->at_most++;
		hist->at_most_ns += is_inner ? 0 : duration;
	}
	return hist;
}

/* No time of such a call is in TOTAL, so none is in SELF, which would else exceed TOTAL. */
void kt_hit_add_bound(struct kt_session *session, struct kt_shadow *stack, struct kt_frame *frame,
		      u64 duration)
{
	struct kt_hist *hist = bound_add_call(session, stack, frame, duration);
	u64 self = max_t(s64, frame->self, 0);

	if (hist)
		hist->at_most_self_ns += self;
	if (stack->tree)
		bound_add_node(stack, frame, duration, self, true);
}

void kt_hit_doubt(struct kt_shadow *stack, struct kt_frame *frame, u64 ns)
{
	struct kt_session *session = stack->session;
	struct kt_hist *hist;

	while (frame && (frame->flags & KT_FRAME_HIDDEN)) {
		kt_shadow_step(stack, 1);
		frame = kt_shadow_caller(stack, frame);
	}
	if (!frame || (frame->flags & KT_FRAME_INHERITED) || (s64)ns <= 0 ||
	    (session->hot.min_time && !(frame->flags & KT_FRAME_WANTED)))
		return;
	hist = kt_figures_hist(kt_hit_this_cpu_of(session), frame->func);
	if (hist)
		hist->at_most_self_ns += ns;
	if (stack->tree)
		bound_add_node(stack, frame, 0, ns, false);
}
