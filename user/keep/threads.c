// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/threads.h"
#include "util/mem.h"

/* Numbers of threads and depths come from the recording, so memory has a limit. */
#define MOST_THREADS (1 << 18)	/* of a session */
#define MOST_LEVELS (1 << 21)	/* of all sessions, whose number comes from the recording, too */

static size_t nr_levels;

static size_t slot_of(const struct threads *threads, uint32_t tid)
{
	return (tid * 2654435761u >> 5) & (threads->nr_slots - 1);
}

static void put(struct threads *threads, struct thread *thread)
{
	size_t at = slot_of(threads, thread->tid);

	while (threads->slots[at])
		at = (at + 1) & (threads->nr_slots - 1);
	threads->slots[at] = thread;
}

static void grow(struct threads *threads)
{
	struct thread **old = threads->slots;
	size_t nr = threads->nr_slots, i;

	threads->nr_slots = nr ? 2 * nr : 64;
	threads->slots = mem_alloc(threads->nr_slots * sizeof(*threads->slots));
	for (i = 0; i < nr; i++)
		if (old[i])
			put(threads, old[i]);
	free(old);
}

struct thread *threads_get(struct threads *threads, uint32_t tid, bool *is_new)
{
	struct thread *thread = threads->last;
	size_t at;

	*is_new = false;
	if (thread && thread->tid == tid)
		return thread;
	if (2 * threads->nr >= threads->nr_slots)
		grow(threads);
	at = slot_of(threads, tid);
	while (threads->slots[at] && threads->slots[at]->tid != tid)
		at = (at + 1) & (threads->nr_slots - 1);
	if (!threads->slots[at]) {
		if (threads->nr >= MOST_THREADS)
			return NULL;
		*is_new = true;
		thread = mem_alloc(sizeof(*thread));
		thread->tid = tid;
		threads->slots[at] = thread;
		threads->nr++;
	}
	threads->last = threads->slots[at];
	return threads->last;
}

static void free_thread(struct thread *thread)
{
	size_t i;

	nr_levels -= thread->room;
	/* Calls whose tree nobody asks for are not moved to its top. */
	for (i = 0; i < thread->nr_used; i++)
		free(thread->levels[i].ended.slots);
	free(thread->levels);
	free(thread);
}

/* Threads behind it in the hash move up. */
void threads_drop(struct threads *threads, struct thread *thread)
{
	size_t at = slot_of(threads, thread->tid);
	struct thread *moved;

	while (threads->slots[at] != thread)
		at = (at + 1) & (threads->nr_slots - 1);
	threads->slots[at] = NULL;
	threads->nr--;
	while ((moved = threads->slots[at = (at + 1) & (threads->nr_slots - 1)])) {
		threads->slots[at] = NULL;
		put(threads, moved);
	}
	threads->last = NULL;
	free_thread(thread);
}

bool thread_room(struct thread *thread, size_t nr)
{
	size_t room = nr < 16 ? 16 : nr + nr / 4;

	if (nr <= thread->room)
		return true;
	if (nr_levels + room - thread->room > MOST_LEVELS)
		return false;
	thread->levels = mem_resize(thread->levels, room * sizeof(*thread->levels));
	memset(thread->levels + thread->room, 0, (room - thread->room) * sizeof(*thread->levels));
	nr_levels += room - thread->room;
	thread->room = room;
	return true;
}

void threads_free(struct threads *threads)
{
	size_t i;

	for (i = 0; i < threads->nr_slots; i++)
		if (threads->slots[i])
			free_thread(threads->slots[i]);
	free(threads->slots);
	memset(threads, 0, sizeof(*threads));
}
