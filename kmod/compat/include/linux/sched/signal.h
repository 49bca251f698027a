/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_SCHED_SIGNAL_H
#define KT_COMPAT_LINUX_SCHED_SIGNAL_H

/* This header is as old as task_stack.h. */
#if defined(KT_HAVE_TASK_STACK) || !defined(KT_HAS_ANSWERS)
#include_next <linux/sched/signal.h>
#else
#include <linux/sched.h>
#endif

#endif
