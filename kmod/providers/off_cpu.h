/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_OFF_CPU_H
#define KT_OFF_CPU_H

#include <linux/types.h>

struct task_struct;

/* A moment from which on the time of a task off the CPU is measured. All zero: not measured. */
struct kt_off_mark {
	const struct task_struct *task;	/* compared, never followed */
	u64 id;			/* of the entry: another task may get the address of this one */
	u64 ticks;		/* off the CPU before the mark */
};

/* Start (0 or a negative errno) and stop the probe of switches. Process context, may sleep. */
int kt_off_cpu_begin(void);
void kt_off_cpu_end(void);

/*
 * Returns a mark of current. The mark is all zero if the probe is off, or there is no memory. Task
 * context, preemption off.
 */
struct kt_off_mark kt_off_cpu_mark(void);
#define KT_OFF_UNKNOWN (~0ULL)
/*
 * Returns the ticks that the task was off the CPU between mark and now. Returns KT_OFF_UNKNOWN if
 * the mark is all zero or the task has ended. RCU reader, preemption off.
 */
u64 kt_off_cpu_since(const struct kt_off_mark *mark, u64 now);

void kt_off_cpu_init(void);

#endif
