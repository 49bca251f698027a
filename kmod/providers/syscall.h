/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_H
#define KT_SYSCALL_H

struct kt_peers;

extern struct kt_peers kt_syscall_peers;	/* that count system calls */

/* Current ends. Preemption off. */
void kt_syscall_task_exit(void);

#endif
