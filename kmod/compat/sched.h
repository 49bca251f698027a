/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_SCHED_H
#define KT_COMPAT_SCHED_H

#include <linux/sched.h>

/* A probe of sched_switch; it uses the tasks before and after the switch. */
#if defined(KT_HAVE_SWITCH_STATE)
#define KT_ON_SWITCH(name, prev, next)					\
	void name(void *data, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next, unsigned int prev_state)
#elif defined(KT_HAVE_SWITCH_PREEMPT)
#define KT_ON_SWITCH(name, prev, next)					\
	void name(void *data, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next)
#else
#define KT_ON_SWITCH(name, prev, next)					\
	void name(void *data, struct task_struct *prev, struct task_struct *next)
#endif

/* Returns 0 if the task is runnable, else the state that says why it is not. */
static inline unsigned int kt_task_state(const struct task_struct *task)
{
#ifdef KT_HAVE_TASK_STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

/*
 * In a KT_ON_SWITCH(): 0 if prev stays runnable, else the state that prev has set itself, since a
 * waker may be changing the present state already. If a signal keeps prev from sleeping, prev is
 * runnable.
 */
#if defined(KT_HAVE_SWITCH_STATE)
#define KT_SWITCH_STATE(prev) (!preempt && kt_task_state(prev) ? prev_state : 0)
#elif defined(KT_HAVE_SWITCH_PREEMPT)
#define KT_SWITCH_STATE(prev) (preempt ? 0 : kt_task_state(prev))
#else
#define KT_SWITCH_STATE(prev) kt_task_state(prev)
#endif

/* A probe of the earliest tracepoint of a wake-up. sched_wakeup_new has the same arguments. */
#ifdef KT_HAVE_SCHED_WAKING
#define KT_WAKING_EVENT sched_waking
#define KT_ON_WAKING(name, who) void name(void *data, struct task_struct *who)
#else
#define KT_WAKING_EVENT sched_wakeup
#define KT_ON_WAKING(name, who) void name(void *data, struct task_struct *who, int success)
#endif

/* The state bit of a kernel thread that waits for work: it does not count as load. */
#ifdef TASK_NOLOAD
#define KT_TASK_NOLOAD TASK_NOLOAD
#else
#define KT_TASK_NOLOAD 0
#endif

#endif
