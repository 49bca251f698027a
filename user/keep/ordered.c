// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/open_calls.h"
#include "keep/ordered.h"
#include "keep/spool.h"
#include "session/event.h"
#include "util/mem.h"

#define MOST_WORDS 255

/* A record in a spool. Words of payload follow. */
struct item {
	uint64_t written;	/* of the record; never decreases */
	uint64_t time;		/* as in struct ktr_record; of an end in the first spool: of its begin */
	uint64_t duration;
	uint32_t tid, func, cpu;
	uint16_t depth;
	uint8_t id, flags, nr_payload;
	bool has_entry;		/* of an end: its entry is in the spool, too */
	bool is_hidden;
};

/* An item with room for its words. */
struct long_item {
	struct item item;
	uint64_t words[MOST_WORDS];
};

struct ordered {
	struct ordered_options is;
	bool is_direct;		/* records are passed on as they are */
	struct spool *records;	/* the ends of calls, and all other records */
	struct long_item current;	/* the record that calls takes now; id GAP: none */
	bool is_pending;	/* it goes to the spool behind the calls that it ends */
	/* on the way back: */
	struct open_calls *open;
	struct spool *events;	/* all, the first one last */
	uint64_t next;		/* the time of the last one in the spool */
};

void ordered_free(struct ordered *ordered)
{
	if (!ordered)
		return;
	open_calls_free(ordered->open);
	spool_free(ordered->records);
	spool_free(ordered->events);
	free(ordered);
}

static void put(struct spool *spool, const struct item *item, const uint64_t *words)
{
	struct long_item copy;

	if (item->nr_payload) {
		copy.item = *item;
		memcpy(copy.words, words, item->nr_payload * sizeof(*words));
		item = &copy.item;
	}
	spool_put(spool, item, sizeof(*item) + item->nr_payload * sizeof(*words));
}

/* --- forward: from the recording ------------------------------------------------ */

static bool is_hidden(const struct ordered *ordered, const struct ktr_record *record)
{
	return record->id > EVENT_EXIT &&
	       !(filter_thread(ordered->is.filter, ordered->is.recording, record->tid, NULL) &&
		 filter_window(ordered->is.filter, record->time, record->time));
}

/* Records of threads have numbers and names in their payload. */
static void copy_words(struct long_item *to, const struct packets *packets,
		       const struct ktr_record *record)
{
	if (record->id == EVENT_GAP)
		return;
	if (record->id > EVENT_EXIT) {
		to->item.nr_payload = packets->record->nr_payload;
		memcpy(to->words, packets->record->duration, 8 * to->item.nr_payload);
		return;
	}
	to->item.nr_payload = record->nr_payload;
	if (record->nr_payload)
		memcpy(to->words, record->payload, 8 * record->nr_payload);
}

/* A call whose end is known, or that has none. */
static void take_call(void *arg, const struct call *call)
{
	struct ordered *ordered = arg;
	const struct long_item *now = &ordered->current;
	bool is_this = !ordered->is_pending && call->depth == now->item.depth &&
		       call->tid == now->item.tid && now->item.id != EVENT_GAP;
	struct item item = {
		.written = call->end, .time = call->begin, .duration = call->duration,
		.tid = call->tid, .func = call->func, .cpu = now->item.cpu, .depth = call->depth,
		.id = EVENT_EXIT, .flags = call->flags, .has_entry = call->has_entry,
	};

	if (is_this) {
		item.written = now->item.written;
		item.id = now->item.id;
		item.nr_payload = now->item.nr_payload;
	}
	put(ordered->records, &item, now->words);
}

struct ordered *ordered_create(const struct ordered_options *options)
{
	struct ordered *ordered = mem_alloc(sizeof(*ordered));

	ordered->is = *options;
	ordered->is_direct = !(options->session->is.flags & KTRACE_F_NO_ENTRIES) &&
			     filter_is_empty(options->filter);
	if (ordered->is_direct)
		return ordered;
	ordered->records = spool_create(options->folder);
	calls_pass_to(options->calls, take_call, ordered);
	return ordered;
}

static void pass(const struct ordered *ordered, const struct item *item, const uint64_t *words)
{
	struct ktr_record record = {
		.time = item->time, .written = item->written, .duration = item->duration,
		.id = item->id, .tid = item->tid, .func = item->func, .cpu = item->cpu,
		.depth = item->depth, .flags = item->flags, .nr_payload = item->nr_payload,
		.payload = words,
	};

	if (item->id == EVENT_FORK && item->nr_payload >= 2) {
		record.child = words[0];
		record.child_pid = words[1];
	}
	if (item->id == EVENT_EXEC && item->nr_payload >= 2)
		memcpy(record.program, words, sizeof(record.program) - 1);
	ordered->is.fn(ordered->is.arg, &record, item->is_hidden);
}

void ordered_take(struct ordered *ordered, const struct packets *packets)
{
	struct long_item *current = &ordered->current;
	struct ktr_record record;

	if (packets->record && packets->record->id >= EVENT_SYSCALL)
		return;
	if (!merged_record(packets, &record) && record.id != EVENT_GAP)
		return;
	current->item = (struct item){
		.written = packets->time, .time = record.time, .duration = record.duration,
		.tid = record.tid, .func = record.func, .cpu = record.cpu, .depth = record.depth,
		.id = record.id, .flags = record.flags, .is_hidden = is_hidden(ordered, &record),
	};
	copy_words(current, packets, &record);
	if (ordered->is_direct) {
		pass(ordered, &current->item, current->words);
		return;
	}
	ordered->is_pending = record.id != EVENT_EXIT &&
			      !(record.id == EVENT_ENTRY && (record.flags & KTRACE_REC_F_NO_RETURN));
}

void ordered_settle(struct ordered *ordered)
{
	if (ordered->is_pending)
		put(ordered->records, &ordered->current.item, ordered->current.words);
	ordered->is_pending = false;
	ordered->current.item.id = EVENT_GAP;
}

/* --- back ----------------------------------------------------------------------- */

static void emit(struct ordered *ordered, struct item *item, const uint64_t *words, size_t depth)
{
	if (item->written > ordered->next)
		item->written = ordered->next;
	ordered->next = item->written;
	item->depth = depth;
	put(ordered->events, item, words);
}

/* The innermost call of the thread begins here. Returns what open_calls_pop() does. */
static struct open_thread *begin(struct ordered *ordered, struct open_thread *thread)
{
	const struct open_call *call = open_calls_inner(thread);
	uint64_t time = call->begin < ordered->next ? call->begin : ordered->next;
	struct item item = {
		.id = EVENT_ENTRY, .written = time, .time = time, .tid = thread->tid,
		.func = call->func, .cpu = call->cpu, .flags = call->flags & KTRACE_REC_F_TAIL,
	};

	emit(ordered, &item, NULL, thread->nr - 1);
	return open_calls_pop(ordered->open, thread);
}

/* Begins the calls that are at least as deep. Returns how many are around them. */
static size_t begin_inner(struct ordered *ordered, uint32_t tid, size_t depth)
{
	struct open_thread *thread = open_calls_of(ordered->open, tid);

	while (thread && open_calls_inner(thread)->depth >= depth)
		thread = begin(ordered, thread);
	return thread ? thread->nr : 0;
}

static void take_end(struct ordered *ordered, struct item *item, const uint64_t *words)
{
	const struct open_call call = {
		.begin = item->time, .func = item->func, .cpu = item->cpu, .depth = item->depth,
		.flags = item->flags, .has_entry = item->has_entry,
	};
	size_t depth = begin_inner(ordered, item->tid, item->depth);

	item->time = item->written;
	if (!(item->flags & KTRACE_REC_F_OPEN))
		emit(ordered, item, words, depth);
	open_calls_push(ordered->open, item->tid, &call);
}

static void take_entry(struct ordered *ordered, struct item *item, const uint64_t *words)
{
	size_t depth = begin_inner(ordered, item->tid, (size_t)item->depth + 1);
	struct open_thread *thread = open_calls_of(ordered->open, item->tid);
	const struct open_call *call = thread ? open_calls_inner(thread) : NULL;

	/* The call is not chosen. */
	if (!call || !call->has_entry || call->depth != item->depth || call->func != item->func)
		return;
	emit(ordered, item, words, depth - 1);
	open_calls_pop(ordered->open, thread);
}

static void take_back(struct ordered *ordered, struct item *item, const uint64_t *words)
{
	switch (item->id) {
	case EVENT_EXIT:
		take_end(ordered, item, words);
		return;
	case EVENT_ENTRY:
		if (item->flags & KTRACE_REC_F_NO_RETURN)
			emit(ordered, item, words,
			     begin_inner(ordered, item->tid, item->depth));
		else
			take_entry(ordered, item, words);
		return;
	case EVENT_TASK_EXIT:
		begin_inner(ordered, item->tid, 0);
	}
	emit(ordered, item, words, 0);
}

static void read_back(struct ordered *ordered)
{
	struct open_thread *thread;
	const void *found;
	struct item item;
	size_t len;

	ordered->open = open_calls_create();
	ordered->events = spool_create(ordered->is.folder);
	ordered->next = UINT64_MAX;
	while ((found = spool_take(ordered->records, &len))) {
		memcpy(&item, found, sizeof(item));
		while ((thread = open_calls_latest(ordered->open)) &&
		       open_calls_begin(thread) > item.written)
			begin(ordered, thread);
		take_back(ordered, &item, (const uint64_t *)((const char *)found + sizeof(item)));
	}
	while ((thread = open_calls_latest(ordered->open)))
		begin(ordered, thread);
}

/* --- forward again -------------------------------------------------------------- */

static void pass_all(struct ordered *ordered)
{
	const void *found;
	struct item item;
	size_t len;

	while ((found = spool_take(ordered->events, &len))) {
		memcpy(&item, found, sizeof(item));
		if (item.id != EVENT_ENTRY || !(item.flags & KTRACE_REC_F_LATE))
			item.time = item.written;
		pass(ordered, &item, (const uint64_t *)((const char *)found + sizeof(item)));
	}
}

int ordered_finish(struct ordered *ordered)
{
	int error;

	if (!ordered->records)
		return 0;
	read_back(ordered);
	error = spool_error(ordered->records);
	if (!error)
		error = spool_error(ordered->events);
	if (error)
		return error;
	pass_all(ordered);
	return spool_error(ordered->events);
}
