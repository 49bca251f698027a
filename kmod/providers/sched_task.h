/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SCHED_TASK_H
#define KT_SCHED_TASK_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "core/table.h"
#include "lib/task_table.h"

/*
 * What a task has been doing, since when. Written where the task is switched, one CPU at a
 * time; woken apart, which is written by whoever wakes it.
 */
struct kt_sched_task {
	struct kt_task_entry entry;
	u64 since;		/* ticks */
	u64 woken;		/* ticks: the last time; maybe before a sleep that it ended */
	unsigned long nvcsw;	/* the task's, when it left the CPU last, or was seen first */
	u32 what;		/* KTRACE_SCHED_*; RUN: it has the CPU */
	u64 stack;		/* as kt_frames.key: where it left the CPU last; 0: not taken */
	struct kt_table_slots slots;	/* its rows, by KTRACE_SCHED_* */
};

extern struct kt_task_table kt_sched_tasks;
DECLARE_PER_CPU(struct kt_sched_task *, kt_sched_last);

/* A task's, or NULL. All below: RCU reader, preemption off. */
static __always_inline struct kt_sched_task *kt_sched_task_find(const struct task_struct *of)
{
	struct kt_task_entry *entry = kt_task_table_find(&kt_sched_tasks, of);

	return entry ? container_of(entry, struct kt_sched_task, entry) : NULL;
}

/* Who leaves a CPU is who came to it last: that is remembered. */
static __always_inline struct kt_sched_task *kt_sched_task_leaving(const struct task_struct *of)
{
	struct kt_sched_task *task = __this_cpu_read(kt_sched_last);

	return likely(task && task->entry.task == of) ? task : kt_sched_task_find(of);
}

/* NULL: no memory. */
struct kt_sched_task *kt_sched_task_make(struct task_struct *of);

/* As kt_pool_want(), until all are forgotten. All below: process context. */
void kt_sched_task_want(int nr);
/* No task is switched any more for anybody to see; some may be about to end. */
void kt_sched_task_forget_all(void);
/* exec: current runs a program; exit: it ends, and is dropped then. Preemption off. */
void kt_sched_task_init(void (*exec)(void), void (*exit)(void));
void kt_sched_task_exit(void);

#endif
