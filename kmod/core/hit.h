/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HIT_H
#define KT_HIT_H

#include <linux/types.h>

struct kt_session;
struct kt_values;

/*
 * One function for each kind of event of user functions and of kernel call trees. sp is the
 * address of the return address. values may be NULL. Any context. Each returns 0, so that a handler
 * can return the result.
 */

/* An entry of a function without flags and without arguments to record. */
int kt_hit_entry(struct kt_session *session, u32 func, unsigned long sp);
/* An entry whose instruction the kernel single-steps. */
int kt_hit_stepped(struct kt_session *session, u32 func, unsigned long sp);
/* After a hit: it cost the program ns more than usual; ns is negative if it cost less. */
void kt_hit_cost_more(struct kt_session *session, s64 ns);
/* An entry of a function with KTRACE_FUNC_* flags, or with arguments to record. */
int kt_hit_placed(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);
/* An entry of a function with KTRACE_RETURN_NONE: the call has no duration. */
int kt_hit_call(struct kt_session *session, u32 func, unsigned long sp,
		struct kt_values *values);
/* An entry of a function with KTRACE_RETURN_UNSEEN. */
int kt_hit_unseen(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);
/* A return without and with a result to record. */
int kt_hit_return(struct kt_session *session, u32 func, unsigned long sp);
int kt_hit_result(struct kt_session *session, u32 func, unsigned long sp,
		  struct kt_values *values);

/* A call leaves its function by a jump to target; jump_plt: the linker may resolve it first. */
int kt_hit_jump(struct kt_session *session, u32 func, unsigned long sp, unsigned long target);
int kt_hit_jump_plt(struct kt_session *session, u32 func, unsigned long sp, unsigned long target);
/* A return of a function with KTRACE_RETURN_SILENT, whose calls have no frames. */
int kt_hit_end(struct kt_session *session, u32 func, unsigned long sp);
/* Before a hit at sp: has a call jumped here, or may it just have? Task context. */
bool kt_hit_has_jumped(struct kt_session *session, unsigned long sp);

/* A session with KTRACE_F_ERRORS: a call, and its return with error, which may be 0. */
int kt_hit_try(struct kt_session *session, u32 func, unsigned long sp);
int kt_hit_outcome(struct kt_session *session, u32 func, unsigned long sp, u32 error);

/* An entry in a session that counts only: reads no clock, keeps no stack. */
int kt_hit_count(struct kt_session *session, u32 func);

#endif
