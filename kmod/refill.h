/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_REFILL_H
#define KT_REFILL_H

#include "pool.h"

/*
 * For hits that may not allocate, whatever context they are in, scheduler, NMI and
 * allocator included: a work fills the pools a moment later.
 */
void kt_refill_soon_slow(void);
static inline void kt_refill_soon(void)
{
	if (unlikely(READ_ONCE(kt_pool_is_low)))
		kt_refill_soon_slow();
}

void kt_refill_init(void);
void kt_refill_exit(void);	/* when nothing hits any more */

#endif
