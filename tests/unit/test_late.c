// SPDX-License-Identifier: GPL-2.0
/*
 * Calls whose ends are noticed at a later hit, in the shadow stack of the module: which times are
 * known, and which are bounds. Each program is a list of hits, with the time between them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "task.h"

#include "core/shadow.h"
#include "core/shadow.c"
#include "core/shadow_fork.c"
#include "core/shadow_jump.c"
#include "core/shadow_local.c"
#include "core/shadow_push.c"
#include "core/shadow_table.c"

enum { MAIN, DIVE, LONGJMP, THROW, CATCH, LEAVE, AFTER, ENDLESS, NR };

/* Stack pointers, and return addresses. */
#define OUTSIDE 1090
#define INSIDE 1080
#define DEEP 1040
#define ELSEWHERE 500

struct counted {
	long calls, total, self;
	long late, at_most, self_at_most;	/* calls that ended late, and bounds */
};

static struct mm_struct mm = { 5000, 6000 };
static struct task_struct task = { &mm };
struct task_struct *current = &task;
static struct kt_session_cpu cpu;
static struct kt_func funcs[NR];
static struct kt_session session = {
	.hot = { .funcs = funcs, .max_depth = KT_MAX_FRAMES, .cpu = &cpu },
};
static unsigned long memory[2000];
static struct kt_shadow *stack;
static struct counted counted[NR];
static u64 now;

/* --- the kernel and the module ---------------------------------------------- */

unsigned long kt_arch_word(unsigned long addr)
{
	return memory[addr];
}

unsigned long kt_arch_ip(void)
{
	return 0;
}

u64 ktime_get_mono_fast_ns(void)
{
	return now;
}

struct vm_area_struct *find_vma(struct mm_struct *of, unsigned long at)
{
	static struct vm_area_struct home = { 1000, 1100, VM_GROWSDOWN, NULL };

	(void)of;
	(void)at;
	return &home;
}

bool thread_group_leader(const struct task_struct *of)
{
	return of;
}

unsigned long kt_arch_thread_top(void)
{
	return 0;
}

bool mmap_read_trylock(struct mm_struct *of)
{
	return of;
}

void kt_pool_init(struct kt_pool *pool, size_t len, u32 low)
{
	(void)low;
	pool->kind = len;
}

void *kt_pool_take(struct kt_pool *pool)
{
	return calloc(1, pool->kind);
}

void *kt_pool_get(struct kt_pool *pool)
{
	return kt_pool_take(pool);
}

void kt_pool_put(struct kt_pool *pool, void *p)
{
	(void)pool;
	free(p);
}

u64 kt_walk_rest(void)
{
	return now;
}

void kt_task_keeper_add(struct kt_task_keeper *keeper)
{
	(void)keeper;
}

static void task_exit(struct kt_shadow *of)
{
	(void)of;
}

static void doubt(struct kt_shadow *of, struct kt_frame *frame, u64 ns)
{
	(void)of;
	if (frame)
		counted[frame->func].self_at_most += ns;
}

/* As in kmod/core/call.c. */
static void count(struct kt_shadow *of, struct kt_frame *frame, u64 end, u8 flags)
{
	struct counted *c = &counted[frame->func];
	bool is_inner = kt_shadow_is_recursive(of, frame->parent, frame->func);
	long duration = is_inner ? 0 : end - frame->start;
	bool is_late = flags & KTRACE_REC_F_AT_MOST;

	c->calls++;
	c->late += is_late;
	*(is_late ? &c->at_most : &c->total) += duration;
	*(is_late ? &c->self_at_most : &c->self) += frame->self;
}

static const struct kt_shadow_user user = { .end = count, .doubt = doubt, .task_exit = task_exit };

/* --- hits --------------------------------------------------------------------- */

static void charge(void)
{
	stack->charged = now - stack->last;
	if (stack->current_frame)
		stack->current_frame->self += stack->charged;
	stack->last = now;
}

static void enter(u32 func, unsigned long sp, unsigned long ret)
{
	struct kt_frame *frame;

	if (!stack)
		stack = kt_shadow_find(&session);
	assert_non_null(stack);
	memory[sp] = ret;
	charge();
	frame = kt_shadow_push(&session, stack, func, sp, now);
	assert_non_null(frame);
	if (funcs[func].desc.ret == KTRACE_RETURN_UNSEEN &&
	    !(funcs[func].desc.traits & KTRACE_TRAIT_ENDLESS))
		kt_shadow_leave(stack, frame);
}

static void leave(u32 func, unsigned long sp)
{
	struct kt_frame *frame;

	charge();
	frame = kt_shadow_returning(stack, func, sp);
	if (frame) {
		count(stack, frame, now, 0);
		kt_shadow_drop(stack, frame);
		return;
	}
	frame = kt_shadow_uncover(stack, func, sp, now);
	assert_non_null(frame);
	count(stack, frame, now, kt_shadow_doubt(frame));
	kt_shadow_return(stack, frame, now);
}

/* A call of func that returns after 1 ns. */
static void call(u32 func, unsigned long sp, unsigned long ret)
{
	enter(func, sp, ret);
	now++;
	leave(func, sp);
}

/* Four calls of 20 ns, one inside the other. */
static void dive(void)
{
	int i;

	enter(MAIN, OUTSIDE, 1);
	now++;
	for (i = 0; i < 4; i++, now += 5)
		enter(DIVE, INSIDE - 8 * i, 10 + !!i);
}

static void check(u32 func, struct counted want)
{
	const struct counted *is = &counted[func];

	assert_int_equal(is->calls, want.calls);
	assert_int_equal(is->total, want.total);
	assert_int_equal(is->self, want.self);
	assert_int_equal(is->late, want.late);
	assert_int_equal(is->at_most, want.at_most);
	assert_int_equal(is->self_at_most, want.self_at_most);
}

static void end(void)
{
	leave(MAIN, OUTSIDE);
	assert_null(stack->top);
}

static int begin(void **state)
{
	(void)state;
	memset(counted, 0, sizeof(counted));
	return 0;
}

/* --- programs ------------------------------------------------------------------ */

/* main goes on for 20 ns before its next call: they are its own, or the innermost call's. */
static void test_longjmp_without_probe(void **state)
{
	(void)state;
	dive();
	now += 20;
	call(AFTER, INSIDE, 20);
	end();
	check(DIVE, (struct counted){ 4, 0, 0, 4, 40, 40 });
	check(MAIN, (struct counted){ 1, 42, 1, 0, 0, 25 });
}

static void test_longjmp(void **state)
{
	(void)state;
	dive();
	enter(LONGJMP, DEEP, 30);
	now += 20;
	call(AFTER, INSIDE, 20);
	end();
	check(DIVE, (struct counted){ 4, 20, 20, 0, 0, 0 });
	check(LONGJMP, (struct counted){ 1, 0, 0, 0, 0, 0 });
	check(MAIN, (struct counted){ 1, 42, 21, 0, 0, 0 });
}

static void test_longjmp_before_the_return(void **state)
{
	(void)state;
	dive();
	enter(LONGJMP, DEEP, 30);
	now += 20;
	end();
	check(DIVE, (struct counted){ 4, 20, 20, 0, 0, 0 });
	check(MAIN, (struct counted){ 1, 41, 21, 0, 0, 0 });
}

static void test_exception(void **state)
{
	(void)state;
	dive();
	enter(THROW, DEEP, 30);
	now += 3;
	call(CATCH, INSIDE, 20);
	now += 20;
	call(AFTER, INSIDE, 21);
	end();
	check(DIVE, (struct counted){ 4, 23, 20, 0, 0, 0 });
	check(THROW, (struct counted){ 1, 3, 3, 0, 0, 0 });
	check(MAIN, (struct counted){ 1, 46, 21, 0, 0, 0 });
}

static void test_exception_whose_catch_has_no_probe(void **state)
{
	(void)state;
	dive();
	enter(THROW, DEEP, 30);
	now += 23;
	call(AFTER, INSIDE, 20);
	end();
	check(DIVE, (struct counted){ 4, 0, 0, 4, 43, 43 });
	check(THROW, (struct counted){ 1, 0, 0, 1, 23, 23 });
	check(MAIN, (struct counted){ 1, 45, 1, 0, 0, 23 });
}

/* The target of the jump returns unseen, and main idles for 20 ns. */
static void test_jump_without_return(void **state)
{
	(void)state;
	enter(MAIN, OUTSIDE, 1);
	now++;
	enter(LEAVE, INSIDE, 10);
	now += 5;
	charge();
	assert_true(kt_shadow_jump_out(stack, LEAVE, INSIDE, 7777, false, now));
	now += 20;
	call(AFTER, INSIDE, 11);
	end();
	check(LEAVE, (struct counted){ 1, 0, 0, 1, 25, 25 });
	check(MAIN, (struct counted){ 1, 27, 1, 0, 0, 20 });
}

/*
 * A coroutine runs for 10 ns, main's callee for 20, without a hit at the switch between them. Then
 * the callee ends, the coroutine goes on for 5 ns, again without a hit at the switch, and ends.
 */
static void test_switch_without_hit(void **state)
{
	(void)state;
	enter(MAIN, OUTSIDE, 1);
	now++;
	enter(DIVE, INSIDE, 10);
	now += 2;
	enter(AFTER, ELSEWHERE, 500);
	now += 10 + 20;
	leave(DIVE, INSIDE);
	now += 5;
	leave(AFTER, ELSEWHERE);
	end();
	check(DIVE, (struct counted){ 1, 32, 2, 0, 0, 30 });
	check(AFTER, (struct counted){ 1, 35, 0, 0, 0, 35 });
	check(MAIN, (struct counted){ 1, 38, 1, 0, 0, 5 });
}

/* A function without an exit runs until its thread is killed; one whose exit is unknown may not. */
static void test_kill(void **state)
{
	(void)state;
	enter(MAIN, OUTSIDE, 1);
	now++;
	enter(ENDLESS, INSIDE, 10);
	now += 20;
	charge();
	kt_shadow_unwind_all(stack, now);
	check(ENDLESS, (struct counted){ 1, 20, 20, 0, 0, 0 });
	check(MAIN, (struct counted){ 1, 21, 1, 0, 0, 0 });
	begin(state);
	enter(MAIN, OUTSIDE, 1);
	now++;
	enter(THROW, INSIDE, 10);
	now += 20;
	charge();
	kt_shadow_unwind_all(stack, now);
	check(THROW, (struct counted){ 1, 0, 0, 1, 20, 20 });
	check(MAIN, (struct counted){ 1, 21, 1, 0, 0, 0 });
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_longjmp_without_probe, begin),
		cmocka_unit_test_setup(test_longjmp, begin),
		cmocka_unit_test_setup(test_longjmp_before_the_return, begin),
		cmocka_unit_test_setup(test_exception, begin),
		cmocka_unit_test_setup(test_exception_whose_catch_has_no_probe, begin),
		cmocka_unit_test_setup(test_jump_without_return, begin),
		cmocka_unit_test_setup(test_switch_without_hit, begin),
		cmocka_unit_test_setup(test_kill, begin),
	};
	u32 func;

	for (func = 0; func < NR; func++)
		funcs[func].desc.ret = KTRACE_RETURN_SITES;
	funcs[LONGJMP].desc.ret = funcs[THROW].desc.ret = funcs[ENDLESS].desc.ret =
		KTRACE_RETURN_UNSEEN;
	funcs[ENDLESS].desc.traits = KTRACE_TRAIT_ENDLESS;
	funcs[LONGJMP].desc.traits = KTRACE_TRAIT_THROWS | KTRACE_TRAIT_LEAPS;
	funcs[THROW].desc.traits = KTRACE_TRAIT_THROWS;
	funcs[CATCH].desc.traits = KTRACE_TRAIT_CATCHES;
	kt_shadow_init(&user);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
