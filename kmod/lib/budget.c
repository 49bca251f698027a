// SPDX-License-Identifier: GPL-2.0
/* The time budget for expensive work of hits. */
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "lib/budget.h"
#include "lib/ticks.h"

#define PARTS 4	/* one of so many parts of a tick may be spent */

struct budget {
	unsigned long tick;	/* jiffies */
	u64 spent;		/* in this tick, in units of kt_ticks() */
};

static DEFINE_PER_CPU(struct budget, budget);

bool kt_budget_begin(u64 *start)
{
	struct budget *of = this_cpu_ptr(&budget);
	unsigned long tick = jiffies;

	if (of->tick != tick) {
		of->tick = tick;
		of->spent = 0;
	}
	if (kt_ticks_to_ns(of->spent) >= TICK_NSEC / PARTS)
		return false;
	*start = kt_ticks();
	return true;
}

void kt_budget_end(u64 start)
{
	u64 now = kt_ticks();

	if (now > start)
		this_cpu_ptr(&budget)->spent += now - start;
}
