/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#define CLOCK_SECOND 1000000000ULL	/* ns */

/* Returns CLOCK_MONOTONIC in ns, the clock of the module's records. Safe in signal handlers. */
uint64_t clock_now_ns(void);

/* Returns the CPU time of this process in ns. Safe in signal handlers. */
uint64_t clock_cpu_ns(void);

/* Converts a time to CLOCK_REALTIME, with the current difference of both clocks. */
uint64_t clock_realtime_of(uint64_t monotonic_ns);

#endif
