// SPDX-License-Identifier: GPL-2.0
/* Memory for hits, which cannot allocate it themselves. */
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "core/refill.h"
#include "lib/control.h"

static struct irq_work irq;
static struct work_struct work;

void kt_refill_all(gfp_t gfp)
{
	unsigned long refused = READ_ONCE(kt_pool_refused);

	do {
		kt_pool_refill_all(gfp);
		cond_resched();
	} while (READ_ONCE(kt_pool_is_low) && READ_ONCE(kt_pool_refused) == refused);
}

void kt_refill_some(gfp_t gfp)
{
	kt_pool_refill_all(gfp);
	kt_refill_soon();
}

static void refill_work(struct work_struct *unused)
{
	if (READ_ONCE(kt_pool_is_low))
		kt_refill_all(GFP_KERNEL);
}

/* A hit may run under a lock of queue_work(); an interrupt does not, since the lock disables it. */
static void refill_irq(struct irq_work *unused)
{
	queue_work(kt_queue, &work);
}

/*
 * Context switches of the work may be hits. So after memory was refused, the work does not run
 * again before the next tick.
 */
void kt_refill_queue(void)
{
	if (time_after_eq(READ_ONCE(kt_pool_refused), jiffies))
		return;
	irq_work_queue(&irq);
}

void kt_refill_init(void)
{
	init_irq_work(&irq, refill_irq);
	INIT_WORK(&work, refill_work);
}

void kt_refill_exit(void)
{
	irq_work_sync(&irq);
	cancel_work_sync(&work);
}
