/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TICKS_H
#define KT_TICKS_H

#include <linux/types.h>

#include "lib/arch.h"

/*
 * The cheapest clock that all CPUs share, for durations: the processor's cycles where the
 * kernel trusts them, which cost a tenth of CLOCK_MONOTONIC, else its ns. When the kernel stops
 * trusting them, or the machine was suspended, ticks go on where they were, in the same unit.
 */
extern u64 kt_ticks_mult;	/* ns of a tick, times 2^32 */
extern bool kt_ticks_are_cycles;	/* where they are read; changes while no hit runs */
extern u64 kt_ticks_base;	/* ticks less what is read; changes while no hit runs */

/* Process context, while there is no session; from the one to the other they are looked after. */
void kt_ticks_begin(void);
void kt_ticks_end(void);

/* Process context. */
void kt_ticks_init(void);
void kt_ticks_exit(void);

/* Every clock at one moment. Any context. */
struct ktrace_clocks;
void kt_clocks_read(struct ktrace_clocks *c);

/* CLOCK_MONOTONIC in ticks. Any context. */
u64 kt_ticks_of_clock(void);

/* Any context. Like kt_clock() it may step back a little from one CPU to the other. */
static inline u64 kt_ticks(void)
{
	return (likely(kt_ticks_are_cycles) ? kt_arch_read_cycles() : kt_ticks_of_clock()) +
	       kt_ticks_base;
}

/* Exact where ticks are ns. */
static inline u64 kt_ticks_to_ns(u64 ticks)
{
	return kt_arch_mul_shr32(ticks, kt_ticks_mult);
}

#endif
