// SPDX-License-Identifier: GPL-2.0
/* NMIs on demand, sent from one CPU to another. */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include "selftest/selftest_parts.h"

static void (*on_nmi)(void);
static struct cpumask sent;

/* Handles only the NMIs that this test has sent. */
static int selftest_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	if (!cpumask_test_and_clear_cpu(smp_processor_id(), &sent))
		return NMI_DONE;
	on_nmi();
	return NMI_HANDLED;
}

int kt_selftest_nmi_init(void (*hit)(void))
{
	on_nmi = hit;
	return register_nmi_handler(NMI_LOCAL, selftest_nmi_handler, 0, "ktrace");
}

/* If an NMI is still on its way, sends no second one: the kernel might not find its cause. */
void kt_selftest_nmi_send(int cpu)
{
	preempt_disable();
	if (!cpumask_test_and_set_cpu(cpu, &sent))
		apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
	preempt_enable();
}

void kt_selftest_nmi_exit(void)
{
	unsigned long spins = 1UL << 28;

	while (!cpumask_empty(&sent) && --spins)
		cpu_relax();
	kt_claim(spins);
	unregister_nmi_handler(NMI_LOCAL, "ktrace");
}
