// SPDX-License-Identifier: GPL-2.0
/* Counts the events of a stream: rows of functions in threads. */
#include <stdlib.h>
#include <string.h>

#include "report/rows.h"
#include "uapi/ktrace_record.h"
#include "util/hash.h"

struct frame {
	uint32_t func;
	uint16_t depth;
	uint64_t in_calls;	/* ns spent in calls from here */
};

struct thread {
	uint32_t tid;
	struct frame *frames;
	size_t nr;
	UT_hash_handle hh;
};

/* Of thousands of threads, and frames that a gap left open, none is looked for one by one. */
struct counter {
	const struct names *names;
	struct rows rows;
	uint32_t *nr_open;	/* of each row: frames of it */
	struct thread *threads;	/* a hash of those that have not ended */
	size_t *slots;		/* hash of (tid, func): number of a row, plus 1 */
	size_t nr_slots;
};

struct counter *counter_create(const struct names *names)
{
	struct counter *counter = mem_alloc(sizeof(*counter));

	counter->names = names;
	counter->rows.is_by_thread = true;
	return counter;
}

static size_t *slot_of(const struct counter *counter, uint32_t tid, uint32_t func)
{
	uint64_t hash = ((uint64_t)tid << 32 | func) * 0x9e3779b97f4a7c15ULL;
	size_t i = (hash >> 32) % counter->nr_slots;
	const struct row *row;

	for (; counter->slots[i]; i = (i + 1) % counter->nr_slots) {
		row = &counter->rows.rows[counter->slots[i] - 1];
		if (row->tid == tid && row->func == func)
			break;
	}
	return &counter->slots[i];
}

static void grow(struct counter *counter)
{
	const struct rows *rows = &counter->rows;
	size_t i;

	free(counter->slots);
	counter->nr_slots = rows->nr ? rows->nr * 4 : 64;
	counter->slots = mem_alloc(counter->nr_slots * sizeof(*counter->slots));
	for (i = 0; i < rows->nr; i++)
		*slot_of(counter, rows->rows[i].tid, rows->rows[i].func) = i + 1;
}

static struct row *row_of(struct counter *counter, uint32_t tid, uint32_t func)
{
	struct rows *rows = &counter->rows;
	struct row *row;
	size_t *slot;

	if (rows->nr * 2 >= counter->nr_slots)
		grow(counter);
	slot = slot_of(counter, tid, func);
	if (*slot)
		return &rows->rows[*slot - 1];
	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	counter->nr_open = mem_grow(counter->nr_open, rows->nr, sizeof(*counter->nr_open));
	row = &rows->rows[rows->nr++];
	*slot = rows->nr;
	row->func = func;
	row->tid = tid;
	row->name = names_get(counter->names, func);
	row->stats.min_ns = UINT64_MAX;
	return row;
}

/* Frames of that function that its thread has open. */
static uint32_t *nr_open_of(struct counter *counter, uint32_t tid, uint32_t func)
{
	const struct row *row = row_of(counter, tid, func);

	return &counter->nr_open[row - counter->rows.rows];
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
	--*nr_open_of(counter, thread->tid, last_of(thread)->func);
	thread->nr--;
}

/* --- events ------------------------------------------------------------- */

static void enter(struct counter *counter, const struct event *event)
{
	struct thread *thread = find_or_add(counter, event->tid);
	struct frame *frame;

	row_of(counter, event->tid, event->func)->stats.entries++;
	if (event->flags & KTRACE_REC_F_NO_RETURN)
		return;
	thread->frames = mem_grow(thread->frames, thread->nr, sizeof(*thread->frames));
	frame = &thread->frames[thread->nr++];
	frame->func = event->func;
	frame->depth = event->depth;
	++*nr_open_of(counter, event->tid, event->func);
}

/* Frames above the one that returns were lost in a gap: they are forgotten. */
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

static void leave(struct counter *counter, const struct event *event)
{
	struct thread *thread = find_or_add(counter, event->tid);
	uint64_t in_calls = leave_frame(counter, thread, event);
	struct row *row = row_of(counter, event->tid, event->func);
	struct ktrace_stats *stats = &row->stats;

	stats->calls++;
	stats->at_most += !!(event->flags & KTRACE_REC_F_AT_MOST);
	stats->sum_ns += event->duration;
	stats->self_ns += event->duration - in_calls;
	if (!*nr_open_of(counter, event->tid, event->func))
		stats->total_ns += event->duration;
	if (event->duration < stats->min_ns)
		stats->min_ns = event->duration;
	if (event->duration > stats->max_ns)
		stats->max_ns = event->duration;
	hist_add(&row->hist, event->duration);
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

void counter_take(struct counter *counter, struct rows *rows)
{
	struct thread *thread, *next;

	*rows = counter->rows;
	HASH_ITER(hh, counter->threads, thread, next)
		drop(counter, thread);
	free(counter->slots);
	free(counter->nr_open);
	free(counter);
}
