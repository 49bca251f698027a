/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_POOL_H
#define KT_POOL_H

#include <linux/spinlock.h>
#include <linux/types.h>

/*
 * Objects that a hit can take without allocating memory. Providers that run in
 * task context refill the pools before a hit.
 */
struct kt_pool {
	raw_spinlock_t lock;	/* guards free, nr and low; held for a few instructions */
	void *free;		/* linked through the first word */
	u32 nr;
	u32 low;		/* the pool is refilled when fewer are left */
	size_t len;		/* bytes of an object */
	struct kt_pool *next;	/* in the list of kt_pool_refill_all() */
};

/* Is a pool low? Read at each hit, so it is read-mostly data. */
extern int kt_pool_is_low;

void kt_pool_init(struct kt_pool *pool, size_t len, u32 low);
void *kt_pool_take(struct kt_pool *pool);	/* any context; NULL if empty */
void *kt_pool_get(struct kt_pool *pool);	/* the same, zeroed */
void kt_pool_put(struct kt_pool *pool, void *p);
/* Frees objects until keep times low are left. Process context. */
void kt_pool_trim(struct kt_pool *pool, u32 keep);

/* Adds more, which may be negative, to low: for sessions whose hits cannot refill the pool. */
void kt_pool_want(struct kt_pool *pool, int more);
/* jiffies when memory for a pool was last refused: another try at once is of no use. */
extern unsigned long kt_pool_refused;

/*
 * Adds at most KT_POOL_BATCH objects, and sets kt_pool_is_low if this is too few. Task context; may
 * sleep if gfp allows it.
 */
#define KT_POOL_BATCH 16
void kt_pool_refill(struct kt_pool *pool, gfp_t gfp);

/* Adds the pool to those that the next two functions are for. Called while the module loads. */
void kt_pool_share(struct kt_pool *pool);
void kt_pool_refill_all(gfp_t gfp);
/*
 * As kt_pool_trim(). Memory in pools counts against max_mem. KT_POOL_KEEP leaves what the next hits
 * may need, as many objects as a refill makes; 0 is for the end of the last session.
 */
#define KT_POOL_KEEP 2
void kt_pool_trim_all(u32 keep);

#endif
