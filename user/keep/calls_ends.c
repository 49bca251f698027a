// SPDX-License-Identifier: GPL-2.0
/* Ends of calls, from which all of a call follows. */
#include <string.h>

#include "keep/calls_parts.h"

#define CLOCK_SLACK 1000000	/* ns: a record is written after the moment that it tells of */

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

	if (!calls_is_chosen(calls, sums, func) || begin < filter->from || begin > filter->to ||
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

static void pass(const struct calls *calls, const struct ktrace_record *record, uint32_t func,
		 const struct level *level, uint64_t begin, uint64_t end, enum way way)
{
	calls_pass(calls, &(struct call){
		.tid = record->tid, .func = func, .depth = record->depth, .begin = begin, .end = end,
		.flags = record->flags | (way == WAY_OPEN ? KTRACE_REC_F_OPEN : 0),
		.has_entry = level->has_entry && level->open_func == func,
		.duration = *record->duration,
	});
}

void calls_ends_take(struct calls *calls, struct thread *thread, const struct packets *packets)
{
	const struct ktrace_record *record = packets->record;
	uint64_t end = packets->time, duration = *record->duration;
	uint64_t begin = end > duration ? end - duration : 0, floor;
	size_t depth = record->depth;
	struct level *level, *below;
	uint32_t func;
	struct func_sums *sums = calls_sums_of(calls, packets, &func);
	bool is_first;
	enum way way;

	if (!thread_room(thread, depth + 2)) {
		way = way_of(calls, record, sums, func, begin, end);
		count_alone(calls, sums, duration, way);
		return;
	}
	level = &thread->levels[depth];
	below = level + 1;
	if (thread->nr_used > depth + 1 && (thread->nr_used > depth + 2 || below->is_open))
		orphans_fold(calls, thread, depth + 2);
	if (below->is_doubtful && below->ended.first && below->begin + CLOCK_SLACK < begin) {
		orphans_adopt(calls, &level->ended, &below->ended);
		below->ended_ns = 0;
	}
	way = way_of(calls, record, sums, func, begin, end);
	if (calls->session->is.flags & KTRACE_F_NO_ENTRIES)
		level->has_tail = record->flags & KTRACE_REC_F_TAIL;
	is_first = level_is_new(level);
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
		pass(calls, record, func, level, begin, end, way);
	} else {
		sums->entries += way == WAY_SHORT && !calls->has_entries;
		forest_absorb(&calls->nodes, &level->ended, &below->ended);
		level->ended_ns += way == WAY_SHORT ? duration : below->ended_ns;
	}
	if (is_first) {
		level->begin = begin;
		level->floor = floor;
	}
	level->is_open = level->has_tail = level->has_entry = false;
	level_clear(below);
	thread->nr_used = depth + 1;
	thread->last_depth = depth;
	thread->last_end = end;
}
