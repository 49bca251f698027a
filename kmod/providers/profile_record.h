/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROFILE_RECORD_H
#define KT_PROFILE_RECORD_H

#include <linux/types.h>

struct kt_session;

/*
 * Records a sample of current, which was taken at now (ticks), in a session with a ring. mode:
 * KTRACE_PROFILE_*. stack: its number, or KT_STACK_NONE. Interrupts are off.
 */
void kt_profile_record(struct kt_session *session, u32 mode, u64 period, u64 now, u32 stack);

#endif
