/* SPDX-License-Identifier: GPL-2.0 */
/* Internals shared by the shadow*.c files. */
#ifndef KT_SHADOW_PARTS_H
#define KT_SHADOW_PARTS_H

#include "core/shadow.h"
#include "lib/pool.h"

extern struct kt_pool kt_shadow_chunks;
extern const struct kt_shadow_user *kt_shadow_user;

/*
 * Returns an empty stack with one chunk, or NULL if there is no memory. A search does not find the
 * stack before it is linked.
 */
struct kt_shadow *kt_shadow_alloc(void);
/* Frees a stack that was not linked. */
void kt_shadow_free(struct kt_shadow *stack);
/* Frees the chunks of a stack that is linked, or was. */
void kt_shadow_put_chunks(struct kt_shadow *stack);
void kt_shadow_link(struct kt_shadow *stack);

/* Returns the frame below frame, or NULL. chunk is the chunk of frame, and is updated. */
static inline struct kt_frame *kt_shadow_below(struct kt_chunk **chunk, struct kt_frame *frame)
{
	if (frame > (*chunk)->frames)
		return frame - 1;
	*chunk = (*chunk)->prev;
	return *chunk ? &(*chunk)->frames[KT_CHUNK_FRAMES - 1] : NULL;
}

/*
 * Is the return address that of the kernel's trampoline (uretprobe)? The trampoline begins a page.
 */
static inline bool kt_shadow_is_hijacked(unsigned long word)
{
	return word && !(word & ~PAGE_MASK);
}

static inline bool kt_shadow_is_of_home(const struct kt_frame *frame)
{
	return frame->flags & (KT_FRAME_HOME | KT_FRAME_LEFT_HOME);
}

/* shadow_local.c: is sp on a stack in a local variable of an open call? */
bool kt_shadow_is_local(struct kt_shadow *stack, unsigned long sp);
/* The same at an entry of func, which may be the first sign of such a stack. */
bool kt_shadow_find_local(struct kt_shadow *stack, u32 func, unsigned long sp);

/* shadow.c: the last open frame at sp, or NULL. */
struct kt_frame *kt_shadow_find_at(struct kt_shadow *stack, unsigned long sp);
/* shadow.c: closes a frame; flags are KTRACE_REC_F_*. */
void kt_shadow_close(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags);
/*
 * shadow.c: frame is closed now, but has ended some time since the last hit. The time since then is
 * taken back from the running call: frame may have used it, and so may the call that goes on.
 */
void kt_shadow_end_late(struct kt_shadow *stack, struct kt_frame *frame);
/*
 * shadow.c: after frames were closed; frame, or NULL, goes on. If another open call ran at the last
 * hit, then there was a switch between coroutines since.
 */
void kt_shadow_go_on(struct kt_shadow *stack, struct kt_frame *frame);
/* shadow.c: drops closed frames at the top. */
void kt_shadow_drop_closed_top(struct kt_shadow *stack);

/* --- shadow_jump.c: calls that do not end by a return of their own ---------- */

/*
 * func is entered at sp. Returns the frame that entered it by a tail jump, or NULL if the entry is
 * a call.
 */
struct kt_frame *kt_shadow_jumps(struct kt_shadow *stack, u32 func, unsigned long sp);
/* from jumps to func; HOME is not set. */
struct kt_entered kt_shadow_jump(struct kt_shadow *stack, struct kt_frame *from, u32 func,
				 u64 now);
/* A return at sp ends the LEFT call at sp. Returns false if there is no such call. */
bool kt_shadow_end(struct kt_shadow *stack, unsigned long sp, u64 now);
/* frame ends: closes the LEFT calls inside it, which have ended, too. */
void kt_shadow_end_inside(struct kt_shadow *stack, const struct kt_frame *frame, u64 now);
/* Before a hit at sp: closes LEFT calls at the top that have returned since. */
void kt_shadow_end_returned(struct kt_shadow *stack, unsigned long sp, u64 now);

static inline void kt_shadow_use_chunk(struct kt_shadow *stack, struct kt_chunk *chunk)
{
	chunk->prev = stack->chunk;
	if (chunk->prev)
		chunk->prev->above = chunk;
	stack->chunk = chunk;
	stack->next = chunk->frames;
	stack->end = chunk->frames + KT_CHUNK_FRAMES;
	stack->nr_chunks++;
}

#endif
