/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FAULT_RECORD_H
#define KT_FAULT_RECORD_H

#include <linux/types.h>

struct kt_session;

/* The page fault of a task. */
struct kt_fault {
	u64 start;		/* ticks; 0: the task is in no fault whose begin was seen */
	u64 page;		/* the address of the page in the program */
	u32 kind;		/* KTRACE_FAULT_*; major once a page is read */
	u32 error;		/* errno: the fault ended in a signal; 0: its page is there */
};

/*
 * Records a fault of current that ended at end (ticks), in a session with a ring. Preemption off.
 */
void kt_fault_record(struct kt_session *session, const struct kt_fault *fault, u64 duration,
		     u64 end);

#endif
