/* SPDX-License-Identifier: GPL-2.0 */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "session/comms.h"

/* What threads are called: read as long as they live, and then reported by the module. */
struct threads {
	struct thread *all;	/* a hash */
	struct comms ended;	/* of one session */
};

/* Reads the name of a thread; the last one that was read stays. */
void threads_see(struct threads *threads, uint32_t tid);
/*
 * Reads those of all threads at the root of a session's tree, and forgets the others.
 * flags: KTRACE_READ_*. 0 or a negative errno.
 */
int threads_read(struct threads *threads, struct knl *nl, uint64_t session, uint32_t flags);
/* NULL: not known. */
const char *threads_comm(const struct threads *threads, uint32_t tid);
void threads_free(struct threads *threads);

#endif
