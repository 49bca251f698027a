/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHOSEN_H
#define CHOSEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/layout.h"
#include "util/err.h"

/* Tables whose keys a command's --by chooses: one way for all that the module counts. */

/* The keys that system calls can be counted by, for a help text. */
#define CHOSEN_SYSCALL_KEYS "syscall, errno, tid, pid, comm, cpu, uid, cgroup"

/*
 * "pid,syscall" of --by; offered: 1 << KTRACE_KEY_* of those that there are. All values and
 * histograms are asked for. Returns 0, or -1 with err set.
 */
int chosen_parse(struct ktrace_table *shape, const char *text, uint32_t offered, struct err *err);

/* Flags of the table: what else it has. */
#define CHOSEN_CPU_TIME	(1U << 0)
#define CHOSEN_PAGES	(1U << 1)

/* One that was read, and how it is shown; behind the keys is one more, the name of a task. */
struct chosen {
	struct table table;
	struct row others;		/* parts NULL: every row has a place of its own */
	struct key_kind kinds[TABLE_KEYS];
	struct column columns[TABLE_KEYS + 16];
	struct layout layout;
	struct cgroup_names *cgroups;	/* read once, if a key is of one */
};

/* flags: KTRACE_READ_*. 0 or a negative errno; chosen_free() in either case. */
int chosen_read(struct chosen *chosen, struct knl *nl, const struct knl_session *session,
		const struct ktrace_table *shape, uint32_t read_flags);
/* By time, calls, errors, avg, p50, p99, max, bytes, pages, or name: the first key. */
void chosen_sort(struct chosen *chosen, const char *column);
void chosen_print(FILE *out, const struct chosen *chosen);
/* As a document, on one line if is_line. */
void chosen_print_json(FILE *out, const struct knl_session *session, const struct chosen *chosen,
		       uint64_t duration_ns, bool is_line);
void chosen_free(struct chosen *chosen);

#endif
