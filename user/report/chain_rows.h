/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHAIN_ROWS_H
#define CHAIN_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/graph.h"
#include "session/names.h"

/* A function that returned an error. */
struct chain_link {
	const char *name;
	int error;	/* errno */
};

/* Functions that returned an error in one another, the innermost first. */
struct chain_row {
	struct chain_link *links;
	size_t nr;
	const char *gone_on;	/* who called the last one, and did not return then; NULL: nobody */
	uint64_t calls;
	uint64_t total_ns;	/* of the last one's */
};

struct chain_rows {
	struct chain_row *rows;
	size_t nr;
	uint64_t calls;	/* of all */
};

/* Of a session with KTRACE_F_ERRORS, not in order. 0 or a negative errno. */
int chain_rows_read(struct chain_rows *rows, struct knl *nl, const struct knl_session *session,
		    uint32_t read_flags, const struct names *names);
/* From a sorted graph. */
void chain_rows_take(struct chain_rows *rows, const struct graph *graph,
		     const struct names *names);
/* By "total" or "calls", the most first. */
void chain_rows_sort(struct chain_rows *rows, const char *column);
void chain_rows_free(struct chain_rows *rows);

void chain_rows_print(FILE *out, const struct chain_rows *rows);

#endif
