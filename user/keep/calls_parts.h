/* SPDX-License-Identifier: GPL-2.0 */
/* For calls.c, calls_orphans.c and calls_ends.c only. */
#ifndef CALLS_PARTS_H
#define CALLS_PARTS_H

#include "keep/calls.h"
#include "keep/grouped.h"
#include "keep/threads.h"

enum choice { CHOICE_UNKNOWN, CHOICE_TAKEN, CHOICE_LEFT };

struct calls {
	const struct recording *recording;
	struct kept_session *session;
	const struct filter *filter;
	bool has_entries;	/* every call has one */
	struct threads threads;
	struct nodes nodes;
	struct forest top;
	struct func_sums *funcs;
	uint32_t nr_funcs, most_funcs;
	uint64_t nr_gaps;
	uint64_t time;		/* of the last record */
	struct calls_remarks remarks;
	call_fn *fn;
	void *arg;
	struct grouped *grouped;	/* numbers are those of groups; or NULL */
};

/* Makes room for figures of this number. */
void calls_grow_funcs(struct calls *calls, uint32_t func);

/* Numbers that no function can have are one function, the last one. */
static inline struct func_sums *calls_sums(struct calls *calls, uint32_t *func)
{
	if (*func >= calls->most_funcs)
		*func = calls->most_funcs;
	if (*func >= calls->nr_funcs)
		calls_grow_funcs(calls, *func);
	return &calls->funcs[*func];
}

/* The same for the function of a record. Sets *func to the number under which it counts. */
static inline struct func_sums *calls_sums_of(struct calls *calls, const struct packets *packets,
					      uint32_t *func)
{
	*func = packets->record->func;
	if (calls->grouped)
		*func = grouped_call(calls->grouped, packets);
	return calls_sums(calls, func);
}

static inline bool calls_is_chosen(struct calls *calls, struct func_sums *sums, uint32_t func)
{
	if (sums->choice == CHOICE_UNKNOWN)
		sums->choice = filter_function(calls->filter, calls->recording, calls->session,
					       calls_function(calls, func)) ? CHOICE_TAKEN : CHOICE_LEFT;
	return sums->choice == CHOICE_TAKEN;
}

static inline void level_clear(struct level *level)
{
	level->ended_ns = 0;
	level->is_doubtful = false;
	level->is_open = level->has_tail = level->has_entry = false;
}

/* Passes a call on, if single calls are asked for. */
static inline void calls_pass(const struct calls *calls, const struct call *call)
{
	if (calls->fn)
		calls->fn(calls->arg, call);
}

/* No call of this level has ended so far. */
static inline bool level_is_new(const struct level *level)
{
	return !level->ended.first && !level->ended_ns;
}

/* --- calls without a caller (calls_orphans.c) -------------------------------- */

/* Puts a forest below the node of a caller that was not recorded. */
void orphans_adopt(struct calls *calls, struct forest *to, struct forest *orphans);
/*
 * Empties the levels from nr on, innermost first, into the level above them. Calls that are open
 * there, or in that level, will not end.
 */
void orphans_fold(struct calls *calls, struct thread *thread, size_t nr);
/* The thread has ended, or its records. */
void orphans_end_thread(struct calls *calls, struct thread *thread);
/* After a gap, calls that have ended may never get the record of their caller. */
void orphans_doubt(struct calls *calls, struct thread *thread);

/* --- ends (calls_ends.c) ----------------------------------------------------- */

void calls_ends_take(struct calls *calls, struct thread *thread, const struct packets *packets);

#endif
