/* SPDX-License-Identifier: GPL-2.0 */
/* A sample that is taken now and counts a moment later, when interrupts are on again. */
#ifndef KT_PROFILE_SLOT_H
#define KT_PROFILE_SLOT_H

#include <linux/irq_work.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "core/stacks.h"
#include "providers/profile_sample.h"

struct kt_session;
struct task_struct;

/*
 * An NMI may interrupt code that holds any lock, so a sample cannot be counted there. The NMI saves
 * what the interrupted code will change: its registers, and the frames of the kernel. The program
 * itself cannot run on before the interrupt of the slot has counted the sample, so the frames of
 * the program are taken there. Each slot belongs to one CPU.
 */
struct kt_profile_slot {
	struct kt_session *session;
	struct irq_work irq;
	int cpu;
	bool is_full;
	/* the sample */
	const struct task_struct *task;	/* compared only */
	struct pt_regs regs;
	struct kt_kernel_frames kernel;
	struct kt_profile_sample sample;
	/* samples that found the slot full, or were not taken; not counted yet */
	unsigned long missed;
};

void kt_profile_slot_init(struct kt_profile_slot *slot, struct kt_session *session, int cpu);
/*
 * Saves a sample of weight, or counts it as missed if the slot is full. On the CPU of the slot,
 * interrupts off or in an NMI. A sample that the code between two tasks gives is missed, too: the
 * task has changed when the interrupt comes.
 */
void kt_profile_slot_save(struct kt_profile_slot *slot, struct pt_regs *regs, u64 weight);
/* Nothing is saved any more: waits until what was saved has counted. Process context, sleeps. */
void kt_profile_slot_flush(struct kt_profile_slot *slot);

#endif
