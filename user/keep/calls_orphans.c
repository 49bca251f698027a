// SPDX-License-Identifier: GPL-2.0
/* Calls whose caller has no record, and calls that have not ended. */
#include "keep/calls_parts.h"

void orphans_adopt(struct calls *calls, struct forest *to, struct forest *orphans)
{
	struct node *node;

	if (!orphans->first)
		return;
	calls->remarks.nr_orphans += forest_calls(orphans);
	node = forest_get(&calls->nodes, to, CALLS_NO_CALLER);
	forest_absorb(&calls->nodes, node ? &node->callees : to, orphans);
}

/* A call without an end is shown up to the record that told so, or up to the last one. */
static void pass_open(struct calls *calls, const struct thread *thread, size_t depth, uint32_t func)
{
	struct level *level = &thread->levels[depth], *below = level + 1;
	const struct filter *filter = calls->filter;
	uint64_t begin = level->open_since, end = calls->time;

	if (!level_is_new(below) && below->begin && begin >= below->begin)
		begin = below->begin - 1;
	if (level_is_new(level))
		level->begin = begin;
	if (begin > end || begin < filter->from || begin > filter->to ||
	    end - begin < filter->min_time || (filter->max_depth && depth >= filter->max_depth))
		return;
	calls_pass(calls, &(struct call){
		.tid = thread->tid, .func = func, .depth = depth, .flags = KTRACE_REC_F_OPEN,
		.has_entry = true, .begin = begin, .end = end, .duration = end - begin,
	});
}

/* The call of this level has not ended. Its callees have a node to go to. */
static void leave_open(struct calls *calls, struct thread *thread, size_t depth)
{
	struct level *level = &thread->levels[depth], *below = level + 1;
	uint32_t func = level->open_func;
	struct func_sums *sums = calls_sums(calls, &func);
	struct node *node = NULL;

	if (calls->fn && calls_is_chosen(calls, sums, func))
		pass_open(calls, thread, depth, func);
	if (calls_is_chosen(calls, sums, func))
		node = forest_get(&calls->nodes, &level->ended, func);
	forest_absorb(&calls->nodes, node ? &node->callees : &level->ended, &below->ended);
	calls->remarks.nr_open++;
	level->is_open = level->has_entry = false;
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

void orphans_fold(struct calls *calls, struct thread *thread, size_t nr)
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
		orphans_adopt(calls, &thread->levels[home].ended, &level->ended);
	}
	if (thread->levels[nr - 1].is_open)
		leave_open(calls, thread, nr - 1);
	for (; thread->nr_used > nr; thread->nr_used--)
		level_clear(&thread->levels[thread->nr_used - 1]);
}

void orphans_end_thread(struct calls *calls, struct thread *thread)
{
	if (!thread->nr_used)
		return;
	orphans_fold(calls, thread, 1);
	forest_absorb(&calls->nodes, &calls->top, &thread->levels[0].ended);
	level_clear(&thread->levels[0]);
	thread->nr_used = 0;
}

void orphans_doubt(struct calls *calls, struct thread *thread)
{
	size_t i;

	for (i = 0; i < thread->nr_used; i++)
		thread->levels[i].is_doubtful = thread->levels[i].ended.first;
	thread->nr_gaps = calls->nr_gaps;
}
