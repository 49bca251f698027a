/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSCALL_ROWS_H
#define SYSCALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "report/hist.h"
#include "report/syscall_names.h"
#include "session/threads.h"

/* What is known of one system call, or of one in one thread. */
struct syscall_row {
	uint32_t func;		/* as in ktrace.h */
	uint32_t tid;		/* 0: all threads */
	char name[SYSCALL_NAME_LEN];
	const char *comm;	/* of the thread; NULL: all, or nobody knows */
	struct ktrace_stats stats;	/* of a thread's: calls, total_ns, errors, pages */
	struct hist hist;	/* none of a thread's */
};

/* How often it returned an error. */
struct syscall_error {
	uint32_t func;
	uint32_t tid;
	int error;
	uint64_t calls;
};

struct syscall_rows {
	struct syscall_row *rows;
	size_t nr;
	struct syscall_error *errors;	/* of a session with KTRACE_F_TREE */
	size_t nr_errors;
	bool has_pages;		/* of a session with KTRACE_F_PAGES */
};

/* The module's figures; by thread only with KTRACE_F_BY_TID. 0 or a negative errno. */
int syscall_rows_read(struct syscall_rows *rows, struct knl *nl,
		      const struct knl_session *session, uint32_t read_flags,
		      const struct threads *threads);
/* Of its calls, permille took no longer; 0 of a thread's. */
uint64_t syscall_percentile(const struct syscall_row *row, unsigned int permille);

/* With KTRACE_F_CPU_TIME: total_ns is what they ran, not what the clock says. */
void syscall_rows_use_cpu_time(struct syscall_rows *rows);
void syscall_rows_free(struct syscall_rows *rows);

/* Those of a thread stay together, and in it those of 32 bits. */
#define SYSCALL_COLUMNS "time|calls|errors|avg|max|p99|bytes|name|hits|misses|ahead|dirtied"
void syscall_rows_sort(struct syscall_rows *rows, const char *column);
bool syscall_is_one_group(uint32_t func, uint32_t tid, const struct syscall_row *row);

/* Of sorted ones: the first of a thread, or where it would be. */
const struct syscall_error *syscall_errors_of(const struct syscall_rows *rows, uint32_t tid);

#endif
