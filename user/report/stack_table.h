/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STACK_TABLE_H
#define STACK_TABLE_H

#include "client/client.h"
#include "report/paths.h"
#include "report/stacks.h"
#include "report/table.h"
#include "session/names.h"

struct graph;

/*
 * One row per name of tasks, stack and kind: periods off the CPU that began on this stack. With
 * STACKS_OF_CALLS: calls of one function from this stack. Sorted by time, the longest first.
 */
#define STACKS_OF_CALLS	(1U << 0)	/* flags of the table */
#define STACKS_OF_SAMPLES	(1U << 1)	/* kinds are modes, such as "user" */
#define STACKS_OF_EVENTS	(1U << 8)	/* samples of events: their weights are no times */

extern const struct table_kind stacks_kind;

/*
 * Reads periods of a session of KTRACE_PROVIDER_SCHED with KTRACE_SINK_STACKS. threads: as filled
 * by sched_read(). Returns 0 or a negative errno.
 */
int stack_table_read(struct table *table, struct ktr *ktr, const struct ktr_session *session,
		     uint32_t read_flags, const struct table *threads,
		     const struct stacks *stacks);
/* Takes the rows from a sorted graph. */
void stack_table_take(struct table *table, const struct graph *graph,
		      const struct table *threads, const struct stacks *stacks);
/* Adds the waits that follow a wake-up, which have no stack. threads: as filled by sched_read(). */
void stack_table_add_waits(struct table *table, const struct table *threads);
/*
 * Reads calls of a session of KTRACE_PROVIDER_KERNEL with KTRACE_SINK_STACKS. Returns 0 or a
 * negative errno.
 */
int stack_table_read_calls(struct table *table, struct ktr *ktr, const struct ktr_session *session,
			   uint32_t read_flags, const struct names *names,
			   const struct stacks *stacks);
/*
 * Reads samples of a session of KTRACE_PROVIDER_PROFILE with KTRACE_SINK_STACKS. Samples without a
 * stack have a row per mode, without a name. Returns 0 or a negative errno.
 */
int stack_table_read_samples(struct table *table, struct ktr *ktr,
			     const struct ktr_session *session, uint32_t read_flags,
			     const struct stacks *stacks);

/* Takes the rows from a sorted graph. */
void stack_table_take_samples(struct table *table, const struct graph *graph,
			      const struct stacks *stacks);

/* The keys of a row: the kind, and the stack, which may be NULL. */
const char *stack_row_kind(const struct row *row);
const struct stack *stack_row_stack(const struct row *row);

/* Prints each row, then its frames, the innermost first. */
void stack_table_print(FILE *out, const struct table *table);
/*
 * Makes a path of each row: the name of the task, the frames from the outermost on, and the kind in
 * brackets or the function. Samples have neither; those of idle CPUs have no path.
 */
void stack_table_paths(struct paths *paths, const struct table *table);
/* Makes paths of samples and of periods, whose kind is then such as "[off-cpu: sleep]". */
void stack_table_paths_joined(struct paths *paths, const struct table *samples,
			      const struct table *periods);

#endif
