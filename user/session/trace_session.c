// SPDX-License-Identifier: GPL-2.0
#include "session/session.h"
#include "session/trace.h"

/* A program that is executed later may have the functions of --below. */
static bool lacks_below(const struct trace *trace, const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->nr_probed; i++)
		if (plan->funcs[i].desc.flags & KTRACE_FUNC_BELOW)
			return false;
	return trace->below.nr && trace->may_execute;
}

void trace_fill_session(const struct trace *trace, const struct plan *plan,
			struct session_options *options)
{
	bool has_budget = trace->budget && trace->budget != TRACE_NO_BUDGET;

	options->conditions = conditions_of(&trace->conditions);
	options->min_time = trace->min_time;
	options->max_depth = trace->max_depth;
	options->buffer = trace->buffer;
	options->table = trace_has_table(trace) ? &trace->table : NULL;
	options->budget = has_budget ? trace->budget * 10 : 0;
	if (trace->is_raw)
		options->flags |= KTRACE_F_RAW;
	if (lacks_below(trace, plan))
		options->flags |= KTRACE_F_BELOW;
	/* The budget needs the calls of each function, which its histogram counts. */
	if (has_budget)
		options->sinks |= KTRACE_SINK_HIST;
}
