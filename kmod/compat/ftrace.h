/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_FTRACE_H
#define KT_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/types.h>

/* Of operations: not called within themselves, as we ask, or as the tracer ever does. */
#ifdef KT_HAVE_FTRACE_REGS
#define KT_FTRACE_ONCE FTRACE_OPS_FL_RECURSION
#define kt_ftrace_regs ftrace_regs
#define kt_ftrace_get_regs(regs) ftrace_get_regs(regs)
#else
#define KT_FTRACE_ONCE 0
#define kt_ftrace_regs pt_regs
#define kt_ftrace_get_regs(regs) (regs)
#endif

/* A filter of these places alone. Process context. */
static inline int kt_ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, u32 nr)
{
#ifdef KT_HAVE_FTRACE_SET_FILTER_IPS
	return ftrace_set_filter_ips(ops, ips, nr, 0, 1);
#else
	int error = 0;
	u32 i;

	for (i = 0; i < nr && !error; i++)
		error = ftrace_set_filter_ip(ops, ips[i], 0, !i);
	return error;
#endif
}

/*
 * Of operations that are not registered: a filter that is empty needs no memory. What is made
 * for that, ftrace_free_filter(), is for modules from 6.2 on only. Process context.
 */
static inline void kt_ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}

#endif
