// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "session/event.h"
#include "uapi/ktrace_record.h"

const char *event_mark(const struct event *event)
{
	bool is_bound = event->id == EVENT_EXIT && (event->flags & KTRACE_REC_F_AT_MOST);

	if (event->flags & KTRACE_REC_F_KILLED)
		return is_bound ? "ended with the thread, at most" : "ended with the thread";
	if (event->flags & KTRACE_REC_F_UNWOUND)
		return is_bound ? "unwound, at most" : "unwound";
	if (event->flags & KTRACE_REC_F_INHERITED)
		return "entered by the parent";
	if (event->flags & KTRACE_REC_F_NO_RETURN)
		return "return not seen";
	return is_bound ? "at most" : NULL;
}

/* Parses the payload of an event of a task: fork or exec. The end of a task has none. */
static void parse_task(const uint8_t *payload, const struct ktrace_record *rec,
		       struct event *event)
{
	uint64_t words[2];

	if (rec->nr_payload < 2)
		return;
	memcpy(words, payload, sizeof(words));
	if (rec->id == KTRACE_REC_FORK) {
		event->child = words[0];
		event->child_pid = words[1];
	} else if (rec->id == KTRACE_REC_EXEC) {
		memcpy(event->program, words, sizeof(words));
	}
}

/* Returns true for one record of a complete syscall, request, call or period. */
static bool is_slow(const struct ktrace_record *rec)
{
	return rec->id >= KTRACE_REC_SYSCALL && rec->id <= KTRACE_REC_PERIOD;
}

/* Returns the number of words between the fixed part and the payload: duration and end. */
static size_t nr_times(const struct ktrace_record *rec)
{
	return is_slow(rec) ? 2 : rec->id == KTRACE_REC_EXIT;
}

static bool has_payload(const struct ktrace_record *rec)
{
	return (rec->flags & KTRACE_REC_F_VALUES) || is_slow(rec);
}

static bool has_stack(const struct ktrace_record *rec)
{
	return (rec->flags & KTRACE_REC_F_STACK) && rec->nr_payload && is_slow(rec);
}

/* A packet may be unaligned, so the payload is copied to words, which has room for UINT8_MAX. */
static int parse_record(const uint8_t *at, size_t left, struct event *event, size_t *len,
			uint64_t *words)
{
	struct ktrace_record rec;
	uint64_t times[2] = { 0 };

	if (left < sizeof(rec))
		return -1;
	memcpy(&rec, at, sizeof(rec));
	*len = sizeof(rec) + (rec.nr_payload + nr_times(&rec)) * sizeof(*words);
	if (*len > left)
		return -1;
	memcpy(times, at + sizeof(rec), nr_times(&rec) * sizeof(*times));
	event->time = is_slow(&rec) ? times[1] : rec.time;
	event->written = rec.time;
	event->id = rec.id;
	event->tid = rec.tid;
	event->func = rec.func;
	event->depth = rec.depth;
	event->flags = rec.flags;
	event->duration = times[0];
	event->nr_payload = has_payload(&rec) ? rec.nr_payload : 0;
	event->payload = words;
	memcpy(words, at + *len - event->nr_payload * sizeof(*words),
	       event->nr_payload * sizeof(*words));
	event->has_stack = has_stack(&rec);
	if (event->has_stack)
		event->stack = words[--event->nr_payload];
	if (rec.id == KTRACE_REC_ENTRY && (rec.flags & KTRACE_REC_F_LATE) && rec.nr_payload)
		memcpy(&event->time, at + sizeof(rec), sizeof(event->time));
	parse_task(at + sizeof(rec), &rec, event);
	return 0;
}

int event_parse(const void *data, size_t len,
		void (*fn)(void *arg, const struct event *event), void *arg)
{
	const uint8_t *at = data, *end;
	struct ktrace_packet head;
	uint64_t words[UINT8_MAX];
	struct event event;
	size_t record_len;

	if (len < sizeof(head))
		return -1;
	memcpy(&head, data, sizeof(head));
	if (head.magic != KTRACE_CTF_MAGIC || head.content_bits / 8 > len ||
	    head.content_bits / 8 < sizeof(head))
		return -1;
	end = at + head.content_bits / 8;
	memset(&event, 0, sizeof(event));
	event.cpu = head.cpu_id;
	for (at += sizeof(head); at < end; at += record_len) {
		if (parse_record(at, end - at, &event, &record_len, words))
			return -1;
		fn(arg, &event);
	}
	return 0;
}
