// SPDX-License-Identifier: GPL-2.0
/* The mutex and the workqueue of everything that is not a hit. */
#include <linux/errno.h>

#include "lib/control.h"

DEFINE_MUTEX(kt_control);	/* see control.h */
struct workqueue_struct *kt_queue;

int kt_control_init(void)
{
	kt_queue = alloc_workqueue("ktrace", WQ_UNBOUND, 0);
	return kt_queue ? 0 : -ENOMEM;
}

void kt_control_exit(void)
{
	destroy_workqueue(kt_queue);
}
