/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_TASK_H
#define KT_SYSCALL_TASK_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "lib/task_table.h"
#include "providers/syscall_pages.h"

/* The system call that a task is in, and facts about the previous one. */
struct kt_syscall_task {
	struct kt_task_entry entry;
	u64 start;		/* begin, ticks; 0: in no call whose begin was seen */
	u64 gap;		/* if it moves bytes, ticks since the previous; 0: no gap counts */
	u64 away;		/* time off the CPU since the begin, as in off_word.h */
	u32 nr;			/* number of the call, as func in ktrace.h */
	u32 moved_nr;		/* number of the last call that moved bytes ... */
	unsigned long moved_fd;	/* ... its file descriptor ... */
	u64 moved;		/* ... and its end, ticks; 0: there is no such call */
	struct kt_syscall_pages pages;
};

DECLARE_PER_CPU(struct kt_syscall_task *, kt_syscall_last);

/* Returns the entry of a task, or NULL. The caller is an RCU reader, with preemption off. */
struct kt_syscall_task *kt_syscall_task_find(const struct task_struct *of);
/*
 * Makes an entry for current, which has none. Returns NULL if there is no memory. RCU reader,
 * preemption off, not in interrupts.
 */
struct kt_syscall_task *kt_syscall_task_make(void);

/*
 * Returns the entry of current, or NULL. A CPU remembers the entry that it used last: the memory
 * of entries stays valid while there are sessions.
 */
static inline struct kt_syscall_task *kt_syscall_task_cached(void)
{
	struct kt_syscall_task *task = __this_cpu_read(kt_syscall_last);

	return likely(task->entry.task == current) ? task : kt_syscall_task_find(current);
}

/* Process context, while no entry is in use. */
void kt_syscall_task_forget_all(void);
void kt_syscall_task_init(void);

#endif
