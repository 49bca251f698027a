/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_TASK_EVENTS_H
#define KT_COMPAT_TASK_EVENTS_H

struct task_struct;

/*
 * Called in the task; fork in the parent, before the child runs; free in any task or in a softirq,
 * when the kernel frees the task. Preemption may be off.
 */
struct kt_task_events {
	void (*fork)(struct task_struct *child);
	void (*exec)(void);
	void (*exit)(void);
	void (*free)(struct task_struct *task);
};

/* Process context. */
int kt_task_events_register(const struct kt_task_events *callbacks);
void kt_task_events_unregister(void);	/* waits until no callback runs */

#endif
