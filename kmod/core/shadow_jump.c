// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that do not end by a return of their own.
 *
 * The last thing that a function does may be a jump to another function, which returns
 * to the caller of the first: a tail call. The first function is left then, but its call
 * goes on. The target has the same stack pointer, and is a call inside the first:
 *
 *	sp	frames, from the outermost	at the return of c
 *	1000	a				runs
 *	 900	b	left, jumped to c	ends
 *	 900	c	JUMPED			ends
 *
 * A return at a stack pointer ends all calls there, from the innermost to the outermost.
 * If the kernel replaces return addresses (uretprobe), each call has its own return: then
 * c is a TAIL of b, but does not end it.
 *
 * If the target of a jump has probes at all its exits, the jump itself has no probe
 * (KTRACE_FUNC_JUMPS). The jump shows when another function is entered at the stack
 * pointer of an open call, whose return address is still there, or when a function
 * returns there. Such jumps never lead back to the function that jumped, so if this
 * function is entered there again, it was called again.
 *
 * A call that was left keeps its return address. The target of the jump and its return
 * may not be seen. As soon as the stack holds another value at this place, or another
 * function is called there, the call is over, and its time is an upper bound only. The
 * same holds for functions whose returns are not seen at all.
 */
#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_jump.h"
#include "core/shadow_local.h"
#include "core/shadow_parts.h"
#include "lib/arch.h"

static const struct ktrace_func *shadow_jump_desc_of(const struct kt_shadow *stack, u32 func)
{
	return &stack->session->hot.funcs[func].desc;
}

static bool shadow_jump_is_left(const struct kt_frame *frame)
{
	return frame->flags & KT_FRAME_LEFT;
}

/* A LEFT frame is not HOME, so that kt_shadow_push() takes the slow path above it. */
void kt_shadow_leave(struct kt_shadow *stack, struct kt_frame *frame)
{
	stack->left = NULL;
	if (frame->flags & KT_FRAME_HOME)
		frame->flags |= KT_FRAME_LEFT_HOME;
	frame->flags &= ~KT_FRAME_HOME;
	frame->flags |= KT_FRAME_LEFT;
	kt_shadow_keep_ret(frame);
}

void kt_shadow_keep_ret(struct kt_frame *frame)
{
	frame->ret = kt_arch_word(frame->sp);
}

/* Returns the open call that jumped to frame, or NULL. flags: KT_FRAME_TAIL or KT_FRAME_JUMPED. */
static struct kt_frame *shadow_jump_jumper(const struct kt_frame *frame, u16 flags)
{
	struct kt_frame *parent = frame->flags & flags ? frame->parent : NULL;

	return parent && !(parent->flags & KT_FRAME_CLOSED) ? parent : NULL;
}

static struct kt_frame *shadow_jump_outermost_at(struct kt_shadow *stack, struct kt_frame *frame)
{
	struct kt_frame *before;

	while ((before = shadow_jump_jumper(frame, KT_FRAME_TAIL))) {
		kt_shadow_step(stack, 1);
		frame = before;
	}
	return frame;
}

/* Closes frame, and the calls that jumped to it. Returns the outermost of them. */
static struct kt_frame *shadow_jump_close_jumped(struct kt_shadow *stack, struct kt_frame *frame,
						 u64 now, u8 flags)
{
	struct kt_frame *before;

	for (;; frame = before) {
		before = shadow_jump_jumper(frame, KT_FRAME_JUMPED);
		if (flags & KTRACE_REC_F_AT_MOST)
			kt_shadow_end_late(stack, frame);
		kt_shadow_close(stack, frame, now, flags | kt_shadow_doubt(frame));
		if (!before)
			return frame;
	}
}

/* The calls up to frame have returned, and were closed. */
static void shadow_jump_go_back(struct kt_shadow *stack, const struct kt_frame *frame)
{
	stack->current_frame = kt_shadow_caller(stack, frame);
	kt_shadow_drop_closed_top(stack);
}

void kt_shadow_return(struct kt_shadow *stack, struct kt_frame *frame, u64 now)
{
	struct kt_frame *before = shadow_jump_jumper(frame, KT_FRAME_JUMPED);

	frame->flags |= KT_FRAME_CLOSED;
	if (before)
		frame = shadow_jump_close_jumped(stack, before, now, 0);
	shadow_jump_go_back(stack, frame);
}

/*
 * Has the return address of frame gone from the stack? Unless frame was left, a uretprobe of
 * another session may have replaced the address, which is no return.
 */
static bool shadow_jump_has_returned(const struct kt_frame *frame)
{
	unsigned long word;

	if (!frame->ret)
		return true;
	word = kt_arch_word(frame->sp);
	return word != frame->ret && (shadow_jump_is_left(frame) || !kt_shadow_is_hijacked(word));
}

/* May frame have left its function by a jump without a probe? */
static bool shadow_jump_may_have_jumped(const struct kt_shadow *stack, const struct kt_frame *frame)
{
	return !shadow_jump_is_left(frame) && !kt_shadow_is_kernels(stack) &&
	       (shadow_jump_desc_of(stack, frame->func)->flags & KTRACE_FUNC_JUMPS);
}

/* The last open frame at sp, or NULL. */
static struct kt_frame *shadow_jump_find_at(struct kt_shadow *stack, unsigned long sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;
	bool home = kt_shadow_is_on_home(stack, sp);

	for (; frame; frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->flags & KT_FRAME_CLOSED)
			continue;
		if (frame->sp == sp)
			return frame;
		if (home && kt_shadow_is_of_home(frame) && frame->sp > sp)
			break;
	}
	return NULL;
}

bool kt_shadow_end(struct kt_shadow *stack, unsigned long sp, u64 now)
{
	struct kt_frame *frame = shadow_jump_find_at(stack, sp);

	if (!frame || !(shadow_jump_is_left(frame) || shadow_jump_may_have_jumped(stack, frame)))
		return false;
	/* This is the return of another call at sp. */
	if (shadow_jump_has_returned(frame)) {
		shadow_jump_close_jumped(stack, frame, now, KTRACE_REC_F_AT_MOST);
		kt_shadow_drop_closed_top(stack);
		return false;
	}
	shadow_jump_go_back(stack, shadow_jump_close_jumped(stack, frame, now, 0));
	return true;
}

void kt_shadow_end_returned(struct kt_shadow *stack, unsigned long sp, u64 now)
{
	struct kt_frame *top;

	while ((top = stack->top) && shadow_jump_is_left(top) && top->sp != sp &&
	       (top->sp > sp || !(top->flags & KT_FRAME_LEFT_HOME)) &&
	       shadow_jump_has_returned(top)) {
		shadow_jump_close_jumped(stack, top, now, KTRACE_REC_F_AT_MOST);
		kt_shadow_drop_closed_top(stack);
	}
}

/* Was frame left, and called by around on the same stack, not home? Other stacks are not near. */
static bool shadow_jump_is_left_in(struct kt_shadow *stack, struct kt_frame *frame,
				   const struct kt_frame *around)
{
	return shadow_jump_is_left(frame) && !(frame->flags & KT_FRAME_LEFT_HOME) &&
	       frame->sp < around->sp && around->sp - frame->sp < KT_SHADOW_NEAR &&
	       kt_shadow_caller(stack, shadow_jump_outermost_at(stack, frame)) == around;
}

void kt_shadow_end_inside(struct kt_shadow *stack, const struct kt_frame *frame, u64 now)
{
	while (stack->top != frame && shadow_jump_is_left_in(stack, stack->top, frame)) {
		shadow_jump_close_jumped(stack, stack->top, now, KTRACE_REC_F_AT_MOST);
		kt_shadow_drop_closed_top(stack);
	}
}

/* --- jumps ---------------------------------------------------------------- */

/* Was func the target of frame's jump? The ip of the hit minus the probe's offset is its start. */
static bool shadow_jump_is_target(const struct kt_shadow *stack, const struct kt_frame *frame,
				  u32 func)
{
	const struct ktrace_func *desc = shadow_jump_desc_of(stack, func);

	if (stack->left != frame)
		return false;
	/* If an import is not resolved yet, the jump goes to the linker, and from there to func. */
	return stack->target == kt_arch_ip() - (desc->entry - desc->start) ||
	       (stack->may_be_linker && (desc->flags & KTRACE_FUNC_CALLER));
}

/* The open call of func in the chain of jumps that ends with frame, or NULL. */
static struct kt_frame *shadow_jump_earlier(struct kt_shadow *stack, struct kt_frame *frame,
					    u32 func)
{
	while (frame && frame->func != func) {
		kt_shadow_step(stack, 1);
		frame = shadow_jump_jumper(frame, KT_FRAME_TAIL);
	}
	return frame;
}

/*
 * func is entered at the sp of frame, which was left. Either the target of frame's jump has jumped
 * on to func, or the target has returned, and the caller has called func at the same place. The
 * address alone does not show which: then func counts as a jump, and frame may have ended before.
 * But if func is the outermost function at sp, its call instruction has called it again.
 */
static bool shadow_jump_is_jump_on(struct kt_shadow *stack, struct kt_frame *frame, u32 func)
{
	if (shadow_jump_is_target(stack, frame, func))
		return true;
	if (shadow_jump_desc_of(stack, frame->func)->ret == KTRACE_RETURN_UNSEEN ||
	    shadow_jump_outermost_at(stack, frame)->func == func)
		return false;
	frame->flags |= KT_FRAME_DOUBT;
	return true;
}

struct kt_frame *kt_shadow_jumps(struct kt_shadow *stack, u32 func, unsigned long sp)
{
	struct kt_frame *frame = shadow_jump_find_at(stack, sp);
	bool is_jump;

	if (!frame)
		return NULL;
	/* In the kernel, the return of every call is seen, also after a jump. */
	if (kt_shadow_is_kernels(stack))
		is_jump = frame->func != func;
	else if (shadow_jump_is_left(frame))
		is_jump = !shadow_jump_has_returned(frame) &&
			  shadow_jump_is_jump_on(stack, frame, func);
	else if (shadow_jump_may_have_jumped(stack, frame))
		is_jump = frame->func != func && !shadow_jump_has_returned(frame);
	else
		is_jump = shadow_jump_desc_of(stack, frame->func)->ret == KTRACE_RETURN_URETPROBE &&
			  kt_shadow_is_hijacked(kt_arch_word(sp));
	return is_jump ? frame : NULL;
}

bool kt_shadow_has_jumped(const struct kt_shadow *stack, unsigned long sp)
{
	const struct kt_frame *top = stack->top;

	if (!top || top->sp != sp)
		return false;
	if (shadow_jump_is_left(top) || shadow_jump_may_have_jumped(stack, top))
		return !shadow_jump_has_returned(top);
	return (top->flags & KT_FRAME_TAIL) ||
	       (shadow_jump_desc_of(stack, top->func)->ret == KTRACE_RETURN_URETPROBE &&
		kt_shadow_is_hijacked(kt_arch_word(sp)));
}

/*
 * A function that is jumped to again takes the place of its earlier call, like the next turn of a
 * loop. Otherwise a program that only jumps would fill the stack.
 */
static struct kt_entered shadow_jump_take_place(struct kt_shadow *stack, struct kt_frame *last,
						struct kt_frame *earlier, u64 now)
{
	struct kt_entered call = { .parent = kt_shadow_caller(stack, earlier) };

	if (call.parent == earlier->parent)
		call.flags = earlier->flags & (KT_FRAME_TAIL | KT_FRAME_JUMPED);
	for (;; last = last->parent) {
		last->flags |= KT_FRAME_TURNED;
		kt_shadow_close(stack, last, now, kt_shadow_doubt(last));
		stack->nr_turned += !shadow_jump_is_left(last);
		if (last == earlier)
			break;
	}
	kt_shadow_drop_closed_top(stack);
	return call;
}

struct kt_entered kt_shadow_jump(struct kt_shadow *stack, struct kt_frame *from, u32 func,
				 u64 now)
{
	struct kt_entered call = { .parent = from };
	struct kt_frame *earlier;

	if (kt_shadow_is_kernels(stack))
		return call;
	if (shadow_jump_may_have_jumped(stack, from)) {
		kt_shadow_go_on(stack, from);
		kt_shadow_leave(stack, from);
		stack->current_frame = from;
	}
	earlier = shadow_jump_earlier(stack, from, func);
	if (earlier)
		return shadow_jump_take_place(stack, from, earlier, now);
	call.flags = KT_FRAME_TAIL | (shadow_jump_is_left(from) ? KT_FRAME_JUMPED : 0);
	return call;
}
