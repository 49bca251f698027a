/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHADOW_H
#define KT_SHADOW_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include <uapi/ktrace_record.h>

#include "core/session.h"

struct kt_tree;

#define KT_FRAME_HOME		(1U << 0)	/* on the thread's own stack */
#define KT_FRAME_CLOSED		(1U << 1)	/* ended; stays until it is the top */
#define KT_FRAME_HIDDEN		(1U << 2)	/* not shown */
#define KT_FRAME_EMITTED	(1U << 3)	/* its EXIT will be in the stream */
#define KT_FRAME_WANTED		(1U << 4)	/* it or a callee took the minimum time */
#define KT_FRAME_RECURSIVE	(1U << 5)	/* an outer open frame has the same function */
#define KT_FRAME_TAIL		(1U << 6)	/* its parent jumped to it, at the same sp */
#define KT_FRAME_INHERITED	(1U << 7)	/* entered by the parent process */
#define KT_FRAME_LEFT		(1U << 8)	/* left by a jump, or its return is not seen */
#define KT_FRAME_LEFT_HOME	(1U << 9)	/* LEFT, and on the thread's own stack */
#define KT_FRAME_JUMPED		(1U << 10)	/* TAIL, and its end also ends its parent */
#define KT_FRAME_DOUBT		(1U << 11)	/* it may end before its end is seen */
#define KT_FRAME_TURNED		(1U << 12)	/* another jump to its function took its place */

/*
 * The depth of a call is the level at which it is shown. Calls at max_depth or deeper are hidden,
 * and so are calls at the two depths below, which no stack reaches (KT_MAX_FRAMES). The callees of
 * a hidden frame take the depth of that frame, so a hidden frame stores one less.
 */
#define KT_DEPTH_NEVER		0xfffe	/* inside a call of a KTRACE_FUNC_NOT_BELOW */
#define KT_DEPTH_OUTSIDE	0xffff	/* outside all calls of a KTRACE_FUNC_BELOW */

/* One open call. */
struct kt_frame {
	u64 start;			/* ns */
	u64 self;			/* ns so far; with KTRACE_F_ERRORS: see chain.h */
	unsigned long sp;		/* address of the return address */
	unsigned long ret;		/* the return address, if LEFT or KTRACE_FUNC_JUMPS */
	u64 funcs;			/* bloom filter of this function and all outer ones */
	struct kt_frame *parent;
	u32 func;
	u32 node;			/* in the tree with this generation */
	u32 generation;			/* of a tree; 0: the frame has no node yet */
	u16 depth;			/* one less if the frame is hidden, see above */
	u16 flags;			/* KT_FRAME_* */
};

#define KT_CHUNK_FRAMES 63
#define KT_MAX_CHUNKS 1040
#define KT_MAX_FRAMES (KT_MAX_CHUNKS * KT_CHUNK_FRAMES)	/* a depth fits 16 bits */

/*
 * Where a walk cannot rest, stacks of up to KT_SHADOW_FEW_CHUNKS are closed at once, and a work
 * closes larger ones.
 */
#define KT_SHADOW_FEW_CHUNKS 8
#define KT_SHADOW_NEAR 16384	/* bytes; a caller is nearer, another stack is further away */
#define KT_FORK_CHUNKS 8	/* a child copies the innermost calls of its parent */

struct kt_chunk {
	struct kt_chunk *prev;	/* the chunk below, which is full; or NULL */
	struct kt_chunk *above;	/* not valid in the uppermost chunk */
	struct kt_frame frames[KT_CHUNK_FRAMES];
};

/* The open calls of one task in one session; only that task touches it. */
struct kt_shadow {
	struct hlist_node node;
	struct rcu_head rcu;
	struct kt_session *session;
	struct task_struct *task;	/* compared, never followed */
	const void *mm;			/* compared, never followed */
	struct kt_frame *top;		/* the last frame, never a closed one; or NULL */
	struct kt_frame *next;		/* the slot above top; NULL if the chunk is full */
	struct kt_frame *first;		/* the first slot of the lowest chunk */
	struct kt_frame *end;		/* of the uppermost chunk */
	struct kt_frame *current_frame;	/* the frame that ran at the last hit, if known */
	struct kt_tree *tree;		/* the session's tree at the start of this hit */
	const struct kt_frame *left;	/* the last frame left by a jump with a probe */
	unsigned long target;		/* of that jump */
	bool may_be_linker;		/* the target may be the dynamic linker */
	bool is_caught;			/* this hit is where an exception is caught */
	u64 last;			/* ns; time of the last hit, its cost included */
	u64 charged;			/* ns that this hit has charged to the running call */
	u64 owed;			/* ns of them, taken back: see kt_shadow_end_late() */
	u64 leapt;			/* ns; when longjmp ended the calls that are closed now */
	u32 owed_by;			/* the function of the last call that may have used them */
	unsigned long home_start, home_len;
	unsigned long local_start, local_len;	/* the local stack, see shadow_local.c; or 0 */
	u64 local_of;			/* ns; start of the call that holds it in a variable */
	unsigned long outermost;	/* the highest sp of a call entered on home; or 0 */
	bool is_home_known;
	struct kt_chunk *chunk;		/* the uppermost */
	struct kt_chunk *spare;		/* the last chunk that became empty, or NULL */
	u32 nr_chunks;
	u32 nr_overflown;		/* open calls beyond the depth limit */
	u32 nr_turned;			/* closed early, see shadow_jump.c: returns to ignore */
	u32 nr_steps;			/* left before a walk rests */
	u32 nr_resets;			/* of figures, while a walk rested */
	u32 tid;
	bool is_pinned;			/* walks cannot rest */
	bool has_task_ended;
	bool is_cut;			/* the session ended, or was paused, before its calls */
	unsigned long gap_low, gap_high;	/* see shadow_push.c */
	struct llist_node ending;	/* in the list of end_work */
	struct task_struct *who;	/* while its calls end elsewhere, with a table; else NULL */
};

/* What shadow stacks tell the code that uses them. In these calls, a walk may rest. */
struct kt_shadow_user {
	/* The call of frame ended at now; flags are KTRACE_REC_F_*, 0 if its return was seen. */
	void (*end)(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags);
	/*
	 * Before frame ends, or goes on after others have ended: it may have run for ns that are
	 * charged to no call. frame may be NULL.
	 */
	void (*doubt)(struct kt_shadow *stack, struct kt_frame *frame, u64 ns);
	/* The task ended, and so have its calls. */
	void (*task_exit)(struct kt_shadow *stack);
};

/* The calls are of kernel functions, on the kernel stack of the task. */
static inline bool kt_shadow_is_kernels(const struct kt_shadow *stack)
{
	return stack->session->hot.is_on_kernel_stack;
}

/* An empty stack that belongs to no task: the initial value of a CPU's last stack. */
extern struct kt_shadow kt_shadow_nobodys;

/* Is this the stack of current? Stacks stay readable memory as long as there are sessions. */
static inline bool kt_shadow_is_of(const struct kt_shadow *stack,
				   const struct kt_session *session)
{
	return stack->task == current && stack->session == session && stack->mm == current->mm;
}

static inline bool kt_shadow_is_home(const struct kt_shadow *stack, unsigned long sp)
{
	return sp - stack->home_start < stack->home_len;
}

/* Returns the slot above the top, or NULL if there is no memory or the stack is too deep. */
struct kt_frame *kt_shadow_make_room(struct kt_shadow *stack);
bool kt_shadow_is_recursive(struct kt_shadow *stack, const struct kt_frame *parent, u32 func);

/* The depth of a call from parent; parent may be NULL. */
static inline u16 kt_shadow_depth_in(const struct kt_session *session,
				     const struct kt_frame *parent)
{
	return parent ? parent->depth + 1 : session->hot.base_depth;
}

/* Where a call is entered. */
struct kt_entered {
	struct kt_frame *parent;	/* or NULL */
	u16 flags;			/* KT_FRAME_HOME, _TAIL, _JUMPED */
};

/* Pushes a frame for a call. Returns NULL if the stack is too deep or there is no memory. */
static __always_inline struct kt_frame *kt_shadow_add(struct kt_session *session,
						      struct kt_shadow *stack,
						      struct kt_entered call, u32 func,
						      unsigned long sp, u64 now)
{
	struct kt_frame *frame = stack->next;
	u64 bit = 1ULL << (func & 63), funcs = 0;
	u16 depth;

	if (unlikely(!frame)) {
		frame = kt_shadow_make_room(stack);
		if (!frame)
			return NULL;
	}
	stack->top = frame;
	stack->next = frame + 1 < stack->end ? frame + 1 : NULL;
	depth = kt_shadow_depth_in(session, call.parent);
	if (call.parent) {
		funcs = call.parent->funcs;
		if (unlikely(funcs & bit) && kt_shadow_is_recursive(stack, call.parent, func))
			call.flags |= KT_FRAME_RECURSIVE;
	} else if ((call.flags & KT_FRAME_HOME) && sp > stack->outermost) {
		stack->outermost = sp;
	}
	if (unlikely(depth >= session->hot.max_depth)) {
		call.flags |= KT_FRAME_HIDDEN;
		depth--;
	}
	stack->current_frame = frame;
	frame->start = now;
	frame->self = 0;
	frame->sp = sp;
	frame->funcs = funcs | bit;
	frame->parent = call.parent;
	frame->func = func;
	frame->generation = 0;
	frame->depth = depth;
	frame->flags = call.flags;
	return frame;
}

/*
 * Returns the frame that returns at sp, or NULL if it does not exist, is not the top, or did not
 * run at the last hit.
 */
static inline struct kt_frame *kt_shadow_returning(const struct kt_shadow *stack, u32 func,
						   unsigned long sp)
{
	struct kt_frame *frame = stack->top;

	return likely(frame && frame->sp == sp && frame->func == func &&
		      frame == stack->current_frame) ? frame : NULL;
}

/* A return without a frame: did its call begin before all calls that were seen? */
static inline bool kt_shadow_is_earlier(const struct kt_shadow *stack, unsigned long sp)
{
	return !stack->outermost || (kt_shadow_is_home(stack, sp) && sp > stack->outermost);
}

/* Drops the top frame and the closed frames below it. */
void kt_shadow_drop_closed(struct kt_shadow *stack);
/* Drops frame, which is the top and was closed just now. */
static inline void kt_shadow_drop(struct kt_shadow *stack, struct kt_frame *frame)
{
	stack->next = frame;
	if (frame == stack->first) {
		stack->top = NULL;
		stack->current_frame = NULL;
		return;
	}
	if (unlikely(frame == stack->chunk->frames || (frame[-1].flags & KT_FRAME_CLOSED) ||
		     frame->parent != frame - 1)) {
		kt_shadow_drop_closed(stack);
		return;
	}
	stack->top = frame - 1;
	stack->current_frame = frame - 1;
}

/*
 * Sets the depth of the frame just pushed according to the KTRACE_FUNC_* flags of its function,
 * which select the calls to show.
 */
void kt_shadow_place(struct kt_session *session, struct kt_frame *frame, u8 flags);

/* The open frame that a frame returns to, or NULL. */
struct kt_frame *kt_shadow_caller(struct kt_shadow *stack, const struct kt_frame *frame);

/* KTRACE_REC_F_* for the end of a call, which is now, or was earlier if there is doubt. */
static inline u8 kt_shadow_doubt(const struct kt_frame *frame)
{
	return frame->flags & KT_FRAME_DOUBT ? KTRACE_REC_F_AT_MOST : 0;
}

/* Closes all frames; the stack stays. */
void kt_shadow_unwind_all(struct kt_shadow *stack, u64 now);

/* Calls fn for each open frame, from the outermost to the top. */
void kt_shadow_for_each(struct kt_shadow *stack,
			void (*fn)(struct kt_shadow *stack, struct kt_frame *frame));

/*
 * Charges the time since the last hit to the running call. The next period begins cost ns after
 * now. If the last hit cost less than expected, the difference may be negative; it is added all the
 * same, so that sums stay right.
 */
static __always_inline void kt_shadow_charge(struct kt_shadow *stack, u64 now, u64 cost)
{
	u64 charged = now - stack->last;

	if (stack->current_frame)
		stack->current_frame->self += charged;
	stack->charged = charged;
	stack->last = now + cost;
}

/* Lets other tasks run, unless the stack is pinned. */
void kt_shadow_rest(struct kt_shadow *stack);
/* Counts nr steps of a walk, which may rest here. */
static inline void kt_shadow_step(struct kt_shadow *stack, u32 nr)
{
	if (unlikely(stack->nr_steps < nr))
		kt_shadow_rest(stack);
	else
		stack->nr_steps -= nr;
}

#endif
