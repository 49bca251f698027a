// SPDX-License-Identifier: GPL-2.0
/*
 * Where fprobes use the function graph tracer, the first fprobe makes the tracer allocate a page
 * for each task, in which all fprobes keep the data of open calls. A later task gets its page at
 * the fork: the module is not called then, and cannot refuse the page.
 */
#include <linux/mutex.h>

#include "compat/room.h"
#include "lib/mem.h"
#include "lib/task_pages.h"

static DEFINE_MUTEX(pages);	/* guards the two below; only works of sessions take it */
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
