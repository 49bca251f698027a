// SPDX-License-Identifier: GPL-2.0
/*
 * Where fprobes stand on the function graph tracer, the first one gives a page to each task, in
 * which all of them keep what they have of calls. Tasks that begin later get one at their fork;
 * we are not asked then, and cannot refuse.
 */
#include <linux/mutex.h>

#include "compat/room.h"
#include "lib/mem.h"
#include "lib/task_pages.h"

static DEFINE_MUTEX(pages);	/* guards both of these; works of sessions take it, alone */
static u32 nr_users;
static size_t charged;

bool kt_task_pages_take(void)
{
	bool is_taken = true;
	size_t len;

	mutex_lock(&pages);
	if (!nr_users) {
		len = kt_room_of_tasks();
		is_taken = kt_mem_charge(len);
		charged = is_taken ? len : 0;
	}
	nr_users += is_taken;
	mutex_unlock(&pages);
	return is_taken;
}

void kt_task_pages_give(void)
{
	mutex_lock(&pages);
	if (!--nr_users)
		kt_mem_uncharge(charged);
	mutex_unlock(&pages);
}
