/* SPDX-License-Identifier: GPL-2.0 */
/* What shadow.c (frames), shadow_table.c (whose they are) and shadow_fork.c share. */
#ifndef KT_SHADOW_PARTS_H
#define KT_SHADOW_PARTS_H

#include "pool.h"
#include "shadow.h"

extern struct kt_pool kt_shadow_chunks;

/* An empty stack with a chunk, which nobody finds before it is linked; NULL: no memory. */
struct kt_stack *kt_shadow_alloc(void);
/* Gives that back, which was not linked; or chunks only, of one that was. */
void kt_shadow_free(struct kt_stack *stack);
void kt_shadow_put_chunks(struct kt_stack *stack);
void kt_shadow_link(struct kt_stack *stack);
/* Current's, or NULL. Under RCU. */
struct kt_stack *kt_shadow_own(struct kt_session *session);

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
