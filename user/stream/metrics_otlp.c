// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "stream/metrics_otlp.h"
#include "stream/native.h"
#include "stream/otlp.h"

#define NS 1e9

/* Numbers of fields in opentelemetry.proto.metrics.v1, by message. */
enum { METRIC_NAME = 1, METRIC_HELP, METRIC_UNIT, METRIC_GAUGE = 5, METRIC_SUM = 7,
       METRIC_HISTOGRAM = 10 };
enum { DATA_POINTS = 1, DATA_TEMPORALITY, DATA_IS_MONOTONIC };
enum { POINT_START = 2, POINT_TIME, POINT_DOUBLE, POINT_INT = 6, POINT_ATTRIBUTES };
enum { HISTOGRAM_ATTRIBUTES = 1, HISTOGRAM_COUNT = 4, HISTOGRAM_SUM, HISTOGRAM_SCALE,
       HISTOGRAM_NR_ZERO, HISTOGRAM_POSITIVE, HISTOGRAM_ZERO = 14 };
enum { BUCKETS_OFFSET = 1, BUCKETS_COUNTS };

#define CUMULATIVE 2

/* --- points ---------------------------------------------------------------------------- */

static void put_attributes(struct protobuf *to, unsigned int field, const struct series *series)
{
	struct otlp_key key = { .field = field };
	const char *at = series->labels;

	while (at < series->labels_end) {
		key.text = at;
		key.len = strlen(at);
		at += key.len + 1;
		otlp_put_text(to, &key, at, strlen(at));
		at += strlen(at) + 1;
	}
}

/* A session cannot have begun after now, unless the clock was set back meanwhile. */
static void put_times(struct protobuf *to, const struct series *series, uint64_t now)
{
	if (series->start)
		protobuf_put_fixed(to, POINT_START, series->start < now ? series->start : now);
	protobuf_put_fixed(to, POINT_TIME, now);
}

static void put_number(struct protobuf *to, const struct series *series)
{
	if (series->family->is_time)
		protobuf_put_double(to, POINT_DOUBLE, series->value / NS);
	else if (series->value > INT64_MAX)
		protobuf_put_double(to, POINT_DOUBLE, series->value);
	else
		protobuf_put_fixed(to, POINT_INT, series->value);
}

/* Puts the counts of all native buckets from the first one that counts until the last one. */
static void put_counts(struct protobuf *to, const struct hist *hist, size_t at)
{
	int native = native_index(hist->buckets[at].index);
	size_t counts = protobuf_begin(to, BUCKETS_COUNTS);
	uint64_t count;

	for (; at < hist->nr; native++) {
		count = 0;
		while (at < hist->nr && native_index(hist->buckets[at].index) == native)
			count += hist->buckets[at++].count;
		protobuf_put_varint(to, count);
	}
	protobuf_end(to, counts);
}

static void put_buckets(struct protobuf *to, const struct hist *hist, size_t at)
{
	size_t buckets = protobuf_begin(to, HISTOGRAM_POSITIVE);

	protobuf_put_signed(to, BUCKETS_OFFSET, native_index(hist->buckets[at].index) - 1);
	put_counts(to, hist, at);
	protobuf_end(to, buckets);
}

static void put_histogram(struct protobuf *to, const struct series *series)
{
	const struct hist *hist = &series->hist;
	size_t first = hist->nr && !hist->buckets[0].index, i;
	uint64_t count = 0;

	for (i = 0; i < hist->nr; i++)
		count += hist->buckets[i].count;
	protobuf_put_fixed(to, HISTOGRAM_COUNT, count);
	protobuf_put_double(to, HISTOGRAM_SUM, series->value / NS);
	protobuf_put_signed(to, HISTOGRAM_SCALE, NATIVE_SCALE);
	protobuf_put_fixed(to, HISTOGRAM_NR_ZERO, first ? hist->buckets[0].count : 0);
	protobuf_put_double(to, HISTOGRAM_ZERO, NATIVE_ZERO);
	if (first < hist->nr)
		put_buckets(to, hist, first);
}

static void put_point(struct protobuf *to, const struct series *series, uint64_t now)
{
	bool is_histogram = series->family->type == FAMILY_HISTOGRAM;
	size_t point = protobuf_begin(to, DATA_POINTS);

	put_attributes(to, is_histogram ? HISTOGRAM_ATTRIBUTES : POINT_ATTRIBUTES, series);
	put_times(to, series, now);
	if (is_histogram)
		put_histogram(to, series);
	else
		put_number(to, series);
	protobuf_end(to, point);
}

/* --- metrics --------------------------------------------------------------------------- */

/* Returns the length of the name without an end, if it has this end. */
static size_t without(const char *name, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len > end_len && !memcmp(name + len - end_len, end, end_len) ? len - end_len : len;
}

/* "ktrace_call_self_seconds_total" becomes "ktrace.call.self". */
static void put_name(struct protobuf *to, const char *name)
{
	size_t len = without(name, without(name, strlen(name), "_total"), "_seconds");
	size_t begin = protobuf_begin(to, METRIC_NAME), i;

	for (i = 0; i < len; i++)
		protobuf_put(to, name[i] == '_' ? "." : &name[i], 1);
	protobuf_end(to, begin);
}

static void put_head(struct protobuf *to, const struct family *family)
{
	put_name(to, family->name);
	protobuf_put_text(to, METRIC_HELP, family->help);
	if (family->unit)
		protobuf_put_text(to, METRIC_UNIT, family->unit);
}

/* Puts series with the same name, until there are enough. Returns the first other one. */
static size_t put_metric(struct protobuf *to, const struct metrics *metrics, size_t at,
			 uint64_t now)
{
	static const unsigned int kinds[] = {
		[FAMILY_COUNTER] = METRIC_SUM, [FAMILY_GAUGE] = METRIC_GAUGE,
		[FAMILY_HISTOGRAM] = METRIC_HISTOGRAM,
	};
	const struct family *family = metrics->series[at]->family;
	size_t metric = protobuf_begin(to, OTLP_ITEM), data;

	put_head(to, family);
	data = protobuf_begin(to, kinds[family->type]);
	do {
		put_point(to, metrics->series[at++], now);
	} while (at < metrics->nr && to->len < OTLP_REQUEST_LEN &&
		 !strcmp(metrics->series[at]->family->name, family->name));
	if (family->type != FAMILY_GAUGE)
		protobuf_put_number(to, DATA_TEMPORALITY, CUMULATIVE);
	if (family->type == FAMILY_COUNTER)
		protobuf_put_number(to, DATA_IS_MONOTONIC, true);
	protobuf_end(to, data);
	protobuf_end(to, metric);
	return at;
}

size_t metrics_write_otlp(FILE *out, const struct metrics *metrics, size_t from, uint64_t now)
{
	struct protobuf message = { .len = 0 };
	struct otlp_request request = otlp_request_begin(&message);

	while (from < metrics->nr && message.len < OTLP_REQUEST_LEN)
		from = put_metric(&message, metrics, from, now);
	otlp_request_end(&message, request);
	protobuf_write(out, &message);
	free(message.bytes);
	return from;
}
