// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "session/trace.h"

static enum plan_return how_of(const char *how)
{
	if (!how || !strcmp(how, "auto"))
		return PLAN_RETURN_AUTO;
	if (!strcmp(how, "ret"))
		return PLAN_RETURN_RET;
	return strcmp(how, "none") ? PLAN_RETURN_URETPROBE : PLAN_RETURN_NONE;
}

int trace_plan(const struct trace *trace, const struct trace_file *file, struct plan *plan,
	       struct err *err)
{
	struct plan_options options = {
		.functions = trace->functions,
		.no_functions = trace->no_functions,
		.below = trace->below,
		.not_below = trace->not_below,
		.values = trace->values,
		.how = trace->is_count ? PLAN_RETURN_NONE : how_of(trace->how),
		.pid = file->pid,
		.shown = file->shown,
		.libs = trace->libs,
		.nested_libs = trace->nested_libs,
		.may_load_more = trace->may_load_more,
		.may_execute = trace->may_execute,
		.is_followed = trace->is_followed,
		.has_no_libs = trace->has_no_libs,
		.with_file_name = trace->with_file_name,
	};

	return plan_make(plan, file->path, &options, err);
}

void trace_free(struct trace *trace)
{
	match_free(&trace->functions);
	match_free(&trace->no_functions);
	match_free(&trace->below);
	match_free(&trace->not_below);
	value_rules_free(&trace->values);
	match_free(&trace->libs);
	match_free(&trace->nested_libs);
}
