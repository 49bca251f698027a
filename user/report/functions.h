/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/table.h"
#include "session/event.h"
#include "session/names.h"

/* Functions, each or each in each thread. A row's first key is the function and its name. */
enum functions_key { FUNCTIONS_NAME, FUNCTIONS_TID };

/* Flags of the table. */
#define FUNCTIONS_BY_THREAD	(1U << 0)
#define FUNCTIONS_COUNT		(1U << 1)	/* entries are all that is known */
#define FUNCTIONS_MIN_TIME	(1U << 2)	/* only calls that took long are asked for */
#define FUNCTIONS_KERNEL	(1U << 3)	/* errors are known, self time is not */

void functions_init(struct table *functions);
struct row *functions_add(struct table *functions, uint32_t func, uint32_t tid,
			  const struct names *names);
/* The figures that the module counted. Returns 0 or a negative errno. */
int functions_read(struct table *functions, struct knl *nl, uint64_t session, uint32_t read_flags,
		   const struct names *names);
/* What the session says of them, for the table. */
void functions_describe(struct table *functions, const struct knl_session *session, uint64_t now);

/* Counts the events of a stream instead, each thread apart. */
struct counter;
struct counter *counter_create(const struct names *names);
void counter_event(struct counter *counter, const struct event *event);
void counter_take(struct counter *counter, struct table *functions);	/* frees the counter */

/* By total, self, calls, avg, min, max, p99 or name; NULL: what there is most of. */
void functions_sort(struct table *functions, const char *column);

/* Is there a call to show? */
bool functions_have_calls(const struct table *functions);

/* A line a function, in the order of the rows. */
void functions_print(FILE *out, const struct table *functions);
/* A histogram each. */
void functions_print_hists(FILE *out, const struct table *functions);
struct json_object *functions_json(const struct table *functions);

#endif
