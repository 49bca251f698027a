/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_STACK_H
#define KT_COMPAT_STACK_H

#include <linux/kernel.h>
#include <linux/stacktrace.h>
#include <linux/types.h>

/*
 * Stores up to max return addresses of current in the kernel, innermost first. Returns how many.
 * Any context.
 */
static inline u32 kt_save_stack(unsigned long *to, u32 max)
{
#ifdef KT_HAVE_STACK_TRACE_SAVE
	return stack_trace_save(to, max, 0);
#else
	struct stack_trace trace = { .entries = to, .max_entries = max };

	save_stack_trace(&trace);
	/* A whole trace ends with ULONG_MAX. */
	if (trace.nr_entries && to[trace.nr_entries - 1] == ULONG_MAX)
		trace.nr_entries--;
	return trace.nr_entries;
#endif
}

/*
 * The same at the entry of a function whose return address is at sp. Frames of the probe are
 * omitted if the kernel finds frames by rbp (before 4.9): there, the frames of the probe hide the
 * caller, since the function has no frame yet.
 */
#if !defined(KT_HAVE_STACK_TRACE_SAVE) && defined(CONFIG_FRAME_POINTER)
u32 kt_save_stack_above(unsigned long sp, unsigned long *to, u32 max);
#else
static inline u32 kt_save_stack_above(unsigned long sp, unsigned long *to, u32 max)
{
	return kt_save_stack(to, max);
}
#endif

/*
 * The same from the registers of an interrupt in the kernel: the first address is that of the
 * interrupted instruction. Kernels without the functions for it have frame pointers, or no callers.
 */
struct pt_regs;
u32 kt_save_stack_interrupted(struct pt_regs *regs, unsigned long *to, u32 max);

#endif
