// SPDX-License-Identifier: GPL-2.0
/*
 * Local stacks: a stack in a local variable of a call, for a coroutine or for signals.
 *
 *	sp	frames, from the outermost
 *	1000	main		its array is somewhere from 500 to 1000
 *	 500	resume		switches to the coroutine
 *	 880	work		on the array
 *
 * By the addresses alone, it looks as if resume was left by longjmp and main called work.
 * But main would call work from its own file. So if a function is entered above the top,
 * it and the call around it are of the same file, and the return address is not in this
 * file, then the function runs on another stack. All addresses from resume to main are a
 * local stack then, until main ends. Frames on it are not home frames.
 *
 * A callback from a library function without a probe looks the same after a longjmp. The
 * next function that main itself calls in the range shows that it is no local stack.
 *
 * A limit: if a coroutine begins in the call that holds the array, it looks like a callee
 * of this call, and its frames become home frames.
 */
#include <linux/fs.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_local.h"
#include "core/shadow_parts.h"
#include "lib/arch.h"

static const struct kt_func *shadow_local_func_of(const struct kt_shadow *stack, u32 func)
{
	return &stack->session->hot.funcs[func];
}

/* The innermost open home frame above sp, or NULL. */
static const struct kt_frame *shadow_local_find_around(struct kt_shadow *stack, unsigned long sp)
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

/* Is sp on a local stack? */
static bool shadow_local_is_local(struct kt_shadow *stack, unsigned long sp)
{
	const struct kt_frame *around;

	if (likely(sp - stack->local_start >= stack->local_len))
		return false;
	around = shadow_local_find_around(stack, sp);
	return around && around->start == stack->local_of &&
	       around->sp == stack->local_start + stack->local_len;
}

bool kt_shadow_is_on_home(struct kt_shadow *stack, unsigned long sp)
{
	return kt_shadow_is_home(stack, sp) && !shadow_local_is_local(stack, sp) &&
	       !kt_shadow_is_on_signal_stack(stack, sp);
}

/* Is the return address at sp in the file of func, whose probe is hit now? */
static bool shadow_local_is_from_file(const struct kt_func *func, unsigned long sp)
{
	unsigned long word = kt_arch_word(sp);

	return kt_shadow_is_hijacked(word) ||
	       word - (kt_arch_ip() - func->desc.entry) < (unsigned long)i_size_read(func->file);
}

/* Is the return address at sp in the function around, which is in the same file as func? */
static bool shadow_local_is_called_by(const struct kt_func *around, const struct kt_func *func,
				      unsigned long sp)
{
	u64 offset = kt_arch_word(sp) - (kt_arch_ip() - func->desc.entry);

	return (offset >= around->desc.start && offset < around->desc.end) ||
	       (offset >= around->desc.cold_start && offset < around->desc.cold_end);
}

/* Is the top an open home frame below sp, which longjmp may have left? */
static bool shadow_local_is_between(const struct kt_shadow *stack, unsigned long sp)
{
	const struct kt_frame *top = stack->top;

	return top && kt_shadow_is_of_home(top) && top->sp < sp;
}

/* Addresses up to sp belong to the home stack. */
static void shadow_local_shrink(struct kt_shadow *stack, unsigned long sp)
{
	stack->local_len -= sp + 1 - stack->local_start;
	stack->local_start = sp + 1;
}

bool kt_shadow_find_local(struct kt_shadow *stack, u32 func, unsigned long sp)
{
	const struct kt_func *entered = shadow_local_func_of(stack, func);
	bool is_local = shadow_local_is_local(stack, sp);
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
