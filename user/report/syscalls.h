/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include <stdbool.h>
#include <stdio.h>

#include "client/client.h"
#include "report/table.h"
#include "util/match.h"

/* Rows of one ABI stay together when sorted. */
enum syscalls_key { SYSCALLS_ABI, SYSCALLS_NAME, SYSCALLS_ERRNO };

/* Flags of the table. */
#define SYSCALLS_WIDE		(1U << 0)
#define SYSCALLS_PAGES		(1U << 2)
#define SYSCALLS_CPU_TIME	(1U << 3)
#define SYSCALLS_ERRORS		(1U << 4)	/* the table of errors is shown */

struct syscalls {
	struct table calls;	/* system calls */
	struct table errors;	/* errors by call and errno, from a table with these keys */
};

extern const struct table_kind syscalls_kind, syscalls_errors_kind;

void syscalls_init(struct syscalls *syscalls);
struct row *syscalls_add(struct table *table, uint32_t func);

/*
 * Reads the module's figures: histograms of calls, and a table by call and errno. Returns 0 or a
 * negative errno.
 */
int syscalls_read(struct syscalls *syscalls, struct ktr *ktr, const struct ktr_session *session,
		  uint32_t read_flags);
/* For KTRACE_F_CPU_TIME: replaces total times by CPU times. */
void syscalls_use_cpu_time(struct syscalls *syscalls);
void syscalls_free(struct syscalls *syscalls);

/* Returns true for a column of pages, which only a session with KTRACE_F_PAGES has. */
bool syscalls_need_pages(const char *column);
void syscalls_sort(struct syscalls *syscalls, const char *column);

/*
 * Prints a table like that of strace -c, with more columns if SYSCALLS_WIDE, and a second table for
 * 32-bit calls.
 */
void syscalls_print(FILE *out, const struct syscalls *syscalls);
/* Prints histograms of the calls whose names match. */
void syscalls_print_hists(FILE *out, const struct syscalls *syscalls, const struct match *names);

/* A document with both tables. */
struct json_object *syscalls_document(const struct ktr_session *session,
				      const struct syscalls *syscalls);

#endif
