/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_POOL_H
#define KT_POOL_H

#include <linux/spinlock.h>
#include <linux/types.h>

/*
 * Objects that a hit may take without allocating. Providers that run in task
 * context refill the pool before they enter kt_hit().
 */
struct kt_pool {
	raw_spinlock_t lock;	/* guards free and nr; held for a few instructions */
	void *free;		/* linked through the first word */
	u32 nr;
	u32 low;		/* refilled when fewer are left */
	size_t len;
};

void kt_pool_init(struct kt_pool *pool, size_t len, u32 low);
void kt_pool_exit(struct kt_pool *pool);
bool kt_pool_refill_slow(struct kt_pool *pool);
void *kt_pool_get(struct kt_pool *pool);	/* any context; zeroed; NULL when empty */
void kt_pool_put(struct kt_pool *pool, void *p);
void kt_pool_trim(struct kt_pool *pool);	/* gives all free objects back */

/* Task context, may sleep. */
static inline void kt_pool_refill(struct kt_pool *pool)
{
	if (unlikely(READ_ONCE(pool->nr) < pool->low))
		kt_pool_refill_slow(pool);
}

#endif
