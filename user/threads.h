/* SPDX-License-Identifier: GPL-2.0 */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "comms.h"
#include "nl.h"

/* What threads call themselves: asked as long as they live, and then told by the module. */
struct threads {
	struct thread {
		uint32_t tid;
		char comm[17];
	} *all;			/* in order of tid */
	size_t nr;
	struct comms ended;	/* of one session */
};

/* Asks what it is called; what it said last is kept. */
void threads_see(struct threads *threads, uint32_t tid);
/* Likewise all that a session's tree has at its root. flags: KTRACE_READ_*. 0 or a negative errno. */
int threads_read(struct threads *threads, struct knl *nl, uint64_t session, uint32_t flags);
/* NULL: nobody knows. */
const char *threads_comm(const struct threads *threads, uint32_t tid);
void threads_free(struct threads *threads);

#endif
