// SPDX-License-Identifier: GPL-2.0
/* A table from tasks to the system calls that they are in. */
#include <linux/cpumask.h>
#include <linux/gfp.h>

#include "providers/syscall_task.h"

static struct kt_task_table table;
static struct kt_syscall_task nobodys;
DEFINE_PER_CPU(struct kt_syscall_task *, kt_syscall_last);

static struct kt_syscall_task *syscall_task_remember(struct kt_task_entry *entry)
{
	struct kt_syscall_task *task;

	if (!entry)
		return NULL;
	task = container_of(entry, struct kt_syscall_task, entry);
	__this_cpu_write(kt_syscall_last, task);
	return task;
}

struct kt_syscall_task *kt_syscall_task_find(const struct task_struct *of)
{
	return syscall_task_remember(kt_task_table_find(&table, of));
}

struct kt_syscall_task *kt_syscall_task_make(void)
{
	kt_pool_refill(&table.pool, GFP_NOWAIT);
	return syscall_task_remember(kt_task_table_add(&table, current));
}

/* Per-CPU data of a module cannot be initialized with an address at build time. */
static void syscall_task_forget_last(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(kt_syscall_last, cpu) = &nobodys;
}

void kt_syscall_task_forget_all(void)
{
	kt_task_table_clear(&table);
	syscall_task_forget_last();
}

void kt_syscall_task_init(void)
{
	syscall_task_forget_last();
	kt_task_table_init(&table, sizeof(struct kt_syscall_task), 16);
}
