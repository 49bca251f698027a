/* SPDX-License-Identifier: GPL-2.0 */
/* The registers that a handler of an fprobe gets. */
#ifndef KT_COMPAT_FPROBE_H
#define KT_COMPAT_FPROBE_H

#if defined(KT_HAVE_FPROBE_FTRACE_REGS) || defined(KT_HAVE_FPROBE_PT_REGS)
#define KT_HAS_FPROBE 1
#else
#define KT_HAS_FPROBE 0
#endif

#if KT_HAS_FPROBE

#include <linux/fprobe.h>

#ifdef KT_HAVE_FPROBE_FTRACE_REGS

#define kt_fprobe_regs ftrace_regs

/* This generation has no pool for open calls. */
static inline void kt_fprobe_set_max_open(struct fprobe *fprobe, int max)
{
}

static __always_inline unsigned long kt_fprobe_stack_of(struct kt_fprobe_regs *regs)
{
	return ftrace_regs_get_stack_pointer(regs);
}

static __always_inline unsigned long kt_fprobe_result_of(struct kt_fprobe_regs *regs)
{
	return ftrace_regs_get_return_value(regs);
}

static __always_inline unsigned long kt_fprobe_arg_of(struct kt_fprobe_regs *regs, int n)
{
	return ftrace_regs_get_argument(regs, n);
}

#else

#define kt_fprobe_regs pt_regs

static inline void kt_fprobe_set_max_open(struct fprobe *fprobe, int max)
{
	fprobe->nr_maxactive = max;
}

static __always_inline unsigned long kt_fprobe_stack_of(struct kt_fprobe_regs *regs)
{
	return kernel_stack_pointer(regs);
}

static __always_inline unsigned long kt_fprobe_result_of(struct kt_fprobe_regs *regs)
{
	return regs_return_value(regs);
}

static __always_inline unsigned long kt_fprobe_arg_of(struct kt_fprobe_regs *regs, int n)
{
	return regs_get_kernel_argument(regs, n);
}

#endif

#endif

#endif
