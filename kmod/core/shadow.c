// SPDX-License-Identifier: GPL-2.0
/*
 * Shadow stacks: the open calls of a task, matched by stack pointer. All frames of a task in a
 * session form one array in order of entry.
 *
 * A closed frame below open frames stays in the array until it becomes the top. So frames never
 * move, and parent pointers stay valid.
 *
 * Each of these files calls only those above it:
 *
 *	shadow.c		frames, and their array
 *	shadow_local.c		which of its stacks a task runs on
 *	shadow_jump.c		calls that do not end by a return of their own
 *	shadow_table.c		the shadow stack of a task, found and ended
 *	shadow_fork.c		a child's copy of it
 *	shadow_push.c		what a hit proves about the open calls
 */
#include <linux/kernel.h>

#include <uapi/ktrace_record.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_parts.h"
#include "core/tree.h"
#include "core/walk.h"
#include "lib/pool.h"

struct kt_pool kt_shadow_chunks;
const struct kt_shadow_user *kt_shadow_user;
struct kt_shadow kt_shadow_nobodys;

/* Removes the uppermost chunk, which is empty. The chunk below is full. */
static void shadow_give_up_chunk(struct kt_shadow *stack)
{
	struct kt_chunk *chunk = stack->chunk;

	stack->chunk = chunk->prev;
	stack->nr_chunks--;
	stack->end = stack->chunk->frames + KT_CHUNK_FRAMES;
	stack->next = NULL;
	if (stack->spare)
		kt_pool_put(&kt_shadow_chunks, chunk);
	else
		stack->spare = chunk;
}

void kt_shadow_put_chunks(struct kt_shadow *stack)
{
	struct kt_chunk *chunk;

	while ((chunk = stack->chunk)) {
		stack->chunk = chunk->prev;
		kt_pool_put(&kt_shadow_chunks, chunk);
	}
	if (stack->spare)
		kt_pool_put(&kt_shadow_chunks, stack->spare);
}

static void shadow_drop_top(struct kt_shadow *stack)
{
	struct kt_frame *frame = stack->top;

	stack->next = frame;
	if (frame == stack->first) {
		stack->top = NULL;
	} else if (frame == stack->chunk->frames) {
		shadow_give_up_chunk(stack);
		stack->top = stack->end - 1;
	} else {
		stack->top = frame - 1;
	}
}

static u32 shadow_generation_of(const struct kt_tree *tree)
{
	return tree ? tree->generation : 0;
}

void kt_shadow_rest(struct kt_shadow *stack)
{
	u32 generation = shadow_generation_of(stack->tree);

	stack->nr_steps = KT_WALK_STEPS;
	if (stack->is_pinned)
		return;
	stack->last = kt_walk_rest();	/* the walk up to here is no time of the program */
	stack->tree = READ_ONCE(stack->session->hot.tree);
	stack->nr_resets += shadow_generation_of(stack->tree) != generation;
}

static struct kt_frame *shadow_live(struct kt_shadow *stack, struct kt_frame *frame)
{
	while (frame && (frame->flags & KT_FRAME_CLOSED)) {
		kt_shadow_step(stack, 1);
		frame = frame->parent;
	}
	return frame;
}

struct kt_frame *kt_shadow_caller(struct kt_shadow *stack, const struct kt_frame *frame)
{
	return shadow_live(stack, frame->parent);
}

void kt_shadow_drop_closed(struct kt_shadow *stack)
{
	struct kt_frame *parent = stack->top->parent;

	do {
		kt_shadow_step(stack, 1);
		shadow_drop_top(stack);
	} while (stack->top && (stack->top->flags & KT_FRAME_CLOSED));
	stack->current_frame = shadow_live(stack, parent);
}

void kt_shadow_drop_closed_top(struct kt_shadow *stack)
{
	while (stack->top && (stack->top->flags & KT_FRAME_CLOSED)) {
		kt_shadow_step(stack, 1);
		shadow_drop_top(stack);
	}
}

void kt_shadow_close(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags)
{
	kt_shadow_step(stack, KT_WALK_STEPS_TO_CLOSE);
	kt_shadow_user->end(stack, frame, now, flags);
	frame->flags |= KT_FRAME_CLOSED;
	if (stack->current_frame == frame)
		stack->current_frame = shadow_live(stack, frame);
}

void kt_shadow_end_late(struct kt_shadow *stack, struct kt_frame *frame)
{
	if (frame == stack->current_frame && !stack->owed) {
		frame->self -= stack->charged;
		stack->owed = stack->charged;
		stack->charged = 0;
		stack->owed_by = ~frame->func;
	}
	/* Recursive calls are neighbours: their function may have used the time once. */
	if (stack->owed && !stack->leapt && stack->owed_by != frame->func) {
		stack->owed_by = frame->func;
		kt_shadow_user->doubt(stack, frame, stack->owed);
	}
}

/* A coroutine was switched to some time since the last hit: either of the two used the time. */
static void shadow_switch(struct kt_shadow *stack, struct kt_frame *from)
{
	from->self -= stack->charged;
	stack->owed = stack->charged;
	stack->charged = 0;
	stack->owed_by = from->func;
	kt_shadow_user->doubt(stack, from, stack->owed);
}

void kt_shadow_go_on(struct kt_shadow *stack, struct kt_frame *frame)
{
	struct kt_frame *before = stack->current_frame;

	if (before && frame && before != frame && stack->charged && !stack->owed &&
	    !kt_shadow_is_kernels(stack))
		shadow_switch(stack, before);
	if (stack->owed && stack->leapt && frame)
		frame->self += stack->owed;
	else if (stack->owed && frame && frame->func != stack->owed_by)
		kt_shadow_user->doubt(stack, frame, stack->owed);
	stack->owed = 0;
	stack->leapt = 0;
	stack->is_caught = false;
}

struct kt_frame *kt_shadow_make_room(struct kt_shadow *stack)
{
	struct kt_chunk *chunk = stack->spare;

	stack->spare = NULL;
	if (!chunk && stack->nr_chunks < KT_MAX_CHUNKS)
		chunk = kt_pool_take(&kt_shadow_chunks);
	if (chunk)
		kt_shadow_use_chunk(stack, chunk);
	else
		stack->nr_overflown++;
	return chunk ? stack->next : NULL;
}

bool kt_shadow_is_recursive(struct kt_shadow *stack, const struct kt_frame *parent, u32 func)
{
	u64 bit = 1ULL << (func & 63);

	for (; parent && (parent->funcs & bit); parent = parent->parent) {
		kt_shadow_step(stack, 1);
		if (parent->func == func && !(parent->flags & (KT_FRAME_HIDDEN | KT_FRAME_CLOSED)))
			return true;
	}
	return false;
}

/* Calls inside a NOT_BELOW are never shown, even if they are a BELOW or inside one. */
void kt_shadow_place(struct kt_session *session, struct kt_frame *frame, u8 flags)
{
	u16 depth = frame->depth + !!(frame->flags & KT_FRAME_HIDDEN);

	if (flags & KTRACE_FUNC_NOT_BELOW)
		depth = KT_DEPTH_NEVER;
	else if ((flags & KTRACE_FUNC_BELOW) && depth == KT_DEPTH_OUTSIDE)
		depth = 0;
	frame->flags &= ~KT_FRAME_HIDDEN;
	frame->depth = depth;
	if ((flags & KTRACE_FUNC_HIDDEN) || depth >= session->hot.max_depth) {
		frame->flags |= KT_FRAME_HIDDEN;
		frame->depth--;
	}
}

/* A LEFT frame may have ended long before, and any frame after longjmp. */
static u8 shadow_how_killed(const struct kt_shadow *stack, const struct kt_frame *frame)
{
	bool is_bound = (frame->flags & (KT_FRAME_LEFT | KT_FRAME_DOUBT)) ||
			kt_shadow_has_trait(stack, stack->top, KTRACE_TRAIT_LEAPS);
	bool is_open = stack->is_cut && (stack->session->hot.flags & KTRACE_F_NO_ENTRIES);

	return (is_open ? KTRACE_REC_F_OPEN : KTRACE_REC_F_KILLED) |
	       (is_bound ? KTRACE_REC_F_AT_MOST : 0);
}

void kt_shadow_unwind_all(struct kt_shadow *stack, u64 now)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;

	for (; frame; frame = kt_shadow_below(&chunk, frame))
		if (!(frame->flags & KT_FRAME_CLOSED))
			kt_shadow_close(stack, frame, now, shadow_how_killed(stack, frame));
	kt_shadow_drop_closed_top(stack);
	stack->nr_overflown = 0;
	stack->nr_turned = 0;
}

static void shadow_call_each(struct kt_shadow *stack, struct kt_chunk *chunk,
			     void (*fn)(struct kt_shadow *stack, struct kt_frame *frame))
{
	struct kt_frame *frame, *end = chunk->frames + KT_CHUNK_FRAMES;

	if (chunk == stack->chunk)
		end = stack->top ? stack->top + 1 : chunk->frames;
	for (frame = chunk->frames; frame < end; frame++) {
		kt_shadow_step(stack, KT_WALK_STEPS_TO_CLOSE);
		if (!(frame->flags & KT_FRAME_CLOSED))
			fn(stack, frame);
	}
}

void kt_shadow_for_each(struct kt_shadow *stack,
			void (*fn)(struct kt_shadow *stack, struct kt_frame *frame))
{
	struct kt_chunk *chunk;
	u32 nr_resets;

	do {
		nr_resets = stack->nr_resets;
		chunk = container_of(stack->first, struct kt_chunk, frames[0]);
		for (; chunk != stack->chunk; chunk = chunk->above)
			shadow_call_each(stack, chunk, fn);
		shadow_call_each(stack, chunk, fn);
		/* If figures were replaced during a rest, some nodes are of the old tree. */
	} while (nr_resets != stack->nr_resets);
}
