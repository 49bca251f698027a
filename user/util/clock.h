/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#define CLOCK_SECOND 1000000000ULL	/* ns */

/* CLOCK_MONOTONIC in ns: the clock that the module stamps records with. From any context. */
uint64_t clock_now_ns(void);

/* The same moment by CLOCK_REALTIME, as both clocks go now. */
uint64_t clock_realtime_of(uint64_t monotonic_ns);

#endif
