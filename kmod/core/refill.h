/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_REFILL_H
#define KT_REFILL_H

#include "lib/pool.h"

/* Fills the pools that hits take memory from, unless memory is refused. Process context. */
void kt_refill_all(gfp_t gfp);

/*
 * Before a hit, in task context: adds a bounded number of objects to the pools; a work adds the
 * rest. May sleep if gfp allows it.
 */
void kt_refill_some(gfp_t gfp);
static inline void kt_refill(gfp_t gfp)
{
	if (unlikely(READ_ONCE(kt_pool_is_low)))
		kt_refill_some(gfp);
}

/*
 * For hits that cannot allocate: a work fills the pools a moment later. Any context, scheduler, NMI
 * and allocator included.
 */
void kt_refill_queue(void);
static inline void kt_refill_soon(void)
{
	if (unlikely(READ_ONCE(kt_pool_is_low)))
		kt_refill_queue();
}

void kt_refill_init(void);
void kt_refill_exit(void);	/* no hit runs any more */

#endif
