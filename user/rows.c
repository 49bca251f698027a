// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "../include/uapi/ktrace_record.h"
#include "mem.h"
#include "rows.h"

/* --- from the module ---------------------------------------------------- */

struct reading {
	struct rows *rows;
	const struct names *names;
};

static void take(void *arg, const struct knl_func *func)
{
	struct reading *reading = arg;
	struct rows *rows = reading->rows;
	struct row *row;

	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	row->func = func->func;
	row->name = names_get(reading->names, func->func);
	row->stats = func->stats;
	row->error = func->error;
	row->hist.buckets = mem_alloc(func->nr_buckets * sizeof(*func->buckets));
	row->hist.nr = func->nr_buckets;
	if (func->nr_buckets)
		memcpy(row->hist.buckets, func->buckets,
		       func->nr_buckets * sizeof(*func->buckets));
}

int rows_read(struct rows *rows, struct knl *nl, uint64_t session, uint32_t flags,
	      const struct names *names)
{
	struct reading reading = { rows, names };

	memset(rows, 0, sizeof(*rows));
	return knl_func_each(nl, session, flags, take, &reading);
}

/* --- from a stream ------------------------------------------------------ */

struct frame {
	uint32_t func;
	uint16_t depth;
	uint64_t in_calls;	/* ns spent in calls from here */
};

struct thread {
	uint32_t tid;
	struct frame *frames;
	size_t nr;
};

struct counter {
	const struct names *names;
	struct rows rows;
	struct thread *threads;
	size_t nr_threads;
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
	row = &rows->rows[rows->nr++];
	*slot = rows->nr;
	row->func = func;
	row->tid = tid;
	row->name = names_get(counter->names, func);
	row->stats.min_ns = UINT64_MAX;
	return row;
}

static struct thread *thread_of(struct counter *counter, uint32_t tid)
{
	struct thread *thread;

	for (thread = counter->threads; thread < counter->threads + counter->nr_threads; thread++)
		if (thread->tid == tid)
			return thread;
	counter->threads = mem_grow(counter->threads, counter->nr_threads,
				    sizeof(*counter->threads));
	thread = &counter->threads[counter->nr_threads++];
	thread->tid = tid;
	return thread;
}

static bool is_recursive(const struct thread *thread, uint32_t func)
{
	size_t i;

	for (i = 0; i < thread->nr; i++)
		if (thread->frames[i].func == func)
			return true;
	return false;
}

static void enter(struct counter *counter, const struct event *event)
{
	struct thread *thread = thread_of(counter, event->tid);
	struct frame *frame;

	row_of(counter, event->tid, event->func)->stats.entries++;
	if (event->flags & KTRACE_REC_F_NO_RETURN)
		return;
	thread->frames = mem_grow(thread->frames, thread->nr, sizeof(*thread->frames));
	frame = &thread->frames[thread->nr++];
	frame->func = event->func;
	frame->depth = event->depth;
}

/* Frames above the one that returns were lost in a gap: they are forgotten. */
static uint64_t leave_frame(struct thread *thread, const struct event *event)
{
	uint64_t in_calls = 0;

	while (thread->nr && thread->frames[thread->nr - 1].depth > event->depth)
		thread->nr--;
	if (thread->nr && thread->frames[thread->nr - 1].depth == event->depth)
		in_calls = thread->frames[--thread->nr].in_calls;
	if (thread->nr)
		thread->frames[thread->nr - 1].in_calls += event->duration;
	return in_calls < event->duration ? in_calls : event->duration;
}

static void leave(struct counter *counter, const struct event *event)
{
	struct thread *thread = thread_of(counter, event->tid);
	uint64_t in_calls = leave_frame(thread, event);
	struct row *row = row_of(counter, event->tid, event->func);
	struct ktrace_stats *stats = &row->stats;

	stats->calls++;
	stats->sum_ns += event->duration;
	stats->self_ns += event->duration - in_calls;
	if (!is_recursive(thread, event->func))
		stats->total_ns += event->duration;
	if (event->duration < stats->min_ns)
		stats->min_ns = event->duration;
	if (event->duration > stats->max_ns)
		stats->max_ns = event->duration;
	hist_add(&row->hist, event->duration);
}

void counter_event(struct counter *counter, const struct event *event)
{
	if (event->id == EVENT_ENTRY)
		enter(counter, event);
	else if (event->id == EVENT_EXIT && !(event->flags & KTRACE_REC_F_INHERITED))
		leave(counter, event);
	else if (event->id == EVENT_TASK_EXIT)
		thread_of(counter, event->tid)->nr = 0;
}

void counter_take(struct counter *counter, struct rows *rows)
{
	size_t i;

	*rows = counter->rows;
	for (i = 0; i < counter->nr_threads; i++)
		free(counter->threads[i].frames);
	free(counter->threads);
	free(counter->slots);
	free(counter);
}

/* --- order -------------------------------------------------------------- */

static int down(uint64_t a, uint64_t b)
{
	return a == b ? 0 : a > b ? -1 : 1;
}

static double avg(const struct row *row)
{
	return row->stats.calls ? (double)row->stats.sum_ns / row->stats.calls : 0;
}

static uint64_t p99(const struct row *row)
{
	return hist_percentile(&row->hist, 990);
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->tid == y->tid ? 0 : x->tid < y->tid ? -1 : 1;
}

#define COMPARE(column, key)							\
	static int by_##column(const void *a, const void *b)			\
	{									\
		const struct row *x = a, *y = b;				\
		int order = down(key(x), key(y));				\
		return order ? order : by_name(a, b);				\
	}
#define TOTAL(row) ((row)->stats.total_ns)
#define SELF(row) ((row)->stats.self_ns)
#define CALLS(row) ((row)->stats.entries)
#define MIN(row) ((row)->stats.min_ns)
#define MAX(row) ((row)->stats.max_ns)
COMPARE(total, TOTAL)
COMPARE(self, SELF)
COMPARE(calls, CALLS)
COMPARE(avg, avg)
COMPARE(min, MIN)
COMPARE(max, MAX)
COMPARE(p99, p99)

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} columns[] = {
	{ "total", by_total }, { "self", by_self }, { "calls", by_calls }, { "avg", by_avg },
	{ "min", by_min }, { "max", by_max }, { "p99", by_p99 }, { "name", by_name },
};

static size_t column_of(const char *name)
{
	size_t nr = sizeof(columns) / sizeof(columns[0]), i;

	for (i = 0; i < nr; i++)
		if (!strcmp(columns[i].name, name))
			break;
	return i;
}

void rows_sort(struct rows *rows, const char *name)
{
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows),
		      columns[column_of(name)].compare);
}

void rows_free(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		hist_free(&rows->rows[i].hist);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
