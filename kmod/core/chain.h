/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_CHAIN_H
#define KT_CHAIN_H

#include <linux/types.h>

struct kt_frame;
struct kt_shadow;

/*
 * A session with KTRACE_F_ERRORS does not charge self time to frames. Instead, an open frame keeps
 * the last error that one of its callees returned: the chain's node in the tree, and in self the
 * time of that callee.
 *
 * A call of duration ns is about to return error, or 0 if there is none. Preemption is off.
 */
void kt_chain_add(struct kt_shadow *stack, struct kt_frame *frame, u64 duration, u32 error);

#endif
