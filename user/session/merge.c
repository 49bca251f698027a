// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "session/merge.h"
#include "uapi/ktrace_record.h"
#include "util/mem.h"

struct queued {
	uint64_t time;		/* the key of the merge; never decreases in a queue */
	uint64_t packet;	/* the number of its packet */
	struct ktr_record event;
};

struct queue {
	struct queued *events;
	size_t first, nr, room;
	uint64_t clock;		/* no earlier record will come */
	uint64_t last;		/* time of the last queued event */
	uint64_t discarded;	/* events_discarded of the last packet */
	uint64_t packet;	/* the number of the last packet */
	uint32_t cpu;
};

struct merge {
	struct queue *queues;
	unsigned int nr_cpus;
	struct queue **heap;	/* queues with events, the earliest on top */
	unsigned int nr_heap;
};

struct merge *merge_create(unsigned int nr_cpus)
{
	struct merge *merge = mem_alloc(sizeof(*merge));

	merge->queues = mem_alloc(nr_cpus * sizeof(*merge->queues));
	merge->heap = mem_alloc(nr_cpus * sizeof(*merge->heap));
	merge->nr_cpus = nr_cpus;
	return merge;
}

static void forget(const struct ktr_record *event)
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
	free(merge->heap);
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

static void put(struct queue *queue, const struct ktr_record *event, uint64_t time)
{
	struct queued *queued;
	uint64_t *payload;

	make_room(queue);
	queue->last = time > queue->last ? time : queue->last;
	queued = &queue->events[queue->first + queue->nr++];
	queued->time = queue->last;
	queued->packet = queue->packet;
	queued->event = *event;
	if (!event->nr_payload)
		return;
	payload = mem_alloc(event->nr_payload * sizeof(*payload));
	memcpy(payload, event->payload, event->nr_payload * sizeof(*payload));
	queued->event.payload = payload;
}

static void put_gap(struct queue *queue, uint64_t time, uint64_t nr)
{
	struct ktr_record gap = {
		.time = time, .id = EVENT_GAP, .duration = nr, .cpu = queue->cpu,
	};

	put(queue, &gap, time);
}

/*
 * A late entry has the time when its call began, which may precede earlier records; put() orders
 * it behind them.
 */
void merge_packet(struct merge *merge, const struct ktr_packet *packet)
{
	struct queue *queue = &merge->queues[packet->cpu];
	struct ktr_record record;
	size_t at = 0;
	int got;

	queue->cpu = packet->cpu;
	queue->packet = packet->number;
	if (packet->discarded > queue->discarded)
		put_gap(queue, packet->begin, packet->discarded - queue->discarded);
	queue->discarded = packet->discarded;
	while ((got = ktr_record_next(packet->data, packet->len, &at, &record)) > 0)
		put(queue, &record, record.time);
	if (got < 0)
		put_gap(queue, queue->last, packet->nr_records);
	if (queue->last > queue->clock)
		queue->clock = queue->last;
}

uint64_t merge_first_held(const struct merge *merge, unsigned int cpu, uint64_t next)
{
	const struct queue *queue = &merge->queues[cpu];

	return queue->nr ? queue->events[queue->first].packet : next;
}

void merge_clock(struct merge *merge, unsigned int cpu, uint64_t clock)
{
	if (clock > merge->queues[cpu].clock)
		merge->queues[cpu].clock = clock;
}

void merge_end(struct merge *merge, unsigned int cpu, uint64_t discarded)
{
	struct queue *queue = &merge->queues[cpu];

	if (queue->last && discarded > queue->discarded) {
		put_gap(queue, queue->last, discarded - queue->discarded);
		queue->discarded = discarded;
	}
	queue->clock = UINT64_MAX;
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

/* --- order -------------------------------------------------------------- */

/* At the same time, the lower CPU comes first. */
static bool is_earlier(const struct queue *a, const struct queue *b)
{
	uint64_t in_a = a->events[a->first].time, in_b = b->events[b->first].time;

	return in_a != in_b ? in_a < in_b : a < b;
}

/* Moves a queue down the heap until the queues below it are later. */
static void sift(struct merge *merge, unsigned int at)
{
	struct queue **heap = merge->heap, *queue = heap[at];
	unsigned int below;

	for (; (below = 2 * at + 1) < merge->nr_heap; at = below) {
		if (below + 1 < merge->nr_heap && is_earlier(heap[below + 1], heap[below]))
			below++;
		if (!is_earlier(heap[below], queue))
			break;
		heap[at] = heap[below];
	}
	heap[at] = queue;
}

static void build_heap(struct merge *merge)
{
	unsigned int i;

	merge->nr_heap = 0;
	for (i = 0; i < merge->nr_cpus; i++)
		if (merge->queues[i].nr)
			merge->heap[merge->nr_heap++] = &merge->queues[i];
	for (i = merge->nr_heap / 2; i--;)
		sift(merge, i);
}

static void drop_first(struct queue *queue)
{
	forget(&queue->events[queue->first].event);
	queue->first++;
	if (!--queue->nr)
		queue->first = 0;
}

void merge_drain(struct merge *merge,
		 void (*fn)(void *arg, const struct ktr_record *event), void *arg)
{
	uint64_t safe = safe_time(merge);
	struct queue *queue;

	build_heap(merge);
	while (merge->nr_heap && merge->heap[0]->events[merge->heap[0]->first].time <= safe) {
		queue = merge->heap[0];
		fn(arg, &queue->events[queue->first].event);
		drop_first(queue);
		if (!queue->nr)
			merge->heap[0] = merge->heap[--merge->nr_heap];
		sift(merge, 0);
	}
}
