// SPDX-License-Identifier: GPL-2.0
/* Functions, or rows of --by, for people: one line each, or one histogram each. */
#include "report/format.h"
#include "report/functions.h"
#include "report/head.h"
#include "report/view.h"

const struct output_format format_summary = {
	.name = "summary",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_CALLS,
	.sinks = KTRACE_SINK_HIST,
	.has_functions = true,
};

static int print_hists(struct view *view, struct ktr *ktr)
{
	struct table functions;
	int error;

	if (trace_has_table(view->trace))
		return view_print_rows(view, ktr, true);
	error = view_read_functions(view, ktr, &functions);
	head_print(view->out);
	if (!error)
		functions_print_hists(view->out, &functions);
	table_free(&functions);
	return error;
}

const struct output_format format_hist = {
	.name = "hist",
	.kinds = FORMATS_OF_CALLS,
	.sinks = KTRACE_SINK_HIST,
	.figures = print_hists,
};
