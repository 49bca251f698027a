/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_H
#define KT_SYSCALL_H

struct kt_session;

/*
 * System calls are counted in the session from the one on, and no more from the other
 * on, after which no hit runs. Both again and again; process context, sleep. 0, or a
 * negative errno.
 */
int kt_syscall_attach(struct kt_session *session);
void kt_syscall_detach(struct kt_session *session);

/* Current ends. Preemption off. */
void kt_syscall_task_exit(void);

#endif
