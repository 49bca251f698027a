/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_SCHED_TASK_STACK_H
#define KT_COMPAT_LINUX_SCHED_TASK_STACK_H

#ifdef KT_HAVE_TASK_STACK
#include_next <linux/sched/task_stack.h>
#else
#include <linux/sched.h>
#endif

#endif
