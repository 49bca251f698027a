/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the records of one session add up to: the tables and trees that commands show of sessions
 * that are being measured.
 */
#ifndef MEASURED_H
#define MEASURED_H

#include <stdbool.h>
#include <stdio.h>

#include "keep/calls.h"
#include "keep/filter.h"
#include "keep/merged.h"
#include "keep/recording.h"
#include "report/graph.h"
#include "report/paths.h"
#include "report/table.h"
#include "uapi/ktrace.h"

/* The kinds of records whose figures are known, by what shows them. */
enum measured_kind {
	MEASURED_CALLS,		/* of functions, with their tree */
	MEASURED_SYSCALLS,
	MEASURED_PERIODS,	/* of threads */
	MEASURED_REQUESTS,	/* of disks */
	MEASURED_KERNEL,	/* functions of the kernel, without a tree */
	MEASURED_FAULTS,	/* of pages, by kind */
	MEASURED_SAMPLES,	/* of what CPUs do, by function */
	MEASURED_NR
};

struct tallies;
struct grouped;

struct measured {
	const struct recording *recording;
	struct kept_session *session;
	const struct filter *filter;
	struct calls *calls;
	struct tallies *tallies;
	struct ktrace_table keys;	/* of --by */
	struct grouped *grouped;	/* by these keys; or NULL */
	bool has_kind[MEASURED_NR];	/* it has records of this kind */
	/* after measured_finish(): */
	struct {
		struct func_total {
			uint64_t total_ns, bound_ns;
		} *totals;	/* of each function, recursion counted once */
	} recursion;	/* or of each group */
	uint32_t no_caller;	/* the number of CALLS_NO_CALLER in names */
	uint64_t first, last;		/* times of records; last 0: there is none */
};

struct measured *measured_create(const struct recording *recording, struct kept_session *session,
				 const struct filter *filter);
void measured_free(struct measured *measured);
void measured_take(struct measured *measured, const struct packets *packets);
/* Called after the last record. */
void measured_finish(struct measured *measured);

/* Returns the kind that the session is shown as. */
enum measured_kind measured_kind(const struct measured *measured);
/* Returns true if nothing was counted: the filter chose none of the records, or there are none. */
bool measured_is_empty(const struct measured *measured);
/* The window of the figures: that of the session, or of the filter. */
void measured_window(const struct measured *measured, uint64_t *from, uint64_t *to);

/* The same results as those of functions_read(), graph_read() and paths_take_graph(). */
void measured_functions(const struct measured *measured, struct table *functions);
void measured_graph(const struct measured *measured, struct graph *graph);
void measured_paths(const struct measured *measured, struct paths *paths);

/* Returns true if the events of the session have stacks. */
bool measured_has_stacks(const struct measured *measured);
/*
 * Makes a path of each stack, with the times of its events: the name of the thread, the frames from the
 * outermost on, and the system call, the function, or the kind of period or request.
 */
void measured_stack_paths(const struct measured *measured, struct paths *paths);

struct json_object;
/* The document that the command would have written that began the session. Sets the head (head.h). */
struct json_object *measured_document(const struct measured *measured, bool has_hists);
/* Prints tables, of at most nr rows each; 0: all. */
void measured_print(FILE *out, const struct measured *measured, size_t nr, const char *sort);
/* Calls fn with the main table. */
void measured_table(const struct measured *measured, const char *sort,
		    void (*fn)(void *arg, const struct table *table), void *arg);

/* A pass over a recording. session: only that one; NULL: all. look may be NULL. */
struct measuring {
	struct recording *recording;
	struct measured **all;		/* one per session of the recording; NULL: not read */
	struct merged *merged;		/* for what was damaged */
};
/* Opens the streams. Returns 0, or -1 with err set. */
int measuring_open(struct measuring *measuring, struct recording *recording,
		   struct kept_session *session, const struct filter *filter, struct err *err);
/* Reads all records. fn, if not NULL, gets each record before it is counted. */
int measuring_pass(struct measuring *measuring, merged_fn *fn, void *arg, merged_look *look,
		   struct err *err);
void measuring_free(struct measuring *measuring);

/* Sets what every report begins with (head.h) to what was recorded. */
void measured_set_head(const struct measured *measured);

/*
 * Returns the document of a session of a recording, as the command that began it would have written
 * it: `ktrace run --format json`, syscall, sched, io, func, fault or profile. folder: of the
 * session; NULL: the only one with records. is_part: set to whether records of it are missing.
 * Returns NULL with err set.
 */
struct json_object *recording_document(const char *path, const char *folder, bool *is_part,
				       struct err *err);

#endif
