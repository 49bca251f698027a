/* SPDX-License-Identifier: GPL-2.0 */
#ifndef METRICS_PROTOBUF_H
#define METRICS_PROTOBUF_H

#include <stdbool.h>
#include <stdio.h>

#include "stream/metrics.h"

#define METRICS_PROTOBUF_TYPE \
	"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"

/* Returns true if a client prefers this exposition, by the header Accept of its request. */
bool metrics_protobuf_is_wanted(const char *accept);

/*
 * Writes metrics in the protobuf exposition of Prometheus, with native histograms besides the
 * classic ones. Each native bucket has the counts of those of the module whose middle lies in it, so
 * a duration is reported at most 6.8 % off.
 */
void metrics_protobuf_print(FILE *out, const struct metrics *metrics);

#endif
