/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "session/names.h"
#include "session/stream.h"
#include "session/trace.h"
#include "util/err.h"

struct fit;
struct table;

/* Shows a session in the chosen format, while it runs and at its end. Formats use the members. */
struct view {
	const struct trace *trace;
	const struct output_format *format;
	FILE *out;
	const struct names *names;
	struct ktr_session session;
	uint64_t from;		/* ns: begin of the window */
	struct stream_sink sink;
	bool has_records;	/* the format shows them, with its begin(), event() and end() */
	void *state;		/* of the format */
	struct fit *fit;	/* to be filled: what --max-size left out; or NULL */
};

struct view *view_create(const struct trace *trace, FILE *out, const struct names *names,
			 const struct ktr_session *session, struct err *err);

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
 * Reads the figures of functions, sorted as chosen. Returns 0 or a negative errno. The caller frees
 * the table in either case.
 */
int view_read_functions(struct view *view, struct ktr *ktr, struct table *functions);

/* Shows the rows of --by, or a histogram of each. Returns 0 or a negative errno. */
int view_print_rows(struct view *view, struct ktr *ktr, bool with_hists);

/*
 * Called after the last record: shows the rest and frees the view. Returns 0, or -1 with err set.
 */
int view_finish(struct view *view, struct ktr *ktr, struct err *err);

#endif
