/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SCHED_H
#define KT_SCHED_H

struct kt_session;

/*
 * What tasks spend their time in is counted in the session from the one on, and no more
 * from the other on, after which no hit runs. Both again and again; process context,
 * sleep. 0, or a negative errno.
 */
int kt_sched_attach(struct kt_session *session);
void kt_sched_detach(struct kt_session *session);

/* Whoever runs counts as far as he ran. Process context, sleep. */
void kt_sched_cut(struct kt_session *session);

/* Current begins to run a program, or ends. Preemption off. */
void kt_sched_task_began(void);
void kt_sched_task_ended(void);

#endif
