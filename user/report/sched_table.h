/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCHED_TABLE_H
#define SCHED_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/sched_rows.h"

/* A line a thread, then their sum; wider with what they waited for, and how they were blocked. */
void sched_table_print(FILE *out, const struct sched_rows *rows, bool is_wide);

/* Histograms of all threads together. */
void sched_table_print_hists(FILE *out, const struct sched_rows *rows);

/* Of all threads, and each. */
struct json_object;
struct json_object *json_sched_of(const struct sched_rows *rows);

/* As a document, on one line if is_line. */
void json_print_sched(FILE *out, const struct knl_session *session, const struct sched_rows *rows,
		      uint64_t duration_ns, bool is_line);

#endif
