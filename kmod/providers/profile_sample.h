/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROFILE_SAMPLE_H
#define KT_PROFILE_SAMPLE_H

#include <linux/types.h>

struct kt_session;
struct pt_regs;

/*
 * Counts a sample of what this CPU does, for period ns, in a session. regs: the registers that the
 * interrupt has saved, or NULL if they are not known. Interrupts are off; not in an NMI.
 */
void kt_profile_sample(struct kt_session *session, struct pt_regs *regs, u64 period);

#endif
