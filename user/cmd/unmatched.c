// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "cmd/unmatched.h"
#include "plan/plan.h"
#include "session/trace.h"
#include "util/match.h"
#include "util/out.h"

static bool has_matched(const struct match *functions)
{
	size_t i;

	for (i = 0; i < functions->nr; i++)
		if (functions->is_used && functions->is_used[i])
			return true;
	return !functions->nr;
}

static void warn_lacking(const struct plan *plan, const struct match *functions)
{
	struct err err;

	if (has_matched(functions))
		return;
	plan_no_function(plan, functions->globs[0], &err);
	out_put(stderr, "ktrace: %s Programs that it executes are searched as well.\n", err.text);
}

void unmatched_warn(const struct trace *trace, const struct plan *plan)
{
	/* Libraries are reported at the end. */
	if (trace->nested_libs.nr)
		return;
	if (!plan->nr_probed)
		warn_lacking(plan, &trace->functions);
	warn_lacking(plan, &trace->below);
}

static void tell_library(const struct trace *trace, const char *image)
{
	const char *glob = match_unused(&trace->nested_libs);

	if (glob)
		out_put(stderr, "ktrace: no library that was loaded matches '%s' of --nest-lib; list the libraries with: ldd %s.\n",
			glob, image);
}

static void tell_function(const struct match *functions, const char *option, const char *image,
			  size_t nr_executed)
{
	const char *glob = match_unused(functions);

	if (!glob)
		return;
	if (nr_executed)
		out_put(stderr, "ktrace: '%s' of %s matches no function of any of the %zu programs that were executed, or of what they loaded; list functions with --dry-run and without -f.\n",
			glob, option, nr_executed + 1);
	else
		out_put(stderr, "ktrace: no function of %s, or of what it loaded, matches '%s' of %s; list functions with --dry-run and without -f.\n",
			image, glob, option);
}

/* A pattern may match a library or a program that is loaded later, so it was accepted. */
void unmatched_tell(const struct trace *trace, const char *image, size_t nr_executed)
{
	size_t i;

	tell_library(trace, image);
	tell_function(&trace->functions, "-f", image, nr_executed);
	tell_function(&trace->below, "--below", image, nr_executed);
	for (i = 0; i < trace->values.nr; i++)
		if (!trace->values.rules[i].is_used)
			out_put(stderr, "ktrace: no traced function is named '%s' (--arg, --ret); list their names with --dry-run, or add it to -f.\n",
				trace->values.rules[i].text);
}

bool unmatched_are_all(const struct trace *trace)
{
	return !has_matched(&trace->functions) || !has_matched(&trace->below);
}
