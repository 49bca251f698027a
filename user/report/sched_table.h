/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCHED_TABLE_H
#define SCHED_TABLE_H

#include <stdio.h>

#include "nl/nl.h"
#include "report/table.h"

/* What threads spent their time in; the parts of a row are kinds of periods, as in ktrace.h. */
enum sched_key { SCHED_TID, SCHED_COMM };

#define SCHED_WIDE	(1U << 0)	/* a flag of the table: with kinds of waits and blocks apart */

void sched_init(struct table *threads);
/* comm NULL: it is not known */
struct row *sched_add(struct table *threads, uint32_t tid, const char *comm);
/* The table that the module is asked for: periods of each thread. */
extern const struct ktrace_table sched_by_thread;
/*
 * The module's figures; without KTRACE_SINK_TABLE the total alone. Rows are in the order of threads.
 * 0 or a negative errno.
 */
int sched_read(struct table *threads, struct knl *nl, const struct knl_session *session,
	       uint32_t read_flags);
/* Of rows in that order; NULL: it is not known. */
const char *sched_comm(const struct table *threads, uint32_t tid);

/* "sleep" and the like; NULL: a newer module's. */
const char *sched_kind(uint32_t what);

#define SCHED_COLUMNS "run|wait|blocked|switches|avg|max|tid"
void sched_sort(struct table *threads, const char *column);

/* A line a thread, then their total. */
void sched_print(FILE *out, const struct table *threads);
/* Histograms of all threads together. */
void sched_print_hists(FILE *out, const struct table *threads);

struct json_object;
/* Members: a list of threads, and all together. */
void sched_add_json(struct json_object *to, const struct table *threads);
/* As a document, on one line if is_line; stacks may be NULL. */
void json_print_sched(FILE *out, const struct knl_session *session, const struct table *threads,
		      const struct table *stacks, bool is_line);

#endif
