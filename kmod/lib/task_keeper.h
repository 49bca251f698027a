/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TASK_KEEPER_H
#define KT_TASK_KEEPER_H

#include <linux/list.h>

struct task_struct;

/*
 * Who keeps something of tasks, by their addresses. One rule for all: what is kept of a task begins
 * when it is first needed and ends with the task; at a fork what an earlier task at the child's
 * address left is dropped, since the kernel takes a task apart behind its exit, by functions
 * that may be traced. Called with preemption off, in the task itself (fork: in the parent,
 * before the child runs); none may sleep.
 */
struct kt_task_keeper {
	struct list_head node;
	void (*fork)(struct kt_task_keeper *keeper, const struct task_struct *child);
	void (*exec)(struct kt_task_keeper *keeper);	/* current runs a program; or NULL */
	void (*exit)(struct kt_task_keeper *keeper);	/* current ends */
};

/* While the module is loaded, before tasks are listened to. */
void kt_task_keeper_add(struct kt_task_keeper *keeper);

/* To each of them, in the order in which they came. */
void kt_task_keepers_fork(const struct task_struct *child);
void kt_task_keepers_exec(void);
void kt_task_keepers_exit(void);

#endif
