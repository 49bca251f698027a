/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#define CLOCK_SECOND 1000000000ULL	/* ns */

/* Returns CLOCK_MONOTONIC in ns, the clock of the module's records. Safe in signal handlers. */
uint64_t clock_now_ns(void);

/* Returns the CPU time of this process in ns. Safe in signal handlers. */
uint64_t clock_cpu_ns(void);

/*
 * Converts a time to CLOCK_REALTIME, with the current difference of both clocks, or as a recording
 * knows it. fn NULL: as it is here and now.
 */
uint64_t clock_realtime_of(uint64_t monotonic_ns);
typedef uint64_t clock_fn(const void *arg, uint64_t monotonic_ns);
void clock_set_realtime(clock_fn *fn, const void *arg);

#endif
