/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TASK_KEEPER_H
#define KT_TASK_KEEPER_H

#include <linux/list.h>

struct task_struct;

/*
 * A keeper stores data of tasks by their addresses. All keepers follow one rule: data of a task is
 * made when it is first needed, and ends with the task. After the exit callback, the kernel takes a
 * task apart with functions that may be traced, so it may get data again. This data is dropped when
 * the kernel frees the task. Before 5.4, the kernel may free a task a moment before its last
 * function ends, so data is also dropped when a new task has the same address. The callbacks exec
 * and exit run in the task itself, drop runs in any task or in a softirq. All run with preemption
 * off, and do not sleep.
 */
struct kt_task_keeper {
	struct list_head node;
	void (*drop)(struct kt_task_keeper *keeper, const struct task_struct *task);
	void (*exec)(struct kt_task_keeper *keeper);	/* current runs a program; or NULL */
	void (*exit)(struct kt_task_keeper *keeper);	/* current ends */
};

/* Called while the module loads, before the first task event. */
void kt_task_keeper_add(struct kt_task_keeper *keeper);

/* These call all keepers, in the order in which they were added. */
void kt_task_keepers_drop(const struct task_struct *task);
void kt_task_keepers_exec(void);
void kt_task_keepers_exit(void);

#endif
