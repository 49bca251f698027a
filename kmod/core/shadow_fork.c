// SPDX-License-Identifier: GPL-2.0
/* A child begins with a copy of its parent's open calls. */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_fork.h"
#include "core/shadow_parts.h"
#include "core/shadow_table.h"
#include "lib/clock.h"
#include "lib/pool.h"

/*
 * Returns the copy of frame, which is in the chunk from or below it. Returns NULL if it was not
 * copied.
 */
static struct kt_frame *shadow_fork_copy_of(const struct kt_frame *frame,
					    const struct kt_chunk *from, struct kt_chunk *to)
{
	if (!frame)
		return NULL;
	for (; to; from = from->prev, to = to->prev)
		if (frame >= from->frames && frame < from->frames + KT_CHUNK_FRAMES)
			return to->frames + (frame - from->frames);
	return NULL;
}

/* An open call counts in the parent, which entered it. In the child, its self time starts at 0. */
static void shadow_fork_copy_frames(const struct kt_chunk *from, struct kt_chunk *to,
				    struct kt_frame *end)
{
	struct kt_frame *frame;

	memcpy(to->frames, from->frames, sizeof(to->frames));
	for (frame = to->frames; frame < end; frame++) {
		frame->parent = shadow_fork_copy_of(frame->parent, from, to);
		frame->flags |= KT_FRAME_INHERITED;
		frame->self = 0;
	}
}

/* Gives stack nr empty chunks. Returns false if the pool is empty; stack keeps what it got. */
static bool shadow_fork_take_chunks(struct kt_shadow *stack, u32 nr)
{
	struct kt_chunk *chunk;

	while (stack->nr_chunks < nr) {
		chunk = kt_pool_take(&kt_shadow_chunks);
		if (!chunk)
			return false;
		kt_shadow_use_chunk(stack, chunk);
	}
	return true;
}

static void shadow_fork_copy_all(const struct kt_shadow *from, struct kt_shadow *to)
{
	const struct kt_chunk *source = from->chunk;
	struct kt_chunk *chunk = to->chunk;

	to->top = shadow_fork_copy_of(from->top, source, chunk);
	to->current_frame = shadow_fork_copy_of(from->current_frame, source, chunk);
	to->next = to->top ? to->top + 1 : chunk->frames;
	shadow_fork_copy_frames(source, chunk, to->next);
	if (to->next == to->end)
		to->next = NULL;
	while (chunk->prev) {
		source = source->prev;
		chunk = chunk->prev;
		shadow_fork_copy_frames(source, chunk, chunk->frames + KT_CHUNK_FRAMES);
	}
	/* The first chunk taken is the lowest. */
	to->first = chunk->frames;
}

void kt_shadow_fork(struct kt_session *session, struct task_struct *child)
{
	const struct kt_shadow *from = kt_shadow_own(session);
	struct kt_shadow *to;
	u32 nr_chunks, nr_left;

	if (!from || !from->top || from->mm != current->mm || kt_shadow_is_kernels(from))
		return;
	to = kt_shadow_alloc();
	nr_chunks = min_t(u32, from->nr_chunks, KT_FORK_CHUNKS);
	if (!to || !shadow_fork_take_chunks(to, nr_chunks)) {
		this_cpu_inc(session->hot.cpu->counters.lost_pool);
		if (to)
			kt_shadow_free(to);
		return;
	}
	to->session = session;
	to->task = child;
	to->mm = child->mm;
	to->tid = child->pid;
	to->last = kt_clock();
	to->home_start = from->home_start;
	to->home_len = from->home_len;
	to->is_home_known = from->is_home_known;
	to->local_start = from->local_start;
	to->local_len = from->local_len;
	to->local_of = from->local_of;
	to->outermost = from->outermost;
	to->gap_low = from->gap_low;
	to->gap_high = from->gap_high;
	/* The outermost calls of a deep stack are not copied. */
	nr_left = (from->nr_chunks - nr_chunks) * KT_CHUNK_FRAMES;
	this_cpu_add(session->hot.cpu->counters.lost_depth, nr_left);
	to->nr_overflown = from->nr_overflown + nr_left;
	shadow_fork_copy_all(from, to);
	kt_shadow_link(to);
}
