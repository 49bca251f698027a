/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_OFF_CPU_H
#define KT_OFF_CPU_H

#include <linux/types.h>

struct task_struct;

/* From when on it is asked how long a task is off its CPU. All zero: never. */
struct kt_off_mark {
	const struct task_struct *task;	/* compared, never followed */
	u64 id;			/* of its entry, as another task may get its address */
	u64 ticks;
};

/* Tasks are watched from the one on, and no more from the other on. Process context, sleep. */
int kt_off_cpu_begin(void);
void kt_off_cpu_end(void);

/* Current, from here on; never while no task is watched. Task context, preemption off. */
struct kt_off_mark kt_off_cpu_mark(void);
#define KT_OFF_UNKNOWN (~0ULL)
/* ticks until now, or UNKNOWN: it has ended, too. RCU reader, preemption off. */
u64 kt_off_cpu_since(const struct kt_off_mark *mark, u64 now);

void kt_off_cpu_init(void);

#endif
