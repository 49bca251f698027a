/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCHED_TABLE_H
#define SCHED_TABLE_H

#include <stdio.h>

#include "client/client.h"
#include "report/number_names.h"
#include "report/table.h"

/* How threads spent their time. The parts of a row are kinds of periods, as in ktrace.h. */
enum sched_key { SCHED_TID, SCHED_COMM };

#define SCHED_WIDE	(1U << 0)	/* a flag of the table: show each kind of wait and block */

void sched_init(struct table *threads);
/* The shape of the table that the module must keep: periods of each thread. */
extern const struct ktrace_table sched_by_thread;
/*
 * Reads the module's figures; only the total without KTRACE_SINK_TABLE. Rows are sorted by thread.
 * Returns 0 or a negative errno.
 */
int sched_read(struct table *threads, struct ktr *ktr, const struct ktr_session *session,
	       uint32_t read_flags);
/* Returns the name of a thread, or NULL. Needs rows in the order of sched_read(). */
const char *sched_comm(const struct table *threads, uint32_t tid);

extern const struct table_kind sched_threads;

/* Prints one line per thread, then the total. */
void sched_print(FILE *out, const struct table *threads);
/* Prints histograms of all threads together. */
void sched_print_hists(FILE *out, const struct table *threads);

struct json_object;
/* A document. stacks may be NULL. */
struct json_object *sched_document(const struct ktr_session *session, const struct table *threads,
				   const struct table *stacks);

#endif
