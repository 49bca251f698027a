/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CMD_GATHER_H
#define CMD_GATHER_H

#include "cmd/gather.h"
#include "session/event.h"

#define GATHER_VIEWS 4	/* maximum number of views at the same time */

struct io_names;

/* What a command counts by other means, beside its sessions and over the same time. */
struct gather_beside {
	/*
	 * The sessions are attached; a program, whose pid it is, has not been executed yet. nr 0: all
	 * tasks. Returns 0, or -1 with err set.
	 */
	int (*open)(void *arg, const int32_t *pids, size_t nr, bool is_on_exec, struct err *err);
	void (*begin)(void *arg);	/* the sessions begin to count */
	void (*mark)(void *arg);	/* a window ends, and the next one begins */
	void (*end)(void *arg);		/* the last window ends */
	void *arg;
};

/* A session of a kernel provider, and how to show it. */
struct gather_view {
	uint32_t provider;	/* enum ktrace_provider */
	uint32_t sinks;		/* KTRACE_SINK_* of the command's own figures; --by, --slow and
				 * --stacks change them */
	uint32_t flags;		/* KTRACE_F_* */
	uint32_t max_depth;	/* 0: no limit */
	uint32_t frequency;	/* of samples; 0: the module's default */
	const struct ktrace_sample_event *event;	/* that is sampled; NULL: time */
	const struct kplan *kplan;	/* for kernel functions, otherwise NULL */
	const uint32_t *devs;	/* only these disks or virtio devices; NULL: all */
	size_t nr_devs;
	const uint32_t *files;	/* only requests of these files, or of files below these folders;
				 * NULL: any */
	size_t nr_files;
	const struct ktrace_table *table;	/* with KTRACE_SINK_TABLE, unless --by is given */
	bool is_of_no_task;	/* events are not counted by task */
	const char *what;	/* "system calls" */
	/*
	 * As the chosen format needs it: prints a document, rows, stacks, or text, below a line
	 * about the window. Returns 0 or a negative errno. It is not called with --by.
	 */
	int (*show)(void *arg, FILE *out, const struct gather_moment *moment);
	enum event_id event_id;	/* the kind of single events, with their stacks */
	const char *events;	/* "requests"; NULL: it has no single events */
	struct io_names *io_names;	/* of EVENT_REQUEST */
	struct stacks *stacks;	/* of its session, if another view has stacks; NULL: the command's */
	/*
	 * another view with the same beginning and end, whose what and show are not used; or NULL
	 */
	const struct gather_view *next;
	const struct gather_beside *beside;	/* of the first view; or NULL */
	void *arg;
};

/* Runs the command. argv is the program with its arguments, or empty. Returns an exit code. */
int gather_run(struct gather *gather, const struct gather_view *view, char **argv);

/* A command whose configuration begins with a struct gather. */
struct gather_command {
	size_t size;				/* of the configuration */
	int (*go)(void *config, char **rest);	/* rest: argv behind the options */
	void (*free)(void *config);		/* all but the struct gather; or NULL */
};

/* Parses the options into a configuration, goes on with go(), and frees it. Returns an exit code. */
int gather_command(const struct command *command, int argc, char **argv,
		   const struct gather_command *of);

#endif
