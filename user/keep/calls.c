// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/calls_parts.h"
#include "keep/kept_tasks.h"
#include "session/event.h"
#include "util/mem.h"

struct calls *calls_create(const struct recording *recording, struct kept_session *session,
			   const struct filter *filter)
{
	struct calls *calls = mem_alloc(sizeof(*calls));

	calls->recording = recording;
	calls->session = session;
	calls->filter = filter;
	calls->has_entries = !(session->is.flags & KTRACE_F_NO_ENTRIES);
	calls->most_funcs = session->names.nr + KEPT_MORE_FUNCTIONS;
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

void calls_group(struct calls *calls, struct grouped *grouped)
{
	calls->grouped = grouped;
	calls->most_funcs = GROUPED_MOST;
}

void calls_pass_to(struct calls *calls, call_fn *fn, void *arg)
{
	calls->fn = fn;
	calls->arg = arg;
}

/* --- functions ------------------------------------------------------------------ */

void calls_grow_funcs(struct calls *calls, uint32_t func)
{
	uint32_t nr = func + func / 2 + 64;

	calls->funcs = mem_resize(calls->funcs, nr * sizeof(*calls->funcs));
	memset(calls->funcs + calls->nr_funcs, 0, (nr - calls->nr_funcs) * sizeof(*calls->funcs));
	calls->nr_funcs = nr;
}

uint32_t calls_function(const struct calls *calls, uint32_t number)
{
	return calls->grouped ? grouped_function(calls->grouped, number) : number;
}

/* --- entries -------------------------------------------------------------------- */

/* A call whose end cannot be seen, which has no duration. */
static void take_no_return(struct calls *calls, struct thread *thread,
			   const struct packets *packets, uint64_t time)
{
	const struct ktrace_record *record = packets->record;
	uint32_t func;
	struct func_sums *sums = calls_sums_of(calls, packets, &func);
	struct level *level;
	struct node *node;

	if (!calls_is_chosen(calls, sums, func) || !filter_window(calls->filter, time, time) ||
	    (calls->filter->max_depth && record->depth >= calls->filter->max_depth))
		return;
	sums->entries++;
	if (calls->filter->min_time || !thread_room(thread, record->depth + 2))
		return;
	sums->since = time;
	level = &thread->levels[record->depth];
	if (level_is_new(level)) {
		level->begin = time;
		level->floor = thread->last_end;
	}
	node = forest_get(&calls->nodes, &level->ended, func);
	if (node)
		node->calls++;
	if (thread->nr_used <= record->depth)
		thread->nr_used = record->depth + 1;
	calls_pass(calls, &(struct call){
		.tid = record->tid, .func = func, .depth = record->depth, .flags = record->flags,
		.begin = time, .end = time,
	});
}

static void take_entry(struct calls *calls, struct thread *thread, const struct packets *packets)
{
	const struct ktrace_record *record = packets->record;
	uint64_t time = packets->time;
	uint32_t func;
	struct func_sums *sums = calls_sums_of(calls, packets, &func);
	struct level *level;

	if ((record->flags & KTRACE_REC_F_LATE) && record->nr_payload)
		memcpy(&time, record->duration, sizeof(time));
	if (record->flags & KTRACE_REC_F_NO_RETURN) {
		take_no_return(calls, thread, packets, time);
		return;
	}
	if (!thread_room(thread, record->depth + 2))
		return;
	level = &thread->levels[record->depth];
	if (!calls->has_entries) {
		level->has_entry = true;
		level->open_func = func;
		return;
	}
	if (level->is_open || thread->nr_used > (size_t)record->depth + 1)
		orphans_fold(calls, thread, record->depth + 1);
	level->is_open = level->has_entry = true;
	level->open_func = func;
	level->open_since = time;
	level->has_tail = record->flags & KTRACE_REC_F_TAIL;
	if (thread->nr_used <= record->depth)
		thread->nr_used = record->depth + 1;
	if (!filter_window(calls->filter, time, time) || !calls_is_chosen(calls, sums, func) ||
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
		orphans_doubt(calls, thread);
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
		orphans_end_thread(calls, thread);
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
	calls->time = packets->time;
	thread = thread_of(calls, record->tid);
	if (!thread)
		calls->remarks.nr_full += record->id == EVENT_EXIT;
	else if (record->id == EVENT_EXIT && thread->is_chosen)
		calls_ends_take(calls, thread, packets);
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
			orphans_end_thread(calls, calls->threads.slots[i]);
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
