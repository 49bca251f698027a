/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GATHER_BY_H
#define GATHER_BY_H

#include "cmd/cmd_gather.h"

struct kplan;

/*
 * Reads the table of --by of the first session and shows it. plan names functions; it may be NULL.
 * Returns 0 or a negative errno.
 */
int gather_show_by(const struct gather *gather, const struct kplan *plan, FILE *out,
		const struct gather_moment *moment);

#endif
