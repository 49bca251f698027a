/* SPDX-License-Identifier: GPL-2.0 */
/* Internals shared by the shadow*.c files. */
#ifndef KT_SHADOW_PARTS_H
#define KT_SHADOW_PARTS_H

#include "core/shadow.h"
#include "lib/pool.h"

extern struct kt_pool kt_shadow_chunks;
extern const struct kt_shadow_user *kt_shadow_user;

/* Frees the chunks of a stack that is linked, or was. */
void kt_shadow_put_chunks(struct kt_shadow *stack);

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

static inline bool kt_shadow_has_trait(const struct kt_shadow *stack,
				       const struct kt_frame *frame, u8 trait)
{
	return stack->session->hot.funcs[frame->func].desc.traits & trait;
}

/* Closes a frame; flags are KTRACE_REC_F_*. */
void kt_shadow_close(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags);
/*
 * frame is closed now, but has ended some time since the last hit. The time since then is taken
 * back from the running call: frame may have used it, and so may the call that goes on.
 */
void kt_shadow_end_late(struct kt_shadow *stack, struct kt_frame *frame);
/*
 * After frames were closed; frame, or NULL, goes on. If another open call ran at the last hit, then
 * there was a switch between coroutines since.
 */
void kt_shadow_go_on(struct kt_shadow *stack, struct kt_frame *frame);
/* Drops closed frames at the top. */
void kt_shadow_drop_closed_top(struct kt_shadow *stack);

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
