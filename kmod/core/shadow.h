/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHADOW_H
#define KT_SHADOW_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "core/hit.h"
#include "session.h"

struct kt_tree;
struct kt_values;

#define KT_FRAME_HOME		(1U << 0)	/* on the thread's own stack */
#define KT_FRAME_CLOSED		(1U << 1)	/* waits to become the top */
#define KT_FRAME_HIDDEN		(1U << 2)	/* not shown, for whatever reason */
#define KT_FRAME_EMITTED	(1U << 3)	/* its ENTRY is in the stream */
#define KT_FRAME_WANTED		(1U << 4)
#define KT_FRAME_RECURSIVE	(1U << 5)	/* an open frame below is of the same function */
#define KT_FRAME_TAIL		(1U << 6)	/* jumped to by its parent, at its sp */
#define KT_FRAME_INHERITED	(1U << 7)	/* entered by the parent process */
#define KT_FRAME_LEFT		(1U << 8)	/* its own return will not be seen */
#define KT_FRAME_LEFT_HOME	(1U << 9)	/* LEFT, and on the thread's own stack */
#define KT_FRAME_JUMPED		(1U << 10)	/* TAIL: when it ends, so does its parent */
#define KT_FRAME_DOUBT		(1U << 11)	/* it may have ended before its end is seen */

/*
 * The depth of a call is where it is shown. Calls at these, or beyond max_depth, are
 * hidden; none is as deep (KT_MAX_FRAMES). What a hidden frame calls is at the depth
 * of the frame itself: that is one more than the depth which is kept in it.
 */
#define KT_DEPTH_NEVER		0xfffe	/* inside of a KTRACE_FUNC_NOT_BELOW */
#define KT_DEPTH_OUTSIDE	0xffff	/* of every KTRACE_FUNC_BELOW */

/* One open call. */
struct kt_frame {
	u64 start;			/* ns */
	u64 self;			/* ns so far; with KTRACE_F_ERRORS: see chain.h */
	unsigned long sp;		/* where the return address lies */
	unsigned long ret;		/* LEFT, or KTRACE_FUNC_JUMPS: return address, or 0 */
	u64 funcs;			/* bloom of this and the functions below */
	struct kt_frame *parent;
	u32 func;
	u32 node;			/* in the tree of this generation, 0: in none yet */
	u32 generation;
	u16 depth;			/* hidden: one less than that of its callees */
	u16 flags;
};

#define KT_CHUNK_FRAMES 63
#define KT_MAX_CHUNKS 1040
#define KT_MAX_FRAMES (KT_MAX_CHUNKS * KT_CHUNK_FRAMES)	/* a depth fits 16 bits */

/*
 * A walk over a deep stack rests: after as many steps others may run. To look at a frame is one
 * step, to close it takes some. Where no walk may rest, stacks of a few chunks are closed at once,
 * others by a work.
 */
#define KT_SHADOW_STEPS 1024
#define KT_SHADOW_STEPS_TO_CLOSE 32
#define KT_SHADOW_FEW_CHUNKS 8
#define KT_SHADOW_NEAR 16384	/* bytes: other stacks are further away, and no caller is */
#define KT_FORK_CHUNKS 8	/* the innermost calls of the parent that a child begins with */

struct kt_chunk {
	struct kt_chunk *prev;	/* full, as all but the uppermost are */
	struct kt_chunk *above;	/* of those that are not the uppermost */
	struct kt_frame frames[KT_CHUNK_FRAMES];
};

/* The open calls of one task in one session; only that task touches it. */
struct kt_stack {
	struct hlist_node node;
	struct rcu_head rcu;
	struct kt_session *session;
	struct task_struct *task;	/* compared, never followed */
	const void *mm;			/* compared, never followed */
	struct kt_frame *top;		/* the last frame, NULL: none; never a closed one */
	struct kt_frame *next;		/* the slot above, NULL: its chunk is full */
	struct kt_frame *first;		/* the first slot of all */
	struct kt_frame *end;		/* of the uppermost chunk */
	struct kt_frame *current_frame;	/* the one that was running at the last hit, if known */
	struct kt_tree *tree;		/* the session's, as of this hit */
	struct kt_values *result;	/* of the frame that kt_shadow_pop() closes, or NULL */
	const struct kt_frame *left;	/* the last that was, by a jump to ... */
	unsigned long target;
	bool may_be_linker;		/* which finds the target, and jumps there */
	bool has_no_result;		/* what is closed now: the register has another one's */
	u16 entering;			/* KT_FRAME_* of the call entered now; HOME: none */
	u32 error;			/* with KTRACE_F_ERRORS: what the call returns */
	u64 last;			/* when that hit was */
	unsigned long home_start, home_len;
	unsigned long local_start, local_len;	/* a local stack, see shadow_local.c; or 0 */
	u64 local_of;			/* start of the call that has it */
	unsigned long outermost;	/* the highest sp of calls entered on home; or 0 */
	bool is_home_known;
	struct kt_chunk *chunk;		/* the uppermost */
	struct kt_chunk *spare;		/* the last one given up, or NULL */
	u32 nr_chunks;
	u32 nr_overflown;		/* calls beyond the depth limit, still open */
	u32 nr_turned;			/* returns to come of calls that gave up their place */
	u32 nr_steps;			/* before a walk rests */
	u32 nr_resets;			/* of figures that were replaced during a rest */
	u32 tid;
	bool is_pinned;			/* where walks are made now, none may rest */
	bool has_task_ended;
	struct llist_node ending;	/* handed to the work that ends deep ones */
};

void kt_shadow_init(void);
void kt_shadow_exit(void);
void kt_shadow_trim(void);

/* Current's stack, made when it has none; NULL: the pool is empty. Preemption off. */
struct kt_stack *kt_shadow_find(struct kt_session *session, unsigned long sp);

/* Current's, or NULL: it called no function. Under RCU. */
struct kt_stack *kt_shadow_own(struct kt_session *session);

/* Of calls of kernel functions, on the kernel's stack of the task. */
static inline bool kt_shadow_is_kernels(const struct kt_stack *stack)
{
	return stack->session->hot.is_on_kernel_stack;
}

/* It belongs to no task. */
extern struct kt_stack kt_shadow_nobodys;

/* Is that current's? Stacks stay readable memory as long as there are sessions. */
static inline bool kt_shadow_is_of(const struct kt_stack *stack,
				   const struct kt_session *session)
{
	return stack->task == current && stack->session == session && stack->mm == current->mm;
}

static inline bool kt_shadow_is_home(const struct kt_stack *stack, unsigned long sp)
{
	return sp - stack->home_start < stack->home_len;
}

/* Looks which range is home, given an address on the stack in use. */
void kt_shadow_find_home(struct kt_stack *stack, unsigned long sp);

/* Closes the frames that a call at sp proves dead. Returns the parent, or NULL; sets entering. */
struct kt_frame *kt_shadow_settle(struct kt_stack *stack, u32 func, unsigned long sp, u64 now);
/* The slot above the top; NULL: there is no memory, or it would be too deep. */
struct kt_frame *kt_shadow_make_room(struct kt_stack *stack);
bool kt_shadow_is_recursive(struct kt_stack *stack, const struct kt_frame *parent, u32 func);

/* The depth of a call from parent, or from outside of all frames. */
static inline u16 kt_shadow_depth_in(const struct kt_session *session,
				     const struct kt_frame *parent)
{
	return parent ? parent->depth + 1 : session->hot.base_depth;
}

/* Closes what is abandoned at sp, then pushes. NULL: too deep or no memory. */
static __always_inline struct kt_frame *kt_shadow_push(struct kt_session *session,
						       struct kt_stack *stack, u32 func,
						       unsigned long sp, u64 now)
{
	struct kt_frame *parent = stack->top, *frame;
	u64 bit = 1ULL << (func & 63), funcs = 0;
	u16 depth, flags;

	if (unlikely(!stack->is_home_known) && !parent)
		kt_shadow_find_home(stack, sp);
	flags = kt_shadow_is_home(stack, sp) ? KT_FRAME_HOME : 0;
	/* The usual case: a call from the top frame, on the thread's own stack. */
	if (parent && unlikely(!(parent->flags & flags & KT_FRAME_HOME) || parent->sp <= sp)) {
		parent = kt_shadow_settle(stack, func, sp, now);
		flags ^= stack->entering;
	}
	frame = stack->next;
	if (unlikely(!frame)) {
		frame = kt_shadow_make_room(stack);
		if (!frame)
			return NULL;
	}
	stack->top = frame;
	stack->next = frame + 1 < stack->end ? frame + 1 : NULL;
	depth = kt_shadow_depth_in(session, parent);
	if (parent) {
		funcs = parent->funcs;
		if (unlikely(funcs & bit) && kt_shadow_is_recursive(stack, parent, func))
			flags |= KT_FRAME_RECURSIVE;
	} else if ((flags & KT_FRAME_HOME) && sp > stack->outermost) {
		stack->outermost = sp;
	}
	if (unlikely(depth >= session->hot.max_depth)) {
		flags |= KT_FRAME_HIDDEN;
		depth--;
	}
	stack->current_frame = frame;
	frame->start = now;
	frame->self = 0;
	frame->sp = sp;
	frame->funcs = funcs | bit;
	frame->parent = parent;
	frame->func = func;
	frame->generation = 0;
	frame->depth = depth;
	frame->flags = flags;
	return frame;
}

/* The frame that returns at sp; NULL: there is none, or it lies below others. */
static inline struct kt_frame *kt_shadow_returning(const struct kt_stack *stack, u32 func,
						   unsigned long sp)
{
	struct kt_frame *frame = stack->top;

	return likely(frame && frame->sp == sp && frame->func == func) ? frame : NULL;
}

/* A return without a frame: had its call begun before all that were seen? */
static inline bool kt_shadow_is_earlier(const struct kt_stack *stack, unsigned long sp)
{
	return !stack->outermost || (kt_shadow_is_home(stack, sp) && sp > stack->outermost);
}

/* Gives up the top frame, which was closed, and closed ones below it. */
void kt_shadow_drop_closed(struct kt_stack *stack);
static inline void kt_shadow_drop(struct kt_stack *stack, struct kt_frame *frame)
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
 * The top frame, just pushed, is of a function with KTRACE_FUNC_* flags on what is
 * shown: it and its callees are where those want them.
 */
void kt_shadow_place(struct kt_session *session, struct kt_frame *frame, u8 flags);

/* The open frame that a frame which ends returns to, or NULL. */
struct kt_frame *kt_shadow_caller(struct kt_stack *stack, const struct kt_frame *frame);

/*
 * The return of a frame below others, which it closes, or of one that was jumped to;
 * false: there is none.
 */
bool kt_shadow_pop(struct kt_stack *stack, u32 func, unsigned long sp, u64 now);

/*
 * A call of func at sp jumps to target, or to the linker that looks for it, and is left;
 * false: there is none.
 */
bool kt_shadow_jump_out(struct kt_stack *stack, u32 func, unsigned long sp,
			unsigned long target, bool may_be_linker, u64 now);
/* A return at sp, of a function without frames: ends what has jumped to it. */
void kt_shadow_return_at(struct kt_stack *stack, unsigned long sp, u64 now);
/* Is the last call at sp left, or was it jumped to? Or its return is to be the kernel's. */
bool kt_shadow_has_jumped(const struct kt_stack *stack, unsigned long sp);
/* Of a frame just pushed, whose return will not be seen; or of one that jumps. */
void kt_shadow_leave(struct kt_stack *stack, struct kt_frame *frame);
/* Of one just pushed, which may jump where no probe is. */
void kt_shadow_keep_ret(struct kt_frame *frame);

/* Closes everything; the stack stays. */
void kt_shadow_unwind_all(struct kt_stack *stack, u64 now);

/* Calls fn on the open frames from the outermost to the top. */
void kt_shadow_for_each(struct kt_stack *stack,
			void (*fn)(struct kt_stack *stack, struct kt_frame *frame));

/* Did current call a function of the session? Under RCU. */
bool kt_shadow_has(struct kt_session *session);
/* At a fork, in the parent, preemption off: the child begins with a copy of what is open. */
void kt_shadow_fork(struct kt_session *session, struct task_struct *child);
/* Current runs another program: closes what was open; true: it has called a function. */
bool kt_shadow_exec(struct kt_session *session);
/* Current ends, preemption off: closes and frees its stacks. */
void kt_shadow_task_exit(void);

/* Of a stopped or paused session, whose hits have ended: closes and frees its stacks. */
void kt_shadow_drop_session(struct kt_session *session);
/* Returns when stacks that were dropped before, or whose tasks have ended, are closed. */
void kt_shadow_flush(void);

/* Amid a walk of that many steps. */
static inline void kt_shadow_step(struct kt_stack *stack, u32 nr)
{
	if (unlikely(stack->nr_steps < nr))
		kt_hit_rest(stack);
	else
		stack->nr_steps -= nr;
}

#endif
