/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_FTRACE_FILTER_H
#define KT_COMPAT_FTRACE_FILTER_H

#include <linux/ftrace.h>

/*
 * Of operations that are not registered: a filter that is empty needs no memory. What is made
 * for that, ftrace_free_filter(), is for modules from 6.2 on only. Process context.
 */
static inline void kt_ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}

#endif
