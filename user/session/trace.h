/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "session/conditions.h"
#include "session/session.h"
#include "util/match.h"
#include "util/out.h"

struct output_format;

#define TRACE_NO_BUDGET UINT32_MAX	/* --budget none: OPT_NONE of opt.h */

/* The options that run and attach share: which functions, how they are traced, and the output. */
struct trace {
	struct match functions;
	struct match no_functions;
	struct match below;
	struct match not_below;
	struct value_rules values;
	struct match libs;
	struct match nested_libs;
	int has_no_libs;
	int with_file_name;
	struct conditions conditions;
	uint32_t max_depth;
	uint64_t min_time;
	const char *how;
	const struct output_format *format;	/* or NULL */
	uint64_t max_size;	/* bytes of a file of paths; 0: no limit */
	const char *sort;
	struct output output;
	int no_tree;
	int with_stream;
	uint64_t buffer;	/* bytes per CPU for records; 0: the default */
	int is_count;
	int is_raw;
	uint32_t budget;	/* percent of one CPU; 0: not given; or TRACE_NO_BUDGET */
	const char *by;		/* "pid,function", or NULL */
	struct ktrace_table table;	/* of these keys; none: rows are functions */
	int with_hists;		/* in JSON */
	int does_follow;
	int no_follow;
	bool may_load_more;	/* libraries may be loaded during the watch */
	bool may_execute;	/* programs may be executed, which are searched for functions */
	bool is_followed;	/* the plan is for a file that was loaded during the watch */
	int is_dry_run;
	uint32_t read_flags;	/* KTRACE_READ_BEFORE, or 0 */
};

/* Are rows not functions, but tasks, or functions of tasks? */
static inline bool trace_has_table(const struct trace *trace)
{
	return trace->table.keys[0];
}

/* A file to trace. */
struct trace_file {
	const char *path;	/* the path to open */
	const char *shown;	/* the path to show */
	pid_t pid;		/* a process that runs it, or 0 */
};

/* Plans the probes of a file. Returns 0, or -1 with err set. */
int trace_plan(const struct trace *trace, const struct trace_file *file, struct plan *plan,
	       struct err *err);

/* Frees the values of options. */
void trace_free(struct trace *trace);

/* Sets the session's options, except for the sinks that the format needs. */
void trace_fill_session(const struct trace *trace, const struct plan *plan,
			struct session_options *options);

#endif
