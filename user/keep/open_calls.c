// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "keep/open_calls.h"
#include "util/mem.h"

struct open_calls {
	struct open_thread *threads;	/* a hash */
	struct open_thread **heap;	/* the one whose innermost call began last is on top */
	size_t nr, room;
};

struct open_calls *open_calls_create(void)
{
	return mem_alloc(sizeof(struct open_calls));
}

static void drop(struct open_calls *open, struct open_thread *thread)
{
	HASH_DEL(open->threads, thread);
	free(thread->calls);
	free(thread);
}

void open_calls_free(struct open_calls *open)
{
	struct open_thread *thread, *next;

	if (!open)
		return;
	HASH_ITER(hh, open->threads, thread, next)
		drop(open, thread);
	free(open->heap);
	free(open);
}

/* --- order ---------------------------------------------------------------------- */

static bool is_later(const struct open_thread *a, const struct open_thread *b)
{
	return open_calls_begin(a) > open_calls_begin(b);
}

static void place(struct open_calls *open, struct open_thread *thread, size_t at)
{
	open->heap[at] = thread;
	thread->at = at;
}

static void sift_up(struct open_calls *open, struct open_thread *thread, size_t at)
{
	for (; at && is_later(thread, open->heap[(at - 1) / 2]); at = (at - 1) / 2)
		place(open, open->heap[(at - 1) / 2], at);
	place(open, thread, at);
}

static void sift_down(struct open_calls *open, struct open_thread *thread, size_t at)
{
	size_t below;

	for (; (below = 2 * at + 1) < open->nr; at = below) {
		if (below + 1 < open->nr && is_later(open->heap[below + 1], open->heap[below]))
			below++;
		if (!is_later(open->heap[below], thread))
			break;
		place(open, open->heap[below], at);
	}
	place(open, thread, at);
}

/* The innermost call of the thread at this place is another one. */
static void settle(struct open_calls *open, struct open_thread *thread, size_t at)
{
	sift_up(open, thread, at);
	sift_down(open, thread, thread->at);
}

static void remove_thread(struct open_calls *open, struct open_thread *thread)
{
	size_t at = thread->at;
	struct open_thread *last = open->heap[--open->nr];

	if (last != thread)
		settle(open, last, at);
	drop(open, thread);
}

/* --- calls ---------------------------------------------------------------------- */

struct open_thread *open_calls_of(const struct open_calls *open, uint32_t tid)
{
	struct open_thread *thread;

	HASH_FIND(hh, open->threads, &tid, sizeof(tid), thread);
	return thread;
}

struct open_thread *open_calls_latest(const struct open_calls *open)
{
	return open->nr ? open->heap[0] : NULL;
}

static struct open_thread *add_thread(struct open_calls *open, uint32_t tid)
{
	struct open_thread *thread = mem_alloc(sizeof(*thread));

	thread->tid = tid;
	HASH_ADD(hh, open->threads, tid, sizeof(tid), thread);
	if (open->nr == open->room) {
		open->room = open->room ? 2 * open->room : 16;
		open->heap = mem_resize(open->heap, open->room * sizeof(*open->heap));
	}
	place(open, thread, open->nr++);
	return thread;
}

void open_calls_push(struct open_calls *open, uint32_t tid, const struct open_call *call)
{
	struct open_thread *thread = open_calls_of(open, tid);

	if (!thread)
		thread = add_thread(open, tid);
	if (thread->nr == thread->room) {
		thread->room = thread->room ? 2 * thread->room : 8;
		thread->calls = mem_resize(thread->calls, thread->room * sizeof(*thread->calls));
	}
	thread->calls[thread->nr++] = *call;
	settle(open, thread, thread->at);
}

struct open_thread *open_calls_pop(struct open_calls *open, struct open_thread *thread)
{
	if (--thread->nr) {
		settle(open, thread, thread->at);
		return thread;
	}
	remove_thread(open, thread);
	return NULL;
}
