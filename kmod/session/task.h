/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TASK_H
#define KT_TASK_H

/* Process context. kt_task_exit() returns when no callback runs any more. */
int kt_task_init(void);
void kt_task_exit(void);

#endif
