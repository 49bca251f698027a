// SPDX-License-Identifier: GPL-2.0
/* The records of a packet. */
#include <errno.h>
#include <string.h>

#include "ktrace.h"

/* Parses the payload of a record of a task: fork or exec. The end of a task has none. */
static void parse_task(const uint64_t *words, const struct ktrace_record *rec,
		       struct ktr_record *record)
{
	if (rec->nr_payload < 2)
		return;
	if (rec->id == KTRACE_REC_FORK) {
		record->child = words[0];
		record->child_pid = words[1];
	} else if (rec->id == KTRACE_REC_EXEC) {
		memcpy(record->program, words, 2 * sizeof(*words));
	}
}

/* Returns true for a record of a complete event: a syscall, or one of the kinds after it. */
static bool is_complete(const struct ktrace_record *rec)
{
	return rec->id >= KTRACE_REC_SYSCALL;
}

/* Returns the number of words between the fixed part and the payload: duration and end. */
static size_t nr_times(const struct ktrace_record *rec)
{
	return is_complete(rec) ? 2 : rec->id == KTRACE_REC_EXIT;
}

static void parse_payload(const uint64_t *words, const struct ktrace_record *rec,
			  struct ktr_record *record)
{
	record->payload = words;
	if (is_complete(rec) || (rec->flags & KTRACE_REC_F_VALUES))
		record->nr_payload = rec->nr_payload;
	if (is_complete(rec) && (rec->flags & KTRACE_REC_F_STACK) && rec->nr_payload) {
		record->has_stack = true;
		record->stack = words[--record->nr_payload];
	}
	if (rec->id == KTRACE_REC_ENTRY && (rec->flags & KTRACE_REC_F_LATE) && rec->nr_payload)
		record->time = words[0];
	parse_task(words, rec, record);
}

static void parse(const struct ktrace_record *rec, struct ktr_record *record)
{
	const uint64_t *times = (const void *)(rec + 1);
	static const struct ktr_record nothing;

	/* By memcpy(), because compilers make a slow loop of an initializer. */
	memcpy(record, &nothing, sizeof(nothing));
	record->time = is_complete(rec) ? times[1] : rec->time;
	record->written = rec->time;
	record->duration = nr_times(rec) ? times[0] : 0;
	record->id = rec->id;
	record->tid = rec->tid;
	record->func = rec->func;
	record->depth = rec->depth;
	record->flags = rec->flags;
	parse_payload(times + nr_times(rec), rec, record);
}

/* Returns the end of the records, or 0 if the head of the packet is wrong. */
static size_t end_of(const struct ktrace_packet *head, size_t len)
{
	size_t end = len < sizeof(*head) ? 0 : head->content_bits / 8;

	return end < sizeof(*head) || end > len || head->magic != KTRACE_CTF_MAGIC ? 0 : end;
}

int ktr_record_next(const void *data, size_t len, size_t *at, struct ktr_record *record)
{
	const struct ktrace_packet *head = data;
	const struct ktrace_record *rec;
	size_t end = end_of(head, len), begin = *at ? *at : sizeof(*head), size;

	if (!end || begin > end)
		return -EBADMSG;
	if (begin == end)
		return 0;
	rec = (const void *)((const char *)data + begin);
	if (end - begin < sizeof(*rec))
		return -EBADMSG;
	size = sizeof(*rec) + (rec->nr_payload + nr_times(rec)) * sizeof(uint64_t);
	if (size > end - begin)
		return -EBADMSG;
	parse(rec, record);
	record->cpu = head->cpu_id;
	*at = begin + size;
	return 1;
}
