// SPDX-License-Identifier: GPL-2.0
/* Passes each exec, each exit and each end of a task to all keepers. */
#include <linux/kernel.h>
#include <linux/list.h>

#include "lib/task_keeper.h"

static LIST_HEAD(keepers);	/* complete before the first task event */

void kt_task_keeper_add(struct kt_task_keeper *keeper)
{
	list_add_tail(&keeper->node, &keepers);
}

void kt_task_keepers_drop(const struct task_struct *task)
{
	struct kt_task_keeper *keeper;

	list_for_each_entry(keeper, &keepers, node)
		keeper->drop(keeper, task);
}

void kt_task_keepers_exec(void)
{
	struct kt_task_keeper *keeper;

	list_for_each_entry(keeper, &keepers, node)
		if (keeper->exec)
			keeper->exec(keeper);
}

void kt_task_keepers_exit(void)
{
	struct kt_task_keeper *keeper;

	list_for_each_entry(keeper, &keepers, node)
		keeper->exit(keeper);
}
