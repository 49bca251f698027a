/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHOSEN_H
#define CHOSEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/layout.h"
#include "session/names.h"
#include "util/err.h"

/* Tables whose keys a command's --by chooses: one way for all that the module counts. */

/* The keys of tasks, which any command can count by; and all of a command's, for a help text. */
#define CHOSEN_TASK_KEYS (1U << KTRACE_KEY_TID | 1U << KTRACE_KEY_PID | 1U << KTRACE_KEY_COMM |	\
			  1U << KTRACE_KEY_CPU | 1U << KTRACE_KEY_UID | 1U << KTRACE_KEY_CGROUP)
#define CHOSEN_TASK_NAMES "tid, pid, comm, cpu, uid, cgroup"
#define CHOSEN_SYSCALL_KEYS "syscall, errno, " CHOSEN_TASK_NAMES
#define CHOSEN_KFUNC_KEYS "function, " CHOSEN_TASK_NAMES
#define CHOSEN_FAULT_KEYS "fault, " CHOSEN_TASK_NAMES
#define CHOSEN_SCHED_KEYS "period, " CHOSEN_TASK_NAMES
#define CHOSEN_IO_KEYS "dev, op, stage, file, " CHOSEN_TASK_NAMES

/*
 * Parses "pid,syscall" of --by; offered: bits 1 << KTRACE_KEY_* of the command's keys. The table
 * has all values and histograms. Returns 0, or -1 with err set.
 */
int chosen_parse(struct ktrace_table *shape, const char *text, uint32_t offered, struct err *err);

/* Flags of the table: further figures, and what it counts. */
#define CHOSEN_CPU_TIME	(1U << 0)
#define CHOSEN_PAGES	(1U << 1)
#define CHOSEN_ERRORS	(1U << 2)
#define CHOSEN_BYTES	(1U << 3)
#define CHOSEN_PERIODS	(1U << 4)	/* it counts periods, not calls ... */
#define CHOSEN_REQUESTS	(1U << 5)	/* ... or requests ... */
#define CHOSEN_FAULTS	(1U << 6)	/* ... or page faults, which JSON has as calls */

#define CHOSEN_COLUMNS 19	/* of figures, at most */

/*
 * A table that was read, and its layout. The last key is the name of a task. Before it is read, all
 * is 0 but names.
 */
struct chosen {
	const struct names *names;	/* of functions, if a key is one */
	struct table table;
	struct key_kind kinds[TABLE_KEYS];
	struct column columns[TABLE_KEYS + CHOSEN_COLUMNS];
	struct layout layout;
};

/* flags: KTRACE_READ_*. 0 or a negative errno; chosen_free() in either case. */
int chosen_read(struct chosen *chosen, struct knl *nl, const struct knl_session *session,
		const struct ktrace_table *shape, uint32_t read_flags);
/*
 * By time, calls (of periods count, of disks requests, of faults faults), errors, avg, p99, max,
 * bytes, pages, or name: the first key.
 */
void chosen_sort(struct chosen *chosen, const char *column);
void chosen_print(FILE *out, const struct chosen *chosen);
/* In place of the table: a histogram of each row, below its keys. */
void chosen_print_hists(FILE *out, const struct chosen *chosen);
/* As a document, on one line if is_line. */
void chosen_print_json(FILE *out, const struct knl_session *session, const struct chosen *chosen,
		       bool is_line);
void chosen_free(struct chosen *chosen);

#endif
