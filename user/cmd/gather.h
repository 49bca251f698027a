/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GATHER_H
#define GATHER_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "cmd/cmd.h"
#include "cmd/left.h"
#include "cmd/options.h"
#include "report/stacks.h"
#include "session/conditions.h"
#include "stream/link.h"
#include "util/out.h"

struct kplan;
struct paths;
struct unwinder;

/*
 * Common options of the commands that count in the kernel: which tasks, for how long, and where the
 * figures go. A command ends with the program, the processes, the duration or Ctrl-C. Each interval
 * shows what came since the last one.
 */
struct gather {
	struct opt_pids pids;
	struct conditions conditions;
	const char *user;
	const struct output_format *format;
	struct output output;
	uint64_t max_size;		/* bytes of a file of paths; 0: no limit */
	bool is_cut;			/* by max_size */
	uint64_t min_time;		/* ns; shorter events do not count */
	uint64_t buffer;		/* bytes per CPU for records; 0: the default */
	uint64_t duration, interval;	/* ns; 0: none */
	int has_no_wait;
	const char *by;			/* keys of the rows; NULL: the command's own figures */
	struct ktrace_table table;	/* the table that the module keeps for them */
	const char *sort;		/* a column */
	int has_hist;			/* histograms; with by: in place of the table */
	const char *note;		/* with by: printed below the table; or NULL */
	uint64_t slow;			/* ns; single events of this time are shown, or NOT_SLOW */
	int with_stacks;
	struct stacks stacks;		/* read often, before their programs end */
	const char *unwind;		/* how frames of programs are found; NULL: auto */
	struct unwinder *unwinder;	/* NULL: by frame pointers */
	int keeps_newest;		/* records: newer ones take the place of old ones */
	const char *kept;		/* the name of a session that stays; or NULL */
	char **words;			/* of the command, from its name on */
	struct opt_words to;		/* collectors, which get rows and single events */
	struct link_limits limits;	/* of files */
};

#define NOT_SLOW UINT64_MAX

/* Does --stacks add up time by stack? With --slow, stacks belong to single events. */
static inline bool gather_has_stack_rows(const struct gather *gather)
{
	return gather->with_stacks && gather->slow == NOT_SLOW;
}

/* Are stacks of programs found by tables, where files have them? */
static inline bool gather_has_tables(const struct gather *gather)
{
	return gather->with_stacks && (!gather->unwind || strcmp(gather->unwind, "fp"));
}

/* Lines of a table of options. type is a configuration with a struct gather named member. */
#define GATHER_OPTIONS(type, member)							\
	GATHER_OPTIONS_WITH(type, member, FORMATS_OF_FIGURES)
/* For a command with results of another kind, FORMATS_OF_*. */
#define GATHER_OPTIONS_WITH(type, member, kind)						\
	GATHER_TASK_OPTIONS(type, member),						\
	GATHER_TIME_OPTIONS(type, member, kind)

#define GATHER_TASK_OPTIONS(type, member)						\
	HEADING("Which tasks"),								\
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(type, member.pids),		\
	  "only these processes with all threads, and children that they start", NULL },	\
	CONDITION_OPTIONS(type, member.conditions),					\
	{ 'u', "user", "USER[:GROUP]", OPT_STRING, offsetof(type, member.user),		\
	  "run PROGRAM as this user: uid, gid and groups, names or numbers", NULL },	\
	NO_WAIT_OPTION(type, member.has_no_wait)

/* For commands whose events belong to no task. */
#define GATHER_TIME_OPTIONS(type, member, kind)						\
	HEADING("How long"),								\
	{ 'd', "duration", "TIME", OPT_PERIOD, offsetof(type, member.duration),		\
	  "end after TIME (10: seconds, 500ms, 1m, 1h)", NULL },			\
	{ 'i', "interval", "TIME", OPT_INTERVAL, offsetof(type, member.interval),	\
	  "every TIME, show what was counted since the last interval", NULL },		\
	HEADING("Output"),								\
	FORMAT_OPTION(type, member.format, kind),					\
	STYLE_OPTIONS,									\
	OUTPUT_OPTIONS(type, member.output),						\
	SINK_OPTIONS(type, member.to, member.limits,					\
		     "instead of output, pass each row, or with --slow each event, on to SINK (ktrace stream -h)")

/* For commands of one session. */
#define GATHER_ATTACH_OPTION(type, member)						\
	{ 0, "attach", "NAME", OPT_STRING, offsetof(type, member.kept),		\
	  "return at once, and go on in session NAME, for ktrace stream and ktrace serve", NULL }

/* For commands whose events have a duration. */
#define GATHER_MIN_TIME_OPTION(type, member)						\
	{ 0, "min-time", "TIME", OPT_TIME, offsetof(type, member.min_time),		\
	  "count only events that took at least TIME (10us, 1ms)", NULL }

#define GATHER_STACKS_OPTION(type, member, help)					\
	{ 0, "stacks", NULL, OPT_FLAG, offsetof(type, member.with_stacks), help, NULL },	\
	GATHER_UNWIND_OPTION(type, member)
#define GATHER_UNWIND_OPTION(type, member)						\
	{ 0, "unwind", "HOW", OPT_CHOICE, offsetof(type, member.unwind),		\
	  "find stacks of programs by tables of their files (auto), or by frame pointers (fp)",	\
	  "auto|fp" }

/* For commands that show single events. */
#define GATHER_SLOW_OPTION(type, member, help)						\
	{ 0, "slow", "TIME", OPT_TIME, offsetof(type, member.slow), help, NULL }
#define GATHER_RECORD_OPTIONS(type, member)						\
	{ 0, "buffer", "SIZE", OPT_SIZE, offsetof(type, member.buffer),			\
	  "with --slow: room per CPU for records that are not read yet (4M)", NULL },	\
	{ 0, "overwrite", NULL, OPT_FLAG, offsetof(type, member.keeps_newest),		\
	  "with --attach and --slow: keep the newest records, for ktrace snapshot", NULL },	\
	MOMENT_OPTION

/* What to show now. */
struct gather_moment {
	struct ktr *ktr;
	const struct ktr_session *sessions;	/* of all views, in their order */
	uint32_t read_flags;	/* for reading the figures */
	uint64_t from, to;	/* ns, CLOCK_MONOTONIC: the window of the figures */
	bool is_one_of_many;
	bool is_first;		/* of many, or the only one */
	bool is_last;		/* the same at the end */
	bool is_behind_events;	/* single events were shown before */
};

/* words: argv of the command. */
void gather_init(struct gather *gather, char **words);
void gather_free(struct gather *gather);

/* Reads the keys of --by, if it is given. keys: 1 << KTRACE_KEY_* that are valid. */
int gather_parse_by(struct gather *gather, uint32_t keys, struct err *err);

/* Prints a document in the chosen format, which has document(). Takes ownership of the document. */
void gather_print_document(const struct gather *gather, FILE *out,
			   const struct gather_moment *moment, struct json_object *document);

/* Prints rows in the chosen format, which has rows(). */
void gather_print_rows(const struct gather *gather, FILE *out, const struct gather_moment *moment,
		       const struct table *table);

/* Prints paths in the chosen format, which has paths(), as far as they fit, and frees them. */
void gather_print_paths(struct gather *gather, FILE *out, struct paths *paths);

/*
 * Reads the table of --by of the first session and shows it. plan names functions; it may be NULL.
 * Returns 0 or a negative errno.
 */
int gather_show_by(const struct gather *gather, const struct kplan *plan, FILE *out,
		   const struct gather_moment *moment);

#endif
