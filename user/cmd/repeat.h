/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REPEAT_H
#define REPEAT_H

#include <stdbool.h>

#include "util/err.h"

/* What a run does, in a process of its own. */
struct repeat_work {
	/* *is_done is set once the run is whole; then the process may end with any status. */
	int (*run)(void *arg, unsigned int nr, volatile bool *is_done);
	void *arg;
};

struct repeat_result {
	unsigned int nr;	/* runs that are whole */
	int wait_status;	/* of the first run that failed, as of wait(2); or 0 */
	bool is_ended;		/* a signal ended them */
};

/*
 * Runs the work `most` times, one after the other, each in a process of its own, until a run is not
 * whole, or a signal requests an end. Signals that only this process got are passed on to the run.
 * Returns 0, or -1 with err set.
 */
int repeat(unsigned int most, const struct repeat_work *work, struct repeat_result *result,
	   struct err *err);

#endif
