/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_ARCH_H
#define KT_ARCH_H

struct ktrace_exit;
struct ktrace_func;
struct pt_regs;

/*
 * Does the instruction at regs' ip leave its function? Task context, may
 * sleep. 1, 0, or -EFAULT when the target of a jump cannot be read.
 */
int kt_arch_leaves(const struct ktrace_exit *exit, const struct ktrace_func *func,
		   struct pt_regs *regs);

#endif
