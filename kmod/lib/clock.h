/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_CLOCK_H
#define KT_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>

/* CLOCK_MONOTONIC in ns, from any context. May step back a little: see ring.c. */
static inline u64 kt_clock(void)
{
	return ktime_get_mono_fast_ns();
}

#endif
