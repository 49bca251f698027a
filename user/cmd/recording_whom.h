/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDING_WHOM_H
#define RECORDING_WHOM_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/opt.h"
#include "util/err.h"

/* Whom a part of a recording chooses, and for how long. What one part chooses is for all. */
struct recording_whom {
	const struct opt_pids *pids;	/* or NULL */
	const char *user;		/* the program's; or NULL */
	uint64_t duration;		/* ns; 0: no limit */
	bool has_no_wait;
	const char *twice;		/* an option that parts have with different values; or NULL */
};

/* Adds the choice of another part. */
void recording_whom_share(struct recording_whom *all, const struct recording_whom *part);
/* Returns 0, or -1 with err set. has_program: the recording runs one. */
int recording_whom_check(const struct recording_whom *all, bool has_program, struct err *err);

#endif
