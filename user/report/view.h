/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIEW_H
#define VIEW_H

#include <stdio.h>

#include "session/names.h"
#include "session/stream.h"
#include "session/trace.h"
#include "util/err.h"

/* Shows a session in the format that was asked for, as it goes and at its end. */
struct view;

struct view *view_create(const struct trace *trace, FILE *out, const struct names *names,
			 const struct knl_session *session, struct err *err);

/* A process whose events may come after its end. */
void view_name_process(struct view *view, uint32_t pid, const char *program);

/* Where the records of its stream go. */
const struct stream_sink *view_sink(struct view *view);

/* Shows calls that had been running for a while when the stream was read: its clock. */
void view_tick(struct view *view, uint64_t clock);

/* After the last record: the rest. Frees the view. 0, or -1 with err set. */
int view_finish(struct view *view, struct knl *nl, struct err *err);

#endif
