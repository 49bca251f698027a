/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCHED_ROWS_H
#define SCHED_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "report/hist.h"
#include "session/threads.h"

/* Periods of one kind, or of some. */
struct sched_part {
	uint64_t calls;
	uint64_t total_ns;
	uint64_t max_ns;
};

/* Kinds of periods, as in ktrace.h. */
#define SCHED_RUN	(1U << KTRACE_SCHED_RUN | 1U << KTRACE_SCHED_RUN_OUT)
#define SCHED_ON_CPU	(SCHED_RUN | 1U << KTRACE_SCHED_RUN_CUT)	/* no period, but time */
#define SCHED_WAIT	(1U << KTRACE_SCHED_WAKEUP | 1U << KTRACE_SCHED_PREEMPTED)
#define SCHED_BLOCKED	(1U << KTRACE_SCHED_SLEEP | 1U << KTRACE_SCHED_DISK |	\
			 1U << KTRACE_SCHED_STOPPED)

struct table;

/* What a thread spent its time in; tid 0: all threads. */
struct sched_row {
	uint32_t tid;
	const char *comm;	/* NULL: nobody knows */
	struct sched_part parts[KTRACE_NR_SCHED];
};

struct sched_rows {
	struct sched_row *rows;
	size_t nr;
	struct sched_row all;
	struct hist hists[KTRACE_NR_SCHED];	/* of all threads */
	const struct table *stacks;	/* or NULL */
};

/* The module's figures; of a session without KTRACE_F_TREE those of all alone. 0 or a negative errno. */
int sched_rows_read(struct sched_rows *rows, struct knl *nl, const struct knl_session *session,
		    uint32_t read_flags, const struct threads *threads);
void sched_rows_free(struct sched_rows *rows);

struct sched_part sched_sum(const struct sched_row *row, uint32_t kinds);
uint64_t sched_avg(const struct sched_part *part);
/* "sleep" and the like. */
const char *sched_kind(uint32_t what);

/* Those with the most first. */
#define SCHED_COLUMNS "run|wait|blocked|switches|avg|max|tid"
void sched_rows_sort(struct sched_rows *rows, const char *column);

#endif
