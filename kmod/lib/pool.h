/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_POOL_H
#define KT_POOL_H

#include <linux/spinlock.h>
#include <linux/types.h>

/*
 * Objects that a hit may take without allocating. Providers that run in task
 * context refill pools before they enter kt_hit().
 */
struct kt_pool {
	raw_spinlock_t lock;	/* guards free and nr; held for a few instructions */
	void *free;		/* linked through the first word */
	u32 nr;
	u32 low;		/* refilled when fewer are left */
	size_t len;
	struct kt_pool *next;	/* of those that kt_pool_refill_all() fills */
};

/* Some pool has fewer than it wants: read at each hit, so alone on its line. */
extern int kt_pool_is_low;

void kt_pool_init(struct kt_pool *pool, size_t len, u32 low);
void kt_pool_exit(struct kt_pool *pool);
void *kt_pool_take(struct kt_pool *pool);	/* any context; NULL when empty */
void *kt_pool_get(struct kt_pool *pool);	/* the same, zeroed */
void kt_pool_put(struct kt_pool *pool, void *p);
/* Gives free objects back, down to keep times what is called low. */
void kt_pool_trim(struct kt_pool *pool, u32 keep);
#define KT_POOL_KEEP 2	/* as many as a refill makes */

/* Refilled when more, or fewer, are left: of those whose hits cannot refill it themselves. */
void kt_pool_want(struct kt_pool *pool, int more);
/* When there was no memory for a pool, in jiffies: no need to ask again at once. */
extern unsigned long kt_pool_refused;

/* Task context; may sleep if gfp says so. So many at a time: kt_pool_is_low if that is too few. */
#define KT_POOL_BATCH 16
void kt_pool_refill(struct kt_pool *pool, gfp_t gfp);

/* As the module is loaded, and never taken back: kt_pool_refill_all() fills this one, too. */
void kt_pool_share(struct kt_pool *pool);
void kt_pool_refill_all(gfp_t gfp);

#endif
