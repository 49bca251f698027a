/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HIT_H
#define KT_HIT_H

#include <linux/types.h>

struct kt_frame;
struct kt_session;
struct kt_stack;

enum kt_hit_kind {
	KT_HIT_ENTRY,
	KT_HIT_CALL,	/* entry whose return is not observed */
	KT_HIT_RETURN
};

/* Task context, may sleep: fills the pools that a hit draws from. */
void kt_hit_refill(void);

/* The door: every event of every provider. Any context; the session's RCU reader. */
void kt_hit(struct kt_session *session, enum kt_hit_kind kind, u32 func, unsigned long sp);

/* Of the shadow stack: a frame was closed; flags are KTRACE_REC_F_*. */
void kt_hit_close(struct kt_stack *stack, struct kt_frame *frame, u64 now, u8 flags);

/* The task ended; its frames were closed before. */
void kt_hit_task_exit(struct kt_stack *stack);

#endif
