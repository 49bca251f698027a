/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TASK_PAGES_H
#define KT_TASK_PAGES_H

#include <linux/types.h>

/*
 * Around the time that there is an fprobe of ours. False: the pages of all tasks would exceed
 * max_mem. Process context, sleep.
 */
bool kt_task_pages_take(void);
void kt_task_pages_give(void);

#endif
