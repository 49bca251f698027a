// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/metrics_protobuf.h"
#include "stream/native.h"
#include "util/protobuf.h"

#define NS 1e9

/* Numbers of fields in io.prometheus.client, by message. */
enum { FAMILY_NAME = 1, FAMILY_HELP, FAMILY_TYPE, FAMILY_METRIC };
enum { METRIC_LABEL = 1, METRIC_GAUGE, METRIC_COUNTER, METRIC_HISTOGRAM = 7 };
enum { LABEL_NAME = 1, LABEL_VALUE };
enum { VALUE = 1 };
enum { HISTOGRAM_COUNT = 1, HISTOGRAM_SUM, HISTOGRAM_BUCKET, HISTOGRAM_SCHEMA = 5,
       HISTOGRAM_ZERO, HISTOGRAM_NR_ZERO, HISTOGRAM_SPAN = 12, HISTOGRAM_DELTA };
enum { BUCKET_COUNT = 1, BUCKET_BOUND };
enum { SPAN_OFFSET = 1, SPAN_LEN };

bool metrics_protobuf_is_wanted(const char *accept)
{
	/* Prometheus names what it prefers first. */
	const char *wanted = strstr(accept, "application/vnd.google.protobuf");
	const char *text = strstr(accept, "text/");

	return wanted && strstr(wanted, "io.prometheus.client.MetricFamily") &&
	       strstr(wanted, "encoding=delimited") && (!text || wanted < text);
}

/* --- native histograms --------------------------------------------------------------- */

/* Puts native buckets that follow each other without a gap. Returns the first bucket behind them. */
static size_t put_span(struct protobuf *to, const struct hist *hist, size_t at, int *next,
		       uint64_t *before)
{
	int first = native_index(hist->buckets[at].index), native = first;
	size_t span;
	uint64_t count;

	while (at < hist->nr && native_index(hist->buckets[at].index) == native) {
		for (count = 0; at < hist->nr && native_index(hist->buckets[at].index) == native; at++)
			count += hist->buckets[at].count;
		protobuf_put_signed(to, HISTOGRAM_DELTA, count - *before);
		*before = count;
		native++;
	}
	span = protobuf_begin(to, HISTOGRAM_SPAN);
	protobuf_put_signed(to, SPAN_OFFSET, first - *next);
	protobuf_put_number(to, SPAN_LEN, native - first);
	protobuf_end(to, span);
	*next = native;
	return at;
}

static void put_native(struct protobuf *to, const struct hist *hist)
{
	size_t at = hist->nr && !hist->buckets[0].index;
	uint64_t before = 0;
	int next = 0;

	protobuf_put_signed(to, HISTOGRAM_SCHEMA, NATIVE_SCALE);
	protobuf_put_double(to, HISTOGRAM_ZERO, NATIVE_ZERO);
	protobuf_put_number(to, HISTOGRAM_NR_ZERO, at ? hist->buckets[0].count : 0);
	while (at < hist->nr)
		at = put_span(to, hist, at, &next, &before);
}

/* --- messages ------------------------------------------------------------------------ */

static void put_bucket(struct protobuf *to, double bound, uint64_t count)
{
	size_t bucket = protobuf_begin(to, HISTOGRAM_BUCKET);

	protobuf_put_number(to, BUCKET_COUNT, count);
	protobuf_put_double(to, BUCKET_BOUND, bound);
	protobuf_end(to, bucket);
}

static void put_histogram(struct protobuf *to, const struct series *series)
{
	uint64_t counts[FAMILY_NR_BOUNDS], count = family_count(counts, &series->hist);
	size_t histogram = protobuf_begin(to, METRIC_HISTOGRAM);
	unsigned int i;

	protobuf_put_number(to, HISTOGRAM_COUNT, count);
	protobuf_put_double(to, HISTOGRAM_SUM, series->value / NS);
	for (i = 0; i < FAMILY_NR_BOUNDS; i++)
		put_bucket(to, family_bound(i) / NS, counts[i]);
	put_bucket(to, INFINITY, count);
	put_native(to, &series->hist);
	protobuf_end(to, histogram);
}

static void put_labels(struct protobuf *to, const struct series *series)
{
	const char *at = series->labels;
	size_t label;

	while (at < series->labels_end) {
		label = protobuf_begin(to, METRIC_LABEL);
		protobuf_put_text(to, LABEL_NAME, at);
		at += strlen(at) + 1;
		protobuf_put_text(to, LABEL_VALUE, at);
		at += strlen(at) + 1;
		protobuf_end(to, label);
	}
}

static void put_series(struct protobuf *to, const struct series *series)
{
	const struct family *family = series->family;
	size_t metric = protobuf_begin(to, FAMILY_METRIC), value;

	put_labels(to, series);
	if (family->type == FAMILY_HISTOGRAM) {
		put_histogram(to, series);
	} else {
		value = protobuf_begin(to, family->type == FAMILY_GAUGE ? METRIC_GAUGE :
				       METRIC_COUNTER);
		protobuf_put_double(to, VALUE, family->is_time ? series->value / NS :
				    series->value);
		protobuf_end(to, value);
	}
	protobuf_end(to, metric);
}

static void put_head(struct protobuf *to, const struct family *family)
{
	static const unsigned int types[] = {
		[FAMILY_COUNTER] = 0, [FAMILY_GAUGE] = 1, [FAMILY_HISTOGRAM] = 4,
	};

	protobuf_put_text(to, FAMILY_NAME, family->name);
	protobuf_put_text(to, FAMILY_HELP, family->help);
	protobuf_put_number(to, FAMILY_TYPE, types[family->type]);
}

static bool is_same(const struct series *x, const struct series *y)
{
	return !strcmp(x->family->name, y->family->name);
}

void metrics_protobuf_print(FILE *out, const struct metrics *metrics)
{
	struct series *const *series = metrics->series, *const *end = series + metrics->nr, *first;
	struct protobuf message = { .len = 0 };
	size_t begin;

	while (series < end) {
		message.len = 0;
		begin = protobuf_begin(&message, 0);
		first = *series;
		put_head(&message, first->family);
		for (; series < end && is_same(*series, first); series++)
			put_series(&message, *series);
		protobuf_end(&message, begin);
		protobuf_write(out, &message);
	}
	free(message.bytes);
}
