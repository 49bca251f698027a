/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SCHED_TASK_H
#define KT_SCHED_TASK_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "core/table.h"
#include "lib/task_table.h"

/*
 * The current period of a task. Written where the task is switched, so by one CPU at a time,
 * except woken, which the waker writes.
 */
struct kt_sched_task {
	struct kt_task_entry entry;
	u64 since;		/* begin of the period, ticks */
	u64 woken;		/* last wake-up, ticks; may be before the begin of a sleep */
	unsigned long nvcsw;	/* of the task, when it last left the CPU, or was first seen */
	u32 what;		/* KTRACE_SCHED_*; RUN: it has the CPU */
	u64 stack;		/* kt_frames.key of where it last left the CPU; 0: not taken */
	struct kt_table_slots slots;	/* its rows, by KTRACE_SCHED_* */
};

extern struct kt_task_table kt_sched_tasks;
DECLARE_PER_CPU(struct kt_sched_task *, kt_sched_last);

/* Returns the entry of a task, or NULL. This and the next two: RCU reader, preemption off. */
static __always_inline struct kt_sched_task *kt_sched_task_find(const struct task_struct *of)
{
	struct kt_task_entry *entry = kt_task_table_find(&kt_sched_tasks, of);

	return entry ? container_of(entry, struct kt_sched_task, entry) : NULL;
}

/* Returns the entry of the task that leaves this CPU: usually the last task that got the CPU. */
static __always_inline struct kt_sched_task *kt_sched_task_leaving(const struct task_struct *of)
{
	struct kt_sched_task *task = __this_cpu_read(kt_sched_last);

	return likely(task && task->entry.task == of) ? task : kt_sched_task_find(of);
}

/* Returns NULL if there is no memory. */
struct kt_sched_task *kt_sched_task_make(struct task_struct *of);

/* As kt_pool_want(), until kt_sched_task_forget_all(). All below: process context. */
void kt_sched_task_want(int nr);
/* The probes of switches are removed; some tasks may be about to end. */
void kt_sched_task_forget_all(void);
/*
 * exec is called when current executes a program, exit when current ends, before its entry is
 * dropped; both with preemption off.
 */
void kt_sched_task_init(void (*exec)(void), void (*exit)(void));

#endif
