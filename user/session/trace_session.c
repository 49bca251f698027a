// SPDX-License-Identifier: GPL-2.0
#include "session/session.h"
#include "session/trace.h"

void trace_fill_session(const struct trace *trace, struct session_options *options)
{
	bool has_budget = trace->budget && trace->budget != TRACE_NO_BUDGET;

	options->conditions = conditions_of(&trace->conditions);
	options->min_time = trace->min_time;
	options->max_depth = trace->max_depth;
	options->buffer = trace->buffer;
	options->budget = has_budget ? trace->budget * 10 : 0;
	if (trace->is_raw)
		options->flags |= KTRACE_F_RAW;
	/* The budget needs the calls of each function, which its histogram counts. */
	if (has_budget)
		options->sinks |= KTRACE_SINK_HIST;
}
