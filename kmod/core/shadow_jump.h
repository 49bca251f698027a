/* SPDX-License-Identifier: GPL-2.0 */
/* Calls that do not end by a return of their own. */
#ifndef KT_SHADOW_JUMP_H
#define KT_SHADOW_JUMP_H

#include <linux/types.h>

#include "core/shadow.h"

/* The call of the top frame has returned, and was closed: closes the calls that end with it. */
void kt_shadow_return(struct kt_shadow *stack, struct kt_frame *frame, u64 now);
/*
 * Does the top frame take part in a jump at sp: was it left, or may it have been, is it the target
 * of a jump, or has the kernel replaced its return address (uretprobe)?
 */
bool kt_shadow_has_jumped(const struct kt_shadow *stack, unsigned long sp);
/* Marks a frame as LEFT: its return is not seen, or its function jumps. */
void kt_shadow_leave(struct kt_shadow *stack, struct kt_frame *frame);
/* Keeps the return address of a frame just pushed, which may leave by a jump without a probe. */
void kt_shadow_keep_ret(struct kt_frame *frame);

/*
 * func is entered at sp. Returns the frame that entered it by a tail jump, or NULL if the entry is
 * a call.
 */
struct kt_frame *kt_shadow_jumps(struct kt_shadow *stack, u32 func, unsigned long sp);
/* from jumps to func; HOME is not set. */
struct kt_entered kt_shadow_jump(struct kt_shadow *stack, struct kt_frame *from, u32 func,
				 u64 now);
/* A return at sp ends the LEFT call at sp. Returns false if there is no such call. */
bool kt_shadow_end(struct kt_shadow *stack, unsigned long sp, u64 now);
/* frame ends: closes the LEFT calls inside it, which have ended, too. */
void kt_shadow_end_inside(struct kt_shadow *stack, const struct kt_frame *frame, u64 now);
/* Before a hit at sp: closes LEFT calls at the top that have returned since. */
void kt_shadow_end_returned(struct kt_shadow *stack, unsigned long sp, u64 now);

#endif
