/* SPDX-License-Identifier: GPL-2.0 */
/* What a hit proves about the open calls of its task. */
#ifndef KT_SHADOW_PUSH_H
#define KT_SHADOW_PUSH_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "core/shadow.h"
#include "core/shadow_table.h"

/* The same as kt_shadow_push(), where the call is not an ordinary one from the top frame. */
struct kt_frame *kt_shadow_push_odd(struct kt_session *session, struct kt_shadow *stack, u32 func,
				    unsigned long sp, u64 now);

/*
 * Closes the frames that a call at sp proves dead, and pushes a frame for it. Returns NULL if the
 * stack is too deep or there is no memory.
 */
static __always_inline struct kt_frame *kt_shadow_push(struct kt_session *session,
						       struct kt_shadow *stack, u32 func,
						       unsigned long sp, u64 now)
{
	struct kt_frame *top = stack->top;
	u16 flags;

	if (unlikely(!stack->is_home_known) && !top)
		kt_shadow_find_home(stack);
	flags = kt_shadow_is_home(stack, sp) ? KT_FRAME_HOME : 0;
	/* The usual case: a call from the top frame, which runs, on the thread's own stack. */
	if (top && unlikely(!(top->flags & flags & KT_FRAME_HOME) || top->sp <= sp ||
			    top != stack->current_frame))
		return kt_shadow_push_odd(session, stack, func, sp, now);
	return kt_shadow_add(session, stack, (struct kt_entered){ top, flags }, func, sp, now);
}

/*
 * A hit at sp of a call of func that is not the top, or that its parent jumped to: closes the calls
 * inside it. Returns its frame, which is the top now, or NULL if there is no such call.
 */
struct kt_frame *kt_shadow_uncover(struct kt_shadow *stack, u32 func, unsigned long sp, u64 now);
/* A return at sp of a call without a frame. Returns false if no call was lost or ends there. */
bool kt_shadow_return_lost(struct kt_shadow *stack, unsigned long sp, u64 now);
/*
 * A call of func at sp leaves its function by a jump to target, or to the dynamic linker, which
 * looks for the target first. Returns false if there is no such call.
 */
bool kt_shadow_jump_out(struct kt_shadow *stack, u32 func, unsigned long sp,
			unsigned long target, bool may_be_linker, u64 now);
/* A return at sp of a function without frames: ends the calls that have jumped to it. */
void kt_shadow_return_at(struct kt_shadow *stack, unsigned long sp, u64 now);

#endif
