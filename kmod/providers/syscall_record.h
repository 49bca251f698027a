/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_RECORD_H
#define KT_SYSCALL_RECORD_H

#include <linux/types.h>

struct kt_session;
struct kt_syscall_task;
struct pt_regs;

/*
 * Records a system call at its end, in its task. The session has a ring. now is
 * in ticks, duration in ns.
 * Preemption off.
 */
void kt_syscall_record(struct kt_session *session, const struct kt_syscall_task *task,
		       struct pt_regs *regs, u64 now, u64 duration, long ret);

#endif
