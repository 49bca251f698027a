/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_SCHED_TASK_STACK_H
#define KT_COMPAT_LINUX_SCHED_TASK_STACK_H

/* Where the kernel's headers ask for it, without our answers (ktrace.mod.c), it exists. */
#if defined(KT_HAVE_TASK_STACK) || !defined(KT_HAS_ANSWERS)
#include_next <linux/sched/task_stack.h>
#else
#include <linux/sched.h>
#endif

#endif
