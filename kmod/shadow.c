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
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include <uapi/ktrace_record.h>

#include "clock.h"
#include "compat.h"
#include "hit.h"
#include "pool.h"
#include "session.h"
#include "shadow.h"

#define TABLE_ORDER 12

struct bucket {
	struct hlist_head head;	/* readers RCU */
	raw_spinlock_t lock;	/* guards changes of head */
};

static struct bucket table[1 << TABLE_ORDER];
static struct kt_pool stacks, chunks;

static struct bucket *bucket_of(const struct task_struct *task)
{
	return &table[hash_ptr(task, TABLE_ORDER)];
}

/* Nothing else is mapped this far below the top of a main thread's stack. */
#define STACK_GAP (128UL << 20)

/*
 * The range where order proves; none for stacks inside heaps or files. The lock
 * may be taken just now: then it is asked again, as long as no frame is open.
 */
void kt_shadow_find_home(struct kt_stack *stack, unsigned long sp)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	stack->is_home_known = !mm || mmap_read_trylock(mm);
	if (!mm || !stack->is_home_known)
		return;
	vma = find_vma(mm, sp);
	if (vma && !vma->vm_file &&
	    !(vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk)) {
		stack->home_start = vma->vm_start;
		if (vma->vm_flags & VM_GROWSDOWN)
			stack->home_start = min(vma->vm_start, vma->vm_end - STACK_GAP);
		stack->home_len = vma->vm_end - stack->home_start;
	}
	mmap_read_unlock(mm);
}

static void use_chunk(struct kt_stack *stack, struct kt_chunk *chunk)
{
	chunk->prev = stack->chunk;
	stack->chunk = chunk;
	stack->next = chunk->frames;
	stack->end = chunk->frames + KT_CHUNK_FRAMES;
	stack->nr_chunks++;
}

static struct kt_stack *alloc_stack(void)
{
	struct kt_stack *stack = kt_pool_get(&stacks);
	struct kt_chunk *chunk;

	if (!stack)
		return NULL;
	chunk = kt_pool_take(&chunks);
	if (!chunk) {
		kt_pool_put(&stacks, stack);
		return NULL;
	}
	use_chunk(stack, chunk);
	stack->first = chunk->frames;
	return stack;
}

static void link_stack(struct kt_stack *stack)
{
	struct bucket *bucket = bucket_of(stack->task);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_add_head_rcu(&stack->node, &bucket->head);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static struct kt_stack *make(struct kt_session *session, unsigned long sp)
{
	struct kt_stack *stack = alloc_stack();

	if (!stack)
		return NULL;
	stack->session = session;
	stack->task = current;
	stack->mm = current->mm;
	stack->tid = current->pid;
	kt_shadow_find_home(stack, sp);
	link_stack(stack);
	return stack;
}

/* exec: what was open is gone with the old program. */
static void adopt_mm(struct kt_stack *stack)
{
	stack->tree = READ_ONCE(stack->session->tree);
	kt_shadow_unwind_all(stack, kt_clock());
	stack->mm = current->mm;
	stack->tid = current->pid;	/* exec by another thread took the leader's */
	stack->home_start = 0;
	stack->home_len = 0;
	stack->is_home_known = false;	/* the next hit finds it */
}

struct kt_stack *kt_shadow_find(struct kt_session *session, unsigned long sp)
{
	struct kt_stack *stack;

	hlist_for_each_entry_rcu(stack, &bucket_of(current)->head, node) {
		if (stack->task != current || stack->session != session)
			continue;
		if (unlikely(stack->mm != current->mm))
			adopt_mm(stack);
		return stack;
	}
	return make(session, sp);
}

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
		kt_pool_put(&chunks, chunk);
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

static struct kt_frame *live(struct kt_frame *frame)
{
	while (frame && (frame->flags & KT_FRAME_CLOSED))
		frame = frame->parent;
	return frame;
}

struct kt_frame *kt_shadow_caller(const struct kt_frame *frame)
{
	return live(frame->parent);
}

void kt_shadow_drop_closed(struct kt_stack *stack)
{
	struct kt_frame *parent = stack->top->parent;

	do {
		drop_top(stack);
	} while (stack->top && (stack->top->flags & KT_FRAME_CLOSED));
	stack->current_frame = live(parent);
}

static void drop_closed(struct kt_stack *stack)
{
	while (stack->top && (stack->top->flags & KT_FRAME_CLOSED))
		drop_top(stack);
}

static void close_frame(struct kt_stack *stack, struct kt_frame *frame, u64 now, u8 flags)
{
	kt_hit_close(stack, frame, now, flags);
	frame->flags |= KT_FRAME_CLOSED;
	if (stack->current_frame == frame)
		stack->current_frame = live(frame);
}

/* Closes what a frame at sp proves dead. */
static void unwind(struct kt_stack *stack, unsigned long sp, u64 now, bool with_sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;
	bool home = kt_shadow_is_home(stack, sp);
	bool is_foreign;

	for (; frame; frame = below(&chunk, frame)) {
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
static struct kt_frame *find_parent(const struct kt_stack *stack, unsigned long sp)
{
	struct kt_frame *frame = stack->top, *best = NULL;
	struct kt_chunk *chunk = stack->chunk;
	u16 home = kt_shadow_is_home(stack, sp) ? KT_FRAME_HOME : 0;

	for (; frame; frame = below(&chunk, frame)) {
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
		chunk = kt_pool_take(&chunks);
	if (chunk)
		use_chunk(stack, chunk);
	else
		stack->nr_overflown++;
	return chunk;
}

bool kt_shadow_is_recursive(const struct kt_frame *parent, u32 func)
{
	u64 bit = 1ULL << (func & 63);

	for (; parent && (parent->funcs & bit); parent = parent->parent)
		if (parent->func == func && !(parent->flags & KT_FRAME_HIDDEN))
			return true;
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

struct kt_frame *kt_shadow_settle(struct kt_stack *stack, unsigned long sp, u64 now)
{
	unwind(stack, sp, now, true);
	return find_parent(stack, sp);
}

static struct kt_frame *find(const struct kt_stack *stack, u32 func, unsigned long sp)
{
	struct kt_frame *frame = stack->top;
	struct kt_chunk *chunk = stack->chunk;

	for (; frame; frame = below(&chunk, frame))
		if (frame->sp == sp && frame->func == func &&
		    !(frame->flags & KT_FRAME_CLOSED))
			return frame;
	return NULL;
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
	close_frame(stack, frame, now, 0);
	stack->current_frame = live(frame);
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
	for (frame = chunk->frames; frame < end; frame++)
		if (!(frame->flags & KT_FRAME_CLOSED))
			fn(stack, frame);
}

void kt_shadow_for_each(struct kt_stack *stack,
			void (*fn)(struct kt_stack *stack, struct kt_frame *frame))
{
	struct kt_chunk *done = NULL, *chunk;

	/* Chunks know the one below only: find the next one up each time. */
	while (done != stack->chunk) {
		for (chunk = stack->chunk; chunk->prev != done; )
			chunk = chunk->prev;
		call_each(stack, chunk, fn);
		done = chunk;
	}
}

/* --- fork ---------------------------------------------------------------- */

/* Where the copy of a frame is, which is in this chunk or one below. */
static struct kt_frame *copy_of(const struct kt_frame *frame, const struct kt_chunk *from,
				struct kt_chunk *to)
{
	if (!frame)
		return NULL;
	for (; from; from = from->prev, to = to->prev)
		if (frame >= from->frames && frame < from->frames + KT_CHUNK_FRAMES)
			return to->frames + (frame - from->frames);
	return NULL;
}

/* What was open counts where it was entered; here it takes time of its own only. */
static void copy_frames(const struct kt_chunk *from, struct kt_chunk *to, struct kt_frame *end)
{
	struct kt_frame *frame;

	memcpy(to->frames, from->frames, sizeof(to->frames));
	for (frame = to->frames; frame < end; frame++) {
		frame->parent = copy_of(frame->parent, from, to);
		frame->flags |= KT_FRAME_INHERITED;
		frame->self = 0;
	}
}

/* As many empty chunks as the other has; false: the pool is empty, some may be there. */
static bool take_chunks(struct kt_stack *stack, u32 nr)
{
	struct kt_chunk *chunk;

	while (stack->nr_chunks < nr) {
		chunk = kt_pool_take(&chunks);
		if (!chunk)
			return false;
		use_chunk(stack, chunk);
	}
	return true;
}

static void put_chunks(struct kt_stack *stack)
{
	struct kt_chunk *chunk;

	while ((chunk = stack->chunk)) {
		stack->chunk = chunk->prev;
		kt_pool_put(&chunks, chunk);
	}
	if (stack->spare)
		kt_pool_put(&chunks, stack->spare);
}

static void copy_all(const struct kt_stack *from, struct kt_stack *to)
{
	const struct kt_chunk *source = from->chunk;
	struct kt_chunk *chunk = to->chunk;

	to->top = copy_of(from->top, source, chunk);
	to->current_frame = copy_of(from->current_frame, source, chunk);
	to->next = to->top ? to->top + 1 : chunk->frames;
	copy_frames(source, chunk, to->next);
	if (to->next == to->end)
		to->next = NULL;
	while ((source = source->prev)) {
		chunk = chunk->prev;
		copy_frames(source, chunk, chunk->frames + KT_CHUNK_FRAMES);
	}
	/* The chunk that was taken first is the lowest. */
	to->first = chunk->frames;
}

static struct kt_stack *find_own(struct kt_session *session)
{
	struct kt_stack *stack;

	hlist_for_each_entry_rcu(stack, &bucket_of(current)->head, node)
		if (stack->task == current && stack->session == session)
			return stack;
	return NULL;
}

bool kt_shadow_has(struct kt_session *session)
{
	return find_own(session);
}

bool kt_shadow_exec(struct kt_session *session)
{
	struct kt_stack *stack = find_own(session);

	if (stack && stack->mm != current->mm)
		adopt_mm(stack);
	return stack;
}

void kt_shadow_fork(struct kt_session *session, struct task_struct *child)
{
	const struct kt_stack *from = find_own(session);
	struct kt_stack *to;

	if (!from || !from->top || from->mm != current->mm)
		return;
	to = alloc_stack();
	if (!to || !take_chunks(to, from->nr_chunks)) {
		this_cpu_inc(session->cpu->counters.lost_pool);
		if (to) {
			put_chunks(to);
			kt_pool_put(&stacks, to);
		}
		return;
	}
	to->session = session;
	to->task = child;
	to->mm = child->mm;
	to->tid = child->pid;
	to->last = kt_clock();
	to->home_start = from->home_start;
	to->home_len = from->home_len;
	to->is_home_known = from->is_home_known;
	to->nr_overflown = from->nr_overflown;
	copy_all(from, to);
	link_stack(to);
}

/* Whoever unlinks a stack owns it: its task that ends, or the session's end. */
static bool unlink_stack(struct bucket *bucket, struct kt_stack *stack)
{
	unsigned long flags;
	bool is_ours;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	is_ours = !hlist_unhashed(&stack->node);
	if (is_ours)
		hlist_del_init_rcu(&stack->node);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return is_ours;
}

static void free_stack(struct rcu_head *rcu)
{
	kt_pool_put(&stacks, container_of(rcu, struct kt_stack, rcu));
}

static void end(struct kt_stack *stack, bool has_task_ended)
{
	stack->tree = READ_ONCE(stack->session->tree);
	kt_shadow_unwind_all(stack, kt_clock());
	if (has_task_ended)
		kt_hit_task_exit(stack);
	/* A CPU may remember it: it is nobody's from here on. */
	stack->task = NULL;
	put_chunks(stack);
	/* Others may be walking over it in their bucket. */
	call_rcu(&stack->rcu, free_stack);
}

void kt_shadow_task_exit(void)
{
	struct bucket *bucket = bucket_of(current);
	struct kt_stack *stack;
	struct hlist_node *next;

	rcu_read_lock();
	for (stack = hlist_entry_safe(rcu_dereference_raw(bucket->head.first),
				      struct kt_stack, node); stack;
	     stack = hlist_entry_safe(next, struct kt_stack, node)) {
		next = rcu_dereference_raw(stack->node.next);
		if (stack->task == current && unlink_stack(bucket, stack))
			end(stack, true);
	}
	rcu_read_unlock();
}

void kt_shadow_drop_session(struct kt_session *session)
{
	struct kt_stack *stack;
	struct bucket *bucket;
	struct hlist_node *next;

	for (bucket = table; bucket < table + ARRAY_SIZE(table); bucket++) {
		preempt_disable();
		rcu_read_lock();
		for (stack = hlist_entry_safe(rcu_dereference_raw(bucket->head.first),
					      struct kt_stack, node); stack;
		     stack = hlist_entry_safe(next, struct kt_stack, node)) {
			next = rcu_dereference_raw(stack->node.next);
			if (stack->session == session && unlink_stack(bucket, stack))
				end(stack, false);
		}
		rcu_read_unlock();
		preempt_enable();
	}
}

void kt_shadow_refill(void)
{
	kt_pool_refill(&stacks);
	kt_pool_refill(&chunks);
}

void kt_shadow_trim(void)
{
	kt_pool_trim(&chunks, 0);
	kt_pool_trim(&stacks, 0);
}

void kt_shadow_init(void)
{
	struct bucket *bucket;

	for (bucket = table; bucket < table + ARRAY_SIZE(table); bucket++) {
		INIT_HLIST_HEAD(&bucket->head);
		raw_spin_lock_init(&bucket->lock);
	}
	kt_pool_init(&stacks, sizeof(struct kt_stack), 8);
	kt_pool_init(&chunks, sizeof(struct kt_chunk), 8);
}

void kt_shadow_exit(void)
{
	rcu_barrier();
	kt_pool_exit(&chunks);
	kt_pool_exit(&stacks);
}
