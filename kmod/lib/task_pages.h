/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TASK_PAGES_H
#define KT_TASK_PAGES_H

#include <linux/types.h>

/*
 * Called before an fprobe of the module is registered, and after it is gone. kt_task_pages_take()
 * returns false if the pages of all tasks would exceed max_mem. Process context, sleeps.
 */
bool kt_task_pages_take(void);
void kt_task_pages_give(void);

#endif
