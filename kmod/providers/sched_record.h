/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SCHED_RECORD_H
#define KT_SCHED_RECORD_H

#include <linux/types.h>

struct kt_session;
struct task_struct;

/* Records a period of who that ended at end (ticks), in a session with a ring. Interrupts off. */
void kt_sched_record(struct kt_session *session, const struct task_struct *who, u32 what,
		     u64 duration, u64 end);

#endif
