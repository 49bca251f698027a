/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_TASK_H
#define KT_SYSCALL_TASK_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "lib/task_table.h"
#include "providers/syscall_pages.h"

/* The system call that a task is in, and what is kept of the one before. */
struct kt_syscall_task {
	struct kt_task_entry entry;
	u64 start;		/* ticks; 0: in none that was seen to begin */
	u64 gap;		/* if it moves bytes, ticks before it; 0: none that counts */
	u64 away;		/* since it began, as in off_word.h */
	u32 nr;			/* as in ktrace.h */
	u32 moved_nr;		/* the last one that moved bytes ... */
	unsigned long moved_fd;	/* ... of this file ... */
	u64 moved;		/* ... ended then; 0: there was none */
	struct kt_syscall_pages pages;
};

DECLARE_PER_CPU(struct kt_syscall_task *, kt_syscall_last);

/* A task's, or NULL. RCU reader, preemption off. */
struct kt_syscall_task *kt_syscall_task_find(const struct task_struct *of);
/* Current's, which has none; NULL: no memory. The same, not in interrupts. */
struct kt_syscall_task *kt_syscall_task_make(void);

/* A CPU remembers the task that it saw last: their memory stays valid while there are sessions. */
static inline struct kt_syscall_task *kt_syscall_task_cached(void)
{
	struct kt_syscall_task *task = __this_cpu_read(kt_syscall_last);

	return likely(task->entry.task == current) ? task : kt_syscall_task_find(current);
}

/* Process context, when none is in use. */
void kt_syscall_task_forget_all(void);
void kt_syscall_task_init(void);

#endif
