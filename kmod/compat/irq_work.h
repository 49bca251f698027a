/* SPDX-License-Identifier: GPL-2.0 */
/* Works that run in the interrupt itself, also on a kernel for real time. */
#ifndef KT_COMPAT_IRQ_WORK_H
#define KT_COMPAT_IRQ_WORK_H

#include <linux/irq_work.h>

static inline void kt_init_irq_work_hard(struct irq_work *work, void (*fn)(struct irq_work *work))
{
#ifdef IRQ_WORK_INIT_HARD
	*work = IRQ_WORK_INIT_HARD(fn);
#else
	init_irq_work(work, fn);
#endif
}

#endif
