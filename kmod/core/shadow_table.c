// SPDX-License-Identifier: GPL-2.0
/*
 * The table of shadow stacks: finds the stack of a task in a session, and ends stacks when the
 * task executes a program or ends, or when the session ends.
 */
#include <linux/hash.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "core/hit.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_parts.h"
#include "lib/clock.h"
#include "lib/control.h"
#include "lib/lock.h"
#include "lib/pool.h"
#include "lib/task_keeper.h"

#define TABLE_ORDER 12

struct bucket {
	struct hlist_head head;	/* readers RCU */
	raw_spinlock_t lock;	/* guards changes of head */
};

static struct bucket table[1 << TABLE_ORDER];
static LLIST_HEAD(ending);	/* deep stacks for end_work to close */
static struct work_struct end_work;
static struct kt_pool stacks;
struct kt_pool kt_shadow_chunks;

static struct bucket *shadow_table_bucket_of(const struct task_struct *task)
{
	return &table[hash_ptr(task, TABLE_ORDER)];
}

/* Bytes below the top of a main thread's stack in which nothing else is mapped. */
#define STACK_GAP (128UL << 20)

/*
 * Finds the home range, in which the order of addresses is proof. Stacks in heaps or files have no
 * home range. If the mmap lock is taken, the next hit without an open frame tries again.
 */
void kt_shadow_find_home(struct kt_stack *stack, unsigned long sp)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	if (kt_shadow_is_kernels(stack)) {
		stack->home_start = (unsigned long)current->stack;
		stack->home_len = THREAD_SIZE;
		stack->is_home_known = true;
		return;
	}
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

struct kt_stack *kt_shadow_alloc(void)
{
	struct kt_stack *stack = kt_pool_get(&stacks);
	struct kt_chunk *chunk;

	if (!stack)
		return NULL;
	chunk = kt_pool_take(&kt_shadow_chunks);
	if (!chunk) {
		kt_pool_put(&stacks, stack);
		return NULL;
	}
	kt_shadow_use_chunk(stack, chunk);
	stack->first = chunk->frames;
	stack->nr_steps = KT_SHADOW_STEPS;
	return stack;
}

void kt_shadow_put_chunks(struct kt_stack *stack)
{
	struct kt_chunk *chunk;

	while ((chunk = stack->chunk)) {
		stack->chunk = chunk->prev;
		kt_pool_put(&kt_shadow_chunks, chunk);
	}
	if (stack->spare)
		kt_pool_put(&kt_shadow_chunks, stack->spare);
}

void kt_shadow_free(struct kt_stack *stack)
{
	kt_shadow_put_chunks(stack);
	kt_pool_put(&stacks, stack);
}

void kt_shadow_link(struct kt_stack *stack)
{
	struct bucket *bucket = shadow_table_bucket_of(stack->task);
	unsigned long flags;

	flags = kt_lock(&bucket->lock);
	hlist_add_head_rcu(&stack->node, &bucket->head);
	kt_unlock(&bucket->lock, flags);
}

static struct kt_stack *shadow_table_make(struct kt_session *session, unsigned long sp)
{
	struct kt_stack *stack = kt_shadow_alloc();

	if (!stack)
		return NULL;
	stack->session = session;
	stack->task = current;
	stack->mm = current->mm;
	stack->tid = current->pid;
	stack->is_pinned = kt_shadow_is_kernels(stack);
	kt_shadow_find_home(stack, sp);
	kt_shadow_link(stack);
	return stack;
}

/* The program was replaced at stack->last by an exec, and no call was seen since. */
static bool shadow_table_is_replaced(const struct kt_stack *stack)
{
	return !stack->mm && !kt_shadow_is_kernels(stack);
}

/* After an exec, the calls of the old program are gone. Calls of kernel functions stay open. */
static void shadow_table_adopt_mm(struct kt_stack *stack)
{
	if (kt_shadow_is_kernels(stack)) {
		stack->mm = current->mm;
		stack->tid = current->pid;
		return;
	}
	stack->tree = READ_ONCE(stack->session->hot.tree);
	kt_shadow_unwind_all(stack, shadow_table_is_replaced(stack) ? stack->last : kt_clock());
	stack->mm = current->mm;
	stack->tid = current->pid;	/* exec by another thread takes the leader's tid */
	stack->home_start = 0;
	stack->home_len = 0;
	stack->is_home_known = false;	/* the next hit finds it */
	stack->local_len = 0;
	stack->outermost = 0;
}

struct kt_stack kt_shadow_nobodys;

struct kt_stack *kt_shadow_find(struct kt_session *session, unsigned long sp)
{
	struct kt_stack *stack;

	hlist_for_each_entry_rcu(stack, &shadow_table_bucket_of(current)->head, node) {
		if (stack->task != current || stack->session != session)
			continue;
		if (unlikely(stack->mm != current->mm))
			shadow_table_adopt_mm(stack);
		return stack;
	}
	return shadow_table_make(session, sp);
}

struct kt_stack *kt_shadow_own(struct kt_session *session)
{
	struct kt_stack *stack;

	hlist_for_each_entry_rcu(stack, &shadow_table_bucket_of(current)->head, node)
		if (stack->task == current && stack->session == session)
			return stack;
	return NULL;
}

bool kt_shadow_has(struct kt_session *session)
{
	return kt_shadow_own(session);
}

/*
 * The end of the task and the end of the session may run at once. Returns true if this caller has
 * unlinked the stack, and so owns it.
 */
static bool shadow_table_unlink_stack(struct bucket *bucket, struct kt_stack *stack)
{
	unsigned long flags;
	bool is_ours;

	flags = kt_lock(&bucket->lock);
	is_ours = !hlist_unhashed(&stack->node);
	if (is_ours)
		hlist_del_init_rcu(&stack->node);
	kt_unlock(&bucket->lock, flags);
	return is_ours;
}

static void shadow_table_free_stack(struct rcu_head *rcu)
{
	kt_pool_put(&stacks, container_of(rcu, struct kt_stack, rcu));
}

static void shadow_table_end(struct kt_stack *stack)
{
	stack->tree = READ_ONCE(stack->session->hot.tree);
	kt_shadow_unwind_all(stack, stack->last);
	if (stack->has_task_ended)
		kt_hit_task_exit(stack);
	kt_shadow_put_chunks(stack);
	/* Readers may still walk over it in its bucket. */
	call_rcu(&stack->rcu, shadow_table_free_stack);
}

/* Closes and frees deep stacks whose task or session has ended. */
static void shadow_table_end_deep_ones(struct work_struct *work)
{
	struct llist_node *node = llist_del_all(&ending);
	struct kt_stack *stack;

	while (node) {
		stack = llist_entry(node, struct kt_stack, ending);
		node = node->next;
		kt_hit_walk(stack, shadow_table_end);
		cond_resched();
	}
}

/*
 * The stack was unlinked, and preemption is off. A deep stack is closed later, but its calls end
 * now.
 */
static void shadow_table_end_soon(struct kt_stack *stack, bool has_task_ended)
{
	/* A CPU may have it cached: from here on, no task matches it. */
	stack->task = NULL;
	if (!shadow_table_is_replaced(stack))
		stack->last = kt_clock();
	stack->has_task_ended = has_task_ended;
	stack->is_pinned = stack->nr_chunks <= KT_SHADOW_FEW_CHUNKS;
	if (stack->is_pinned) {
		shadow_table_end(stack);
		return;
	}
	if (llist_add(&stack->ending, &ending))
		queue_work(kt_queue, &end_work);
}

bool kt_shadow_exec(struct kt_session *session)
{
	struct kt_stack *stack = kt_shadow_own(session);

	if (!stack || stack->mm == current->mm)
		return stack;
	/* A walk cannot rest here, so the first hit of the new program closes a deep stack. */
	if (stack->nr_chunks > KT_SHADOW_FEW_CHUNKS && !kt_shadow_is_kernels(stack)) {
		stack->mm = NULL;
		stack->last = kt_clock();
		return true;
	}
	stack->is_pinned = true;
	shadow_table_adopt_mm(stack);
	stack->is_pinned = kt_shadow_is_kernels(stack);
	return true;
}

static void shadow_table_end_all_of(const struct task_struct *task, bool has_task_ended)
{
	struct bucket *bucket = shadow_table_bucket_of(task);
	struct kt_stack *stack;
	struct hlist_node *next;

	rcu_read_lock();
	for (stack = hlist_entry_safe(rcu_dereference_raw(bucket->head.first),
				      struct kt_stack, node); stack;
	     stack = hlist_entry_safe(next, struct kt_stack, node)) {
		next = rcu_dereference_raw(stack->node.next);
		if (stack->task == task && shadow_table_unlink_stack(bucket, stack))
			shadow_table_end_soon(stack, has_task_ended);
	}
	rcu_read_unlock();
}

void kt_shadow_task_exit(void)
{
	shadow_table_end_all_of(current, true);
}

static void shadow_table_fork(struct kt_task_keeper *unused, const struct task_struct *child)
{
	shadow_table_end_all_of(child, false);
}

static void shadow_table_exit(struct kt_task_keeper *unused)
{
	kt_shadow_task_exit();
}

static struct kt_task_keeper keeper = {
	.fork = shadow_table_fork, .exit = shadow_table_exit,
};

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
			if (stack->session == session && shadow_table_unlink_stack(bucket, stack))
				shadow_table_end_soon(stack, false);
		}
		rcu_read_unlock();
		preempt_enable();
	}
}

void kt_shadow_flush(void)
{
	flush_work(&end_work);
}

void kt_shadow_trim(void)
{
	kt_pool_trim(&kt_shadow_chunks, 0);
	kt_pool_trim(&stacks, 0);
}

void kt_shadow_init(void)
{
	struct bucket *bucket;

	for (bucket = table; bucket < table + ARRAY_SIZE(table); bucket++) {
		INIT_HLIST_HEAD(&bucket->head);
		raw_spin_lock_init(&bucket->lock);
	}
	INIT_WORK(&end_work, shadow_table_end_deep_ones);
	kt_pool_init(&stacks, sizeof(struct kt_stack), 8);
	kt_pool_init(&kt_shadow_chunks, sizeof(struct kt_chunk), 8);
	kt_pool_share(&stacks);
	kt_pool_share(&kt_shadow_chunks);
	kt_task_keeper_add(&keeper);
}

void kt_shadow_exit(void)
{
	rcu_barrier();
	kt_pool_exit(&kt_shadow_chunks);
	kt_pool_exit(&stacks);
}
