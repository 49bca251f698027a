/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_FTRACE_H
#define KT_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/types.h>

/* The flag for ftrace_ops that the tracer must not call recursively; older tracers never do. */
#ifdef KT_HAVE_FTRACE_REGS
#define KT_FTRACE_ONCE FTRACE_OPS_FL_RECURSION
#define kt_ftrace_regs ftrace_regs
#define kt_ftrace_get_regs(regs) ftrace_get_regs(regs)
#else
#define KT_FTRACE_ONCE 0
#define kt_ftrace_regs pt_regs
#define kt_ftrace_get_regs(regs) (regs)
#endif

/* Sets a filter with these nr addresses only. Returns 0 or a negative errno. Process context. */
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
 * Frees the filter of ftrace_ops that are not registered: an empty filter takes no memory. Modules
 * can call ftrace_free_filter() since 6.2 only. Process context.
 */
static inline void kt_ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}

#endif
