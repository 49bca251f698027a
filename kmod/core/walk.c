// SPDX-License-Identifier: GPL-2.0
/* Walks over deep shadow stacks: other tasks run meanwhile. */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/refill.h"
#include "core/walk.h"
#include "lib/clock.h"

DEFINE_PER_CPU(int, kt_in_hit);
DEFINE_PER_CPU(u64, kt_rested);

void kt_walk_begin(void)
	__acquires(RCU_SCHED)
{
	rcu_read_lock_sched();
	__this_cpu_inc(kt_in_hit);
}

void kt_walk_end(void)
	__releases(RCU_SCHED)
{
	__this_cpu_dec(kt_in_hit);
	rcu_read_unlock_sched();
}

/*
 * Between two rests, KT_WALK_STEPS / KT_WALK_STEPS_TO_CLOSE calls are closed, and each may take
 * memory for a new node of the tree. The number of passes is bounded, since other CPUs may take
 * what is added.
 */
#define REFILLS (2 * KT_WALK_STEPS / KT_WALK_STEPS_TO_CLOSE / KT_POOL_BATCH)

static void walk_refill(void)
{
	int i;

	for (i = 0; i < REFILLS && READ_ONCE(kt_pool_is_low); i++)
		kt_pool_refill_all(GFP_KERNEL);
	kt_refill_soon();
}

/* Up to its end, the rest is no time of the program. */
u64 kt_walk_rest(void)
{
	u64 before = kt_clock(), sum = __this_cpu_read(kt_rested), now;

	kt_walk_end();
	walk_refill();
	cond_resched();
	kt_walk_begin();
	now = kt_clock();
	__this_cpu_write(kt_rested, sum + now - before);
	return now;
}
