// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "compat/room.h"

#ifdef KT_HAVE_FPROBE_FTRACE_REGS
size_t kt_room_of_tasks(void)
{
	struct task_struct *process, *task;
	size_t nr = num_possible_cpus();	/* idle tasks */

	rcu_read_lock();
	for_each_process_thread(process, task)
		nr++;
	rcu_read_unlock();
	return nr * PAGE_SIZE;
}
#else
size_t kt_room_of_tasks(void)
{
	return 0;
}
#endif
