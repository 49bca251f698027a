/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TICKS_H
#define KT_TICKS_H

#include <linux/types.h>

#include "lib/arch.h"

/*
 * The cheapest clock that all CPUs share, for durations. Ticks are cycles of the processor if the
 * kernel trusts them, which cost a tenth of CLOCK_MONOTONIC; otherwise, ticks are its ns. If the
 * kernel stops trusting cycles, or after a suspend, ticks go on where they were, in the same unit.
 */
extern u64 kt_ticks_mult;	/* ns of a tick, times 2^32 */
extern bool kt_ticks_are_cycles;	/* read cycles, else the clock; changes while no hit runs */
extern u64 kt_ticks_base;	/* added to the value read; changes while no hit runs */

/* Process context, while there is no session. Between the two, a work checks the cycles. */
void kt_ticks_begin(void);
void kt_ticks_end(void);

/* Process context. */
void kt_ticks_init(void);
void kt_ticks_exit(void);

/* Reads all clocks at one moment. Any context but NMI. */
struct ktrace_clocks;
void kt_clocks_read(struct ktrace_clocks *c);

/* CLOCK_MONOTONIC in ticks. Any context. */
u64 kt_ticks_of_clock(void);

/* Any context. Like kt_clock(), ticks may step back a little from one CPU to another. */
static inline u64 kt_ticks(void)
{
	return (likely(kt_ticks_are_cycles) ? kt_arch_read_cycles() : kt_ticks_of_clock()) +
	       kt_ticks_base;
}

/* Exact if ticks are ns. */
static inline u64 kt_ticks_to_ns(u64 ticks)
{
	return kt_arch_mul_shr32(ticks, kt_ticks_mult);
}

#endif
