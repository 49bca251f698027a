/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CMD_GATHER_H
#define CMD_GATHER_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "nl/nl.h"
#include "session/conditions.h"
#include "session/event.h"
#include "util/out.h"

/*
 * Common to the commands that count in the kernel: of which tasks, how long, and where the
 * figures go. They end with the program, the processes, the duration or Ctrl-C, and show
 * what came since the last interval.
 */
struct gather {
	struct opt_pids pids;
	struct conditions conditions;
	const char *user;
	const char *format;
	struct output output;
	uint64_t min_time;		/* ns: what took less does not count */
	uint64_t buffer;		/* bytes per CPU for records; 0: as many as usual */
	uint64_t duration, interval;	/* ns; 0: none */
};

/* Lines of a table of options, for a configuration with a member of that name. */
#define GATHER_OPTIONS(type, member)							\
	GATHER_OPTIONS_WITH(type, member, GATHER_FORMATS)
/* With formats of its own: what they are, and their names. */
#define GATHER_OPTIONS_WITH(type, member, ...)						\
	GATHER_TASK_OPTIONS(type, member),						\
	GATHER_TIME_OPTIONS(type, member, __VA_ARGS__)
#define GATHER_FORMATS "table, json (with -i: a document a line)", "table|json"

#define GATHER_TASK_OPTIONS(type, member)						\
	HEADING("Which tasks"),								\
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(type, member.pids),		\
	  "only these processes, all threads, and children they start", NULL },		\
	CONDITION_OPTIONS(type, member.conditions),					\
	{ 'u', "user", "USER[:GROUP]", OPT_STRING, offsetof(type, member.user),		\
	  "run PROGRAM as this user: uid, gid and groups, names or numbers", NULL }

/* For commands whose events belong to no task. */
#define GATHER_TIME_OPTIONS(type, member, ...)						\
	HEADING("How long"),								\
	{ 'd', "duration", "TIME", OPT_PERIOD, offsetof(type, member.duration),		\
	  "end after TIME (10: seconds, 500ms, 1m, 1h)", NULL },					\
	{ 'i', "interval", "TIME", OPT_INTERVAL, offsetof(type, member.interval),		\
	  "show every TIME what came since the last", NULL },				\
	HEADING("Output"),								\
	{ 0, "format", "FORMAT", OPT_CHOICE, offsetof(type, member.format),		\
	  __VA_ARGS__ },								\
	STYLE_OPTIONS,									\
	OUTPUT_OPTIONS(type, member.output)

/* For commands whose events take time. */
#define GATHER_MIN_TIME_OPTION(type, member)						\
	{ 0, "min-time", "TIME", OPT_TIME, offsetof(type, member.min_time),		\
	  "count only what took at least TIME (10us, 1ms)", NULL }

/* Beside --slow. */
#define GATHER_BUFFER_OPTION(type, member)						\
	{ 0, "buffer", "SIZE", OPT_SIZE, offsetof(type, member.buffer),			\
	  "with --slow: room per CPU for records that are not read yet (4M)", NULL }

#define NOT_SLOW UINT64_MAX	/* the TIME of a --slow that is not given */

/* What is to be shown now. */
struct gather_moment {
	struct knl *nl;
	const struct knl_session *sessions;	/* of all views, in their order */
	uint32_t read_flags;	/* of the figures */
	uint64_t from, to;	/* ns, CLOCK_MONOTONIC: they are of this time */
	bool is_one_of_many;
	bool is_behind_events;	/* single ones were shown before */
};

#define GATHER_VIEWS 4	/* at the same time, at most */

/* A session of the kernel's side, and how it is shown. */
struct gather_view {
	uint32_t provider;	/* enum ktrace_provider, KTRACE_SINK_* and ... */
	uint32_t sinks;
	uint32_t flags;		/* ... KTRACE_F_* of the session */
	uint64_t slow;		/* with KTRACE_SINK_STREAM: what took less has no record, ns */
	uint32_t max_depth;	/* 0: no limit */
	const struct kplan *kplan;	/* of kernel functions; or NULL */
	const uint32_t *devs;	/* disks or virtio devices: these; NULL: all */
	size_t nr_devs;
	const uint32_t *files;	/* requests of these, or below these; NULL: any */
	size_t nr_files;
	const struct ktrace_table *table;	/* with KTRACE_SINK_TABLE */
	bool is_of_no_task;	/* events are not counted by task */
	const char *what;	/* "system calls" */
	/* returns 0 or a negative errno */
	int (*show)(void *arg, FILE *out, const struct gather_moment *moment);
	/* with KTRACE_SINK_STREAM: each of its records of one kind; start as of the session */
	void (*event)(void *arg, FILE *out, const struct event *event, uint64_t start_ns);
	enum event_id event_id;
	const char *events;	/* "requests" */
	/* of a session with KTRACE_SINK_STACKS: read often, before their programs end; or NULL */
	struct stacks *stacks;
	/* another view with the same beginning and end, whose what and show are not used; or NULL */
	const struct gather_view *next;
	void *arg;
};

bool gather_is_json(const struct gather *gather);
/* Is this one of several documents, each on a line? */
bool gather_is_line(const struct gather_moment *moment);

/* The line above a table: the length of its window, with an interval also the time of day. */
void gather_print_window(FILE *out, const struct gather_moment *moment);

/* argv is the program with its arguments, or ends at once. Returns an exit code. */
int gather_run(const struct gather *gather, const struct gather_view *view, char **argv);
void gather_free(struct gather *gather);

#endif
