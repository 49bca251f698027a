// SPDX-License-Identifier: GPL-2.0
/*
 * Where fprobes stand on the function graph tracer, the first one gives a page to each task, in
 * which all of them keep what they have of calls. Tasks that begin later get one at their fork;
 * we are not asked then, and cannot refuse.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "../mem.h"
#include "room.h"

#ifdef KT_HAVE_FPROBE_FTRACE_REGS

static DEFINE_MUTEX(pages);	/* guards both of these; works of sessions take it, alone */
static u32 nr_users;
static size_t charged;

static size_t nr_tasks(void)
{
	struct task_struct *process, *task;
	size_t nr = num_possible_cpus();	/* those that are idle */

	rcu_read_lock();
	for_each_process_thread(process, task)
		nr++;
	rcu_read_unlock();
	return nr;
}

bool kt_room_take_pages(void)
{
	bool is_taken = true;
	size_t len;

	mutex_lock(&pages);
	if (!nr_users) {
		len = nr_tasks() * PAGE_SIZE;
		is_taken = kt_mem_charge(len);
		charged = is_taken ? len : 0;
	}
	nr_users += is_taken;
	mutex_unlock(&pages);
	return is_taken;
}

void kt_room_give_pages(void)
{
	mutex_lock(&pages);
	if (!--nr_users)
		kt_mem_uncharge(charged);
	mutex_unlock(&pages);
}

#else

bool kt_room_take_pages(void)
{
	return true;
}

void kt_room_give_pages(void)
{
}

#endif
