/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TICKS_H
#define KT_TICKS_H

#include <linux/math64.h>
#include <linux/timex.h>
#include <linux/types.h>

#include "clock.h"

/*
 * The cheapest clock that all CPUs share, for durations: the processor's cycles where the
 * kernel trusts them, which cost a tenth of CLOCK_MONOTONIC, else its ns.
 */
extern u64 kt_ticks_mult;	/* ns of a cycle, times 2^32; 0: ticks are ns */

/* Process context, while there is no session. */
void kt_ticks_choose(void);

/* Any context. Like kt_clock() it may step back a little from one CPU to the other. */
static inline u64 kt_ticks(void)
{
	return likely(kt_ticks_mult) ? get_cycles() : kt_clock();
}

static inline u64 kt_ticks_to_ns(u64 ticks)
{
	return likely(kt_ticks_mult) ? mul_u64_u64_shr(ticks, kt_ticks_mult, 32) : ticks;
}

#endif
