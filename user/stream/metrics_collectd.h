/* SPDX-License-Identifier: GPL-2.0 */
#ifndef METRICS_COLLECTD_H
#define METRICS_COLLECTD_H

#include <stdio.h>

#include "stream/metrics.h"

/*
 * Writes metrics as lines for collectd's plugin exec:
 *
 *	PUTVAL "HOST/ktrace-SESSION/derive-call_duration.count.main" N:1000
 *
 * Counters are DERIVE, which are integers, so times are in ns. A histogram is its count and its sum.
 * Names that are too long for collectd end with a number instead of what makes them too long.
 */
void metrics_collectd_print(FILE *out, const struct metrics *metrics);

#endif
