/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

#include "conditions.h"
#include "match.h"
#include "opt.h"
#include "out.h"
#include "plan.h"
#include "session.h"

/* What run and attach have in common: which functions, how, what is shown. */
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
	const char *format;
	const char *sort;
	struct output output;
	int no_tree;
	int with_stream;
	int is_count;
	int is_raw;
	uint32_t budget;	/* percent of one CPU; 0: none */
	int with_tid;
	int with_timestamp;
	int does_follow;
	int no_follow;
	bool may_load_more;	/* libraries may be loaded while it is watched */
	bool may_execute;	/* other programs, which are looked at too */
	bool is_followed;	/* what is planned was loaded while it is watched */
	int is_dry_run;
	uint32_t read_flags;	/* KTRACE_READ_BEFORE, or 0 */
};

#define TRACE_FORMATS "tree|flat|summary|hist|json|ctf"

/* Lines of a table of options, for a configuration with a member of that name. */
#define TRACE_PROBE_OPTIONS(type, member)						\
	{ 'f', "function", "GLOB[,GLOB...]", OPT_GLOBS,					\
	  offsetof(type, member.functions),						\
	  "only these functions (demangled), FILE:NAME, FILE:+0xOFFSET", NULL },	\
	{ 0, "no-function", "GLOB[,GLOB...]", OPT_GLOBS,				\
	  offsetof(type, member.no_functions), "not these", NULL },			\
	{ 0, "below", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(type, member.below),	\
	  "only calls of these functions, and what they call", NULL },			\
	{ 0, "not-below", "GLOB[,GLOB...]", OPT_GLOBS,					\
	  offsetof(type, member.not_below),						\
	  "neither calls of these functions, nor what they call", NULL },		\
	{ 'l', "lib", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(type, member.libs),		\
	  "of calls into libraries only those into these (libc.so*)", NULL },		\
	{ 0, "no-lib", NULL, OPT_FLAG, offsetof(type, member.has_no_libs),		\
	  "no calls into libraries", NULL },						\
	{ 0, "nest-lib", "GLOB[,GLOB...]", OPT_GLOBS,					\
	  offsetof(type, member.nested_libs),						\
	  "all functions inside of these libraries too", NULL },			\
	{ 0, "libname", NULL, OPT_FLAG, offsetof(type, member.with_file_name),		\
	  "@FILE behind the program's own functions too", NULL },			\
	{ 'A', "arg", "FUNC@1,2/s,...", OPT_ARGS, offsetof(type, member.values),	\
	  "record arguments of FUNC, or FILE:FUNC: /s string, /x hex, /u unsigned", NULL }, \
	{ 'R', "ret", "FUNC[/s|/x|/u]", OPT_RESULT, offsetof(type, member.values),	\
	  "record what it returns", NULL },						\
	{ 0, "max-depth", "N", OPT_NUMBER, offsetof(type, member.max_depth),		\
	  "calls nested up to N deep", NULL },						\
	{ 0, "min-time", "TIME", OPT_TIME, offsetof(type, member.min_time),		\
	  "calls of at least TIME (10us, 1ms), and their callers", NULL },		\
	{ 0, "return", "HOW", OPT_CHOICE, offsetof(type, member.how),			\
	  "auto, ret, uretprobe (breaks exceptions, coroutines), none",			\
	  "auto|ret|uretprobe|none" },							\
	{ 0, "no-tree", NULL, OPT_FLAG, offsetof(type, member.no_tree),			\
	  "keep no calling-context tree", NULL },					\
	{ 0, "stream", NULL, OPT_FLAG, offsetof(type, member.with_stream),		\
	  "record every call", NULL },							\
	{ 0, "count", NULL, OPT_FLAG, offsetof(type, member.is_count),			\
	  "only count calls, without reading a clock: the cheapest", NULL },		\
	{ 0, "raw", NULL, OPT_FLAG, offsetof(type, member.is_raw),			\
	  "leave in self time what the probes of callees cost", NULL },			\
	{ 0, "budget", "PERCENT", OPT_NUMBER, offsetof(type, member.budget),		\
	  "of one CPU: what probes may cost; beyond it the costliest are taken out", NULL }, \
	{ 0, "dry-run", NULL, OPT_FLAG, offsetof(type, member.is_dry_run),		\
	  "show what would be probed and what not, and why", NULL }

#define TRACE_VIEW_OPTIONS(type, member)						\
	{ 0, "format", "FORMAT", OPT_CHOICE, offsetof(type, member.format),		\
	  "tree, flat, summary, hist, json, ctf (a folder, with -o)", TRACE_FORMATS },	\
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(type, member.sort),			\
	  "total, self, calls, avg, min, max, p99 or name",				\
	  "total|self|calls|avg|min|max|p99|name" },					\
	{ 0, "tid", NULL, OPT_FLAG, offsetof(type, member.with_tid),			\
	  "a line a thread in summaries (needs a stream)", NULL },			\
	{ 0, "timestamp", NULL, OPT_FLAG, offsetof(type, member.with_timestamp),	\
	  "seconds since the start in front of every line", NULL },			\
	OUTPUT_OPTIONS(type, member.output)

/* Are the options possible together? */
int trace_check(const struct trace *trace, struct err *err);

/* A file by what it is opened, what it is called, and a process that runs it or 0. */
struct trace_file {
	const char *path;
	const char *shown;
	pid_t pid;
};

/* Plans the probes of a file. */
int trace_plan(const struct trace *trace, const struct trace_file *file, struct plan *plan,
	       struct err *err);

/* Gives back what options took. */
void trace_free(struct trace *trace);

/* What the session keeps: KTRACE_F_* for a format that is shown at once. */
uint32_t trace_sinks(const struct trace *trace);

/* What a session of it begins with, beside its sinks. */
void trace_fill_session(const struct trace *trace, struct session_options *options);

/* Prints a plan: what is probed where, what is not and why. */
void trace_print_plan(FILE *out, const struct plan *plan);

/* Names the patterns of options that matched nothing when the plan was made. */
void trace_print_unmatched(FILE *out, const struct trace *trace);

/* Says on stderr which functions --below and --not-below match without effect. */
void trace_warn_unbound(const struct plan *plan);

/* Says on stderr of which files the code may change while it runs. */
void trace_warn_writable(const struct plan *plan);

/* Says on stderr which libraries could not be looked into. Returns how many. */
size_t trace_warn_unopened(const struct plan *plan);

/* Says on stderr what could not be probed. Returns how many. */
size_t trace_warn_failed(struct knl *nl, const struct knl_session *session,
			 const struct plan *plan);

#endif
