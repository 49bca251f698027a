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
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include "compat/rcu.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_parts.h"
#include "core/shadow_table.h"
#include "core/walk.h"
#include "lib/arch.h"
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

static struct bucket *shadow_table_bucket_of(const struct task_struct *task)
{
	return &table[hash_ptr(task, TABLE_ORDER)];
}

/* Bytes below the top of a main thread's stack in which nothing else is mapped. */
#define STACK_GAP (128UL << 20)

/* Bytes of a thread's stack with no guard below: what thread libraries use by default, or less. */
static unsigned long shadow_table_usual_len(void)
{
	return min(rlimit(RLIMIT_STACK), 8UL << 20);
}

/* Is the mapping below vma inaccessible, like the guard that thread libraries put below a stack? */
static bool shadow_table_has_guard(struct mm_struct *mm, const struct vm_area_struct *vma)
{
	const struct vm_area_struct *below = find_vma(mm, vma->vm_start - 1);

	return below && below->vm_end == vma->vm_start &&
	       !(below->vm_flags & (VM_READ | VM_WRITE | VM_EXEC));
}

static void shadow_table_set_home(struct kt_shadow *stack, unsigned long start, unsigned long end)
{
	stack->home_start = start;
	stack->home_len = end - start;
}

static void shadow_table_find_main(struct kt_shadow *stack, struct mm_struct *mm)
{
	const struct vm_area_struct *vma = find_vma(mm, mm->start_stack);

	if (vma && (vma->vm_flags & VM_GROWSDOWN))
		shadow_table_set_home(stack, min(vma->vm_start, vma->vm_end - STACK_GAP),
				      vma->vm_end);
}

/*
 * The kernel merges a thread's stack with mappings beside it. So it ends at the thread's control
 * block, and begins at its guard.
 */
static void shadow_table_find_thread(struct kt_shadow *stack, struct mm_struct *mm,
				     unsigned long top)
{
	const struct vm_area_struct *vma = find_vma(mm, top - 1);
	unsigned long start;

	if (!vma || vma->vm_start >= top || vma->vm_file ||
	    (vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk))
		return;
	start = vma->vm_start;
	if (!shadow_table_has_guard(mm, vma))
		start = max(start, top - min(top, shadow_table_usual_len()));
	shadow_table_set_home(stack, start, top);
}

/*
 * Finds the home range, in which the order of addresses is proof: the stack that the kernel gave to
 * the main thread, or the thread library to another thread. It does not depend on the stack in use,
 * which may be that of a coroutine or of a signal. Stacks in heaps or files have no home range. If
 * the mmap lock is taken, the next hit without an open frame tries again.
 */
void kt_shadow_find_home(struct kt_shadow *stack)
{
	struct mm_struct *mm = current->mm;
	bool is_main = thread_group_leader(current);
	unsigned long top;

	if (kt_shadow_is_kernels(stack)) {
		shadow_table_set_home(stack, (unsigned long)current->stack,
				      (unsigned long)current->stack + THREAD_SIZE);
		stack->is_home_known = true;
		return;
	}
	top = !mm || is_main ? 0 : kt_arch_thread_top();
	stack->is_home_known = !mm || ((is_main || top) && mmap_read_trylock(mm));
	if (!mm || !stack->is_home_known)
		return;
	if (is_main)
		shadow_table_find_main(stack, mm);
	else
		shadow_table_find_thread(stack, mm, top);
	mmap_read_unlock(mm);
}

struct kt_shadow *kt_shadow_alloc(void)
{
	struct kt_shadow *stack = kt_pool_get(&stacks);
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
	stack->nr_steps = KT_WALK_STEPS;
	return stack;
}

void kt_shadow_free(struct kt_shadow *stack)
{
	kt_shadow_put_chunks(stack);
	kt_pool_put(&stacks, stack);
}

void kt_shadow_link(struct kt_shadow *stack)
{
	struct bucket *bucket = shadow_table_bucket_of(stack->task);
	unsigned long flags;

	flags = kt_lock(&bucket->lock);
	hlist_add_head_rcu(&stack->node, &bucket->head);
	kt_unlock(&bucket->lock, flags);
}

static struct kt_shadow *shadow_table_make(struct kt_session *session)
{
	struct kt_shadow *stack = kt_shadow_alloc();

	if (!stack)
		return NULL;
	stack->session = session;
	stack->task = current;
	stack->mm = current->mm;
	stack->tid = current->pid;
	stack->is_pinned = kt_shadow_is_kernels(stack);
	kt_shadow_find_home(stack);
	kt_shadow_link(stack);
	return stack;
}

/* The program was replaced at stack->last by an exec, and no call was seen since. */
static bool shadow_table_is_replaced(const struct kt_shadow *stack)
{
	return !stack->mm && !kt_shadow_is_kernels(stack);
}

/* The running call ends now, or goes on without hits. */
static void shadow_table_stop(struct kt_shadow *stack)
{
	u64 now = kt_clock();

	if (stack->session->hot.flags & KTRACE_F_ERRORS)
		stack->last = now;
	else
		kt_shadow_charge(stack, now, 0);
}

/* After an exec, the calls of the old program are gone. Calls of kernel functions stay open. */
static void shadow_table_adopt_mm(struct kt_shadow *stack)
{
	if (kt_shadow_is_kernels(stack)) {
		stack->mm = current->mm;
		stack->tid = current->pid;
		return;
	}
	stack->tree = READ_ONCE(stack->session->hot.tree);
	if (!shadow_table_is_replaced(stack))
		shadow_table_stop(stack);
	kt_shadow_unwind_all(stack, stack->last);
	stack->mm = current->mm;
	stack->tid = current->pid;	/* exec by another thread takes the leader's tid */
	stack->home_start = 0;
	stack->home_len = 0;
	stack->is_home_known = false;	/* the next hit finds it */
	stack->local_len = 0;
	stack->outermost = 0;
}

struct kt_shadow *kt_shadow_find(struct kt_session *session)
{
	struct kt_shadow *stack;

	hlist_for_each_entry_rcu(stack, &shadow_table_bucket_of(current)->head, node) {
		if (stack->task != current || stack->session != session)
			continue;
		if (unlikely(stack->mm != current->mm))
			shadow_table_adopt_mm(stack);
		return stack;
	}
	return shadow_table_make(session);
}

struct kt_shadow *kt_shadow_own(struct kt_session *session)
{
	struct kt_shadow *stack;

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
static bool shadow_table_unlink_stack(struct bucket *bucket, struct kt_shadow *stack)
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
	kt_pool_put(&stacks, container_of(rcu, struct kt_shadow, rcu));
}

static void shadow_table_end(struct kt_shadow *stack)
{
	stack->tree = READ_ONCE(stack->session->hot.tree);
	kt_shadow_unwind_all(stack, stack->last);
	if (stack->has_task_ended)
		kt_shadow_user->task_exit(stack);
	kt_shadow_put_chunks(stack);
	if (stack->who)
		put_task_struct(stack->who);
	/* Readers may still walk over it in its bucket. */
	call_rcu(&stack->rcu, shadow_table_free_stack);
}

/* Closes and frees deep stacks whose task or session has ended. */
static void shadow_table_end_deep_ones(struct work_struct *work)
{
	struct llist_node *node = llist_del_all(&ending);
	struct kt_shadow *stack;

	/* The last hit of a task that the kernel has freed may still run. */
	if (node)
		kt_wait_for_hits();
	while (node) {
		stack = llist_entry(node, struct kt_shadow, ending);
		node = node->next;
		kt_walk_begin();
		shadow_table_end(stack);
		kt_walk_end();
		cond_resched();
	}
}

/*
 * Calls that end in a work count in the rows of their task, which is kept until then. The task has
 * not gone: its exit would have unlinked the stack, and the caller is an RCU reader.
 */
static void shadow_table_keep_task(struct kt_shadow *stack)
{
	if (!(stack->session->hot.sinks & KTRACE_SINK_TABLE))
		return;
	get_task_struct(stack->task);
	stack->who = stack->task;
}

enum end { END_BY_EXIT, END_OF_SESSION, END_AFTER_EXIT };

/*
 * The stack was unlinked, and preemption is off. A deep stack is closed later, but its calls end
 * now. END_AFTER_EXIT: the task had hits after its exit, and is no more. Its calls end with the
 * last hit, since the kernel may free a task much later. A hit may have been interrupted, so the
 * calls are closed later, too.
 */
static void shadow_table_end_soon(struct kt_shadow *stack, enum end how)
{
	if (how != END_AFTER_EXIT)
		shadow_table_keep_task(stack);
	/* A CPU may have it cached: from here on, no task matches it. */
	stack->task = NULL;
	if (!shadow_table_is_replaced(stack) && how != END_AFTER_EXIT)
		shadow_table_stop(stack);
	stack->has_task_ended = how == END_BY_EXIT;
	stack->is_cut = how == END_OF_SESSION;
	stack->is_pinned = stack->nr_chunks <= KT_SHADOW_FEW_CHUNKS && how != END_AFTER_EXIT;
	if (stack->is_pinned) {
		shadow_table_end(stack);
		return;
	}
	if (llist_add(&stack->ending, &ending))
		queue_work(kt_queue, &end_work);
}

bool kt_shadow_exec(struct kt_session *session)
{
	struct kt_shadow *stack = kt_shadow_own(session);

	if (!stack || stack->mm == current->mm)
		return stack;
	/* A walk cannot rest here, so the first hit of the new program closes a deep stack. */
	if (stack->nr_chunks > KT_SHADOW_FEW_CHUNKS && !kt_shadow_is_kernels(stack)) {
		stack->mm = NULL;
		shadow_table_stop(stack);
		return true;
	}
	stack->is_pinned = true;
	shadow_table_adopt_mm(stack);
	stack->is_pinned = kt_shadow_is_kernels(stack);
	return true;
}

/* Ends the stacks in bucket of task, or if it is NULL, those of session. Preemption is off. */
static void shadow_table_end_in(struct bucket *bucket, const struct task_struct *task,
				const struct kt_session *session, enum end how)
{
	struct kt_shadow *stack;
	struct hlist_node *next;

	rcu_read_lock();
	for (stack = hlist_entry_safe(rcu_dereference_raw(bucket->head.first),
				      struct kt_shadow, node); stack;
	     stack = hlist_entry_safe(next, struct kt_shadow, node)) {
		next = rcu_dereference_raw(stack->node.next);
		if ((task ? stack->task == task : stack->session == session) &&
		    shadow_table_unlink_stack(bucket, stack))
			shadow_table_end_soon(stack, how);
	}
	rcu_read_unlock();
}

void kt_shadow_task_exit(void)
{
	shadow_table_end_in(shadow_table_bucket_of(current), current, NULL, END_BY_EXIT);
}

static void shadow_table_drop(struct kt_task_keeper *unused, const struct task_struct *task)
{
	shadow_table_end_in(shadow_table_bucket_of(task), task, NULL, END_AFTER_EXIT);
}

static void shadow_table_exit(struct kt_task_keeper *unused)
{
	kt_shadow_task_exit();
}

static struct kt_task_keeper keeper = {
	.drop = shadow_table_drop, .exit = shadow_table_exit,
};

void kt_shadow_drop_session(struct kt_session *session)
{
	struct bucket *bucket;

	for (bucket = table; bucket < table + ARRAY_SIZE(table); bucket++) {
		preempt_disable();
		shadow_table_end_in(bucket, NULL, session, END_OF_SESSION);
		preempt_enable();
		cond_resched();
	}
}

void kt_shadow_flush(void)
{
	flush_work(&end_work);
}

void kt_shadow_init(const struct kt_shadow_user *user)
{
	struct bucket *bucket;

	kt_shadow_user = user;
	for (bucket = table; bucket < table + ARRAY_SIZE(table); bucket++) {
		INIT_HLIST_HEAD(&bucket->head);
		raw_spin_lock_init(&bucket->lock);
	}
	INIT_WORK(&end_work, shadow_table_end_deep_ones);
	kt_pool_init(&stacks, sizeof(struct kt_shadow), 8);
	kt_pool_init(&kt_shadow_chunks, sizeof(struct kt_chunk), 8);
	kt_pool_share(&stacks);
	kt_pool_share(&kt_shadow_chunks);
	kt_task_keeper_add(&keeper);
}
