/* SPDX-License-Identifier: GPL-2.0 */
/* The threads of a session while its calls are rebuilt (calls.c). */
#ifndef KEPT_THREADS_H
#define KEPT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keep/forest.h"

/* The calls of one depth that have ended and whose caller has not. */
struct level {
	struct forest ended;
	uint64_t ended_ns;	/* their durations, or those of what they called if they do not count */
	uint64_t begin;		/* of the first one */
	uint64_t floor;		/* before it, no call of this depth can have begun */
	/* an entry without an end so far */
	uint64_t open_since;
	uint32_t open_func;
	bool is_open, has_tail;
	bool has_entry;		/* the call has a record of its entry */
	bool is_doubtful;	/* a gap followed: the caller's record may be missing */
};

struct thread {
	uint32_t tid;
	bool is_chosen;
	uint16_t last_depth;	/* of the last call that ended ... */
	uint64_t last_end;	/* ... and when */
	uint64_t nr_gaps;	/* of the session, when the thread was last seen */
	size_t nr_used;		/* levels below this one may have something */
	struct level *levels;
	size_t room;
};

struct threads {
	struct thread **slots;	/* a hash by tid */
	size_t nr, nr_slots;
	struct thread *last;	/* that was asked for */
};

/* Returns a thread, made if it is new (*is_new), or NULL if there are too many. */
struct thread *threads_get(struct threads *threads, uint32_t tid, bool *is_new);
/* Forgets a thread, whose levels are empty. */
void threads_drop(struct threads *threads, struct thread *thread);
/* Makes room for levels below nr. Returns false if there are too many in all sessions. */
bool thread_room(struct thread *thread, size_t nr);
void threads_free(struct threads *threads);

#endif
