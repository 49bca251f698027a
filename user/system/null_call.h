/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NULL_CALL_H
#define NULL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * A process of one thread that stays on one CPU and makes null calls, as uapi/ktrace.h defines them
 * for KTRACE_PROVIDER_SYSENTER. It measures the duration of each call from user space.
 */
struct null_calls {
	pid_t pid;
	int go;
	struct null_shared *shared;
	size_t len;
	int status;
};

struct null_plan {
	int cpu;
	uint32_t nr;
};

/* Starts the process, which waits for null_calls_go(). Returns 0, or -1 with err set. */
int null_calls_fork(struct null_calls *calls, const struct null_plan *plan, struct err *err);
void null_calls_go(struct null_calls *calls);
/* Makes the process end early, with the calls made so far. */
void null_calls_stop(struct null_calls *calls);
/* Returns true if the process has ended. Does not wait: SIGCHLD reports the end. */
bool null_calls_are_over(struct null_calls *calls);
/* After the end: returns 0 if the process made its calls, or -1 with err set. */
int null_calls_check(const struct null_calls *calls, const struct null_plan *plan,
		     struct err *err);

/* After the end: returns the duration of each call in cycles of its CPU, sorted. */
const uint64_t *null_calls_samples(const struct null_calls *calls, size_t *nr);

/* The clock of the cycles, measured while the process is busy: it may stop on an idle CPU. */
struct null_clock {
	uint64_t cost;		/* cycles of one reading, which each sample includes once */
	uint64_t cycles, ns;	/* length of the measurement by both clocks; 0: not measured */
};
struct null_clock null_calls_clock(const struct null_calls *calls);

/* Kills the process unless it has ended. */
void null_calls_free(struct null_calls *calls);

#endif
