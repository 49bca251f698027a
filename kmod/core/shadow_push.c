// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit proves: which calls have ended, and which call is the parent of a new one.
 *
 * A task runs on several stacks: its own ("home": what the kernel or the thread library gave it),
 * stacks of coroutines, alternate signal stacks. On the home stack, the order of addresses is
 * proof: an entry at sp proves that every home frame at or below sp has ended. On other stacks it
 * proves nothing, since a lower address may belong to another coroutine that waits. A frame on
 * another stack is closed by its own return, by a new frame at the same sp, or when the task ends.
 */
#include <linux/kernel.h>

#include <uapi/ktrace_record.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_jump.h"
#include "core/shadow_local.h"
#include "core/shadow_parts.h"
#include "core/shadow_push.h"

/*
 * Closes a frame that has ended without a return of its own. This hit shows it, so its time is a
 * bound, unless longjmp has ended it, or the exception is caught now. A LEFT frame may have
 * returned long before. If the target of a jump was unwound, so was its parent.
 */
static void shadow_push_close_dead(struct kt_shadow *stack, struct kt_frame *frame, u64 now)
{
	bool throws = kt_shadow_has_trait(stack, frame, KTRACE_TRAIT_THROWS);
	bool is_bound = !throws && (frame->flags & (KT_FRAME_LEFT | KT_FRAME_DOUBT));
	bool is_late = !stack->is_caught && !kt_shadow_is_kernels(stack);
	u8 flags = is_bound ? KTRACE_REC_F_AT_MOST : KTRACE_REC_F_UNWOUND;

	if (frame == stack->current_frame && kt_shadow_has_trait(stack, frame, KTRACE_TRAIT_LEAPS))
		stack->leapt = frame->start;
	if (is_late)
		kt_shadow_end_late(stack, frame);
	if (is_late && !stack->leapt)
		flags |= KTRACE_REC_F_AT_MOST;
	kt_shadow_close(stack, frame, stack->leapt ? stack->leapt : now, flags);
	if (!is_bound && (frame->flags & KT_FRAME_JUMPED) && frame->parent)
		frame->parent->flags &= ~KT_FRAME_LEFT;
}

/* Is frame on a local stack whose call has ended? It has if sp is above that stack. */
static bool shadow_push_has_lost_stack(const struct kt_shadow *stack, const struct kt_frame *frame,
				       unsigned long sp)
{
	return kt_shadow_is_home(stack, frame->sp) && frame->sp < sp &&
	       sp >= stack->local_start + stack->local_len;
}

/* Closes the frames that a frame at sp proves dead; with_sp: frames at sp, too. */
static void shadow_push_unwind(struct kt_shadow *stack, unsigned long sp, u64 now, bool with_sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;
	bool home = kt_shadow_is_on_home(stack, sp);
	bool is_foreign;

	/* Where the order of addresses proves nothing, only a frame at sp itself can be dead. */
	for (; frame && (home || with_sp); frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->flags & KT_FRAME_CLOSED)
			continue;
		is_foreign = !kt_shadow_is_of_home(frame) &&
			     !shadow_push_has_lost_stack(stack, frame, sp);
		if (frame->sp == sp ? with_sp :
		    home && !is_foreign && frame->sp < sp)
			shadow_push_close_dead(stack, frame, now);
		else if (home && !is_foreign)
			break;
	}
	kt_shadow_drop_closed_top(stack);
}

/* A handler that begins on its signal stack has no caller there: it interrupts another call. */
static bool shadow_push_may_call(const struct kt_shadow *stack, const struct kt_frame *frame,
				 unsigned long sp)
{
	return !kt_shadow_is_on_signal_stack(stack, sp) ||
	       kt_shadow_is_on_signal_stack(stack, frame->sp);
}

/*
 * The open frame that made a call at sp: the nearest one above sp on the same stack, or the call
 * that ran, if there is none.
 */
static struct kt_frame *shadow_push_find_parent(struct kt_shadow *stack, unsigned long sp)
{
	struct kt_frame *frame = stack->top, *best = NULL;
	struct kt_chunk *chunk = stack->chunk;
	bool home = kt_shadow_is_on_home(stack, sp);
	unsigned long below = 0;

	for (; frame; frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if ((frame->flags & KT_FRAME_CLOSED) || kt_shadow_is_of_home(frame) != home)
			continue;
		if (frame->sp < sp) {
			below = max(below, frame->sp);
			continue;
		}
		if (home)
			return frame;
		if (!best || frame->sp < best->sp)
			best = frame;
	}
	if (!home) {
		stack->gap_low = below;
		stack->gap_high = best ? best->sp : ULONG_MAX;
	}
	return best && shadow_push_may_call(stack, best, sp) ? best : stack->current_frame;
}

/*
 * Did the top frame make a call at sp, on a stack that is not home? The nearest open frame above sp
 * made it, and to find this frame among all open ones takes long on a deep stack. So the search
 * notes the addresses around sp without open frames, from gap_low up to the frame that it found, at
 * gap_high. Until the next search, all frames in this gap are new ones, each below the one before.
 * The first call of a signal handler on a stack of its own has another caller, so it is searched.
 */
static bool shadow_push_is_called_by_top(const struct kt_shadow *stack, unsigned long sp)
{
	const struct kt_frame *top = stack->top;

	return sp > stack->gap_low && sp < top->sp && top->sp <= stack->gap_high &&
	       !(kt_shadow_is_of_home(top) || (top->flags & KT_FRAME_LEFT)) &&
	       !kt_shadow_is_home(stack, sp) && shadow_push_may_call(stack, top, sp);
}

/* Closes the frames that a call at sp proves dead. */
static struct kt_entered shadow_push_settle(struct kt_shadow *stack, u32 func, unsigned long sp,
					    u64 now)
{
	struct kt_entered call = { .parent = stack->top };
	struct kt_frame *from;
	bool is_local;

	if (shadow_push_is_called_by_top(stack, sp)) {
		kt_shadow_go_on(stack, stack->top);
		return call;
	}
	stack->is_caught = stack->session->hot.funcs[func].desc.traits & KTRACE_TRAIT_CATCHES;
	kt_shadow_end_returned(stack, sp, now);
	from = kt_shadow_jumps(stack, func, sp);
	is_local = kt_shadow_find_local(stack, func, sp);
	shadow_push_unwind(stack, sp, now, !from);
	if (from) {
		call = kt_shadow_jump(stack, from, func, now);
		kt_shadow_go_on(stack, stack->current_frame);
		stack->gap_high = 0;	/* the new frame is not below the others */
	} else {
		call.parent = shadow_push_find_parent(stack, sp);
		kt_shadow_go_on(stack, call.parent);
	}
	if (!is_local && kt_shadow_is_on_home(stack, sp))
		call.flags |= KT_FRAME_HOME;
	return call;
}

struct kt_frame *kt_shadow_push_odd(struct kt_session *session, struct kt_shadow *stack, u32 func,
				    unsigned long sp, u64 now)
{
	struct kt_entered call = shadow_push_settle(stack, func, sp, now);

	return kt_shadow_add(session, stack, call, func, sp, now);
}

static struct kt_frame *shadow_push_find(struct kt_shadow *stack, u32 func, unsigned long sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;

	for (; frame; frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->sp == sp && frame->func == func &&
		    !(frame->flags & KT_FRAME_CLOSED))
			return frame;
	}
	return NULL;
}

/* Closes the calls that frame has jumped to, whose returns were lost. */
static void shadow_push_close_jumps(struct kt_shadow *stack, const struct kt_frame *frame, u64 now)
{
	while (stack->top != frame && stack->top->sp == frame->sp) {
		shadow_push_close_dead(stack, stack->top, now);
		kt_shadow_drop_closed_top(stack);
	}
}

/* Decrements *nr. Returns false if it is 0. */
static bool shadow_push_is_one_of(u32 *nr)
{
	if (!*nr)
		return false;
	--*nr;
	return true;
}

struct kt_frame *kt_shadow_uncover(struct kt_shadow *stack, u32 func, unsigned long sp, u64 now)
{
	struct kt_frame *frame = shadow_push_find(stack, func, sp);

	if (!frame)
		return NULL;
	if (frame != stack->top)
		shadow_push_unwind(stack, sp, now, false);
	if (unlikely(frame != stack->top && stack->top->sp == sp))
		shadow_push_close_jumps(stack, frame, now);
	if (unlikely(frame != stack->top))
		kt_shadow_end_inside(stack, frame, now);
	kt_shadow_go_on(stack, frame);
	return frame;
}

bool kt_shadow_return_lost(struct kt_shadow *stack, unsigned long sp, u64 now)
{
	bool has_ended = kt_shadow_end(stack, sp, now);

	kt_shadow_go_on(stack, stack->current_frame);
	return shadow_push_is_one_of(&stack->nr_turned) ||
	       shadow_push_is_one_of(&stack->nr_overflown) || has_ended;
}

bool kt_shadow_jump_out(struct kt_shadow *stack, u32 func, unsigned long sp,
			unsigned long target, bool may_be_linker, u64 now)
{
	struct kt_frame *frame = kt_shadow_uncover(stack, func, sp, now);

	if (!frame)
		return shadow_push_is_one_of(&stack->nr_overflown);
	kt_shadow_leave(stack, frame);
	stack->left = frame;
	stack->target = target;
	stack->may_be_linker = may_be_linker;
	stack->current_frame = frame;
	return true;
}

void kt_shadow_return_at(struct kt_shadow *stack, unsigned long sp, u64 now)
{
	if (!stack->top)
		return;
	if (stack->top->sp < sp && kt_shadow_is_on_home(stack, sp))
		shadow_push_unwind(stack, sp, now, false);
	kt_shadow_go_on(stack, stack->current_frame);
	kt_shadow_end(stack, sp, now);
	kt_shadow_go_on(stack, stack->current_frame);
}
