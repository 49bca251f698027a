/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_CONTROL_H
#define KT_CONTROL_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

/*
 * The one control mutex: guards the session list, states, staging. Never
 * taken by hits, filters or dumps of data.
 */
extern struct mutex kt_control;

/* The works of the module; kt_control_exit() waits for them. */
extern struct workqueue_struct *kt_queue;

int kt_control_init(void);
void kt_control_exit(void);

#endif
