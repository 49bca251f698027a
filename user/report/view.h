/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIEW_H
#define VIEW_H

#include <stdio.h>

#include "session/names.h"
#include "session/stream.h"
#include "session/trace.h"
#include "util/err.h"

/* Shows a session in the chosen format, while it runs and at its end. */
struct view;

struct view *view_create(const struct trace *trace, FILE *out, const struct names *names,
			 const struct knl_session *session, struct err *err);

/* The window begins at this time (ns, CLOCK_MONOTONIC), not with the session. Before any record. */
void view_begin_at(struct view *view, uint64_t from);

/* Names a process whose events may arrive after it has ended. */
void view_name_process(struct view *view, uint32_t pid, const char *program);

/* Returns the sink for the records of the session's stream. */
const struct stream_sink *view_sink(struct view *view);

/*
 * Shows calls that had been running for a while at the given time, the clock of the stream's read.
 */
void view_tick(struct view *view, uint64_t clock);

/*
 * Called after the last record: shows the rest and frees the view. Returns 0, or -1 with err set.
 */
int view_finish(struct view *view, struct knl *nl, struct err *err);

#endif
