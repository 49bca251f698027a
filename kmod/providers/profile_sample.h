/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROFILE_SAMPLE_H
#define KT_PROFILE_SAMPLE_H

#include <linux/types.h>

struct kt_kernel_frames;
struct kt_session;
struct pt_regs;

struct kt_profile_sample {
	struct pt_regs *regs;	/* that the interrupt has saved; NULL: not known */
	const struct kt_kernel_frames *kernel;	/* saved before, or NULL: found by regs */
	u32 mode;		/* enum ktrace_profile */
	u64 weight;		/* what the sample stands for: ns, or events */
};

/* What this CPU does, or did when something interrupted it. Any context; regs may be NULL. */
u32 kt_profile_mode(const struct pt_regs *regs);

/* Counts a sample of current in a session. Interrupts are off; not in an NMI. */
void kt_profile_sample(struct kt_session *session, const struct kt_profile_sample *sample);
/* Counts samples that were due but not taken. Preemption is off; not in an NMI. */
void kt_profile_count_missed(struct kt_session *session, u64 nr);

#endif
