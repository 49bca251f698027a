/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "client/client.h"
#include "report/table.h"
#include "session/names.h"

/* One row per function. The key has its number and its name. */

/* Flags of the table. */
#define FUNCTIONS_COUNT		(1U << 1)	/* only entries are known */
#define FUNCTIONS_MIN_TIME	(1U << 2)	/* only calls of a minimum duration are counted */
#define FUNCTIONS_KERNEL	(1U << 3)	/* of the kernel: errors, but no self time */
#define FUNCTIONS_NO_TREE	(1U << 4)	/* callers are not known */

extern const struct table_kind functions_kind;
struct row *functions_add(struct table *functions, uint32_t func, const struct names *names);
/* Reads the figures that the module counted. Returns 0 or a negative errno. */
int functions_read(struct table *functions, struct ktr *ktr, uint64_t session, uint32_t read_flags,
		   const struct names *names);
/* Sets the flags of the table that follow from the session, and the time of the read. */
void functions_describe(struct table *functions, const struct ktr_session *session, uint64_t now);

/*
 * Sets the window of the figures, in ns of CLOCK_MONOTONIC. A function that is no longer probed was
 * observed in a part of it only.
 */
void functions_set_window(struct table *functions, uint64_t from, uint64_t to);
/*
 * Marks the rows whose callees were not observed all the time, as far as the session's tree tells
 * who called them. Returns 0 or a negative errno.
 */
int functions_mark_callers(struct table *functions, struct ktr *ktr,
			   const struct ktr_session *session, uint32_t read_flags);

/*
 * Sorts by total, self, calls, avg, min, max, p99 or name. NULL means "calls" if only entries are
 * known, otherwise "total".
 */
void functions_sort(struct table *functions, const char *column);

/* Prints a remark about recursion and upper bounds behind a row of calls of user functions. */
void functions_print_bounds(FILE *out, const struct row *row);
/* Prints one line per function, in the order of the rows. */
void functions_print(FILE *out, const struct table *functions);
/* Prints one histogram per function. */
void functions_print_hists(FILE *out, const struct table *functions);

#endif
