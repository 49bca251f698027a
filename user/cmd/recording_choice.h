/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDING_CHOICE_H
#define RECORDING_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/opt.h"
#include "util/err.h"

/* The tasks that a part of a recording traces, and for how long. They are the same for all parts. */
struct recording_choice {
	const struct opt_pids *pids;	/* or NULL */
	const char *user;		/* the program's; or NULL */
	uint64_t duration;		/* ns; 0: no limit */
	bool has_no_wait;
	const char *twice;		/* an option that parts have with different values; or NULL */
};

/* Adds the choice of another part. */
void recording_choice_share(struct recording_choice *all, const struct recording_choice *part);
/* Returns 0, or -1 with err set. has_program: the recording runs one. */
int recording_choice_check(const struct recording_choice *all, bool has_program, struct err *err);

#endif
