// SPDX-License-Identifier: GPL-2.0
/* Walks over deep shadow stacks: other tasks run meanwhile. */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/hit.h"
#include "core/hit_parts.h"
#include "core/pools.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/tree.h"
#include "lib/clock.h"

DEFINE_PER_CPU(int, kt_in_hit);
DEFINE_PER_CPU(u64, kt_rested);

static void walk_begin(void)
	__acquires(RCU_SCHED)
{
	rcu_read_lock_sched();
	__this_cpu_inc(kt_in_hit);
}

static void walk_end(void)
	__releases(RCU_SCHED)
{
	__this_cpu_dec(kt_in_hit);
	rcu_read_unlock_sched();
}

void kt_hit_walk(struct kt_shadow *stack, void (*fn)(struct kt_shadow *stack))
{
	walk_begin();
	fn(stack);
	walk_end();
}

static u32 walk_generation_of(const struct kt_tree *tree)
{
	return tree ? tree->generation : 0;
}

/*
 * Between two rests, KT_SHADOW_STEPS / KT_SHADOW_STEPS_TO_CLOSE calls are closed, and each may take
 * memory for a new node of the tree. The number of passes is bounded, since other CPUs may take
 * what is added.
 */
#define REFILLS (2 * KT_SHADOW_STEPS / KT_SHADOW_STEPS_TO_CLOSE / KT_POOL_BATCH)

static void walk_refill(void)
{
	int i;

	for (i = 0; i < REFILLS && READ_ONCE(kt_pool_is_low); i++)
		kt_pool_refill_all(GFP_KERNEL);
	kt_refill_soon();
}

/* On return, the CPU and the figures of the session may be different ones. */
void kt_hit_rest(struct kt_shadow *stack)
{
	u32 generation = walk_generation_of(stack->tree);
	u64 before, sum;

	stack->nr_steps = KT_SHADOW_STEPS;
	if (stack->is_pinned)
		return;
	before = kt_clock();
	sum = __this_cpu_read(kt_rested);
	walk_end();
	walk_refill();
	cond_resched();
	walk_begin();
	stack->last = kt_clock();	/* the walk up to here is no time of the program */
	__this_cpu_write(kt_rested, sum + stack->last - before);
	stack->tree = READ_ONCE(stack->session->hot.tree);
	stack->nr_resets += walk_generation_of(stack->tree) != generation;
}
