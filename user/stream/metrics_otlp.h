/* SPDX-License-Identifier: GPL-2.0 */
#ifndef METRICS_OTLP_H
#define METRICS_OTLP_H

#include <stdio.h>

#include "stream/metrics.h"

/*
 * Writes metrics as a request of OTLP, which otlp_post() sends to METRICS_OTLP_PATH: cumulative
 * sums and exponential histograms, and gauges. A name of Prometheus, ktrace_call_errors_total, is
 * ktrace.call.errors here, and Prometheus gives it the first name again; seconds are a unit, and
 * not part of the name. Counts above INT64_MAX become doubles.
 *
 * A request has about OTLP_REQUEST_LEN bytes at most, so it begins with the series `from`. Returns
 * the first series that belongs into the next request, or metrics->nr. now: ns, CLOCK_REALTIME.
 */
#define METRICS_OTLP_PATH "/v1/metrics"
size_t metrics_write_otlp(FILE *out, const struct metrics *metrics, size_t from, uint64_t now);

#endif
