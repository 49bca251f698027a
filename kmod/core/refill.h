/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_REFILL_H
#define KT_REFILL_H

#include "lib/pool.h"

/* Process context: the pools that a hit draws from are full. */
void kt_refill_all(gfp_t gfp);

/*
 * Fills them before a hit, in task context, by a bounded number; a work does the rest. May sleep
 * if gfp says so.
 */
void kt_refill_some(gfp_t gfp);
static inline void kt_refill(gfp_t gfp)
{
	if (unlikely(READ_ONCE(kt_pool_is_low)))
		kt_refill_some(gfp);
}

/*
 * For hits that may not allocate, whatever context they are in, scheduler, NMI and
 * allocator included: a work fills the pools a moment later.
 */
void kt_refill_queue(void);
static inline void kt_refill_soon(void)
{
	if (unlikely(READ_ONCE(kt_pool_is_low)))
		kt_refill_queue();
}

void kt_refill_init(void);
void kt_refill_exit(void);	/* when nothing hits any more */

#endif
