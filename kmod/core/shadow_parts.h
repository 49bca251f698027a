/* SPDX-License-Identifier: GPL-2.0 */
/* What shadow.c (frames), shadow_table.c (whose they are) and shadow_fork.c share. */
#ifndef KT_SHADOW_PARTS_H
#define KT_SHADOW_PARTS_H

#include "core/shadow.h"
#include "lib/pool.h"

extern struct kt_pool kt_shadow_chunks;

/* An empty stack with a chunk, which is not found before it is linked; NULL: no memory. */
struct kt_stack *kt_shadow_alloc(void);
/* Gives that back, which was not linked; or chunks only, of one that was. */
void kt_shadow_free(struct kt_stack *stack);
void kt_shadow_put_chunks(struct kt_stack *stack);
void kt_shadow_link(struct kt_stack *stack);

/* The frame below, given its chunk, which moves along. */
static inline struct kt_frame *kt_shadow_below(struct kt_chunk **chunk, struct kt_frame *frame)
{
	if (frame > (*chunk)->frames)
		return frame - 1;
	*chunk = (*chunk)->prev;
	return *chunk ? &(*chunk)->frames[KT_CHUNK_FRAMES - 1] : NULL;
}

/* A return address: the kernel has put its trampoline's there, which begins a page. */
static inline bool kt_shadow_is_hijacked(unsigned long word)
{
	return word && !(word & ~PAGE_MASK);
}

static inline bool kt_shadow_is_of_home(const struct kt_frame *frame)
{
	return frame->flags & (KT_FRAME_HOME | KT_FRAME_LEFT_HOME);
}

/* shadow_local.c: is sp on a stack in a local variable of an open call? */
bool kt_shadow_is_local(struct kt_stack *stack, unsigned long sp);
/* The same at an entry of func, which may be the first that shows it. */
bool kt_shadow_find_local(struct kt_stack *stack, u32 func, unsigned long sp);

/* shadow.c: the last open frame at sp, or NULL. */
struct kt_frame *kt_shadow_find_at(struct kt_stack *stack, unsigned long sp);
/* shadow.c: a frame ends; then closed ones at the top are given up. */
void kt_shadow_close(struct kt_stack *stack, struct kt_frame *frame, u64 now, u8 flags);
void kt_shadow_drop_closed_top(struct kt_stack *stack);

/* --- shadow_jump.c: calls that do not end by a return of their own ---------- */

/* The frame whose last thing is to jump to func, which is entered at sp; NULL: it is a call. */
struct kt_frame *kt_shadow_jumps(struct kt_stack *stack, u32 func, unsigned long sp);
/* What it enters there has that parent, NULL: none; and entering. */
struct kt_frame *kt_shadow_jump(struct kt_stack *stack, struct kt_frame *from, u32 func, u64 now);
/* A frame returns, and what ends with it. */
void kt_shadow_return(struct kt_stack *stack, struct kt_frame *frame, u64 now);
/* A return at sp: ends the call that is left there; false: the top frame is none. */
bool kt_shadow_end(struct kt_stack *stack, unsigned long sp, u64 now);
/* Of a frame that ends: calls in it that were left, which have ended. */
void kt_shadow_end_inside(struct kt_stack *stack, const struct kt_frame *frame, u64 now);
/* Before a hit at sp: calls at the top that were left, and have returned since. */
void kt_shadow_end_returned(struct kt_stack *stack, unsigned long sp, u64 now);

static inline void kt_shadow_use_chunk(struct kt_stack *stack, struct kt_chunk *chunk)
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
