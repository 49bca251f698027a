/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HIT_H
#define KT_HIT_H

#include <linux/types.h>

struct kt_frame;
struct kt_session;
struct kt_stack;
struct kt_values;

/*
 * One function for each kind of event of user functions and of kernel call trees: an entry,
 * one of a function with KTRACE_FUNC_* flags, one with arguments to record, one that takes no
 * time, one whose return is not observed, a return, one with a result to record. Values may be
 * NULL. Any context. They return 0, so that a handler may end with them.
 */
int kt_hit_entry(struct kt_session *session, u32 func, unsigned long sp);
/* A call whose entry has an instruction that the kernel single-steps. */
int kt_hit_stepped(struct kt_session *session, u32 func, unsigned long sp);
/* Behind a hit: it cost the program so much more than usual, or less, as a number below 0. */
void kt_hit_cost_more(struct kt_session *session, s64 ns);
int kt_hit_placed(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);
int kt_hit_call(struct kt_session *session, u32 func, unsigned long sp,
		struct kt_values *values);
int kt_hit_unseen(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);
int kt_hit_return(struct kt_session *session, u32 func, unsigned long sp);
int kt_hit_result(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);

/* A call jumps out of its function, to target; or to the linker, if that is to find it first. */
int kt_hit_jump(struct kt_session *session, u32 func, unsigned long sp, unsigned long target);
int kt_hit_jump_plt(struct kt_session *session, u32 func, unsigned long sp, unsigned long target);
/* A return of no call. */
int kt_hit_end(struct kt_session *session, unsigned long sp);
/* Before a hit at sp: has a call jumped there, or may it just have? Task context. */
bool kt_hit_has_jumped(struct kt_session *session, unsigned long sp);

/* Of a session with KTRACE_F_ERRORS: a call, and its return with that error, or 0. */
int kt_hit_try(struct kt_session *session, u32 func, unsigned long sp);
int kt_hit_outcome(struct kt_session *session, u32 func, unsigned long sp, u32 error);

/* Of a session that counts only: reads no clock, keeps no stack. */
int kt_hit_count(struct kt_session *session, u32 func);

/* Of the shadow stack: a frame was closed; flags are KTRACE_REC_F_*. */
void kt_hit_close(struct kt_stack *stack, struct kt_frame *frame, u64 now, u8 flags);

/* The task ended; its frames were closed before. */
void kt_hit_task_exit(struct kt_stack *stack);

/* Amid a walk over a stack: others may run, unless it is pinned. */
void kt_hit_rest(struct kt_stack *stack);
/* A walk outside of a hit. Process context; fn runs with preemption off and may rest. */
void kt_hit_walk(struct kt_stack *stack, void (*fn)(struct kt_stack *stack));

#endif
