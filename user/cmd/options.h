/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of tables of options. type is a configuration that contains member. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>

#include "cmd/opt.h"
#include "report/chosen.h"
#include "report/format.h"
#include "util/style.h"

/* A heading in the help for the options below. */
#define HEADING(text) { 0, text, NULL, OPT_HEADING, 0, NULL, NULL }

/* from: a struct orders (orders.h). */
#define SORT_OPTION(type, member, from)							\
	{ 0, "sort", "COLUMN", OPT_COLUMN, offsetof(type, member), NULL, &(from) }

#define OUTPUT_OPTIONS(type, member)							\
	{ 'o', "output", "FILE", OPT_STRING, offsetof(type, member.path),		\
	  "write to FILE; -: to standard output, and the program's output to standard error", NULL },	\
	{ 0, "output-fd", "N", OPT_NUMBER, offsetof(type, member.fd),			\
	  "write to this open file descriptor", NULL }

/* The style of figures and lines. */
#define STYLE_OPTIONS									\
	{ 0, "raw", NULL, OPT_STYLE, 0,							\
	  "times in ns and sizes in bytes, not scaled", NULL },				\
	{ 0, "color", "WHEN", OPT_STYLE, 0,						\
	  "auto (on a terminal, unless NO_COLOR is set), always, never", STYLE_COLORS }
#define MOMENT_OPTION									\
	{ 0, "time", "WHAT", OPT_STYLE, 0,						\
	  "in front of lines: start (seconds since the start), mono (CLOCK_MONOTONIC), wall (time of day)",	\
	  STYLE_TIMES }

/* Collectors (stream/sink.h), and the limits of files (struct link_limits). */
#define SINK_OPTIONS(type, to, limits, what)						\
	{ 0, "to", "SINK", OPT_WORDS, offsetof(type, to), what, NULL },			\
	{ 0, "to-size", "SIZE", OPT_SIZE, offsetof(type, limits.size),			\
	  "with --to json:FILE: begin a new file before this size is exceeded", NULL },	\
	{ 0, "to-keep", "N", OPT_NUMBER, offsetof(type, limits.keep),			\
	  "with --to-size: keep N former files; FILE.1 is the newest (5)", NULL }

#define CONDITION_OPTIONS(type, member)							\
	{ 0, "thread", "TID[,TID...]", OPT_THREADS, offsetof(type, member),		\
	  "only these threads", NULL },							\
	{ 0, "comm", "NAME", OPT_COMM, offsetof(type, member),				\
	  "only threads with this name, which may end with *", NULL },			\
	{ 0, "uid", "USER[,USER...]", OPT_USERS, offsetof(type, member),		\
	  "only tasks of these users, names or numbers", NULL },			\
	{ 0, "cgroup", "FOLDER", OPT_CGROUP, offsetof(type, member),			\
	  "only tasks in this cgroup (version 2), or below it", NULL }

/* kind: FORMATS_OF_* */
#define FORMAT_OPTION(type, member, kind)						\
	{ 0, "format", "FORMAT", OPT_FORMAT, offsetof(type, member), NULL, kind }

#define MAX_SIZE_OPTION(type, member)							\
	{ 0, "max-size", "SIZE", OPT_SIZE, offsetof(type, member),			\
	  "with folded, flame, speedscope, pprof or dot: leave out the shortest paths until the file fits", NULL }

/* keys: CHOSEN_*_KEYS */
#define BY_OPTION(type, member, keys)							\
	{ 0, "by", "KEY[,KEY...]", OPT_STRING, offsetof(type, member),			\
	  "one row per " keys ", or per combination of these", NULL }

#define TRACE_PROBE_OPTIONS(type, member)						\
	HEADING("Functions"),								\
	{ 'f', "function", "GLOB[,GLOB...]", OPT_GLOBS,					\
	  offsetof(type, member.functions),						\
	  "only these functions (demangled), FILE:NAME, FILE:+0xOFFSET", NULL },	\
	{ 0, "no-function", "GLOB[,GLOB...]", OPT_GLOBS,				\
	  offsetof(type, member.no_functions), "except these", NULL },			\
	{ 0, "below", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(type, member.below),	\
	  "only calls of these functions, and the calls that they make", NULL },	\
	{ 0, "not-below", "GLOB[,GLOB...]", OPT_GLOBS,					\
	  offsetof(type, member.not_below),						\
	  "no calls of these functions, and none that they make", NULL },		\
	{ 'l', "lib", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(type, member.libs),		\
	  "only calls into these libraries (libc.so*), not into others", NULL },	\
	{ 0, "no-lib", NULL, OPT_FLAG, offsetof(type, member.has_no_libs),		\
	  "no calls into libraries", NULL },						\
	{ 0, "nest-lib", "GLOB[,GLOB...]", OPT_GLOBS,					\
	  offsetof(type, member.nested_libs),						\
	  "also all functions inside of these libraries", NULL },			\
	{ 0, "dry-run", NULL, OPT_FLAG, offsetof(type, member.is_dry_run),		\
	  "list what would be probed, what would not, and why", NULL },			\
	HEADING("Arguments and results"),						\
	{ 'A', "arg", "FUNC@1,2/s,...", OPT_ARGS, offsetof(type, member.values),	\
	  "record arguments of FUNC, or FILE:FUNC: /s string, /x hex, /u unsigned", NULL },	\
	{ 'R', "ret", "FUNC[/s|/x|/u]", OPT_RESULT, offsetof(type, member.values),	\
	  "record the result of FUNC", NULL },						\
	HEADING("Limits and costs"),							\
	{ 0, "max-depth", "N", OPT_NUMBER, offsetof(type, member.max_depth),		\
	  "calls nested up to N deep", NULL },						\
	{ 0, "min-time", "TIME", OPT_TIME, offsetof(type, member.min_time),		\
	  "only calls of at least TIME (10us, 1ms), and their callers", NULL },		\
	{ 0, "return", "HOW", OPT_CHOICE, offsetof(type, member.how),			\
	  "auto, ret, uretprobe (breaks exceptions, coroutines), none",			\
	  "auto|ret|uretprobe|none" },							\
	{ 0, "no-tree", NULL, OPT_FLAG, offsetof(type, member.no_tree),			\
	  "keep no calling-context tree", NULL },					\
	{ 0, "stream", NULL, OPT_FLAG, offsetof(type, member.with_stream),		\
	  "record every call", NULL },							\
	{ 0, "buffer", "SIZE", OPT_SIZE, offsetof(type, member.buffer),			\
	  "room per CPU for records that are not read yet (4M)", NULL },		\
	{ 0, "count", NULL, OPT_FLAG, offsetof(type, member.is_count),			\
	  "only count calls, without reading a clock: the cheapest", NULL },		\
	{ 0, "with-probe-cost", NULL, OPT_FLAG, offsetof(type, member.is_raw),		\
	  "self time includes the cost of the callees' probes", NULL },			\
	{ 0, "budget", "PERCENT", OPT_OR_NONE, offsetof(type, member.budget),		\
	  "cost limit of probes, in percent of one CPU, or none; above it, the costliest are removed", \
	  NULL }

#define TRACE_VIEW_OPTIONS(type, member)						\
	HEADING("Output"),								\
	FORMAT_OPTION(type, member.format, FORMATS_OF_CALLS),				\
	MAX_SIZE_OPTION(type, member.max_size),						\
	SORT_OPTION(type, member.sort, trace_orders),					\
	BY_OPTION(type, member.by, CHOSEN_FUNCTION_KEYS),				\
	{ 0, "hist", NULL, OPT_FLAG, offsetof(type, member.with_hists),			\
	  "with --format json: histograms of the functions' times", NULL },		\
	MOMENT_OPTION,									\
	STYLE_OPTIONS,									\
	OUTPUT_OPTIONS(type, member.output)

#endif
