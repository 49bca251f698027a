/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "nl/nl.h"
#include "report/hist.h"
#include "session/event.h"
#include "session/names.h"
#include "util/err.h"

/* What is known of one function, or of one function in one thread. */
struct row {
	uint32_t func;
	uint32_t tid;		/* 0: all threads */
	const char *name;
	struct ktrace_stats stats;
	struct hist hist;
	int error;		/* negative errno: it could not be probed */
	struct ktrace_taken_out taken_out;	/* time 0: it was not */
};

struct rows {
	struct row *rows;
	size_t nr;
	bool is_by_thread;
	bool is_count;		/* entries are all that is known */
	bool has_min_time;	/* only calls that took long are asked for */
	uint64_t now;		/* when they were read, ns; 0: not known */
	bool is_flat;		/* of kernel functions: errors are known, self time is not */
};

/* The figures that the module counted. Returns 0 or a negative errno. */
int rows_read(struct rows *rows, struct knl *nl, uint64_t session, uint32_t flags,
	      const struct names *names);

/* Is there a call to show? One that was too short for a minimum time was entered all the same. */
static inline bool rows_is_hit(const struct rows *rows, const struct row *row)
{
	return row->stats.calls || (row->stats.entries && !rows->has_min_time);
}

/* Counts the events of a stream instead, each thread apart. */
struct counter;
struct counter *counter_create(const struct names *names);
void counter_event(struct counter *counter, const struct event *event);
void counter_take(struct counter *counter, struct rows *rows);	/* frees the counter */

/* The columns to sort by: total, self, calls, avg, min, max, p99, name. */
void rows_sort(struct rows *rows, const char *column);
void rows_free(struct rows *rows);

#endif
