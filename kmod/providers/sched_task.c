// SPDX-License-Identifier: GPL-2.0
/* A table from tasks to their current periods. */
#include <linux/cpumask.h>

#include "compat/rcu.h"
#include "providers/sched_task.h"

struct kt_task_table kt_sched_tasks;
DEFINE_PER_CPU(struct kt_sched_task *, kt_sched_last);

struct kt_sched_task *kt_sched_task_make(struct task_struct *of)
{
	struct kt_task_entry *entry = kt_task_table_add(&kt_sched_tasks, of);

	return entry ? container_of(entry, struct kt_sched_task, entry) : NULL;
}

void kt_sched_task_want(int nr)
{
	kt_pool_want(&kt_sched_tasks.pool, nr);
}

void kt_sched_task_forget_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(kt_sched_last, cpu), NULL);
	kt_wait_for_hits();
	kt_sched_task_want(-(int)kt_sched_tasks.pool.low);
	kt_task_table_clear(&kt_sched_tasks);
}

void kt_sched_task_init(void (*exec)(void), void (*exit)(void))
{
	kt_sched_tasks.exec = exec;
	kt_sched_tasks.exit = exit;
	kt_task_table_init(&kt_sched_tasks, sizeof(struct kt_sched_task), 0);
	kt_pool_share(&kt_sched_tasks.pool);
}
