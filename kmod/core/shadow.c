// SPDX-License-Identifier: GPL-2.0
/*
 * Shadow stacks: the open calls of a task, matched by stack pointer.
 *
 * A task runs on several stacks: its own ("home": what the kernel or the thread library gave it),
 * stacks of coroutines, alternate signal stacks. All frames of a task in a session form one array
 * in order of entry. On the home stack, the order of addresses is proof: an entry at sp proves that
 * every home frame at or below sp has ended. On other stacks it proves nothing, since a lower
 * address may belong to another coroutine that waits. A frame on another stack is closed by its own
 * return, by a new frame at the same sp, or when the task ends.
 *
 * A closed frame below open frames stays in the array until it becomes the top. So frames never
 * move, and parent pointers stay valid.
 */
#include <linux/kernel.h>

#include <uapi/ktrace_record.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_parts.h"
#include "core/tree.h"
#include "core/walk.h"
#include "lib/pool.h"

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

/* Is sp on the stack that the program gave to its signal handlers (sigaltstack)? */
static bool shadow_is_on_signal_stack(const struct kt_shadow *stack, unsigned long sp)
{
	return sp - current->sas_ss_sp < current->sas_ss_size && !kt_shadow_is_kernels(stack);
}

/* Does the order of addresses prove anything at sp? */
static bool shadow_is_on_home(struct kt_shadow *stack, unsigned long sp)
{
	return kt_shadow_is_home(stack, sp) && !kt_shadow_is_local(stack, sp) &&
	       !shadow_is_on_signal_stack(stack, sp);
}

static bool shadow_has_trait(const struct kt_shadow *stack, const struct kt_frame *frame, u8 trait)
{
	return stack->session->hot.funcs[frame->func].desc.traits & trait;
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

/*
 * Closes a frame that has ended without a return of its own. This hit shows it, so its time is a
 * bound, unless longjmp has ended it, or the exception is caught now. A LEFT frame may have
 * returned long before. If the target of a jump was unwound, so was its parent.
 */
static void shadow_close_dead(struct kt_shadow *stack, struct kt_frame *frame, u64 now)
{
	bool throws = shadow_has_trait(stack, frame, KTRACE_TRAIT_THROWS);
	bool is_bound = !throws && (frame->flags & (KT_FRAME_LEFT | KT_FRAME_DOUBT));
	bool is_late = !stack->is_caught && !kt_shadow_is_kernels(stack);
	u8 flags = is_bound ? KTRACE_REC_F_AT_MOST : KTRACE_REC_F_UNWOUND;

	if (frame == stack->current_frame && shadow_has_trait(stack, frame, KTRACE_TRAIT_LEAPS))
		stack->leapt = frame->start;
	if (is_late)
		kt_shadow_end_late(stack, frame);
	if (is_late && !stack->leapt)
		flags |= KTRACE_REC_F_AT_MOST;
	kt_shadow_close(stack, frame, stack->leapt ? stack->leapt : now, flags);
	if (!is_bound && (frame->flags & KT_FRAME_JUMPED) && frame->parent)
		frame->parent->flags &= ~KT_FRAME_LEFT;
}

/* Is frame on a local stack whose call has ended? It has if sp is above that stack. */
static bool shadow_has_lost_stack(const struct kt_shadow *stack, const struct kt_frame *frame,
				  unsigned long sp)
{
	return kt_shadow_is_home(stack, frame->sp) && frame->sp < sp &&
	       sp >= stack->local_start + stack->local_len;
}

/* Closes the frames that a frame at sp proves dead; with_sp: frames at sp, too. */
static void shadow_unwind(struct kt_shadow *stack, unsigned long sp, u64 now, bool with_sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;
	bool home = shadow_is_on_home(stack, sp);
	bool is_foreign;

	/* Where the order of addresses proves nothing, only a frame at sp itself can be dead. */
	for (; frame && (home || with_sp); frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->flags & KT_FRAME_CLOSED)
			continue;
		is_foreign = !kt_shadow_is_of_home(frame) &&
			     !shadow_has_lost_stack(stack, frame, sp);
		if (frame->sp == sp ? with_sp :
		    home && !is_foreign && frame->sp < sp)
			shadow_close_dead(stack, frame, now);
		else if (home && !is_foreign)
			break;
	}
	kt_shadow_drop_closed_top(stack);
}

/* A handler that begins on its signal stack has no caller there: it interrupts another call. */
static bool shadow_may_call(const struct kt_shadow *stack, const struct kt_frame *frame,
			    unsigned long sp)
{
	return !shadow_is_on_signal_stack(stack, sp) ||
	       shadow_is_on_signal_stack(stack, frame->sp);
}

/*
 * The open frame that made a call at sp: the nearest one above sp on the same stack, or the call
 * that ran, if there is none.
 */
static struct kt_frame *shadow_find_parent(struct kt_shadow *stack, unsigned long sp)
{
	struct kt_frame *frame = stack->top, *best = NULL;
	struct kt_chunk *chunk = stack->chunk;
	bool home = shadow_is_on_home(stack, sp);
	unsigned long below = 0;

	for (; frame; frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if ((frame->flags & KT_FRAME_CLOSED) || kt_shadow_is_of_home(frame) != home)
			continue;
		if (frame->sp < sp) {
			below = max(below, frame->sp);
			continue;
		}
		if (home)
			return frame;
		if (!best || frame->sp < best->sp)
			best = frame;
	}
	if (!home) {
		stack->gap_low = below;
		stack->gap_high = best ? best->sp : ULONG_MAX;
	}
	return best && shadow_may_call(stack, best, sp) ? best : stack->current_frame;
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

/*
 * Did the top frame make a call at sp, on a stack that is not home? The nearest open frame above sp
 * made it, and to find this frame among all open ones takes long on a deep stack. So the search
 * notes the addresses around sp without open frames, from gap_low up to the frame that it found, at
 * gap_high. Until the next search, all frames in this gap are new ones, each below the one before.
 * The first call of a signal handler on a stack of its own has another caller, so it is searched.
 */
static bool shadow_is_called_by_top(const struct kt_shadow *stack, unsigned long sp)
{
	const struct kt_frame *top = stack->top;

	return sp > stack->gap_low && sp < top->sp && top->sp <= stack->gap_high &&
	       !(kt_shadow_is_of_home(top) || (top->flags & KT_FRAME_LEFT)) &&
	       !kt_shadow_is_home(stack, sp) && shadow_may_call(stack, top, sp);
}

/* Closes the frames that a call at sp proves dead. */
static struct kt_entered shadow_settle(struct kt_shadow *stack, u32 func, unsigned long sp,
				       u64 now)
{
	struct kt_entered call = { .parent = stack->top };
	struct kt_frame *from;
	bool is_local;

	if (shadow_is_called_by_top(stack, sp)) {
		kt_shadow_go_on(stack, stack->top);
		return call;
	}
	stack->is_caught = stack->session->hot.funcs[func].desc.traits & KTRACE_TRAIT_CATCHES;
	kt_shadow_end_returned(stack, sp, now);
	from = kt_shadow_jumps(stack, func, sp);
	is_local = kt_shadow_find_local(stack, func, sp);
	shadow_unwind(stack, sp, now, !from);
	if (from) {
		call = kt_shadow_jump(stack, from, func, now);
		kt_shadow_go_on(stack, stack->current_frame);
		stack->gap_high = 0;	/* the new frame is not below the others */
	} else {
		call.parent = shadow_find_parent(stack, sp);
		kt_shadow_go_on(stack, call.parent);
	}
	if (!is_local && shadow_is_on_home(stack, sp))
		call.flags |= KT_FRAME_HOME;
	return call;
}

struct kt_frame *kt_shadow_push_odd(struct kt_session *session, struct kt_shadow *stack, u32 func,
				    unsigned long sp, u64 now)
{
	struct kt_entered call = shadow_settle(stack, func, sp, now);

	return kt_shadow_add(session, stack, call, func, sp, now);
}

static struct kt_frame *shadow_find(struct kt_shadow *stack, u32 func, unsigned long sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;

	for (; frame; frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->sp == sp && frame->func == func &&
		    !(frame->flags & KT_FRAME_CLOSED))
			return frame;
	}
	return NULL;
}

struct kt_frame *kt_shadow_find_at(struct kt_shadow *stack, unsigned long sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;
	bool home = shadow_is_on_home(stack, sp);

	for (; frame; frame = kt_shadow_below(&chunk, frame)) {
		kt_shadow_step(stack, 1);
		if (frame->flags & KT_FRAME_CLOSED)
			continue;
		if (frame->sp == sp)
			return frame;
		if (home && kt_shadow_is_of_home(frame) && frame->sp > sp)
			break;
	}
	return NULL;
}

/* Closes the calls that frame has jumped to, whose returns were lost. */
static void shadow_close_jumps(struct kt_shadow *stack, const struct kt_frame *frame, u64 now)
{
	while (stack->top != frame && stack->top->sp == frame->sp) {
		shadow_close_dead(stack, stack->top, now);
		kt_shadow_drop_closed_top(stack);
	}
}

/* Decrements *nr. Returns false if it is 0. */
static bool shadow_is_one_of(u32 *nr)
{
	if (!*nr)
		return false;
	--*nr;
	return true;
}

struct kt_frame *kt_shadow_uncover(struct kt_shadow *stack, u32 func, unsigned long sp, u64 now)
{
	struct kt_frame *frame = shadow_find(stack, func, sp);

	if (!frame)
		return NULL;
	if (frame != stack->top)
		shadow_unwind(stack, sp, now, false);
	if (unlikely(frame != stack->top && stack->top->sp == sp))
		shadow_close_jumps(stack, frame, now);
	if (unlikely(frame != stack->top))
		kt_shadow_end_inside(stack, frame, now);
	kt_shadow_go_on(stack, frame);
	return frame;
}

bool kt_shadow_return_lost(struct kt_shadow *stack, unsigned long sp, u64 now)
{
	bool has_ended = kt_shadow_end(stack, sp, now);

	kt_shadow_go_on(stack, stack->current_frame);
	return shadow_is_one_of(&stack->nr_turned) || shadow_is_one_of(&stack->nr_overflown) ||
	       has_ended;
}

bool kt_shadow_jump_out(struct kt_shadow *stack, u32 func, unsigned long sp,
			unsigned long target, bool may_be_linker, u64 now)
{
	struct kt_frame *frame = kt_shadow_uncover(stack, func, sp, now);

	if (!frame)
		return shadow_is_one_of(&stack->nr_overflown);
	kt_shadow_leave(stack, frame);
	stack->left = frame;
	stack->target = target;
	stack->may_be_linker = may_be_linker;
	stack->current_frame = frame;
	return true;
}

void kt_shadow_return_at(struct kt_shadow *stack, unsigned long sp, u64 now)
{
	if (!stack->top)
		return;
	if (stack->top->sp < sp && shadow_is_on_home(stack, sp))
		shadow_unwind(stack, sp, now, false);
	kt_shadow_go_on(stack, stack->current_frame);
	kt_shadow_end(stack, sp, now);
	kt_shadow_go_on(stack, stack->current_frame);
}

/* A LEFT frame may have ended long before, and any frame after longjmp. */
static u8 shadow_how_killed(const struct kt_shadow *stack, const struct kt_frame *frame)
{
	bool is_bound = (frame->flags & (KT_FRAME_LEFT | KT_FRAME_DOUBT)) ||
			shadow_has_trait(stack, stack->top, KTRACE_TRAIT_LEAPS);

	return KTRACE_REC_F_KILLED | (is_bound ? KTRACE_REC_F_AT_MOST : 0);
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
