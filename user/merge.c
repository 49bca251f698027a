// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "../include/uapi/ktrace_record.h"
#include "mem.h"
#include "merge.h"

struct queued {
	uint64_t time;		/* of the record, which orders */
	struct event event;
};

struct queue {
	struct queued *events;
	size_t first, nr, room;
	uint64_t clock;		/* nothing earlier will come */
	uint64_t last;		/* time of the last one queued */
	uint64_t discarded;	/* as the last packet said */
	uint32_t cpu;
};

struct merge {
	struct queue *queues;
	unsigned int nr_cpus;
};

struct merge *merge_create(unsigned int nr_cpus)
{
	struct merge *merge = mem_alloc(sizeof(*merge));

	merge->queues = mem_alloc(nr_cpus * sizeof(*merge->queues));
	merge->nr_cpus = nr_cpus;
	return merge;
}

static void forget(const struct event *event)
{
	if (event->nr_payload)
		free((void *)event->payload);
}

void merge_free(struct merge *merge)
{
	struct queue *queue;

	if (!merge)
		return;
	for (queue = merge->queues; queue < merge->queues + merge->nr_cpus; queue++) {
		while (queue->nr)
			forget(&queue->events[queue->first + --queue->nr].event);
		free(queue->events);
	}
	free(merge->queues);
	free(merge);
}

static void make_room(struct queue *queue)
{
	struct queued *events;

	if (queue->first + queue->nr < queue->room)
		return;
	if (queue->first >= queue->nr && queue->room) {
		memmove(queue->events, queue->events + queue->first,
			queue->nr * sizeof(*queue->events));
		queue->first = 0;
		return;
	}
	queue->room = queue->room ? queue->room * 2 : 512;
	events = mem_alloc(queue->room * sizeof(*events));
	if (queue->nr)
		memcpy(events, queue->events + queue->first, queue->nr * sizeof(*events));
	free(queue->events);
	queue->events = events;
	queue->first = 0;
}

static void put(struct queue *queue, const struct event *event, uint64_t time)
{
	struct event *queued;
	uint64_t *payload;

	make_room(queue);
	queue->last = time > queue->last ? time : queue->last;
	queue->events[queue->first + queue->nr].time = queue->last;
	queued = &queue->events[queue->first + queue->nr++].event;
	*queued = *event;
	if (!event->nr_payload)
		return;
	payload = mem_alloc(event->nr_payload * sizeof(*payload));
	memcpy(payload, event->payload, event->nr_payload * sizeof(*payload));
	queued->payload = payload;
}

/* A late entry says when it began, but its place is where it was written. */
static void put_event(void *arg, const struct event *event)
{
	struct queue *queue = arg;

	put(queue, event, event->time);
}

static void put_gap(struct queue *queue, uint64_t time, uint64_t nr)
{
	struct event gap = {
		.time = time, .id = EVENT_GAP, .duration = nr, .cpu = queue->cpu,
	};

	put(queue, &gap, time);
}

void merge_packet(struct merge *merge, unsigned int cpu, const void *packet, size_t len)
{
	struct queue *queue = &merge->queues[cpu];
	struct ktrace_packet head;

	queue->cpu = cpu;
	if (len < sizeof(head))
		return;
	memcpy(&head, packet, sizeof(head));
	if (head.events_discarded > queue->discarded)
		put_gap(queue, head.time_begin, head.events_discarded - queue->discarded);
	queue->discarded = head.events_discarded;
	if (event_parse(packet, len, put_event, queue))
		put_gap(queue, queue->last, head.nr_records);
	if (queue->last > queue->clock)
		queue->clock = queue->last;
}

void merge_clock(struct merge *merge, unsigned int cpu, uint64_t clock)
{
	if (clock > merge->queues[cpu].clock)
		merge->queues[cpu].clock = clock;
}

static uint64_t safe_time(const struct merge *merge)
{
	uint64_t safe = UINT64_MAX;
	unsigned int cpu;

	for (cpu = 0; cpu < merge->nr_cpus; cpu++)
		if (merge->queues[cpu].clock < safe)
			safe = merge->queues[cpu].clock;
	return safe;
}

static struct queue *earliest(struct merge *merge)
{
	struct queue *queue, *best = NULL;

	for (queue = merge->queues; queue < merge->queues + merge->nr_cpus; queue++)
		if (queue->nr && (!best || queue->events[queue->first].time <
				  best->events[best->first].time))
			best = queue;
	return best;
}

void merge_drain(struct merge *merge,
		 void (*fn)(void *arg, const struct event *event), void *arg)
{
	uint64_t safe = safe_time(merge);
	struct queue *queue;

	while ((queue = earliest(merge)) && queue->events[queue->first].time <= safe) {
		fn(arg, &queue->events[queue->first].event);
		forget(&queue->events[queue->first].event);
		queue->first++;
		if (!--queue->nr)
			queue->first = 0;
	}
}
