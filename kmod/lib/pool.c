// SPDX-License-Identifier: GPL-2.0
/* Free lists: hits take objects from them, and contexts that can sleep fill them. */
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "lib/lock.h"
#include "lib/mem.h"
#include "lib/pool.h"

void kt_pool_init(struct kt_pool *pool, size_t len, u32 low)
{
	raw_spin_lock_init(&pool->lock);
	pool->free = NULL;
	pool->nr = 0;
	pool->low = low;
	pool->len = len;
}

DEFINE_PER_CPU(int, kt_nr_locked);

int kt_pool_is_low __read_mostly = 1;
unsigned long kt_pool_refused;

/* Does not allocate or free, but only links. */
static void pool_push(struct kt_pool *pool, void *p)
{
	unsigned long flags;

	flags = kt_lock(&pool->lock);
	*(void **)p = pool->free;
	pool->free = p;
	pool->nr++;
	kt_unlock(&pool->lock, flags);
}

static void *pool_pop(struct kt_pool *pool)
{
	unsigned long flags;
	void *p;

	if (in_nmi()) {
		/* The interrupted context may hold the lock. */
		if (!kt_trylock(&pool->lock, &flags))
			return NULL;
	} else {
		flags = kt_lock(&pool->lock);
	}
	p = pool->free;
	if (p) {
		pool->free = *(void **)p;
		pool->nr--;
	}
	if (pool->nr < pool->low)
		WRITE_ONCE(kt_pool_is_low, 1);
	kt_unlock(&pool->lock, flags);
	return p;
}

static void *pool_make(struct kt_pool *pool, gfp_t gfp)
{
	void *p;

	if (!kt_mem_charge(pool->len))
		return NULL;
	p = kmalloc(pool->len, gfp | __GFP_NOWARN);
	if (!p)
		kt_mem_uncharge(pool->len);
	return p;
}

void kt_pool_refill(struct kt_pool *pool, gfp_t gfp)
{
	u32 nr = 0;
	void *p;

	while (READ_ONCE(pool->nr) < 2 * pool->low) {
		if (nr++ == KT_POOL_BATCH) {
			WRITE_ONCE(kt_pool_is_low, 1);
			return;
		}
		p = pool_make(pool, gfp);
		if (!p) {
			WRITE_ONCE(kt_pool_refused, jiffies);
			return;
		}
		pool_push(pool, p);
	}
}

static struct kt_pool *shared;

void kt_pool_share(struct kt_pool *pool)
{
	pool->next = shared;
	shared = pool;
}

/* Clears the flag first: a hit that finds a pool low meanwhile sets it again. */
void kt_pool_refill_all(gfp_t gfp)
{
	struct kt_pool *pool;

	WRITE_ONCE(kt_pool_is_low, 0);
	for (pool = shared; pool; pool = pool->next)
		kt_pool_refill(pool, gfp);
}

void kt_pool_want(struct kt_pool *pool, int more)
{
	unsigned long flags;

	flags = kt_lock(&pool->lock);
	pool->low += more;
	if (pool->nr < pool->low)
		WRITE_ONCE(kt_pool_is_low, 1);
	kt_unlock(&pool->lock, flags);
}

void *kt_pool_take(struct kt_pool *pool)
{
	return pool_pop(pool);
}

void *kt_pool_get(struct kt_pool *pool)
{
	void *p = pool_pop(pool);

	if (p)
		memset(p, 0, pool->len);
	return p;
}

void kt_pool_put(struct kt_pool *pool, void *p)
{
	pool_push(pool, p);
}

void kt_pool_trim(struct kt_pool *pool, u32 keep)
{
	void *p;

	while (READ_ONCE(pool->nr) > keep * pool->low && (p = pool_pop(pool))) {
		kfree(p);
		kt_mem_uncharge(pool->len);
		cond_resched();
	}
}

void kt_pool_trim_all(u32 keep)
{
	struct kt_pool *pool;

	for (pool = shared; pool; pool = pool->next)
		kt_pool_trim(pool, keep);
}
