/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_BY_H
#define KFUNC_BY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "session/comms.h"
#include "session/names.h"
#include "session/threads.h"

/* Calls of one function in one process, thread or CPU, or in all tasks of a name. */
struct kfunc_by_row {
	uint32_t key;		/* its pid, tid or number; of a name the session's */
	const char *comm;	/* NULL: a CPU, or nobody knows */
	const char *name;	/* of the function */
	uint64_t calls;
	uint64_t total_ns;
};

struct kfunc_by {
	const char *what;	/* "pid", "tid", "cpu" or "comm" */
	struct kfunc_by_row *rows;	/* by time, the longest first */
	size_t nr;
	struct comms comms;
};

/* Of a session with one of KTRACE_F_BY. Returns 0 or a negative errno. */
int kfunc_by_read(struct kfunc_by *by, struct knl *nl, const struct knl_session *session,
		  uint32_t read_flags, const struct names *names, const struct threads *threads);
void kfunc_by_free(struct kfunc_by *by);

void kfunc_by_print(FILE *out, const struct kfunc_by *by);

#endif
