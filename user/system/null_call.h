/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NULL_CALL_H
#define NULL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * A process of one thread that stays on a CPU and makes null calls, each as ktrace.h says of
 * KTRACE_PROVIDER_SYSENTER, and measures them from its side.
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

/* It waits for its go. */
int null_calls_fork(struct null_calls *calls, const struct null_plan *plan, struct err *err);
void null_calls_go(struct null_calls *calls);
/* Those that it made by then are all. */
void null_calls_stop(struct null_calls *calls);
/* Does not wait; SIGCHLD tells when to look. */
bool null_calls_are_over(struct null_calls *calls);
/* Once over: did it do what it was to? Else -1 with err set. */
int null_calls_check(const struct null_calls *calls, const struct null_plan *plan,
		     struct err *err);

/* Once over: of a call each, in order, cycles of its CPU. */
const uint64_t *null_calls_samples(const struct null_calls *calls, size_t *nr);

/* What it found out of the cycles, all the while busy: their clock goes on then. */
struct null_clock {
	uint64_t cost;		/* of reading it, which is in each sample once */
	uint64_t cycles, ns;	/* how long it looked, by both clocks; 0: it came not so far */
};
struct null_clock null_calls_clock(const struct null_calls *calls);

/* Ends it, if it is not over. */
void null_calls_free(struct null_calls *calls);

#endif
