/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HIT_H
#define KT_HIT_H

#include <linux/types.h>

#include "pool.h"

struct kt_frame;
struct kt_session;
struct kt_stack;
struct kt_values;

/* Task context, may sleep: fills the pools that a hit draws from. */
void kt_hit_refill_slow(void);
static inline void kt_hit_refill(void)
{
	if (unlikely(READ_ONCE(kt_pool_is_low)))
		kt_hit_refill_slow();
}

/*
 * The door, with a leaf for each kind of event of every provider: a call, one
 * of a function with flags on what is shown, or with arguments to record, one
 * whose return is not observed, a return, one with a result to record. Values
 * may be NULL. Any context. They return 0, so that a handler may end with them.
 */
int kt_hit_entry(struct kt_session *session, u32 func, unsigned long sp);
int kt_hit_placed(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);
int kt_hit_call(struct kt_session *session, u32 func, unsigned long sp,
		struct kt_values *values);
int kt_hit_return(struct kt_session *session, u32 func, unsigned long sp);
int kt_hit_result(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);

/* Of a session that counts only: reads no clock, keeps no stack. */
int kt_hit_count(struct kt_session *session, u32 func);

/* Of the shadow stack: a frame was closed; flags are KTRACE_REC_F_*. */
void kt_hit_close(struct kt_stack *stack, struct kt_frame *frame, u64 now, u8 flags);

/* Of the current task, a record KTRACE_REC_* with words behind it. Preemption off. */
void kt_hit_task(struct kt_session *session, u32 id, const u64 *words, u8 nr_words);

/* The task ended; its frames were closed before. */
void kt_hit_task_exit(struct kt_stack *stack);

#endif
