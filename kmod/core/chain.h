/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_CHAIN_H
#define KT_CHAIN_H

#include <linux/types.h>

struct kt_frame;
struct kt_stack;

/*
 * Of a session with KTRACE_F_ERRORS, whose stacks do not charge time to frames: an open frame
 * keeps the last error that a call in it returned, as its chain's node in the tree, and how
 * long that call took, in self.
 *
 * A call is about to return an error, or none (0). Preemption off.
 */
void kt_chain_add(struct kt_stack *stack, struct kt_frame *frame, u64 duration, u32 error);

#endif
