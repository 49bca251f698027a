/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHOSEN_H
#define CHOSEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "report/layout.h"
#include "session/names.h"
#include "util/err.h"

/* Tables whose keys are chosen with --by. All providers of the module use the same tables. */

/*
 * The keys of tasks, which every command offers, and the names of all keys of a command, for its
 * help.
 */
#define CHOSEN_TASK_KEYS (1U << KTRACE_KEY_TID | 1U << KTRACE_KEY_PID | 1U << KTRACE_KEY_COMM |	\
			  1U << KTRACE_KEY_CPU | 1U << KTRACE_KEY_UID | 1U << KTRACE_KEY_CGROUP)
#define CHOSEN_TASK_NAMES "tid, pid, comm, cpu, uid, cgroup"
#define CHOSEN_SYSCALL_KEYS "syscall, errno, " CHOSEN_TASK_NAMES
#define CHOSEN_FUNCTION_KEYS "function, " CHOSEN_TASK_NAMES
#define CHOSEN_FAULT_KEYS "fault, " CHOSEN_TASK_NAMES
#define CHOSEN_SCHED_KEYS "period, " CHOSEN_TASK_NAMES
#define CHOSEN_PROFILE_KEYS "mode, " CHOSEN_TASK_NAMES
#define CHOSEN_IO_KEYS "dev, op, stage, file, " CHOSEN_TASK_NAMES

/*
 * Parses the argument of --by, such as "pid,syscall". offered: bits 1 << KTRACE_KEY_* of the keys
 * that the command offers. The table in shape gets all values and histograms. Returns 0, or -1 with
 * err set.
 */
int chosen_parse(struct ktrace_table *shape, const char *text, uint32_t offered, struct err *err);
/* Returns the argument of --by for a table. The caller frees it. */
char *chosen_text(const struct ktrace_table *shape);

/* Flags of the table: additional figures, and what the table counts. */
#define CHOSEN_CPU_TIME	(1U << 0)
#define CHOSEN_PAGES	(1U << 1)
#define CHOSEN_ERRORS	(1U << 2)
#define CHOSEN_BYTES	(1U << 3)
#define CHOSEN_PERIODS	(1U << 4)	/* the table counts periods instead of calls ... */
#define CHOSEN_REQUESTS	(1U << 5)	/* ... or requests ... */
#define CHOSEN_FAULTS	(1U << 6)	/* ... or page faults (JSON: "calls") */
#define CHOSEN_USER	(1U << 7)	/* calls of user functions: own times, and bounds */
#define CHOSEN_SAMPLES	(1U << 8)	/* samples, whose times are all the same */

extern const struct table_kind chosen_kind;	/* its columns are those of figures only */

/*
 * A table that was read, and its description. The last key is the name of a task. Before the first
 * read, all members except names are 0.
 */
struct chosen {
	const struct names *names;	/* of functions, if one of the keys is a function */
	struct table table;
	struct table_kind kind;
	struct key_kind keys[TABLE_KEYS];
	struct column *columns, *members;
	struct layout screen, json;
};

/*
 * Describes an empty table with these keys, whose rows the caller adds. counted: flags CHOSEN_* for
 * what is counted; figures: for additional figures that are known.
 */
void chosen_init(struct chosen *chosen, const struct ktrace_table *shape, uint32_t counted,
		 uint32_t figures);
/* Names a file's key. path: NULL if it is not known. */
void chosen_name_file(struct table *table, struct row_key *file, const char *path);
/*
 * Reads the table. read_flags: KTRACE_READ_*. Returns 0 or a negative errno. The caller calls
 * chosen_free() in either case.
 */
int chosen_read(struct chosen *chosen, struct ktr *ktr, const struct ktr_session *session,
		const struct ktrace_table *shape, uint32_t read_flags);
void chosen_print(FILE *out, const struct chosen *chosen);
/* Prints a histogram of each row below its keys, in place of the table. */
void chosen_print_hists(FILE *out, const struct chosen *chosen);
struct json_object *chosen_document(const struct ktr_session *session,
				    const struct chosen *chosen);
void chosen_free(struct chosen *chosen);

#endif
