/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STACK_TABLE_H
#define STACK_TABLE_H

#include "nl/nl.h"
#include "report/stacks.h"
#include "report/table.h"
#include "session/names.h"

struct graph;

/*
 * Periods off the CPU that tasks of one name began on one stack, in one way; or calls of one
 * function from there. By time, the longest first.
 */
#define STACKS_OF_CALLS	(1U << 0)	/* a flag of the table */

/* Of a session of KTRACE_PROVIDER_SCHED with KTRACE_SINK_STACKS, by tid. 0 or a negative errno. */
int stack_table_read(struct table *table, struct knl *nl, const struct knl_session *session,
		     uint32_t read_flags, const struct table *threads,
		     const struct stacks *stacks);
/* From a sorted graph. */
void stack_table_take(struct table *table, const struct graph *graph,
		      const struct table *threads, const struct stacks *stacks);
/* Of a session of KTRACE_PROVIDER_KERNEL with KTRACE_SINK_STACKS. 0 or a negative errno. */
int stack_table_read_calls(struct table *table, struct knl *nl, const struct knl_session *session,
			   uint32_t read_flags, const struct names *names,
			   const struct stacks *stacks);

/* Each row, then its frames, the innermost first. */
void stack_table_print(FILE *out, const struct table *table);
/* As flame graphs are made of: "comm;frame;frame us", the outermost frame first. */
void stack_table_print_folded(FILE *out, const struct table *table);
struct json_object *stack_table_json(const struct table *table);

#endif
