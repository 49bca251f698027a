/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHAINS_H
#define CHAINS_H

#include "client/client.h"
#include "report/graph.h"
#include "report/table.h"
#include "session/names.h"

/* Chains of nested functions that each returned an error, the innermost first, and their counts. */

extern const struct table_kind chains_kind;

/* Reads the chains of a session with KTRACE_F_ERRORS, unsorted. Returns 0 or a negative errno. */
int chains_read(struct table *chains, struct ktr *ktr, const struct ktr_session *session,
		uint32_t read_flags, const struct names *names);
/* Makes the chains from a sorted graph. */
void chains_take(struct table *chains, const struct graph *graph, const struct names *names);
/* Sorts by "total" or "calls", the largest first; any other column means "total". */
void chains_sort(struct table *chains, const char *column);
void chains_free(struct table *chains);

#endif
