/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHADOW_H
#define KT_SHADOW_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct kt_session;
struct task_struct;

#define KT_FRAME_HOME		(1U << 0)	/* on the thread's own stack */
#define KT_FRAME_CLOSED		(1U << 1)	/* waits to become the top */
#define KT_FRAME_HIDDEN		(1U << 2)	/* beyond max_depth */
#define KT_FRAME_EMITTED	(1U << 3)	/* its ENTRY is in the stream */
#define KT_FRAME_WANTED		(1U << 4)
#define KT_FRAME_RECURSIVE	(1U << 5)	/* an open frame below is of the same function */
#define KT_FRAME_HAS_NODE	(1U << 6)

/* One open call. */
struct kt_frame {
	u64 start;			/* ns */
	u64 self;			/* ns so far */
	unsigned long sp;		/* where the return address lies */
	u64 funcs;			/* bloom of this and the functions below */
	struct kt_frame *parent;
	u32 func;
	u32 node;
	u16 depth;
	u16 flags;
};

#define KT_CHUNK_FRAMES 72
struct kt_chunk {
	struct kt_chunk *prev;
	u32 nr;
	struct kt_frame frames[KT_CHUNK_FRAMES];
};

/* The open calls of one task in one session; only that task touches it. */
struct kt_stack {
	struct hlist_node node;
	struct rcu_head rcu;
	struct kt_session *session;
	struct task_struct *task;	/* compared, never followed */
	const void *mm;			/* likewise */
	struct kt_chunk *top;
	struct kt_frame *current_frame;	/* the one that was running at the last hit */
	u64 last;			/* when that hit was */
	unsigned long home_start, home_end;
	u32 nr_frames;
	u32 nr_overflown;		/* calls beyond the depth limit, still open */
	u32 tid;
};

#define KT_MAX_FRAMES 65536

int kt_shadow_init(void);
void kt_shadow_exit(void);
void kt_shadow_refill(void);		/* task context, before a hit */
void kt_shadow_trim(void);

/* Current's stack, made when it has none; NULL: the pool is empty. Preemption off. */
struct kt_stack *kt_shadow_get(struct kt_session *session, unsigned long sp);

/* Closes what is abandoned at sp, then pushes. NULL: too deep or no memory. */
struct kt_frame *kt_shadow_push(struct kt_stack *stack, u32 func, unsigned long sp, u64 now);

/* Closes the frame of func at sp and what lies above it; false: there is none. */
bool kt_shadow_pop(struct kt_stack *stack, u32 func, unsigned long sp, u64 now);

/* Closes everything; the stack stays. */
void kt_shadow_unwind_all(struct kt_stack *stack, u64 now);

/* Calls fn on the open frames from the outermost to the top. */
void kt_shadow_for_each(struct kt_stack *stack,
			void (*fn)(struct kt_stack *stack, struct kt_frame *frame));

/* Of a stopped session, whose hits have ended: closes and frees its stacks. */
void kt_shadow_drop_session(struct kt_session *session);

#endif
