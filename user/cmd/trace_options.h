/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include "report/orders.h"
#include "session/trace.h"

/* What --sort takes for user functions. */
extern const struct orders trace_orders;

/* Parses --by. Checks whether the options can be combined. Returns 0, or -1 with err set. */
int trace_options_check(struct trace *trace, struct err *err);
/* Parses --by, and checks that the format, if there is one, shows figures. Returns like above. */
int trace_options_parse_by(struct trace *trace, struct err *err);
/*
 * For a session that exists: chooses its table, unless --by chooses functions, and checks --by.
 * Returns like above.
 */
int trace_options_choose_table(struct trace *trace, const struct ktr_session *session,
			       struct err *err);

/* Returns the sinks of the session, KTRACE_SINK_*, that the chosen format needs. */
uint32_t trace_options_sinks(const struct trace *trace);

#endif
