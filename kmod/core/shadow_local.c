// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks in a local variable of a call, for a coroutine or for signals:
 *
 *	sp	frames, from the outermost
 *	1000	main		its array is somewhere from 500 to 1000
 *	 500	resume		switches to the coroutine
 *	 880	work		on the array
 *
 * By the addresses alone, resume looks as if it had been left by longjmp, and main had
 * called work. But main would have called work from its own file. So a function that is
 * entered above the top, from outside of the file that it and the call around it are of,
 * runs on another stack: all addresses from resume to main are a local stack then, as
 * long as main has not ended. Frames there are none of home.
 *
 * A callback of a library whose function has no probe looks the same after a longjmp.
 * The next function that main itself calls there shows that it was one.
 *
 * What remains: a coroutine that begins in the very call that has the array looks like a
 * callee of it, and its frames are home's.
 */
#include <linux/fs.h>

#include "core/shadow.h"
#include "core/shadow_parts.h"
#include "lib/arch.h"
#include "session.h"

static const struct kt_func *shadow_local_func_of(const struct kt_stack *stack, u32 func)
{
	return &stack->session->hot.funcs[func];
}

/* The innermost open call of home above sp, or NULL. */
static const struct kt_frame *shadow_local_find_around(struct kt_stack *stack, unsigned long sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;

	for (; frame; frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (!(frame->flags & KT_FRAME_CLOSED) && kt_shadow_is_of_home(frame) &&
		    frame->sp > sp)
			return frame;
	}
	return NULL;
}

bool kt_shadow_is_local(struct kt_stack *stack, unsigned long sp)
{
	const struct kt_frame *around;

	if (likely(sp - stack->local_start >= stack->local_len))
		return false;
	around = shadow_local_find_around(stack, sp);
	return around && around->start == stack->local_of &&
	       around->sp == stack->local_start + stack->local_len;
}

/* Is the return address at sp of the file that is entered now, at the probe of func? */
static bool shadow_local_is_from_file(const struct kt_func *func, unsigned long sp)
{
	unsigned long word = kt_arch_word(sp);

	return kt_shadow_is_hijacked(word) ||
	       word - (kt_arch_ip() - func->desc.entry) < (unsigned long)i_size_read(func->file);
}

/* Is the return address at sp inside the function around, which is of the same file? */
static bool shadow_local_is_called_by(const struct kt_func *around, const struct kt_func *func,
				      unsigned long sp)
{
	u64 offset = kt_arch_word(sp) - (kt_arch_ip() - func->desc.entry);

	return (offset >= around->desc.start && offset < around->desc.end) ||
	       (offset >= around->desc.cold_start && offset < around->desc.cold_end);
}

/* Is there an open call of home above sp, and one below, which may have been left? */
static bool shadow_local_is_between(const struct kt_stack *stack, unsigned long sp)
{
	const struct kt_frame *top = stack->top;

	return top && kt_shadow_is_of_home(top) && top->sp < sp;
}

/* From sp down it is the stack of home. */
static void shadow_local_shrink(struct kt_stack *stack, unsigned long sp)
{
	stack->local_len -= sp + 1 - stack->local_start;
	stack->local_start = sp + 1;
}

bool kt_shadow_find_local(struct kt_stack *stack, u32 func, unsigned long sp)
{
	const struct kt_func *entered = shadow_local_func_of(stack, func);
	bool is_local = kt_shadow_is_local(stack, sp);
	const struct kt_frame *around;

	if (!entered->file || !kt_shadow_is_home(stack, sp) ||
	    !(is_local || shadow_local_is_between(stack, sp)))
		return false;
	around = shadow_local_find_around(stack, sp);
	if (!around || shadow_local_func_of(stack, around->func)->file != entered->file)
		return is_local;
	if (shadow_local_is_called_by(shadow_local_func_of(stack, around->func), entered, sp)) {
		if (is_local)
			shadow_local_shrink(stack, sp);
		return false;
	}
	if (is_local || shadow_local_is_from_file(entered, sp))
		return is_local;
	stack->local_of = around->start;
	stack->local_start = stack->top->sp + 1;
	stack->local_len = around->sp - stack->local_start;
	return true;
}
