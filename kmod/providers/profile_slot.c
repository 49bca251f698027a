// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "compat/irq_work.h"
#include "compat/stack.h"
#include "core/session.h"
#include "providers/profile_slot.h"

/* An NMI that comes in between only adds to missed. */
static void profile_slot_count(struct irq_work *irq)
{
	struct kt_profile_slot *slot = container_of(irq, struct kt_profile_slot, irq);
	unsigned long flags;

	local_irq_save(flags);
	if (slot->cpu == smp_processor_id() && slot->task == current)
		kt_profile_sample(slot->session, &slot->sample);
	else
		kt_profile_count_missed(slot->session, 1);
	kt_profile_count_missed(slot->session, xchg(&slot->missed, 0));
	WRITE_ONCE(slot->is_full, false);
	local_irq_restore(flags);
}

void kt_profile_slot_init(struct kt_profile_slot *slot, struct kt_session *session, int cpu)
{
	slot->session = session;
	slot->cpu = cpu;
	kt_init_irq_work_hard(&slot->irq, profile_slot_count);
}

void kt_profile_slot_save(struct kt_profile_slot *slot, struct pt_regs *regs, u64 weight)
{
	if (READ_ONCE(slot->is_full)) {
		slot->missed++;
		return;
	}
	WRITE_ONCE(slot->is_full, true);
	slot->task = current;
	slot->regs = *regs;
	slot->kernel.nr = 0;
	slot->sample.regs = &slot->regs;
	slot->sample.kernel = &slot->kernel;
	slot->sample.mode = kt_profile_mode(regs);
	slot->sample.weight = weight;
	if (slot->session->hot.stacks && slot->sample.mode == KTRACE_PROFILE_KERNEL)
		slot->kernel.nr = kt_save_stack_interrupted(regs, slot->kernel.addrs,
							    ARRAY_SIZE(slot->kernel.addrs));
	irq_work_queue(&slot->irq);
}

void kt_profile_slot_flush(struct kt_profile_slot *slot)
{
	irq_work_sync(&slot->irq);
	preempt_disable();
	kt_profile_count_missed(slot->session, xchg(&slot->missed, 0));
	preempt_enable();
}
