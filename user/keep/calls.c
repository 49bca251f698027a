// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/calls.h"
#include "keep/kept_tasks.h"
#include "keep/threads.h"
#include "session/event.h"
#include "util/mem.h"

#define MORE_FUNCTIONS 256	/* numbers above those with a name that are told apart */
#define CLOCK_SLACK 1000000	/* ns: a record is written after the moment that it tells of */

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
	struct calls_remarks remarks;
	call_fn *fn;
	void *arg;
};

struct calls *calls_create(const struct recording *recording, struct kept_session *session,
			   const struct filter *filter)
{
	struct calls *calls = mem_alloc(sizeof(*calls));

	calls->recording = recording;
	calls->session = session;
	calls->filter = filter;
	calls->has_entries = !(session->is.flags & KTRACE_F_NO_ENTRIES);
	calls->most_funcs = session->names.nr + MORE_FUNCTIONS;
	return calls;
}

void calls_free(struct calls *calls)
{
	uint32_t i;

	if (!calls)
		return;
	for (i = 0; i < calls->nr_funcs; i++)
		sums_free(&calls->funcs[i].sums);
	free(calls->funcs);
	free(calls->top.slots);
	threads_free(&calls->threads);
	nodes_free(&calls->nodes);
	free(calls);
}

void calls_pass_to(struct calls *calls, call_fn *fn, void *arg)
{
	calls->fn = fn;
	calls->arg = arg;
}

/* --- functions ------------------------------------------------------------------ */

static void grow_funcs(struct calls *calls, uint32_t func)
{
	uint32_t nr = func + func / 2 + 64;

	calls->funcs = mem_resize(calls->funcs, nr * sizeof(*calls->funcs));
	memset(calls->funcs + calls->nr_funcs, 0, (nr - calls->nr_funcs) * sizeof(*calls->funcs));
	calls->nr_funcs = nr;
}

/* Numbers that no function can have are one function, the last one. */
static inline struct func_sums *func_of(struct calls *calls, uint32_t *func)
{
	if (*func >= calls->most_funcs)
		*func = calls->most_funcs;
	if (*func >= calls->nr_funcs)
		grow_funcs(calls, *func);
	return &calls->funcs[*func];
}

static inline bool is_chosen(struct calls *calls, struct func_sums *sums, uint32_t func)
{
	if (sums->choice == CHOICE_UNKNOWN)
		sums->choice = filter_function(calls->filter, calls->recording, calls->session,
					       func) ? CHOICE_TAKEN : CHOICE_LEFT;
	return sums->choice == CHOICE_TAKEN;
}

/* --- calls without a caller ----------------------------------------------------- */

/* Puts a forest below the node that stands for a caller nobody recorded. */
static void adopt(struct calls *calls, struct forest *to, struct forest *orphans)
{
	struct node *node;

	if (!orphans->first)
		return;
	calls->remarks.nr_orphans += forest_calls(orphans);
	node = forest_get(&calls->nodes, to, CALLS_NO_CALLER);
	forest_absorb(&calls->nodes, node ? &node->callees : to, orphans);
}

static void clear_level(struct level *level)
{
	level->ended_ns = 0;
	level->is_doubtful = false;
	level->is_open = level->has_tail = false;
}

/* The call of this level has not ended. Its callees have a node to go to. */
static void leave_open(struct calls *calls, struct thread *thread, size_t depth)
{
	struct level *level = &thread->levels[depth], *below = level + 1;
	uint32_t func = level->open_func;
	struct func_sums *sums = func_of(calls, &func);
	struct node *node = NULL;

	if (is_chosen(calls, sums, func))
		node = forest_get(&calls->nodes, &level->ended, func);
	forest_absorb(&calls->nodes, node ? &node->callees : &level->ended, &below->ended);
	calls->remarks.nr_open++;
	level->is_open = false;
}

/*
 * Returns the level for calls that ended at this one and have no caller: the one below the innermost
 * caller that is known.
 */
static size_t home_of(const struct thread *thread, size_t depth, size_t least)
{
	size_t to = depth - 1;

	while (to > least && !thread->levels[to - 1].is_open)
		to--;
	return to;
}

/*
 * Empties the levels from nr on, innermost first, into the level above them. Calls that are open
 * there, or in that level, will not end.
 */
static void fold(struct calls *calls, struct thread *thread, size_t nr)
{
	size_t i, home = thread->nr_used;	/* of the levels above it, down to itself */
	struct level *level;

	for (i = thread->nr_used; i-- > nr;) {
		level = &thread->levels[i];
		if (level->is_open)
			leave_open(calls, thread, i);
		if (level[-1].is_open || !level->ended.first)
			continue;
		if (home >= i)
			home = home_of(thread, i, nr - 1);
		adopt(calls, &thread->levels[home].ended, &level->ended);
	}
	if (thread->levels[nr - 1].is_open)
		leave_open(calls, thread, nr - 1);
	for (; thread->nr_used > nr; thread->nr_used--)
		clear_level(&thread->levels[thread->nr_used - 1]);
}

/* The thread has ended, or its records. */
static void end_thread(struct calls *calls, struct thread *thread)
{
	if (!thread->nr_used)
		return;
	fold(calls, thread, 1);
	forest_absorb(&calls->nodes, &calls->top, &thread->levels[0].ended);
	clear_level(&thread->levels[0]);
	thread->nr_used = 0;
}

/* After a gap, calls that have ended may never get the record of their caller. */
static void doubt(struct calls *calls, struct thread *thread)
{
	size_t i;

	for (i = 0; i < thread->nr_used; i++)
		thread->levels[i].is_doubtful = thread->levels[i].ended.first;
	thread->nr_gaps = calls->nr_gaps;
}

/* --- ends ----------------------------------------------------------------------- */

/* How a call that ended is counted. */
enum way {
	WAY_COUNTED,
	WAY_BOUND,	/* its time is an upper bound */
	WAY_OPEN,	/* it has not ended */
	WAY_INHERITED,	/* it counts in another process */
	WAY_SHORT,	/* too short to count; its time is not its caller's own */
	WAY_LEFT,	/* as if it had no probe */
};

static inline enum way way_of(struct calls *calls, const struct ktrace_record *record,
			      struct func_sums *sums, uint32_t func, uint64_t begin, uint64_t end)
{
	const struct filter *filter = calls->filter;

	if (!is_chosen(calls, sums, func) || begin < filter->from || begin > filter->to ||
	    (filter->max_depth && record->depth >= filter->max_depth))
		return WAY_LEFT;
	if (end - begin < filter->min_time)
		return WAY_SHORT;
	if (record->flags & KTRACE_REC_F_INHERITED)
		return WAY_INHERITED;
	if ((record->flags & KTRACE_REC_F_OPEN) || end > filter->to)
		return WAY_OPEN;
	return record->flags & KTRACE_REC_F_AT_MOST ? WAY_BOUND : WAY_COUNTED;
}

/* The call goes to the calls of its depth that have ended, with its callees. */
static void count_call(struct calls *calls, struct level *level, struct level *below,
		       struct func_sums *sums, uint32_t func, uint64_t duration, enum way way)
{
	int64_t self = duration - below->ended_ns;
	struct node *node = forest_get(&calls->nodes, &level->ended, func);

	if (node)
		node->has_tail |= level->has_tail;
	if (way == WAY_COUNTED) {
		sums_add(&sums->sums, duration);
		sums->self_ns += self;
	}
	if (way == WAY_BOUND) {
		self = self > 0 ? self : 0;
		sums->bound_calls++;
		sums->bound_self_ns += self;
	}
	if (!node) {
		calls->remarks.nr_full++;
		sums->full_ns += way == WAY_COUNTED ? duration : 0;
		sums->bound_ns += way == WAY_BOUND ? duration : 0;
	} else if (way == WAY_COUNTED) {
		node->calls++;
		node->total_ns += duration;
		node->self_ns += self;
	} else if (way == WAY_BOUND) {
		node->bound_calls++;
		node->bound_ns += duration;
		node->bound_self_ns += self;
	}
	if (node && !node->callees.first) {
		node->callees = below->ended;
		memset(&below->ended, 0, sizeof(below->ended));
	} else {
		forest_absorb(&calls->nodes, node ? &node->callees : &level->ended, &below->ended);
	}
}

/* There is no room for the call's place in the tree, and none for its callees. */
static void count_alone(struct calls *calls, struct func_sums *sums, uint64_t duration, enum way way)
{
	calls->remarks.nr_full++;
	if (way != WAY_COUNTED)
		return;
	sums_add(&sums->sums, duration);
	sums->full_ns += duration;
	sums->entries += !calls->has_entries;
}

/*
 * When the call began, such that calls of a thread nest: the record of an end, from which the begin
 * follows, was written some time after the end.
 */
static uint64_t nested_begin(const struct thread *thread, const struct level *below, size_t depth,
			     uint64_t begin, uint64_t end, uint64_t *floor)
{
	*floor = thread->last_end;
	if (below->ended.first || below->ended_ns) {
		*floor = below->floor ? below->floor - 1 : 0;
		begin = below->begin && begin >= below->begin ? below->begin - 1 : begin;
	} else if (depth > thread->last_depth) {
		*floor += depth - thread->last_depth;
	}
	begin = begin < *floor ? *floor : begin;
	return begin > end ? end : begin;
}

static void pass(struct calls *calls, uint32_t func, const struct ktrace_record *record,
		 uint64_t begin, uint64_t end, uint64_t duration)
{
	struct call call = {
		.tid = record->tid, .func = func, .depth = record->depth, .flags = record->flags,
		.begin = begin, .end = end, .duration = duration,
	};

	calls->fn(calls->arg, &call);
}

static bool is_first_of(const struct level *level)
{
	return !level->ended.first && !level->ended_ns;
}

static void take_exit(struct calls *calls, struct thread *thread, const struct packets *packets)
{
	const struct ktrace_record *record = packets->record;
	uint64_t end = packets->time, duration = *record->duration;
	uint64_t begin = end > duration ? end - duration : 0, floor;
	size_t depth = record->depth;
	struct level *level, *below;
	uint32_t func = record->func;
	struct func_sums *sums = func_of(calls, &func);
	bool is_first;
	enum way way;

	if (!thread_room(&calls->threads, thread, depth + 2)) {
		way = way_of(calls, record, sums, func, begin, end);
		count_alone(calls, sums, duration, way);
		return;
	}
	level = &thread->levels[depth];
	below = level + 1;
	if (thread->nr_used > depth + 1 && (thread->nr_used > depth + 2 || below->is_open))
		fold(calls, thread, depth + 2);
	if (below->is_doubtful && below->ended.first && below->begin + CLOCK_SLACK < begin) {
		adopt(calls, &level->ended, &below->ended);
		below->ended_ns = 0;
	}
	way = way_of(calls, record, sums, func, begin, end);
	if (calls->session->is.flags & KTRACE_F_NO_ENTRIES)
		level->has_tail = record->flags & KTRACE_REC_F_TAIL;
	is_first = is_first_of(level);
	begin = nested_begin(thread, below, depth, begin, end, &floor);
	if (way <= WAY_INHERITED) {
		if (!calls->has_entries && way != WAY_INHERITED)
			sums->entries++;
		if (way == WAY_OPEN) {
			calls->remarks.nr_open++;
			sums->since = begin;
		}
		count_call(calls, level, below, sums, func, duration, way);
		level->ended_ns += duration;
		if (calls->fn)
			pass(calls, func, record, begin, end, duration);
	} else {
		sums->entries += way == WAY_SHORT && !calls->has_entries;
		forest_absorb(&calls->nodes, &level->ended, &below->ended);
		level->ended_ns += way == WAY_SHORT ? duration : below->ended_ns;
	}
	if (is_first) {
		level->begin = begin;
		level->floor = floor;
	}
	level->is_open = level->has_tail = false;
	clear_level(below);
	thread->nr_used = depth + 1;
	thread->last_depth = depth;
	thread->last_end = end;
}

/* --- entries -------------------------------------------------------------------- */

/* A call whose end cannot be seen, which has no duration. */
static void take_no_return(struct calls *calls, struct thread *thread,
			   const struct ktrace_record *record, uint64_t time)
{
	uint32_t func = record->func;
	struct func_sums *sums = func_of(calls, &func);
	struct level *level;
	struct node *node;

	if (!is_chosen(calls, sums, func) || !filter_window(calls->filter, time, time) ||
	    (calls->filter->max_depth && record->depth >= calls->filter->max_depth))
		return;
	sums->entries++;
	if (calls->filter->min_time || !thread_room(&calls->threads, thread, record->depth + 2))
		return;
	sums->since = time;
	level = &thread->levels[record->depth];
	if (is_first_of(level)) {
		level->begin = time;
		level->floor = thread->last_end;
	}
	node = forest_get(&calls->nodes, &level->ended, func);
	if (node)
		node->calls++;
	if (thread->nr_used <= record->depth)
		thread->nr_used = record->depth + 1;
	if (calls->fn)
		pass(calls, func, record, time, time, 0);
}

static void take_entry(struct calls *calls, struct thread *thread, const struct packets *packets)
{
	const struct ktrace_record *record = packets->record;
	uint64_t time = packets->time;
	uint32_t func = record->func;
	struct func_sums *sums = func_of(calls, &func);
	struct level *level;

	if ((record->flags & KTRACE_REC_F_LATE) && record->nr_payload)
		memcpy(&time, record->duration, sizeof(time));
	if (record->flags & KTRACE_REC_F_NO_RETURN) {
		take_no_return(calls, thread, record, time);
		return;
	}
	if (!calls->has_entries || !thread_room(&calls->threads, thread, record->depth + 2))
		return;
	level = &thread->levels[record->depth];
	if (level->is_open || thread->nr_used > (size_t)record->depth + 1)
		fold(calls, thread, record->depth + 1);
	level->is_open = true;
	level->open_func = func;
	level->open_since = time;
	level->has_tail = record->flags & KTRACE_REC_F_TAIL;
	if (thread->nr_used <= record->depth)
		thread->nr_used = record->depth + 1;
	if (!filter_window(calls->filter, time, time) || !is_chosen(calls, sums, func) ||
	    (calls->filter->max_depth && record->depth >= calls->filter->max_depth))
		return;
	sums->entries++;
	sums->since = time;
}

/* --- records -------------------------------------------------------------------- */

static const __u64 *payload_of(const struct ktrace_record *record)
{
	return record->duration;	/* records of tasks have no duration */
}

static void take_task(struct calls *calls, const struct ktrace_record *record)
{
	struct kept_tasks *tasks = calls->recording->tasks;
	const __u64 *words = payload_of(record);
	char comm[17] = "";

	if (record->nr_payload < 2)
		return;
	if (record->id == EVENT_FORK) {
		kept_tasks_fork(tasks, record->tid, words[0], words[1]);
		return;
	}
	memcpy(comm, words, 16);
	kept_tasks_name(tasks, record->tid, 0, comm);
}

static struct thread *thread_of(struct calls *calls, uint32_t tid)
{
	bool is_new;
	struct thread *thread = threads_get(&calls->threads, tid, &is_new);

	if (thread && is_new)
		thread->is_chosen = filter_thread(calls->filter, calls->recording, tid, NULL);
	if (thread && thread->nr_gaps != calls->nr_gaps)
		doubt(calls, thread);
	return thread;
}

static void take_other(struct calls *calls, struct thread *thread,
		       const struct ktrace_record *record)
{
	switch (record->id) {
	case EVENT_FORK:
	case EVENT_EXEC:
		take_task(calls, record);
		thread->is_chosen = filter_thread(calls->filter, calls->recording, thread->tid, NULL);
		break;
	case EVENT_TASK_EXIT:
		end_thread(calls, thread);
		threads_drop(&calls->threads, thread);
		break;
	default:
		calls->session->nr_unknown++;
	}
}

void calls_take(struct calls *calls, const struct packets *packets)
{
	const struct ktrace_record *record = packets->record;
	struct thread *thread;

	if (!record) {
		calls->nr_gaps++;
		return;
	}
	thread = thread_of(calls, record->tid);
	if (!thread)
		calls->remarks.nr_full += record->id == EVENT_EXIT;
	else if (record->id == EVENT_EXIT && thread->is_chosen)
		take_exit(calls, thread, packets);
	else if (record->id == EVENT_ENTRY && thread->is_chosen)
		take_entry(calls, thread, packets);
	else if (record->id > EVENT_EXIT)
		take_other(calls, thread, record);
}

void calls_finish(struct calls *calls)
{
	size_t i;

	for (i = 0; i < calls->threads.nr_slots; i++)
		if (calls->threads.slots[i])
			end_thread(calls, calls->threads.slots[i]);
	threads_free(&calls->threads);
}

const struct forest *calls_forest(const struct calls *calls)
{
	return &calls->top;
}

const struct func_sums *calls_functions(const struct calls *calls, uint32_t *nr)
{
	*nr = calls->nr_funcs;
	return calls->funcs;
}

const struct calls_remarks *calls_remarks(const struct calls *calls)
{
	return &calls->remarks;
}
