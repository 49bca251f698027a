// SPDX-License-Identifier: GPL-2.0
/*
 * Shadow stacks: the open calls of a task, matched by stack pointer.
 *
 * A task runs on several stacks: its own ("home": the mapping that its first
 * hit was in), coroutines', alternate signal stacks. All frames of a task in
 * a session form one array in order of entry. On the home stack order is
 * proof: whoever enters at sp has abandoned every home frame at or below sp.
 * On other stacks it is none, since the neighbour below may be another
 * coroutine that waits: such a frame is closed by its own return, by a new
 * frame at the very same sp, or when the task ends.
 *
 * A closed frame below open ones stays in the array until it becomes the top,
 * so that frames never move and parent pointers stay good.
 */
#include <uapi/ktrace_record.h>

#include "hit.h"
#include "pool.h"
#include "session.h"
#include "shadow.h"
#include "shadow_parts.h"

/* The frame below, given its chunk, which moves along. */
static struct kt_frame *below(struct kt_chunk **chunk, struct kt_frame *frame)
{
	if (frame > (*chunk)->frames)
		return frame - 1;
	*chunk = (*chunk)->prev;
	return *chunk ? &(*chunk)->frames[KT_CHUNK_FRAMES - 1] : NULL;
}

/* The uppermost chunk is empty: the one below, which is full, takes its place. */
static void give_up_chunk(struct kt_stack *stack)
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

static void drop_top(struct kt_stack *stack)
{
	struct kt_frame *frame = stack->top;

	stack->next = frame;
	if (frame == stack->first) {
		stack->top = NULL;
	} else if (frame == stack->chunk->frames) {
		give_up_chunk(stack);
		stack->top = stack->end - 1;
	} else {
		stack->top = frame - 1;
	}
}

static struct kt_frame *live(struct kt_stack *stack, struct kt_frame *frame)
{
	while (frame && (frame->flags & KT_FRAME_CLOSED)) {
		kt_shadow_step(stack, 1);
		frame = frame->parent;
	}
	return frame;
}

struct kt_frame *kt_shadow_caller(struct kt_stack *stack, const struct kt_frame *frame)
{
	return live(stack, frame->parent);
}

void kt_shadow_drop_closed(struct kt_stack *stack)
{
	struct kt_frame *parent = stack->top->parent;

	do {
		kt_shadow_step(stack, 1);
		drop_top(stack);
	} while (stack->top && (stack->top->flags & KT_FRAME_CLOSED));
	stack->current_frame = live(stack, parent);
}

static void drop_closed(struct kt_stack *stack)
{
	while (stack->top && (stack->top->flags & KT_FRAME_CLOSED)) {
		kt_shadow_step(stack, 1);
		drop_top(stack);
	}
}

static void close_frame(struct kt_stack *stack, struct kt_frame *frame, u64 now, u8 flags)
{
	kt_shadow_step(stack, KT_SHADOW_STEPS_TO_CLOSE);
	kt_hit_close(stack, frame, now, flags);
	frame->flags |= KT_FRAME_CLOSED;
	if (stack->current_frame == frame)
		stack->current_frame = live(stack, frame);
}

/* Closes what a frame at sp proves dead. */
static void unwind(struct kt_stack *stack, unsigned long sp, u64 now, bool with_sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;
	bool home = kt_shadow_is_home(stack, sp);
	bool is_foreign;

	for (; frame; frame = below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->flags & KT_FRAME_CLOSED)
			continue;
		is_foreign = !(frame->flags & KT_FRAME_HOME);
		if (frame->sp == sp ? with_sp :
		    home && !is_foreign && frame->sp < sp)
			close_frame(stack, frame, now, KTRACE_REC_F_UNWOUND);
		else if (home && !is_foreign)
			break;
	}
	drop_closed(stack);
}

/* The open frame that called at sp: the nearest above it on the same stack. */
static struct kt_frame *find_parent(struct kt_stack *stack, unsigned long sp)
{
	struct kt_frame *frame = stack->top, *best = NULL;
	struct kt_chunk *chunk = stack->chunk;
	u16 home = kt_shadow_is_home(stack, sp) ? KT_FRAME_HOME : 0;

	for (; frame; frame = below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if ((frame->flags & KT_FRAME_CLOSED) || frame->sp < sp ||
		    (frame->flags & KT_FRAME_HOME) != home)
			continue;
		if (home)
			return frame;
		if (!best || frame->sp < best->sp)
			best = frame;
	}
	return best ? best : stack->current_frame;
}

bool kt_shadow_make_room(struct kt_stack *stack)
{
	struct kt_chunk *chunk = stack->spare;

	stack->spare = NULL;
	if (!chunk && stack->nr_chunks < KT_MAX_CHUNKS)
		chunk = kt_pool_take(&kt_shadow_chunks);
	if (chunk)
		kt_shadow_use_chunk(stack, chunk);
	else
		stack->nr_overflown++;
	return chunk;
}

bool kt_shadow_is_recursive(struct kt_stack *stack, const struct kt_frame *parent, u32 func)
{
	u64 bit = 1ULL << (func & 63);

	for (; parent && (parent->funcs & bit); parent = parent->parent) {
		kt_shadow_step(stack, 1);
		if (parent->func == func && !(parent->flags & KT_FRAME_HIDDEN))
			return true;
	}
	return false;
}

/* What is called in a NOT_BELOW is never shown, be it in a BELOW or a BELOW itself. */
void kt_shadow_place(struct kt_session *session, struct kt_frame *frame, u8 flags)
{
	u16 depth = frame->depth + !!(frame->flags & KT_FRAME_HIDDEN);

	if (flags & KTRACE_FUNC_NOT_BELOW)
		depth = KT_DEPTH_NEVER;
	else if ((flags & KTRACE_FUNC_BELOW) && depth == KT_DEPTH_OUTSIDE)
		depth = 0;
	frame->flags &= ~KT_FRAME_HIDDEN;
	frame->depth = depth;
	if ((flags & KTRACE_FUNC_HIDDEN) || depth >= session->config.max_depth) {
		frame->flags |= KT_FRAME_HIDDEN;
		frame->depth--;
	}
}

/*
 * Of the kernel each return is seen, whichever way it comes: a function at the stack pointer
 * of one that is open was jumped to by that one, as its last call.
 */
static bool is_jump(const struct kt_stack *stack, u32 func, unsigned long sp)
{
	return kt_shadow_is_kernels(stack) && stack->top->sp == sp && stack->top->func != func;
}

struct kt_frame *kt_shadow_settle(struct kt_stack *stack, u32 func, unsigned long sp, u64 now)
{
	unwind(stack, sp, now, !is_jump(stack, func, sp));
	return find_parent(stack, sp);
}

static struct kt_frame *find(struct kt_stack *stack, u32 func, unsigned long sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;

	for (; frame; frame = below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->sp == sp && frame->func == func &&
		    !(frame->flags & KT_FRAME_CLOSED))
			return frame;
	}
	return NULL;
}

/* What it jumped to, whose return was lost. */
static void close_jumps(struct kt_stack *stack, const struct kt_frame *frame, u64 now)
{
	while (stack->top != frame && stack->top->sp == frame->sp) {
		close_frame(stack, stack->top, now, KTRACE_REC_F_UNWOUND);
		drop_closed(stack);
	}
}

bool kt_shadow_pop(struct kt_stack *stack, u32 func, unsigned long sp, u64 now)
{
	struct kt_frame *frame = find(stack, func, sp);

	if (!frame) {
		if (stack->nr_overflown) {
			stack->nr_overflown--;
			return true;
		}
		return false;
	}
	if (frame != stack->top)
		unwind(stack, sp, now, false);
	if (unlikely(frame != stack->top && stack->top->sp == sp))
		close_jumps(stack, frame, now);
	close_frame(stack, frame, now, 0);
	stack->current_frame = live(stack, frame);
	drop_closed(stack);
	return true;
}

void kt_shadow_unwind_all(struct kt_stack *stack, u64 now)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;

	for (; frame; frame = below(&chunk, frame))
		if (!(frame->flags & KT_FRAME_CLOSED))
			close_frame(stack, frame, now, KTRACE_REC_F_KILLED);
	drop_closed(stack);
	stack->nr_overflown = 0;
}

static void call_each(struct kt_stack *stack, struct kt_chunk *chunk,
		      void (*fn)(struct kt_stack *stack, struct kt_frame *frame))
{
	struct kt_frame *frame, *end = chunk->frames + KT_CHUNK_FRAMES;

	if (chunk == stack->chunk)
		end = stack->top ? stack->top + 1 : chunk->frames;
	for (frame = chunk->frames; frame < end; frame++) {
		kt_shadow_step(stack, KT_SHADOW_STEPS_TO_CLOSE);
		if (!(frame->flags & KT_FRAME_CLOSED))
			fn(stack, frame);
	}
}

void kt_shadow_for_each(struct kt_stack *stack,
			void (*fn)(struct kt_stack *stack, struct kt_frame *frame))
{
	struct kt_chunk *chunk;
	u32 nr_resets;

	do {
		nr_resets = stack->nr_resets;
		chunk = container_of(stack->first, struct kt_chunk, frames[0]);
		for (; chunk != stack->chunk; chunk = chunk->above)
			call_each(stack, chunk, fn);
		call_each(stack, chunk, fn);
		/* Figures were replaced during a rest: nodes are of those before. */
	} while (nr_resets != stack->nr_resets);
}
