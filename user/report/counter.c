// SPDX-License-Identifier: GPL-2.0
/* Counts the events of a stream: rows of functions in threads. */
#include <stdlib.h>
#include <string.h>

#include "report/functions.h"
#include "uapi/ktrace_record.h"
#include "util/hash.h"
#include "util/mem.h"

struct frame {
	uint32_t func;
	uint16_t depth;
	uint64_t in_calls;	/* ns spent in functions called from here */
};

struct thread {
	uint32_t tid;
	struct frame *frames;
	size_t nr;
	UT_hash_handle hh;
};

/* A row, and how many frames of its function its thread has open. */
struct counted {
	struct {
		uint32_t tid, func;
	} key;
	size_t row;
	uint32_t nr_open;
	UT_hash_handle hh;
};

/* Thousands of threads, and frames that a gap left open, must not be searched one by one. */
struct counter {
	const struct names *names;
	struct table table;
	struct counted *counted;	/* a hash of the rows */
	struct thread *threads;	/* a hash of the threads that have not ended */
};

struct counter *counter_create(const struct names *names)
{
	struct counter *counter = mem_alloc(sizeof(*counter));

	counter->names = names;
	table_init(&counter->table, &functions_kind);
	counter->table.flags = FUNCTIONS_BY_THREAD;
	return counter;
}

static struct counted *counted_of(struct counter *counter, uint32_t tid, uint32_t func)
{
	struct counted wanted = { .key = { tid, func } }, *counted;

	HASH_FIND(hh, counter->counted, &wanted.key, sizeof(wanted.key), counted);
	if (counted)
		return counted;
	counted = mem_alloc(sizeof(*counted));
	counted->key = wanted.key;
	counted->row = counter->table.nr;
	functions_add(&counter->table, func, tid, counter->names);
	HASH_ADD(hh, counter->counted, key, sizeof(counted->key), counted);
	return counted;
}

static struct row *row_of(struct counter *counter, uint32_t tid, uint32_t func)
{
	size_t row = counted_of(counter, tid, func)->row;

	return &counter->table.rows[row];
}

/* --- threads ------------------------------------------------------------ */

static struct thread *find(const struct counter *counter, uint32_t tid)
{
	struct thread *thread;

	HASH_FIND(hh, counter->threads, &tid, sizeof(tid), thread);
	return thread;
}

static struct thread *find_or_add(struct counter *counter, uint32_t tid)
{
	struct thread *thread = find(counter, tid);

	if (thread)
		return thread;
	thread = mem_alloc(sizeof(*thread));
	thread->tid = tid;
	HASH_ADD(hh, counter->threads, tid, sizeof(tid), thread);
	return thread;
}

static void drop(struct counter *counter, struct thread *thread)
{
	HASH_DEL(counter->threads, thread);
	free(thread->frames);
	free(thread);
}

static struct frame *last_of(const struct thread *thread)
{
	return thread->nr ? &thread->frames[thread->nr - 1] : NULL;
}

static void close_last(struct counter *counter, struct thread *thread)
{
	counted_of(counter, thread->tid, last_of(thread)->func)->nr_open--;
	thread->nr--;
}

/* --- events ------------------------------------------------------------- */

static void enter(struct counter *counter, const struct event *event)
{
	struct thread *thread = find_or_add(counter, event->tid);
	struct frame *frame;

	row_of(counter, event->tid, event->func)->parts->figures[FIG_ENTRIES]++;
	if (event->flags & KTRACE_REC_F_NO_RETURN)
		return;
	thread->frames = mem_grow(thread->frames, thread->nr, sizeof(*thread->frames));
	frame = &thread->frames[thread->nr++];
	frame->func = event->func;
	frame->depth = event->depth;
	counted_of(counter, event->tid, event->func)->nr_open++;
}

/*
 * A gap lost the exits of frames above the frame that returns: these frames are closed without a
 * time.
 */
static uint64_t leave_frame(struct counter *counter, struct thread *thread,
			    const struct event *event)
{
	uint64_t in_calls = 0;

	while (thread->nr && last_of(thread)->depth > event->depth)
		close_last(counter, thread);
	if (thread->nr && last_of(thread)->depth == event->depth) {
		in_calls = last_of(thread)->in_calls;
		close_last(counter, thread);
	}
	if (thread->nr)
		last_of(thread)->in_calls += event->duration;
	return in_calls < event->duration ? in_calls : event->duration;
}

/* The end of the call was not seen: its duration is an upper bound, and so is its own time. */
static void count_bound(uint64_t *figures, uint64_t duration, uint64_t in_calls, bool is_inner)
{
	figures[FIG_CALLS]++;
	figures[FIG_AT_MOST]++;
	figures[FIG_AT_MOST_TIME] += is_inner ? 0 : duration;
	figures[FIG_AT_MOST_SELF] += duration - in_calls;
}

static void leave(struct counter *counter, const struct event *event)
{
	struct thread *thread = find_or_add(counter, event->tid);
	uint64_t in_calls = leave_frame(counter, thread, event);
	struct row_part *part = row_of(counter, event->tid, event->func)->parts;
	uint64_t *figures = part->figures;
	bool is_inner;

	is_inner = counted_of(counter, event->tid, event->func)->nr_open;
	if (event->flags & KTRACE_REC_F_AT_MOST) {
		count_bound(figures, event->duration, in_calls, is_inner);
		return;
	}
	if (figures[FIG_CALLS]++ == figures[FIG_AT_MOST] || event->duration < figures[FIG_MIN])
		figures[FIG_MIN] = event->duration;
	if (event->duration > figures[FIG_MAX])
		figures[FIG_MAX] = event->duration;
	figures[FIG_SUM] += event->duration;
	figures[FIG_SELF] += event->duration - in_calls;
	figures[FIG_TOTAL] += is_inner ? 0 : event->duration;
	hist_add(&part->hist, event->duration);
}

static void end_thread(struct counter *counter, uint32_t tid)
{
	struct thread *thread = find(counter, tid);

	if (!thread)
		return;
	while (thread->nr)
		close_last(counter, thread);
	drop(counter, thread);
}

void counter_event(struct counter *counter, const struct event *event)
{
	if (event->id == EVENT_ENTRY)
		enter(counter, event);
	else if (event->id == EVENT_EXIT && !(event->flags & KTRACE_REC_F_INHERITED))
		leave(counter, event);
	else if (event->id == EVENT_TASK_EXIT)
		end_thread(counter, event->tid);
}

void counter_take(struct counter *counter, struct table *functions)
{
	struct thread *thread, *next;
	struct counted *counted, *after;

	*functions = counter->table;
	HASH_ITER(hh, counter->threads, thread, next)
		drop(counter, thread);
	HASH_ITER(hh, counter->counted, counted, after) {
		HASH_DEL(counter->counted, counted);
		free(counted);
	}
	free(counter);
}
