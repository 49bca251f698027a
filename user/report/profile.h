/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdio.h>

#include "client/client.h"
#include "report/stacks.h"
#include "report/table.h"

struct graph;
struct json_object;
struct paths;

/*
 * Where CPUs spent their time, from samples. With an off_session, also where threads were off a CPU.
 * The members from functions on are 0 at first.
 */
struct profile {
	const struct ktr_session *session;	/* with KTRACE_SINK_STACKS */
	const struct stacks *texts;		/* of the session */
	uint64_t excluded, missed;		/* samples of the window */
	const struct ktr_session *off_session;	/* of KTRACE_PROVIDER_SCHED with the same sinks;
						 * NULL: no time off a CPU */
	const struct stacks *off_texts;
	struct table functions;	/* without idle samples */
	struct table stacks;	/* stack_table.h */
	uint64_t modes[KTRACE_NR_PROFILE];	/* samples */
	struct table threads;	/* sched_table.h; with an off_session */
	struct table periods;	/* off a CPU, stack_table.h; with an off_session */
};

/* The table by function. Calls are samples in it or in its callees, entries are those in itself. */
extern const struct table_kind profile_functions;

/* Returns 0 or a negative errno. The caller calls profile_free() in either case. */
int profile_read(struct profile *profile, struct ktr *ktr, uint32_t read_flags);
void profile_free(struct profile *profile);
/*
 * Takes the samples, and with an off_session the periods, from sorted graphs. threads: as filled by
 * sched_read(); they are moved. Without an off_session, periods and threads are not used.
 */
void profile_take(struct profile *profile, const struct graph *graph, const struct graph *periods,
		  struct table *threads);
/* Makes paths of all stacks. */
void profile_paths(struct paths *paths, const struct profile *profile);

/* Prints shares of user, kernel and idle, then the functions, then the limits of these figures. */
void profile_print(FILE *out, const struct profile *profile);
void profile_print_modes(FILE *out, const struct profile *profile);	/* and an empty line */
struct json_object *profile_document(const struct profile *profile);

#endif
