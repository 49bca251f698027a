// SPDX-License-Identifier: GPL-2.0
/* The callers of a function at its entry, and of an interrupted instruction. */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "compat/stack.h"

#ifdef KT_HAVE_UNWIND_START
#include <asm/unwind.h>

u32 kt_save_stack_interrupted(struct pt_regs *regs, unsigned long *to, u32 max)
{
	struct unwind_state state;
	unsigned long addr;
	u32 nr = 0;

	/* Unwinding from registers begins with the caller. */
	if (max)
		to[nr++] = regs->ip;
	for (unwind_start(&state, current, regs, NULL); nr < max && !unwind_done(&state);
	     unwind_next_frame(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr)
			break;
		to[nr++] = addr;
	}
	return nr;
}
#endif

#if (!defined(KT_HAVE_STACK_TRACE_SAVE) || !defined(KT_HAVE_UNWIND_START)) && \
	defined(CONFIG_FRAME_POINTER)
/* The words that rbp points to. */
struct frame {
	const struct frame *caller;
	unsigned long addr;	/* return address */
};

static bool stack_is_on(unsigned long low, unsigned long high, const struct frame *frame)
{
	unsigned long at = (unsigned long)frame;

	return at >= low && at <= high - sizeof(*frame) && !(at % sizeof(long));
}

/* Assembly code may use rbp for anything: the address may be invalid. */
static bool stack_read_frame(struct frame *to, const struct frame *from)
{
	return !probe_kernel_read(to, from, sizeof(*to));
}
#endif

#ifndef KT_HAVE_UNWIND_START
/* A function that was interrupted before it has its frame lacks its caller. */
u32 kt_save_stack_interrupted(struct pt_regs *regs, unsigned long *to, u32 max)
{
	u32 nr = 0;
#ifdef CONFIG_FRAME_POINTER
	unsigned long low = regs->sp & ~(THREAD_SIZE - 1), high = low + THREAD_SIZE;
	const struct frame *at = (const struct frame *)regs->bp;
	struct frame frame;
#endif

	if (max)
		to[nr++] = regs->ip;
#ifdef CONFIG_FRAME_POINTER
	for (; nr < max && stack_is_on(low, high, at) && stack_read_frame(&frame, at);
	     low = (unsigned long)(at + 1), at = frame.caller)
		to[nr++] = frame.addr;
#endif
	return nr;
}
#endif

#if !defined(KT_HAVE_STACK_TRACE_SAVE) && defined(CONFIG_FRAME_POINTER)
#define MOST_OURS 32	/* frames between the function and here */

/*
 * Frames of handlers are below sp, or on the stack of a trap, from which rbp leads back. The
 * outermost frame has the rbp of the program, which is not on this stack.
 */
u32 kt_save_stack_above(unsigned long sp, unsigned long *to, u32 max)
{
	unsigned long low = (unsigned long)task_stack_page(current), high = low + THREAD_SIZE;
	const struct frame *at = __builtin_frame_address(0);
	struct frame frame;
	u32 nr = 0, nr_ours;

	if (sp < low || sp > high - sizeof(sp))
		return kt_save_stack(to, max);
	to[nr++] = *(const unsigned long *)sp;
	for (nr_ours = 0; !stack_is_on(sp, high, at); at = frame.caller)
		if (++nr_ours > MOST_OURS || !stack_read_frame(&frame, at))
			return nr;
	while (nr < max && stack_is_on(sp, high, at) && stack_read_frame(&frame, at)) {
		to[nr++] = frame.addr;
		sp = (unsigned long)(at + 1);
		at = frame.caller;
	}
	return nr;
}
#endif
