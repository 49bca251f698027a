/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEPT_FILTER_H
#define KEPT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "keep/recording.h"
#include "util/match.h"

/*
 * Which records of a recording count: what the same options would have left when it was made. A
 * function that is not chosen is as if it had no probe, and its time is its caller's own.
 */
struct filter {
	struct match functions, no_functions, libs;
	const int32_t *tids, *pids;
	size_t nr_tids, nr_pids;
	const char *comm;	/* may end with *; or NULL */
	uint64_t from, to;	/* ns of CLOCK_MONOTONIC; to is UINT64_MAX without an end */
	uint32_t max_depth;	/* 0: no limit */
	uint64_t min_time;	/* ns */
};

/* Returns true if the filter chooses all. */
bool filter_is_empty(const struct filter *filter);
/* Returns true if the function is chosen. */
bool filter_function(const struct filter *filter, const struct recording *recording,
		     const struct kept_session *session, uint32_t func);
/* Returns true if the thread is chosen, whose name may be given; NULL: the recording knows it. */
bool filter_thread(const struct filter *filter, const struct recording *recording, uint32_t tid,
		   const char *comm);
/* Returns the name of the thread that a single event has, written to comm, or NULL. */
const char *filter_comm(char comm[17], const struct ktr_record *event);
/* Returns true if a single event is chosen, whose name of the thread may be in it. */
bool filter_event(const struct filter *filter, const struct recording *recording,
		  const struct kept_session *session, const struct ktr_record *event);
/* Returns true if records of the window [begin, end] count. */
static inline bool filter_window(const struct filter *filter, uint64_t begin, uint64_t end)
{
	return begin >= filter->from && end <= filter->to;
}

#endif
