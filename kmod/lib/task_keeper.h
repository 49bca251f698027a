/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TASK_KEEPER_H
#define KT_TASK_KEEPER_H

#include <linux/list.h>

struct task_struct;

/*
 * A keeper stores data of tasks by their addresses. All keepers follow one rule: data of a task is
 * made when it is first needed, and ends with the task. At a fork, a keeper drops data that an
 * earlier task has left at the address of the child: after the exit callback, the kernel takes a
 * task apart with functions that may be traced. The callbacks run with preemption off, in the task
 * itself (fork: in the parent, before the child runs), and do not sleep.
 */
struct kt_task_keeper {
	struct list_head node;
	void (*fork)(struct kt_task_keeper *keeper, const struct task_struct *child);
	void (*exec)(struct kt_task_keeper *keeper);	/* current runs a program; or NULL */
	void (*exit)(struct kt_task_keeper *keeper);	/* current ends */
};

/* Called while the module loads, before the first task event. */
void kt_task_keeper_add(struct kt_task_keeper *keeper);

/* These call all keepers, in the order in which they were added. */
void kt_task_keepers_fork(const struct task_struct *child);
void kt_task_keepers_exec(void);
void kt_task_keepers_exit(void);

#endif
