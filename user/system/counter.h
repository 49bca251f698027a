/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of the processor and of the kernel: perf_event_open(2). */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to count, in the numbers of perf_event_open(2). */
struct counter_event {
	uint32_t type;		/* PERF_TYPE_* */
	uint64_t config;
};

/* Whose events are counted. */
struct counter_target {
	const int32_t *ids;	/* threads, with the threads and processes that they start; or CPUs */
	size_t nr;
	bool is_cpus;
	bool is_on_exec;	/* from the next exec of each thread on */
};

/*
 * What was counted so far. Events share the processor's counters if these are too few: such an event
 * was counted in running_ns of the enabled_ns only. The time of threads is time on a CPU.
 */
struct counter_value {
	uint64_t count;
	uint64_t enabled_ns, running_ns;
};

/* One event of several threads or CPUs: the sum of one descriptor for each. */
struct counter {
	int *fds;
	size_t nr;
};

/*
 * Opens a counter, which does not count yet. Threads that have ended are skipped. Returns 0 or a
 * negative errno; the counter then counts nothing, and needs no close.
 */
int counter_open(struct counter *counter, const struct counter_event *event,
		 const struct counter_target *target);
struct counter_value counter_read(const struct counter *counter);
void counter_close(struct counter *counter);

/* Start or stop all counters that this thread has opened, with one system call. */
void counters_start(void);
void counters_stop(void);

struct counter_value counter_since(const struct counter_value *now,
				   const struct counter_value *before);
/* Returns the count, scaled from the time in which it was counted to the whole time. */
uint64_t counter_scaled(const struct counter_value *value);

#endif
