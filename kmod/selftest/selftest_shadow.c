// SPDX-License-Identifier: GPL-2.0
/*
 * The shadow stack of this task, in a session that is not listed. Random calls, returns, jumps out
 * of calls, switches to a second stack, and forks; after each step, the stack must match the
 * reference.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/session.h"
#include "core/shadow.h"
#include "core/shadow_fork.h"
#include "core/shadow_jump.h"
#include "core/shadow_push.h"
#include "core/shadow_table.h"
#include "lib/pool.h"
#include "selftest/selftest_parts.h"

#include "selftest/selftest_ref.h"

#define NR_FUNCS	3
#define NR_STEPS	20000
#define MAX_DEPTH	200	/* more than three chunks */
#define HOME		1	/* value of where */
#define PLACES		2

/* The state of the traced task. */
struct program {
	struct kt_session *session;
	struct kt_ref *ref;
	unsigned long top[PLACES], sp[PLACES];
	int where;
	u64 id;
	u32 seed;
	struct completion done;
};

static u32 selftest_shadow_chance(struct program *p, u32 n)
{
	p->seed = p->seed * 1664525 + 1013904223;
	return (p->seed >> 8) % n;
}

static struct kt_shadow *selftest_shadow_stack_of(struct program *p)
{
	struct kt_shadow *stack;

	kt_pool_refill_all(GFP_KERNEL);
	preempt_disable();
	stack = kt_shadow_find(p->session);
	if (stack)
		stack->is_pinned = true;	/* walks run outside of hits here: no rest */
	preempt_enable();
	return stack;
}

/* Does the frame match call n of the reference? */
static void selftest_shadow_compare(const struct kt_frame *frame, const struct kt_ref *ref, s32 n)
{
	const struct kt_ref_call *c = &ref->call[n];
	u16 flags = frame->flags;

	kt_claim(!(flags & KT_FRAME_CLOSED) == c->is_open);
	if (!c->is_open)
		return;
	kt_claim(frame->sp == c->sp && frame->func == c->func && frame->start == c->id);
	kt_claim(frame->depth == c->depth);
	kt_claim(!(flags & KT_FRAME_HOME) == !c->is_home);
	kt_claim(!(flags & KT_FRAME_RECURSIVE) == !c->is_recursive);
	kt_claim(!frame->parent == (c->parent < 0));
	if (frame->parent)
		kt_claim(frame->parent->start == ref->call[c->parent].id);
}

static void selftest_shadow_check(const struct kt_shadow *stack, const struct kt_ref *ref)
{
	const struct kt_chunk *chunk = stack->chunk;
	const struct kt_frame *frame = stack->top;
	s32 n = ref->nr - 1;

	for (; frame && n >= 0; n--) {
		selftest_shadow_compare(frame, ref, n);
		if (frame-- > chunk->frames)
			continue;
		chunk = chunk->prev;
		frame = chunk ? &chunk->frames[KT_CHUNK_FRAMES - 1] : NULL;
	}
	kt_claim(!frame && n < 0);
	kt_claim(!stack->current_frame == (ref->running < 0));
	if (stack->current_frame)
		kt_claim(stack->current_frame->start == ref->call[ref->running].id);
}

static void selftest_shadow_enter(struct program *p, struct kt_shadow *stack, u32 func)
{
	unsigned long sp = p->sp[p->where] -= 8 + 8 * selftest_shadow_chance(p, 3);

	preempt_disable();
	kt_claim(kt_shadow_push(p->session, stack, func, sp, ++p->id));
	preempt_enable();
	kt_ref_enter(p->ref, func, sp, p->where == HOME, p->id, false);
}

/* Does the same as kmod/core/hit.c. */
static bool selftest_shadow_leave(struct kt_shadow *stack, u32 func, unsigned long sp, u64 now)
{
	struct kt_frame *frame = kt_shadow_returning(stack, func, sp);

	if (frame) {
		kt_shadow_drop(stack, frame);
		return true;
	}
	frame = kt_shadow_uncover(stack, func, sp, now);
	if (!frame)
		return kt_shadow_return_lost(stack, sp, now);
	kt_shadow_return(stack, frame, now);
	return true;
}

/* Returns the n-th newest open call on the stack in use, or NULL. */
static const struct kt_ref_call *selftest_shadow_open_call(const struct program *p, u32 n)
{
	bool is_home = p->where == HOME;
	const struct kt_ref_call *c;
	s32 at;

	for (at = p->ref->nr - 1; at >= 0; at--) {
		c = &p->ref->call[at];
		if (c->is_open && c->is_home == is_home && c->sp >= p->sp[p->where] && !n--)
			return c;
	}
	return NULL;
}

/* An open call returns, without returns of the calls inside it. */
static void selftest_shadow_give_back(struct program *p, struct kt_shadow *stack, u32 n)
{
	const struct kt_ref_call *c = selftest_shadow_open_call(p, n);
	unsigned long sp;
	bool is_open;
	u32 func;

	if (!c)
		return;
	func = c->func;
	sp = c->sp;
	p->sp[p->where] = sp + 8;
	preempt_disable();
	is_open = selftest_shadow_leave(stack, func, sp, p->id);
	preempt_enable();
	kt_claim(is_open == kt_ref_return(p->ref, func, sp));
}

static void selftest_shadow_jump_out(struct program *p, u32 n)
{
	const struct kt_ref_call *c = selftest_shadow_open_call(p, n);

	if (c)
		p->sp[p->where] = c->sp;
}

static void selftest_shadow_step(struct program *p, struct kt_shadow *stack)
{
	switch (selftest_shadow_chance(p, 12)) {
	case 0:
		selftest_shadow_jump_out(p, selftest_shadow_chance(p, 4));
		break;
	case 1:
		selftest_shadow_give_back(p, stack, selftest_shadow_chance(p, 3));
		break;
	case 2:
		p->where = selftest_shadow_chance(p, PLACES);
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		selftest_shadow_give_back(p, stack, 0);
		break;
	default:
		if (p->ref->nr < MAX_DEPTH)
			selftest_shadow_enter(p, stack, selftest_shadow_chance(p, NR_FUNCS));
		else
			selftest_shadow_give_back(p, stack, MAX_DEPTH / 4);
	}
}

static void selftest_shadow_run(struct program *p, u32 nr_steps)
{
	struct kt_shadow *stack = selftest_shadow_stack_of(p);

	if (!kt_claim(stack))
		return;
	while (nr_steps-- && !kt_selftest_has_failed()) {
		kt_pool_refill_all(GFP_KERNEL);
		selftest_shadow_step(p, stack);
		selftest_shadow_check(stack, p->ref);
	}
}

/* --- a child -------------------------------------------------------------------- */

static int selftest_shadow_child_main(void *arg)
{
	struct program *p = arg;

	selftest_shadow_run(p, NR_STEPS / 10);
	preempt_disable();
	kt_shadow_task_exit();
	preempt_enable();
	complete(&p->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* The child goes on with a copy of the open calls. The parent's calls must stay unchanged. */
static void selftest_shadow_fork_one(struct program *p)
{
	struct program child = *p;
	struct task_struct *task;

	child.ref = kmemdup(p->ref, sizeof(*p->ref), GFP_KERNEL);
	if (!kt_claim(child.ref))
		return;
	init_completion(&child.done);
	task = kthread_create(selftest_shadow_child_main, &child, "ktrace_child");
	if (kt_claim(!IS_ERR(task))) {
		kt_pool_refill_all(GFP_KERNEL);
		preempt_disable();
		kt_shadow_fork(p->session, task);
		preempt_enable();
		wake_up_process(task);
		wait_for_completion(&child.done);
		kthread_stop(task);
	}
	kfree(child.ref);
}

/* --- the session ------------------------------------------------------------------ */

static u64 selftest_shadow_count_unwound(const struct kt_session *session)
{
	u64 nr = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		nr += per_cpu_ptr(session->hot.cpu, cpu)->counters.unwound;
	return nr;
}

static void selftest_shadow_run_all(struct program *p)
{
	u32 n;

	selftest_shadow_run(p, NR_STEPS);
	kt_claim(selftest_shadow_count_unwound(p->session) == p->ref->nr_unwound);
	for (n = 0; n < 10 && !kt_selftest_has_failed(); n++) {
		selftest_shadow_run(p, NR_STEPS / 10);
		if (p->ref->nr)
			selftest_shadow_fork_one(p);
	}
	selftest_shadow_run(p, NR_STEPS);
	preempt_disable();
	kt_shadow_task_exit();
	kt_claim(!kt_shadow_has(p->session));
	preempt_enable();
}

static bool selftest_shadow_session_init(struct kt_session *session)
{
	session->hot.is_plain = true;
	session->hot.max_depth = KT_MAX_FRAMES;
	session->config.nr_funcs = NR_FUNCS;
	session->hot.funcs = kcalloc(NR_FUNCS, sizeof(*session->hot.funcs), GFP_KERNEL);
	session->hot.cpu = alloc_percpu(struct kt_session_cpu);
	return session->hot.funcs && session->hot.cpu;
}

static void selftest_shadow_session_free(struct kt_session *session)
{
	free_percpu(session->hot.cpu);
	kfree(session->hot.funcs);
	kfree(session);
}

/* Process context, in the user task that loads the module: it has an mm. */
int kt_selftest_shadow(void)
{
	struct program p = { .where = HOME, .seed = 1 };

	p.session = kzalloc(sizeof(*p.session), GFP_KERNEL);
	if (!kt_claim(p.session && current->mm))
		return 0;
	p.ref = kzalloc(sizeof(*p.ref), GFP_KERNEL);
	p.top[HOME] = current->mm->start_stack - PAGE_SIZE;
	p.top[!HOME] = PAGE_SIZE * 64;
	memcpy(p.sp, p.top, sizeof(p.sp));
	if (kt_claim(selftest_shadow_session_init(p.session) && p.ref)) {
		p.ref->running = -1;
		selftest_shadow_run_all(&p);
	}
	rcu_barrier();
	kt_pool_trim_all(0);
	kfree(p.ref);
	selftest_shadow_session_free(p.session);
	return 2;
}
