/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a call does to the sinks of its session: counts, histograms, tree, records. What most hits
 * do is inline.
 */
#ifndef KT_CALL_H
#define KT_CALL_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include <uapi/ktrace_record.h>

#include "core/figures.h"
#include "core/hist.h"
#include "core/record.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/tree.h"

struct kt_values;

/* For the shadow stacks: how the calls that they close are counted. */
extern const struct kt_shadow_user kt_call_ends;

/* Writes the record ENTRY, with the values of arguments. */
void kt_call_emit_args(struct kt_shadow *stack, struct kt_frame *frame, struct kt_values *values);
/* Writes the record ENTRY in a session with odd records, if it has such records. */
void kt_call_emit_odd_entry(struct kt_shadow *stack, const struct kt_frame *frame);
/* As kt_call_enter(), for a frame that is HIDDEN or a TAIL. */
void kt_call_enter_odd(struct kt_session *session, struct kt_shadow *stack,
		       struct kt_frame *frame, struct kt_values *values);
/* A call whose return is not observed (KTRACE_RETURN_NONE): no duration, no frame. */
void kt_call_pass(struct kt_shadow *stack, u32 func, struct kt_values *values);
/* As kt_call_add_hist(), for a frame that is RECURSIVE. */
struct kt_hist *kt_call_add_recursive(struct kt_session *session, struct kt_shadow *stack,
				      const struct kt_frame *frame, u64 duration);
/*
 * The call ends at now. flags are KTRACE_REC_F_*, 0 if its return was seen; only then it has a
 * result, which may be NULL, and in sessions with KTRACE_F_ERRORS an error. May rest.
 */
void kt_call_close(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags,
		   struct kt_values *result, u32 error);
/*
 * Returns the row of a call of func, in which the caller counts all but the entry, or NULL if the
 * session has no table, or no memory. nr_calls: 1, or 0 if only figures of a call are added.
 */
struct kt_hist *kt_call_row(struct kt_shadow *stack, u32 func, u32 nr_calls);
/* Counts a call in its row, in a session with a table. A walk: may rest. */
void kt_call_add_row(struct kt_shadow *stack, const struct kt_frame *frame, u64 duration);
/* Gives an open call a node of the present tree. The outermost call must be the first. */
void kt_call_renew_node(struct kt_shadow *stack, struct kt_frame *frame);

/* An entry of func. */
static inline void kt_call_count(struct kt_session *session, u32 func)
{
	struct kt_hist *hist = kt_figures_hist(kt_session_this_cpu(session), func);

	if (hist)
		hist->entries++;
}

/* As kt_record_emit(). */
static inline bool kt_call_emit(struct kt_shadow *stack, u32 id, u32 func, u16 depth, u8 flags,
				const u64 *words, u32 nr_words, u8 nr_payload)
{
	return kt_record_emit(stack->session,
			      kt_record_head(id, stack->tid, func, depth, flags, nr_payload), words,
			      nr_words);
}

/* As kt_record_write(). */
static inline void kt_call_write(struct kt_shadow *stack, u32 id, const struct kt_frame *frame,
				 u8 flags, const u64 *words, u32 nr_words)
{
	kt_record_write(stack->session,
			kt_record_head(id, stack->tid, frame->func, frame->depth, flags, 0), words,
			nr_words);
}

/* Do calls have a record ENTRY, also those without arguments to record? */
static inline bool kt_call_has_entries(const struct kt_session *session)
{
	return !(session->hot.flags & KTRACE_F_NO_ENTRIES);
}

/* Returns the flags of the record ENTRY. */
static inline u8 kt_call_entry_flags(const struct kt_frame *frame)
{
	BUILD_BUG_ON(KT_FRAME_TAIL != KTRACE_REC_F_TAIL);
	return frame->flags & KT_FRAME_TAIL;
}

static inline bool kt_call_has_node(const struct kt_tree *tree, const struct kt_frame *frame)
{
	return frame->generation == tree->generation;
}

/* The node under which the callees of frame go. After a reset, all open calls get new nodes. */
static inline u32 kt_call_node_of(struct kt_shadow *stack, const struct kt_frame *frame)
{
	if (!frame)
		return KTRACE_NODE_ROOT;
	if (unlikely(!kt_call_has_node(stack->tree, frame))) {
		kt_shadow_for_each(stack, kt_call_renew_node);
		/* A minimum time that is set during the walk leaves frames without a node. */
		if (!kt_call_has_node(stack->tree, frame))
			return kt_tree_full_node(stack->tree);
	}
	return frame->node;
}

static inline void kt_call_set_node(struct kt_shadow *stack, struct kt_frame *frame, u32 parent)
{
	frame->node = kt_tree_child(stack->tree, parent, frame->func);
	frame->generation = stack->tree->generation;
}

/* The call is neither HIDDEN nor a TAIL. */
static __always_inline void kt_call_show(struct kt_session *session, struct kt_shadow *stack,
					 struct kt_frame *frame, struct kt_values *values)
{
	kt_call_count(session, frame->func);
	/* With a minimum time, only the return shows whether the call is kept. */
	if (unlikely(session->hot.min_time))
		return;
	if (stack->tree)
		kt_call_set_node(stack, frame, kt_call_node_of(stack, frame->parent));
	if (likely(!session->hot.ring))
		return;
	if (values) {
		kt_call_emit_args(stack, frame, values);
		return;
	}
	frame->flags |= KT_FRAME_EMITTED;
	if (unlikely(session->hot.has_odd_records))
		kt_call_emit_odd_entry(stack, frame);
	else
		kt_call_write(stack, KTRACE_REC_ENTRY, frame, kt_call_entry_flags(frame), NULL, 0);
}

/* A call was entered, and has its frame. */
static __always_inline void kt_call_enter(struct kt_session *session, struct kt_shadow *stack,
					  struct kt_frame *frame, struct kt_values *values)
{
	if (likely(!(frame->flags & (KT_FRAME_HIDDEN | KT_FRAME_TAIL))))
		kt_call_show(session, stack, frame, values);
	else
		kt_call_enter_odd(session, stack, frame, values);
}

/* Returns the histogram of func, or NULL. */
static __always_inline struct kt_hist *kt_call_add_duration(struct kt_session *session, u32 func,
							    u64 duration)
{
	struct kt_hist *hist = kt_figures_hist(kt_session_this_cpu(session), func);

	if (hist && !kt_hist_add(hist, duration))
		kt_session_this_cpu(session)->counters.lost_pool++;
	return hist;
}

/* The same for a call, which may be inside another call of its function. */
static __always_inline struct kt_hist *kt_call_add_hist(struct kt_session *session,
							struct kt_shadow *stack,
							const struct kt_frame *frame, u64 duration)
{
	if (unlikely(frame->flags & KT_FRAME_RECURSIVE))
		return kt_call_add_recursive(session, stack, frame, duration);
	return kt_call_add_duration(session, frame->func, duration);
}

/* The call ends after duration ns, and counts in full. */
static __always_inline void kt_call_add(struct kt_session *session, struct kt_shadow *stack,
					const struct kt_frame *frame, u64 duration)
{
	struct kt_hist *hist = kt_call_add_hist(session, stack, frame, duration);
	struct ktrace_counters *c;
	u32 node;

	if (hist)
		hist->self_ns += frame->self;
	if (!stack->tree)
		return;
	node = kt_call_node_of(stack, frame);
	c = &kt_session_this_cpu(session)->counters;
	if (unlikely(kt_tree_is_full(stack->tree, node)))
		c->lost_tree++;
	if (!kt_tree_add(stack->tree, node, duration, frame->self))
		c->lost_pool++;
}

#endif
