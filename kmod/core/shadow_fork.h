/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHADOW_FORK_H
#define KT_SHADOW_FORK_H

struct kt_session;
struct task_struct;

/* At a fork, in the parent, preemption off: the child begins with a copy of the open calls. */
void kt_shadow_fork(struct kt_session *session, struct task_struct *child);

#endif
