/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of ktrace stat: what a row is, where its figure comes from, and what follows from it. */
#ifndef STAT_H
#define STAT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "system/counter.h"

/* In the order of rows. */
enum stat_id {
	STAT_TASK_CLOCK,
	STAT_SWITCHES,
	STAT_VOLUNTARY,
	STAT_INVOLUNTARY,
	STAT_WAIT,
	STAT_WAIT_MAX,
	STAT_MIGRATIONS,
	STAT_FAULTS,
	STAT_MINOR,
	STAT_MAJOR,
	STAT_SYSCALLS,
	STAT_FAILED,
	STAT_CYCLES,
	STAT_INSTRUCTIONS,
	STAT_BRANCHES,
	STAT_BRANCH_MISSES,
	STAT_CACHE_REFERENCES,
	STAT_CACHE_MISSES,
	STAT_ELAPSED,
	STAT_NR
};

/* The figure to the right of another. */
enum stat_quotient {
	STAT_ALONE,
	STAT_PER_SECOND,	/* of the elapsed time */
	STAT_PER_TIME,		/* a time, divided by the elapsed time */
	STAT_PER_OTHER,		/* divided by the figure `of` */
	STAT_PERCENT_OF_OTHER
};

enum stat_source {
	STAT_OF_MODULE,
	STAT_OF_KERNEL,		/* a software event of perf_event_open(2) */
	STAT_OF_PROCESSOR,	/* a hardware event */
};

struct stat_kind {
	const char *name;
	enum stat_source source;
	uint64_t config;	/* PERF_COUNT_*, unless it is of the module */
	bool is_time;		/* ns */
	bool is_longest;	/* of several windows together it is the largest, not the sum */
	enum stat_quotient quotient;
	enum stat_id of;
	const char *unit;	/* of the quotient */
};

extern const struct stat_kind stat_kinds[STAT_NR];

#define STAT_OF_OTHERS ENOTUNIQ	/* an error: the kernel counts the event for another thread */

struct stat_row {
	enum stat_id id;
	const char *pmu;	/* on machines with several kinds of CPUs, for hardware events */
	int error;		/* negative errno: it is not supported */
	struct counter_value value;	/* of the module: the count alone */
	uint64_t others_ns;	/* threads, with a pmu: when CPUs of the other kinds counted it */
};

struct stat_table {
	struct stat_row *rows;
	size_t nr;
	uint64_t duration_ns;	/* of the window */
	bool is_of_cpus;	/* not of chosen threads */
	bool is_total;		/* the window is the whole time */
	bool has_window;	/* csv: one of several windows */
	uint64_t lost;		/* as in head_add_lost() */
};

/* Makes a row for each kind of figure; of hardware events, one for each of these kinds of CPUs. */
void stat_init(struct stat_table *table, char *const *pmus, size_t nr_pmus);
void stat_free(struct stat_table *table);
struct stat_row *stat_find(const struct stat_table *table, enum stat_id id, const char *pmu);

/*
 * Sets the figures that the module has counted. sched, syscalls: sessions with histograms.
 * read_flags: KTRACE_READ_*. Returns 0 or a negative errno.
 */
int stat_read(struct stat_table *table, struct ktr *ktr, uint64_t sched, uint64_t syscalls,
	      uint32_t read_flags);
/* Sets the figures that follow from those of other rows. */
void stat_finish(struct stat_table *table);
/* Adds the figures of a window to those of the windows before it. */
void stat_add(struct stat_table *to, const struct stat_table *from);

/* Has the row a figure? Otherwise it is not supported (error), or was never counted. */
bool stat_is_counted(const struct stat_row *row);
uint64_t stat_value(const struct stat_row *row);
/* Returns the quotient of a row, or a negative number if it has none. */
double stat_quotient(const struct stat_table *table, const struct stat_row *row);
/* Returns the percentage of the time in which an event was counted: below 100 it is scaled. */
double stat_running(const struct stat_row *row);
/* Returns why events are not supported. */
const char *stat_reason(int error);

#endif
