/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metrics of all sessions of the module. They are read and counted first, then written in one of
 * the expositions (metrics_text.h, metrics_protobuf.h, metrics_otlp.h).
 */
#ifndef METRICS_H
#define METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "report/hist.h"
#include "stream/families.h"
#include "util/err.h"

#define METRICS_MAX_SERIES 50000

/* What became of the records of a session at a sink. */
struct metrics_delivery {
	uint64_t session;	/* number */
	const char *sink;	/* "relp:log1:2514" */
	uint64_t delivered, refused, skipped;	/* records */
	uint64_t is_down;	/* 0 or 1 */
	uint64_t delivered_at;	/* ns, CLOCK_REALTIME; 0: never */
	uint64_t begun_at;	/* ns, CLOCK_REALTIME: records count since then; 0: not known */
};

struct metrics_options {
	/*
	 * Bits 1 << KTRACE_KEY_TID, _PID and _FILE, of which there are very many over time. A key
	 * that is not allowed is no label: the rows that differ in it only are added.
	 */
	uint32_t allowed_labels;
	uint64_t max_series;	/* 0: METRICS_MAX_SERIES */
	const struct metrics_delivery *deliveries;	/* of this process */
	size_t nr_deliveries;
};

/* A series of a family, with its value or its histogram. */
struct series {
	const struct family *family;
	uint64_t value;		/* of a histogram: the sum of all durations, in ns */
	struct hist hist;
	uint64_t start;		/* ns, CLOCK_REALTIME: it counts since then; 0: not known, or a gauge */
	/* label, zero, value, zero, and so on; the values are UTF-8, not escaped */
	const char *labels, *labels_end;
};

struct metrics {
	struct series **series;	/* in the order of families, then by labels */
	size_t nr;
	uint64_t nr_series;	/* as a collector counts them: each bucket is a series */
};

/*
 * Reads the metrics. Returns 0, or -1 with err set, also if there are more series than max_series.
 * The caller calls metrics_free() in either case.
 *
 * The label "session" of a session without a name is "(of process PID)", which no name can be. If a
 * process has several of them, the number of the session follows. Such sessions end with their
 * process, so their series end, too.
 *
 * One of a session's tables is exposed: that of --by, if it has histograms and one of its keys may
 * be a label; else that of the provider. Both would count every event twice. The row for all keys
 * without a row of their own has the label other="true".
 */
int metrics_read(struct metrics *metrics, struct ktr *ktr, const struct metrics_options *options,
		 struct err *err);
void metrics_free(struct metrics *metrics);

#endif
