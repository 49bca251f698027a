/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include "session/trace.h"

/* Checks whether the options can be combined. Returns 0, or -1 with err set. */
int trace_options_check(const struct trace *trace, struct err *err);

/* Returns the sinks of the session, KTRACE_SINK_*, that the chosen format needs. */
uint32_t trace_options_sinks(const struct trace *trace);

#endif
