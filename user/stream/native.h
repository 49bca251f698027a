/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exponential histograms of durations in seconds, which Prometheus calls native: bucket i ends at
 * 2^(i/16). OpenTelemetry numbers the same buckets from one less on.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdint.h>

#define NATIVE_SCALE 4
#define NATIVE_ZERO 1e-10	/* seconds: less than any duration but 0 */

/*
 * Returns the number of the native bucket in which the middle of a bucket of the module lies. It
 * never changes, so counts never move from one bucket to another. The bucket 0 of the module has
 * none: its durations are 0.
 */
int native_index(uint32_t index);

#endif
