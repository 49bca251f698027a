// SPDX-License-Identifier: GPL-2.0
/* Calls, from their entry to their end: what most hits do not do. */
#include <linux/kernel.h>

#include <uapi/ktrace_record.h>

#include "core/call.h"
#include "core/chain.h"
#include "core/record.h"
#include "core/trigger.h"
#include "core/value.h"
#include "core/walk.h"

void kt_call_emit_args(struct kt_shadow *stack, struct kt_frame *frame, struct kt_values *values)
{
	frame->flags |= KT_FRAME_EMITTED;
	kt_call_emit(stack, KTRACE_REC_ENTRY, frame->func, frame->depth,
		     kt_call_entry_flags(frame) | KTRACE_REC_F_VALUES, values->words, values->nr,
		     values->nr);
}

void kt_call_emit_odd_entry(struct kt_shadow *stack, const struct kt_frame *frame)
{
	if (kt_call_has_entries(stack->session))
		kt_call_emit(stack, KTRACE_REC_ENTRY, frame->func, frame->depth,
			     kt_call_entry_flags(frame), NULL, 0, 0);
}

/* --- exits without entries, and the trigger --------------------------------- */

/* Without an ENTRY, the EXIT shows that the call was a tail call. */
static inline bool call_emit_exit(struct kt_shadow *stack, const struct kt_frame *frame,
				  u8 flags, const u64 *words, u32 nr_words, u8 nr_payload)
{
	if (!kt_call_has_entries(stack->session))
		flags |= kt_call_entry_flags(frame);
	return kt_call_emit(stack, KTRACE_REC_EXIT, frame->func, frame->depth, flags, words,
			    nr_words, nr_payload);
}

static void call_emit_open(struct kt_shadow *stack, const struct kt_frame *frame, u64 now)
{
	u8 flags = KTRACE_REC_F_OPEN;
	u64 duration = now - frame->start;

	if (frame->flags & KT_FRAME_INHERITED)
		flags |= KTRACE_REC_F_INHERITED;
	call_emit_exit(stack, frame, flags, &duration, 1, 0);
}

/* How many open calls may be written: half of what the CPU's ring has stays. */
static u32 call_most_open(const struct kt_session *session)
{
	return session->config.nr_subbufs *
	       (u32)(KTRACE_PACKET_LEN / (sizeof(struct ktrace_record) + sizeof(u64)) / 2);
}

/*
 * A call of func, made by caller, is in the ring. If it fires the trigger, the calls that are open
 * around it are written, too. They may be very many: may rest. The outer ones that have no room
 * count as not written.
 */
static noinline void call_trigger(struct kt_shadow *stack, const struct kt_frame *caller, u32 func,
				  u64 now, u64 duration)
{
	const struct kt_trigger_event event = {
		.duration = duration, .number = func, .func = func, .tid = stack->tid,
	};
	u32 left = call_most_open(stack->session);

	if (!kt_trigger_claim(stack->session, &event))
		return;
	for (; caller; caller = kt_shadow_caller(stack, caller)) {
		kt_shadow_step(stack, KT_WALK_STEPS_TO_CLOSE);
		if (caller->flags & KT_FRAME_HIDDEN)
			continue;
		if (left) {
			call_emit_open(stack, caller, now);
			left--;
		} else {
			this_cpu_inc(stack->session->hot.cpu->counters.after_trigger);
		}
	}
	kt_trigger_fire(stack->session, &event);
}

/* --- entries ---------------------------------------------------------------- */

/* The callees of a hidden frame become children of the node that would be the frame's parent. */
static void call_inherit_node(struct kt_shadow *stack, struct kt_frame *frame, u32 parent)
{
	frame->node = parent;
	frame->generation = stack->tree->generation;
}

void kt_call_renew_node(struct kt_shadow *stack, struct kt_frame *frame)
{
	const struct kt_frame *parent = frame->parent;
	bool is_kept = !stack->session->hot.min_time || (frame->flags & KT_FRAME_WANTED);
	u32 node = KTRACE_NODE_ROOT;

	if (!is_kept || kt_call_has_node(stack->tree, frame))
		return;
	if (parent && kt_call_has_node(stack->tree, parent))
		node = parent->node;
	if (frame->flags & KT_FRAME_HIDDEN)
		call_inherit_node(stack, frame, node);
	else
		kt_call_set_node(stack, frame, node);
	if ((frame->flags & (KT_FRAME_TAIL | KT_FRAME_HIDDEN)) == KT_FRAME_TAIL)
		kt_tree_mark_tail(stack->tree, frame->node);
}

void kt_call_enter_odd(struct kt_session *session, struct kt_shadow *stack,
		       struct kt_frame *frame, struct kt_values *values)
{
	if (frame->flags & KT_FRAME_HIDDEN) {
		if (stack->tree && !session->hot.min_time)
			call_inherit_node(stack, frame, kt_call_node_of(stack, frame->parent));
		return;
	}
	kt_call_show(session, stack, frame, values);
	if (stack->tree && kt_call_has_node(stack->tree, frame))
		kt_tree_mark_tail(stack->tree, frame->node);
}

void kt_call_pass(struct kt_shadow *stack, u32 func, struct kt_values *values)
{
	struct kt_session *session = stack->session;
	struct kt_frame *parent = stack->current_frame;
	u16 depth = kt_shadow_depth_in(session, parent);
	bool is_written;
	u32 node;

	if (depth >= session->hot.max_depth)
		return;
	kt_call_count(session, func);
	if (session->hot.min_time)
		return;
	if (stack->tree) {
		/* kt_call_node_of() may rest, and stack->tree may be a new one afterwards. */
		node = kt_call_node_of(stack, parent);
		node = kt_tree_child(stack->tree, node, func);
		if (unlikely(kt_tree_is_full(stack->tree, node)))
			kt_session_this_cpu(session)->counters.lost_tree++;
		if (!kt_tree_add(stack->tree, node, 0, 0))
			kt_session_this_cpu(session)->counters.lost_pool++;
	}
	if (session->hot.is_plain)
		return;
	kt_call_row(stack, func, 1);
	if (!session->hot.ring)
		return;
	if (values)
		is_written = kt_call_emit(stack, KTRACE_REC_ENTRY, func, depth,
					  KTRACE_REC_F_NO_RETURN | KTRACE_REC_F_VALUES,
					  values->words, values->nr, values->nr);
	else
		is_written = kt_call_emit(stack, KTRACE_REC_ENTRY, func, depth,
					  KTRACE_REC_F_NO_RETURN, NULL, 0, 0);
	if (unlikely(session->hot.trigger) && is_written)
		call_trigger(stack, parent, func, stack->last, 0);
}

/* --- ends ------------------------------------------------------------------- */

/* Marks frame and its callers as kept. Returns true if frame was not marked before. */
static bool call_want(struct kt_shadow *stack, struct kt_frame *frame)
{
	bool is_new = !(frame->flags & KT_FRAME_WANTED);

	for (; frame && !(frame->flags & KT_FRAME_WANTED); frame = frame->parent) {
		kt_shadow_step(stack, 1);
		frame->flags |= KT_FRAME_WANTED;
	}
	return is_new;
}

static void call_show_wanted(struct kt_shadow *stack, struct kt_frame *frame)
{
	if (!(frame->flags & KT_FRAME_WANTED))
		return;
	if (stack->tree)
		kt_call_renew_node(stack, frame);
	if (!stack->session->hot.ring || (frame->flags & (KT_FRAME_EMITTED | KT_FRAME_HIDDEN)))
		return;
	frame->flags |= KT_FRAME_EMITTED;
	if (kt_call_has_entries(stack->session))
		kt_call_emit(stack, KTRACE_REC_ENTRY, frame->func, frame->depth,
			     kt_call_entry_flags(frame) | KTRACE_REC_F_LATE, &frame->start, 1, 1);
}

/* The time of an inner call is part of an outer call of the same function, which ends later. */
struct kt_hist *kt_call_add_recursive(struct kt_session *session, struct kt_shadow *stack,
				      const struct kt_frame *frame, u64 duration)
{
	bool is_inner = kt_shadow_is_recursive(stack, frame->parent, frame->func);
	struct kt_hist *hist = kt_call_add_duration(session, frame->func, duration);

	if (hist && is_inner)
		hist->nested_ns += duration;
	return hist;
}

/* Adds to the node of a call, or of a call that goes on, a time that is only an upper bound. */
static void call_add_bound_node(struct kt_shadow *stack, const struct kt_frame *frame,
				u64 duration, u64 self, bool is_call)
{
	/* This may rest, so stack->tree is read afterwards. */
	u32 node = kt_call_node_of(stack, frame);
	struct kt_tree *tree = stack->tree;
	u32 bound = kt_tree_at_most(tree, node);
	struct ktrace_counters *c = &kt_session_this_cpu(stack->session)->counters;

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

/* hist may be NULL. */
static void call_add_bound_to(struct kt_hist *hist, u32 nr_calls, u64 duration, u64 self)
{
	if (!hist)
		return;
	hist->at_most += nr_calls;
	hist->at_most_ns += duration;
	hist->at_most_self_ns += self;
}

/* In the figures of the function and, in a session with a table, in its row. */
static void call_add_bounds(struct kt_shadow *stack, u32 func, u32 nr_calls, u64 duration,
			    u64 self)
{
	struct kt_session_cpu *cpu = kt_session_this_cpu(stack->session);

	call_add_bound_to(kt_figures_hist(cpu, func), nr_calls, duration, self);
	call_add_bound_to(kt_call_row(stack, func, nr_calls), nr_calls, duration, self);
}

/*
 * The end of the call was not seen: its duration and its self time are upper bounds, which are in
 * no sum. No time of such a call is in TOTAL, so none is in SELF, which would else exceed TOTAL.
 */
static noinline void call_add_bound(struct kt_shadow *stack, const struct kt_frame *frame,
				    u64 duration)
{
	bool is_inner = (frame->flags & KT_FRAME_RECURSIVE) &&
			kt_shadow_is_recursive(stack, frame->parent, frame->func);
	u64 self = max_t(s64, frame->self, 0);

	call_add_bounds(stack, frame->func, 1, is_inner ? 0 : duration, self);
	if (stack->tree)
		call_add_bound_node(stack, frame, duration, self, true);
}

/* The self time of a hidden frame counts as self time of its caller. */
static void call_close_hidden(struct kt_shadow *stack, struct kt_frame *frame)
{
	struct kt_frame *caller = kt_shadow_caller(stack, frame);

	if (caller)
		caller->self += frame->self;
}

/* The call counts in the parent process, which entered it; here it only gets a record. */
static void call_close_inherited(struct kt_session *session, struct kt_shadow *stack,
				 const struct kt_frame *frame, u64 duration, u8 flags)
{
	if (session->hot.ring && (frame->flags & KT_FRAME_EMITTED))
		call_emit_exit(stack, frame, flags | KTRACE_REC_F_INHERITED, &duration, 1, 0);
}

/* The frame was entered with a minimum time, which was removed since: it is not shown yet. */
static bool call_is_unsaid(const struct kt_session *session, const struct kt_frame *frame)
{
	return session->hot.ring && !(frame->flags & KT_FRAME_EMITTED);
}

/* If the return was not seen (flags), the call has no outcome, and its chain stays as it is. */
static noinline void call_close_try(struct kt_session *session, struct kt_shadow *stack,
				    struct kt_frame *frame, u64 duration, u8 flags, u32 error)
{
	struct kt_hist *hist;

	if (frame->flags & KT_FRAME_INHERITED)
		return;
	hist = kt_call_add_hist(session, stack, frame, duration);
	if (flags)
		return;
	if (hist)
		hist->errors += !!error;
	kt_chain_add(stack, frame, duration, error);
}

/* The EXIT of a call with a result, or in a session with odd records. May rest. */
static noinline void call_emit_odd_exit(struct kt_shadow *stack, const struct kt_frame *frame,
					u64 now, u8 flags, struct kt_values *result)
{
	u64 duration = now - frame->start;
	bool is_written;

	if (result && !flags) {
		result->duration = duration;
		is_written = call_emit_exit(stack, frame, KTRACE_REC_F_VALUES, &result->duration,
					    1 + result->nr, result->nr);
	} else {
		is_written = call_emit_exit(stack, frame, flags, &duration, 1, 0);
	}
	if (unlikely(stack->session->hot.trigger) && is_written &&
	    !(flags & KTRACE_REC_F_AT_MOST) && !stack->is_cut)
		call_trigger(stack, kt_shadow_caller(stack, frame), frame->func, now, duration);
}

/* Handles what is unusual at an end, and may rest. Returns true if the call counts here. */
static noinline bool call_settle_odd(struct kt_session *session, struct kt_shadow *stack,
				     struct kt_frame *frame, u64 duration, u8 flags)
{
	if (frame->flags & KT_FRAME_HIDDEN) {
		call_close_hidden(stack, frame);
		return false;
	}
	if (duration < session->hot.min_time && !(frame->flags & KT_FRAME_EMITTED))
		return false;
	if (frame->flags & KT_FRAME_INHERITED) {
		call_close_inherited(session, stack, frame, duration, flags);
		return false;
	}
	/* If a frame is shown, its callers are shown, too. */
	if ((session->hot.min_time || call_is_unsaid(session, frame)) &&
	    call_want(stack, frame) && (stack->tree || session->hot.ring))
		kt_shadow_for_each(stack, call_show_wanted);
	return true;
}

/* The usual call of a stream: it gets an EXIT, and no minimum time decides. */
static inline bool call_is_usual(const struct kt_session *session, const struct kt_frame *frame)
{
	const u16 odd = KT_FRAME_HIDDEN | KT_FRAME_INHERITED;

	return (frame->flags & (odd | KT_FRAME_EMITTED)) == KT_FRAME_EMITTED &&
	       !session->hot.min_time;
}

void kt_call_close(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags,
		   struct kt_values *result, u32 error)
{
	struct kt_session *session = stack->session;
	u64 duration = now - frame->start;

	/* Its real end was not seen: the function was removed, or the task left the session. */
	if (unlikely(flags && (session->hot.funcs[frame->func].is_gone ||
			       frame->start < READ_ONCE(session->hot.narrowed))))
		frame->flags |= KT_FRAME_INHERITED;
	if (session->hot.flags & KTRACE_F_ERRORS) {
		call_close_try(session, stack, frame, duration, flags, error);
		return;
	}
	if (unlikely(!call_is_usual(session, frame)) &&
	    !call_settle_odd(session, stack, frame, duration, flags))
		return;
	if (unlikely(flags & KTRACE_REC_F_AT_MOST)) {
		call_add_bound(stack, frame, duration);
	} else {
		kt_call_add(session, stack, frame, duration);
		if (kt_figures_table(session))
			kt_call_add_row(stack, frame, duration);
	}
	if (!session->hot.ring)
		return;
	if (unlikely(result || session->hot.has_odd_records))
		call_emit_odd_exit(stack, frame, now, flags, result);
	else
		kt_call_write(stack, KTRACE_REC_EXIT, frame, flags, &duration, 1);
}

/* --- ends that the shadow stack notices --------------------------------------- */

/* A call that ends with the return of another call has the same result, still in its register. */
static noinline void call_end_with_result(struct kt_shadow *stack, struct kt_frame *frame, u64 now)
{
	struct kt_values result;

	kt_value_peek_result(&result, &stack->session->hot.funcs[frame->func].desc);
	kt_call_close(stack, frame, now, 0, &result, 0);
}

#define ENDS (KTRACE_REC_F_UNWOUND | KTRACE_REC_F_KILLED | KTRACE_REC_F_OPEN)

static void call_end(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags)
{
	struct kt_session *session = stack->session;

	if ((flags & ENDS) && !(frame->flags & KT_FRAME_INHERITED))
		kt_session_this_cpu(session)->counters.unwound++;
	if (flags || (frame->flags & KT_FRAME_TURNED) || kt_shadow_is_kernels(stack) ||
	    !session->hot.funcs[frame->func].desc.result)
		kt_call_close(stack, frame, now, flags, NULL, 0);
	else
		call_end_with_result(stack, frame, now);
}

static void call_doubt(struct kt_shadow *stack, struct kt_frame *frame, u64 ns)
{
	const struct kt_session *session = stack->session;

	while (frame && (frame->flags & KT_FRAME_HIDDEN)) {
		kt_shadow_step(stack, 1);
		frame = kt_shadow_caller(stack, frame);
	}
	if (!frame || (frame->flags & KT_FRAME_INHERITED) || (s64)ns <= 0 ||
	    (session->hot.min_time && !(frame->flags & KT_FRAME_WANTED)))
		return;
	call_add_bounds(stack, frame->func, 0, 0, ns);
	if (stack->tree)
		call_add_bound_node(stack, frame, 0, ns, false);
}

static void call_task_exit(struct kt_shadow *stack)
{
	if (stack->session->hot.ring)
		kt_call_emit(stack, KTRACE_REC_TASK_EXIT, 0, 0, 0, NULL, 0, 0);
}

const struct kt_shadow_user kt_call_ends = {
	.end = call_end, .doubt = call_doubt, .task_exit = call_task_exit,
};
