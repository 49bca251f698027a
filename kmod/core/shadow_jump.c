// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that do not end by a return of their own.
 *
 * The last thing that a function does may be a jump to another one, which returns to
 * the caller of the first: a tail call. The first is left then, but its call goes on.
 * What it jumped to has the same stack pointer, and is a call inside of it:
 *
 *	sp	frames, from the outermost	at the return of c
 *	1000	a				runs
 *	 900	b	left, jumped to c	ends
 *	 900	c	JUMPED			ends
 *
 * A return at a stack pointer ends all calls there, from the inner to the outer one.
 * Where the kernel hijacks returns (uretprobe) each call has one of its own: then c
 * is a TAIL of b, but does not end it.
 *
 * Where what is jumped to has probes at all its exits, the jump itself has none
 * (KTRACE_FUNC_JUMPS): it shows by what is entered at the stack pointer of an open call,
 * with that one's return address, or returns there. Such jumps never lead back to a
 * function, so one that is entered there again was called again.
 *
 * Of a call that was left the return address is kept. What it jumped to may not be
 * seen, nor its return: as soon as something else lies there, or is entered there, the
 * call is over, and its time is known as a bound only. The same holds for functions
 * whose returns are not seen at all.
 */
#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "core/shadow.h"
#include "core/shadow_parts.h"
#include "lib/arch.h"
#include "session.h"

static const struct ktrace_func *shadow_jump_desc_of(const struct kt_stack *stack, u32 func)
{
	return &stack->session->hot.funcs[func].desc;
}

static bool shadow_jump_is_left(const struct kt_frame *frame)
{
	return frame->flags & KT_FRAME_LEFT;
}

/* No frame that is left is usual: each hit above it looks at it. */
void kt_shadow_leave(struct kt_stack *stack, struct kt_frame *frame)
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

/* What is known of its end, which was now at the latest. */
static u8 shadow_jump_doubt(const struct kt_frame *frame)
{
	return frame->flags & KT_FRAME_DOUBT ? KTRACE_REC_F_AT_MOST : 0;
}

/* The open call that has jumped to it, with one of flags; or NULL. */
static struct kt_frame *shadow_jump_jumper(const struct kt_frame *frame, u16 flags)
{
	struct kt_frame *parent = frame->flags & flags ? frame->parent : NULL;

	return parent && !(parent->flags & KT_FRAME_CLOSED) ? parent : NULL;
}

static struct kt_frame *shadow_jump_outermost_at(struct kt_stack *stack, struct kt_frame *frame)
{
	struct kt_frame *before;

	while ((before = shadow_jump_jumper(frame, KT_FRAME_TAIL))) {
		kt_shadow_step(stack, 1);
		frame = before;
	}
	return frame;
}

/* Returns the outermost frame that ended. */
static struct kt_frame *shadow_jump_close_jumped(struct kt_stack *stack, struct kt_frame *frame,
						 u64 now, u8 flags)
{
	struct kt_frame *before;

	for (;; frame = before) {
		before = shadow_jump_jumper(frame, KT_FRAME_JUMPED);
		kt_shadow_close(stack, frame, now, flags | shadow_jump_doubt(frame));
		stack->result = NULL;
		if (!before)
			return frame;
	}
}

void kt_shadow_return(struct kt_stack *stack, struct kt_frame *frame, u64 now)
{
	frame = shadow_jump_close_jumped(stack, frame, now, 0);
	stack->current_frame = kt_shadow_caller(stack, frame);
	kt_shadow_drop_closed_top(stack);
}

/* Its return address lies there no more. Behind its entry another session may have hijacked it. */
static bool shadow_jump_has_returned(const struct kt_frame *frame)
{
	unsigned long word;

	if (!frame->ret)
		return true;
	word = kt_arch_word(frame->sp);
	return word != frame->ret && (shadow_jump_is_left(frame) || !kt_shadow_is_hijacked(word));
}

/* By a jump that has no probe. */
static bool shadow_jump_may_have_jumped(const struct kt_stack *stack, const struct kt_frame *frame)
{
	return !shadow_jump_is_left(frame) && !kt_shadow_is_kernels(stack) &&
	       (shadow_jump_desc_of(stack, frame->func)->flags & KTRACE_FUNC_JUMPS);
}

bool kt_shadow_end(struct kt_stack *stack, unsigned long sp, u64 now)
{
	struct kt_frame *frame = kt_shadow_find_at(stack, sp);

	if (!frame || !(shadow_jump_is_left(frame) || shadow_jump_may_have_jumped(stack, frame)))
		return false;
	/* The return of another call there. */
	if (shadow_jump_has_returned(frame)) {
		shadow_jump_close_jumped(stack, frame, now, KTRACE_REC_F_AT_MOST);
		kt_shadow_drop_closed_top(stack);
		return false;
	}
	kt_shadow_return(stack, frame, now);
	return true;
}

void kt_shadow_end_returned(struct kt_stack *stack, unsigned long sp, u64 now)
{
	struct kt_frame *top;

	while ((top = stack->top) && shadow_jump_is_left(top) && top->sp != sp &&
	       (top->sp > sp || !(top->flags & KT_FRAME_LEFT_HOME)) &&
	       shadow_jump_has_returned(top)) {
		shadow_jump_close_jumped(stack, top, now, KTRACE_REC_F_AT_MOST);
		kt_shadow_drop_closed_top(stack);
	}
}

/* Was it called by frame, on the same stack, which is not home? Others lie further away. */
static bool shadow_jump_is_left_in(struct kt_stack *stack, struct kt_frame *frame,
				   const struct kt_frame *around)
{
	return shadow_jump_is_left(frame) && !(frame->flags & KT_FRAME_LEFT_HOME) &&
	       frame->sp < around->sp && around->sp - frame->sp < KT_SHADOW_NEAR &&
	       kt_shadow_caller(stack, shadow_jump_outermost_at(stack, frame)) == around;
}

void kt_shadow_end_inside(struct kt_stack *stack, const struct kt_frame *frame, u64 now)
{
	while (stack->top != frame && shadow_jump_is_left_in(stack, stack->top, frame)) {
		shadow_jump_close_jumped(stack, stack->top, now, KTRACE_REC_F_AT_MOST);
		kt_shadow_drop_closed_top(stack);
	}
}

/* --- jumps ---------------------------------------------------------------- */

/* Did frame jump to func, which begins at ip less what its probe is behind that? */
static bool shadow_jump_is_target(const struct kt_stack *stack, const struct kt_frame *frame,
				  u32 func)
{
	const struct ktrace_func *desc = shadow_jump_desc_of(stack, func);

	if (stack->left != frame)
		return false;
	/* To the linker, which was to find it first; or to the file's own, found already. */
	return stack->target == kt_arch_ip() - (desc->entry - desc->start) ||
	       (stack->may_be_linker && (desc->flags & KTRACE_FUNC_CALLER));
}

/* The open call of func among those that jumped one to the other, to frame in the end; or NULL. */
static struct kt_frame *shadow_jump_earlier(struct kt_stack *stack, struct kt_frame *frame,
					    u32 func)
{
	while (frame && frame->func != func) {
		kt_shadow_step(stack, 1);
		frame = shadow_jump_jumper(frame, KT_FRAME_TAIL);
	}
	return frame;
}

/*
 * By the address alone it cannot be told whether what was jumped to jumped on, or has
 * returned, and the caller has called func at the same place: then the call that is left
 * may have ended before. A call instruction calls the outermost function at its place.
 */
static bool shadow_jump_is_jump_on(struct kt_stack *stack, struct kt_frame *frame, u32 func)
{
	if (shadow_jump_is_target(stack, frame, func))
		return true;
	if (shadow_jump_desc_of(stack, frame->func)->ret == KTRACE_RETURN_UNSEEN ||
	    shadow_jump_outermost_at(stack, frame)->func == func)
		return false;
	frame->flags |= KT_FRAME_DOUBT;
	return true;
}

struct kt_frame *kt_shadow_jumps(struct kt_stack *stack, u32 func, unsigned long sp)
{
	struct kt_frame *frame = kt_shadow_find_at(stack, sp);
	bool is_jump;

	if (!frame)
		return NULL;
	/* Of the kernel each return is seen, whichever way it comes. */
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
	if (is_jump && shadow_jump_may_have_jumped(stack, frame)) {
		kt_shadow_leave(stack, frame);
		stack->current_frame = frame;
	}
	return is_jump ? frame : NULL;
}

bool kt_shadow_has_jumped(const struct kt_stack *stack, unsigned long sp)
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
 * One that is jumped to again takes the place of its earlier call, as a turn of a loop:
 * else programs that only ever jump would fill the stack.
 */
static struct kt_frame *shadow_jump_take_place(struct kt_stack *stack, struct kt_frame *last,
					       struct kt_frame *earlier, u64 now)
{
	struct kt_frame *parent = kt_shadow_caller(stack, earlier);

	stack->entering = 0;
	if (parent == earlier->parent)
		stack->entering = earlier->flags & (KT_FRAME_TAIL | KT_FRAME_JUMPED);
	stack->has_no_result = true;
	for (;; last = last->parent) {
		kt_shadow_close(stack, last, now, shadow_jump_doubt(last));
		stack->nr_turned += !shadow_jump_is_left(last);
		if (last == earlier)
			break;
	}
	stack->has_no_result = false;
	kt_shadow_drop_closed_top(stack);
	return parent;
}

struct kt_frame *kt_shadow_jump(struct kt_stack *stack, struct kt_frame *from, u32 func, u64 now)
{
	struct kt_frame *frame;

	if (kt_shadow_is_kernels(stack))
		return from;
	stack->result = NULL;
	frame = shadow_jump_earlier(stack, from, func);
	if (frame)
		return shadow_jump_take_place(stack, from, frame, now);
	stack->entering = KT_FRAME_TAIL;
	if (shadow_jump_is_left(from))
		stack->entering |= KT_FRAME_JUMPED;
	return from;
}
