// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/core/shadow*.c with every program of a few steps. A program has its own stack and two others
 * (a coroutine's, a signal handler's). At each step it may call, return, jump out of calls, switch
 * to another stack or leave one for good, fork, execute, or end a function with a jump to another
 * one, which is seen or not, and so is its return. In other programs jumps have no probe; then the
 * target of a jump is seen, and never jumps back. Chunks have two frames, a stack at most three
 * chunks, and the pool may be empty.
 *
 * After each step the shadow stack is compared with the reference, a list of calls
 * (kmod/selftest/selftest_ref.h), and with the truth: an open call is never taken for one that was
 * left, and its return finds this call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "task.h"

#define KT_REF_CALLS	8
#include "core/shadow.h"
#include "selftest/selftest_ref.h"
#include "core/shadow.c"
#include "core/shadow_fork.c"
#include "core/shadow_jump.c"
#include "core/shadow_local.c"
#include "core/shadow_push.c"
#include "core/shadow_table.c"

#define NR_STACKS	3
#define HOME		0
#define NR_FUNCS	2
#define MAX_CALLS	6	/* per stack */
#define NR_CHUNKS	7
#define MAX_IDS		32

enum op {
	OP_CALL,			/* either function, directly below or with a gap */
	OP_RETURN = OP_CALL + 2 * NR_FUNCS,
	OP_JUMP,			/* out of one call, or two */
	OP_GO = OP_JUMP + 2,		/* to another stack */
	OP_ABANDON = OP_GO + NR_STACKS,	/* leave a stack with all its calls, for home */
	OP_FORK,
	OP_EXEC,
	OP_TAIL,			/* end with a jump to either function */
	OP_AWAY = OP_TAIL + NR_FUNCS,	/* the same, to a function that is not seen */
	NR_OPS
};

#define CALLS		(0xfU << OP_CALL)
#define CALLS_OF_ONE	(0x5U << OP_CALL)
#define RETURNS		(1U << OP_RETURN)
#define JUMPS		(3U << OP_JUMP)
#define STACKS		(0xfU << OP_GO)
#define FORKS		(1U << OP_FORK)
#define TAILS		(7U << OP_TAIL)
#define ALL		((1U << NR_OPS) - 1)

struct run {
	const char *name;
	u32 ops;
	u8 where;		/* stack of the first step */
	u8 nr_steps, more_steps;	/* more_steps are added with "deep" */
	bool is_unprobed;	/* jumps have no probe; they lead from the first function to the second */
	bool is_thread;		/* not the main thread */
	bool is_homeless;	/* its control block is not found */
	bool has_signals;	/* the second stack is that of signal handlers */
};

struct call {
	u64 id;
	unsigned long sp;
	u32 func;
	u32 ids;		/* identities of all calls that end with it */
	bool is_known;		/* it was not refused for lack of room */
	bool is_away;		/* it has jumped to a function that is not seen */
};

/* The state of the program, the reference, and the memory of its shadow stack. */
static struct {
	struct call call[NR_STACKS][MAX_CALLS];
	u8 nr[NR_STACKS];
	u8 where;
	u8 nr_steps, nr_forks, nr_execs, nr_refusals;
	u32 nr_overflown;
	struct kt_ref ref, of_parent;
	u32 live, of_parents;		/* bits of identities */
	u32 closed, unwound, killed, marked;	/* by the last step; marked: with any mark */
	u8 word[NR_STACKS][100];	/* memory: the call at each place, 0: other data */
	unsigned long ip;
	bool is_turn;			/* the current call is made by a jump ... */
	bool is_turn_unseen;		/* ... of a function that is not seen */
	struct kt_shadow stack[2];
	struct kt_chunk chunk[NR_CHUNKS];
	u32 stacks_used, chunks_used;
	u32 nr_rests;			/* of the last step */
	int task;
} w;

static const struct run *now_running;
static struct mm_struct old_mm = { 5000, 6000, 1095 }, new_mm = { 5000, 6000, 1095 };
static struct task_struct tasks[2];
struct task_struct *current = &tasks[0];
static struct kt_session_cpu cpu;
static struct kt_func funcs[NR_FUNCS] = {
	{ .desc = { .ret = KTRACE_RETURN_SITES } }, { .desc = { .ret = KTRACE_RETURN_SITES } }
};
static struct kt_session session = {
	.hot = { .funcs = funcs, .max_depth = KT_MAX_FRAMES, .cpu = &cpu },
};
__thread int kt_shim_cpu;
long kt_shim_pages, kt_shim_fail_after = -1;

/* --- the kernel ------------------------------------------------------------ */

void kt_shim_step(void)
{
}

u64 ktime_get_mono_fast_ns(void)
{
	return 0;
}

static unsigned long base_of(int where)
{
	return 1000 * (where + 1) + 90;
}

/* Each caller calls a function from one place. */
unsigned long kt_arch_word(unsigned long addr)
{
	return w.word[addr / 1000 - 1][addr % 1000];
}

unsigned long kt_arch_ip(void)
{
	return w.ip;
}

#define SOMEWHERE 50

static unsigned long place_of(u32 func)
{
	return 100 + func;
}

/*
 * The stack of the main thread is a mapping of its own. That of a thread is one mapping with the
 * two others, which are above it.
 */
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long at)
{
	static struct vm_area_struct main = { 1000, 1100, VM_GROWSDOWN, NULL };
	static struct vm_area_struct thread = { 1000, 4000, VM_READ | VM_WRITE, NULL };

	(void)mm;
	(void)at;
	return now_running->is_thread ? &thread : &main;
}

bool thread_group_leader(const struct task_struct *task)
{
	(void)task;
	return !now_running->is_thread;
}

unsigned long kt_arch_thread_top(void)
{
	return now_running->is_homeless ? 0 : 1100;
}

/* If it fails, the shadow stack looks again later, when no call is open. */
bool mmap_read_trylock(struct mm_struct *mm)
{
	return mm && (w.nr_refusals || !(w.nr_refusals += explore_step(3)));
}

void kt_pool_init(struct kt_pool *pool, size_t len, u32 low)
{
	(void)low;
	pool->kind = len == sizeof(struct kt_chunk);
}

void *kt_pool_take(struct kt_pool *pool)
{
	u32 *used = pool->kind ? &w.chunks_used : &w.stacks_used;
	int n = __builtin_ctz(~*used);

	if (pool->kind ? n >= NR_CHUNKS : n >= 2)
		return NULL;
	if (!w.nr_refusals && explore_step(3)) {
		w.nr_refusals = 1;
		return NULL;
	}
	*used |= 1U << n;
	return pool->kind ? (void *)&w.chunk[n] : (void *)&w.stack[n];
}

void *kt_pool_get(struct kt_pool *pool)
{
	void *p = kt_pool_take(pool);

	return p ? memset(p, 0, pool->kind ? sizeof(w.chunk[0]) : sizeof(w.stack[0])) : NULL;
}

void kt_pool_put(struct kt_pool *pool, void *p)
{
	u32 n = pool->kind ? (struct kt_chunk *)p - w.chunk : (struct kt_shadow *)p - w.stack;
	u32 *used = pool->kind ? &w.chunks_used : &w.stacks_used;

	check(*used & 1U << n);
	*used &= ~(1U << n);
	memset(p, 0xee, pool->kind ? sizeof(w.chunk[0]) : sizeof(w.stack[0]));
}

/* A frame ends: each frame once, and not by a guess if the call is open. */
static void end(struct kt_shadow *stack, struct kt_frame *frame, u64 now, u8 flags)
{
	u32 bit = 1U << frame->start;

	(void)stack;
	(void)now;
	check(!(frame->flags & KT_FRAME_CLOSED));
	check(!(w.closed & bit));
	w.closed |= bit;
	if (flags)
		w.marked |= bit;
	if (flags & KTRACE_REC_F_UNWOUND)
		w.unwound |= bit;
	check(flags & KTRACE_REC_F_KILLED || w.is_turn || !(w.live & bit));
	if (flags & KTRACE_REC_F_KILLED)
		w.killed |= bit;
}

/* No time passes here. */
static void doubt(struct kt_shadow *stack, struct kt_frame *frame, u64 ns)
{
	check(0);
}

u64 kt_walk_rest(void)
{
	w.nr_rests++;
	return 0;
}

void kt_task_keeper_add(struct kt_task_keeper *keeper)
{
}

static void task_exit(struct kt_shadow *stack)
{
	check(!stack->top);
}

static const struct kt_shadow_user user = { .end = end, .doubt = doubt, .task_exit = task_exit };

/* --- the comparison ---------------------------------------------------------- */

static void compare(const struct kt_frame *frame, s32 n)
{
	const struct kt_ref_call *c = &w.ref.call[n];

	check(!(frame->flags & KT_FRAME_CLOSED) == c->is_open);
	check(frame->sp == c->sp && frame->func == c->func && frame->start == c->id);
	check(frame->depth == c->depth);
	check(!(frame->flags & (KT_FRAME_HOME | KT_FRAME_LEFT_HOME)) == !c->is_home);
	if (c->is_open) {
		check(!(frame->flags & KT_FRAME_LEFT) == !c->is_left);
		check(!(frame->flags & KT_FRAME_TAIL) == !c->is_tail);
		check(!(frame->flags & KT_FRAME_JUMPED) == !c->is_tail);
	}
	check(!(frame->flags & KT_FRAME_RECURSIVE) == !c->is_recursive);
	check(!(frame->flags & KT_FRAME_INHERITED) == !(w.of_parents & 1U << c->id));
	check(!(frame->flags & KT_FRAME_HIDDEN));
	check(!frame->parent == (c->parent < 0));
	check(!frame->parent || frame->parent->start == w.ref.call[c->parent].id);
	check(frame->funcs & 1ULL << c->func);
	check(!frame->parent || !(frame->parent->funcs & ~frame->funcs));
}

static u32 seen_open;

static void see_open(struct kt_shadow *stack, struct kt_frame *frame)
{
	(void)stack;
	while (!w.ref.call[seen_open].is_open)
		seen_open++;
	check(frame->start == w.ref.call[seen_open].id);
	seen_open++;
}

/* Checks where the next frame goes. */
static void check_room(const struct kt_shadow *stack, u32 nr_chunks)
{
	const struct kt_frame *top = stack->top;

	check(stack->nr_chunks == nr_chunks);
	check(stack->end == stack->chunk->frames + KT_CHUNK_FRAMES);
	check(!top || !(top->flags & KT_FRAME_CLOSED));
	check(top || stack->next == stack->first);
	check(!top || stack->next == (top + 1 < stack->end ? top + 1 : NULL));
	check(stack->nr_overflown == w.nr_overflown);
}

static void check_stack(struct kt_shadow *stack)
{
	const struct kt_chunk *chunk = stack->chunk;
	const struct kt_frame *frame = stack->top;
	u32 nr_chunks = 1;
	s32 n = w.ref.nr - 1;

	for (; frame && n >= 0; n--) {
		compare(frame, n);
		if (frame-- > chunk->frames)
			continue;
		chunk = chunk->prev;
		frame = chunk ? &chunk->frames[KT_CHUNK_FRAMES - 1] : NULL;
		nr_chunks += !!chunk;
	}
	check(!frame && n < 0);
	check(!chunk || !chunk->prev);
	check_room(stack, nr_chunks);
	check(!stack->current_frame == (w.ref.running < 0));
	check(!stack->current_frame ||
	      stack->current_frame->start == w.ref.call[w.ref.running].id);
	seen_open = 0;
	kt_shadow_for_each(stack, see_open);
	while ((s32)seen_open < w.ref.nr && !w.ref.call[seen_open].is_open)
		seen_open++;
	check((s32)seen_open == w.ref.nr);
}

/* Sets memory that must not be read to the same value in all states. */
static void spoil(struct kt_shadow *stack)
{
	if (stack->next)
		memset(stack->next, 0xee, (char *)stack->end - (char *)stack->next);
	if (stack->spare)
		memset(stack->spare, 0xee, sizeof(*stack->spare));
	stack->chunk->above = NULL;
	stack->nr_steps = KT_WALK_STEPS;
	w.nr_rests = 0;
}

/* --- steps --------------------------------------------------------------------- */

static struct kt_shadow *own(void)
{
	return kt_shadow_find(&session);
}

static u64 new_id(void)
{
	u32 used = w.live;
	s32 n;

	for (n = 0; n < w.ref.nr; n++)
		used |= 1U << w.ref.call[n].id;
	for (n = 0; n < w.of_parent.nr; n++)
		used |= 1U << w.of_parent.call[n].id;
	return __builtin_ctz(~used);
}

/*
 * Whether it is known that the call is made by a jump of the call that was left there. If the
 * jumping function is not seen, a jump to the outermost function looks like the caller's next call.
 */
static bool is_tail(const struct call *c, u32 func)
{
	s32 n = kt_ref_left(&w.ref, c->sp);

	if (!w.is_turn || n < 0)
		return false;
	while (w.ref.call[n].is_tail)
		n = w.ref.call[n].parent;
	return !w.is_turn_unseen || w.ref.call[n].func != func;
}

/* Begins a call at sp: by a jump of the call that was left there, or not. */
static void enter(struct call *c, u32 func)
{
	struct kt_shadow *stack = own();
	struct kt_frame *frame;
	bool is_home;

	c->id = new_id();
	c->func = func;
	c->is_known = false;
	c->is_away = false;
	w.ip = place_of(func);
	if (!stack)
		return;
	frame = kt_shadow_push(&session, stack, func, c->sp, c->id);
	is_home = kt_shadow_is_home(stack, c->sp);
	if (is_tail(c, func))
		kt_ref_enter_tail(&w.ref, func, c->sp, is_home, c->id, !frame);
	else
		kt_ref_enter(&w.ref, func, c->sp, is_home, c->id, !frame);
	/* A call that is taken for one that returned has jumped. */
	check(!now_running->is_unprobed || w.is_turn || !(w.closed & ~w.marked));
	c->ids &= ~w.closed;
	w.live &= ~w.closed;
	c->is_known = frame;
	if (frame && (funcs[func].desc.flags & KTRACE_FUNC_JUMPS))
		kt_shadow_keep_ret(frame);
	w.nr_overflown += !frame;
	check(frame || w.ref.nr == KT_MAX_FRAMES || w.nr_refusals);
	if (frame) {
		c->ids |= 1U << c->id;
		w.live |= 1U << c->id;
		w.of_parents &= ~(1U << c->id);
	}
}

/* Notes which of the calls that were left have lost their return address by now. */
static void look_at_words(void)
{
	struct kt_ref_call *c;
	s32 n;

	for (n = 0; n < w.ref.nr; n++) {
		c = &w.ref.call[n];
		c->is_over = c->is_left && kt_arch_word(c->sp) != c->ret;
	}
}

static void call(u32 func, int gap)
{
	u8 nr = w.nr[w.where]++;
	struct call *c = &w.call[w.where][nr];
	u8 *word;

	c->sp = (nr ? c[-1].sp : base_of(w.where)) - gap;
	c->ids = 0;
	word = &w.word[w.where][c->sp % 1000];
	word[0] = 1 + func;
	if (gap > 1)
		word[1] = 0;
	look_at_words();
	enter(c, func);
}

/* A jump without a probe is shown by the next hit. */
static void show_jump(const struct call *c)
{
	check(kt_ref_leave(&w.ref, c->func, c->sp) == c->is_known);
	if (c->is_known)
		w.ref.call[w.ref.running].ret = kt_arch_word(c->sp);
}

/* The call jumps out of its function. */
static void leave_by_jump(struct call *c, unsigned long target)
{
	struct kt_shadow *stack = own();
	bool is_found;

	c->is_away = true;
	if (!stack)
		return;
	if (now_running->is_unprobed) {
		if (target != SOMEWHERE)
			show_jump(c);
		return;
	}
	is_found = kt_shadow_jump_out(stack, c->func, c->sp, target, false, 0);
	check(kt_ref_leave(&w.ref, c->func, c->sp) == c->is_known);
	if (c->is_known) {
		check(is_found);
		w.ref.call[w.ref.running].ret = kt_arch_word(c->sp);
		return;
	}
	check(is_found == !!w.nr_overflown);
	w.nr_overflown -= is_found;
}

static void jump(u32 func)
{
	struct call *c = &w.call[w.where][w.nr[w.where] - 1];

	w.is_turn_unseen = c->is_away;
	if (!c->is_away || now_running->is_unprobed)
		leave_by_jump(c, place_of(func));
	w.is_turn = true;
	enter(c, func);
	w.is_turn = false;
}

/* Like kmod/core/hit.c. */
static bool leave(struct kt_shadow *stack, const struct call *c)
{
	struct kt_frame *frame = kt_shadow_returning(stack, c->func, c->sp);

	if (frame && !(frame->flags & KT_FRAME_JUMPED)) {
		end(stack, frame, 0, 0);
		kt_shadow_drop(stack, frame);
		return true;
	}
	frame = kt_shadow_uncover(stack, c->func, c->sp, 0);
	if (!frame)
		return kt_shadow_return_lost(stack, c->sp, 0);
	end(stack, frame, 0, kt_shadow_doubt(frame));
	kt_shadow_return(stack, frame, 0);
	return true;
}

static void give_back(void)
{
	struct call c = w.call[w.where][--w.nr[w.where]];
	struct kt_shadow *stack = own();
	bool is_found;

	w.live &= ~c.ids;
	if (!stack)
		return;
	if (c.is_away) {
		/* The return may be seen without the call; where a jump has no probe, it is. */
		if (now_running->is_unprobed)
			show_jump(&c);
		if (now_running->is_unprobed || explore_step(3)) {
			kt_shadow_return_at(stack, c.sp, 0);
			kt_ref_return_at(&w.ref, c.sp, kt_shadow_is_home(stack, c.sp));
			check(!(c.ids & ~w.closed));
		}
		return;
	}
	is_found = leave(stack, &c);
	check(kt_ref_return(&w.ref, c.func, c.sp) == c.is_known);
	if (c.is_known) {
		check(is_found && !(c.ids & ~w.closed));
		check(!((w.unwound | w.killed) & c.ids));
		return;
	}
	check(is_found == (w.nr_overflown || w.closed));
	w.nr_overflown -= !!w.nr_overflown;
}

static void jump_out(int where, int nr)
{
	while (nr--)
		w.live &= ~w.call[where][--w.nr[where]].ids;
}

/*
 * The end of a stack closes all of its open calls, and nothing else. If it has many chunks, the walk
 * rests at each.
 */
static void check_killed(const struct kt_ref *ref)
{
	u32 open = 0;
	s32 n;

	for (n = 0; n < ref->nr; n++)
		if (ref->call[n].is_open)
			open |= 1U << ref->call[n].id;
	check(w.closed == open && w.killed == open);
	check(__builtin_popcount(open) <= KT_SHADOW_FEW_CHUNKS * KT_CHUNK_FRAMES ||
	      w.nr_rests >= __builtin_popcount(open));
}

static void forget_all(void)
{
	memset(w.nr, 0, sizeof(w.nr));
	w.ref.nr = 0;
	w.ref.running = -1;
	w.live = 0;
	w.nr_overflown = 0;
}

static void run_child(void)
{
	s32 n;

	w.nr_forks++;
	kt_shadow_fork(&session, &tasks[1]);
	if (!(w.stacks_used & 2))
		return;		/* no room, or no open call: the parent continues */
	check(!w.closed);
	w.of_parent = w.ref;
	for (n = 0; n < w.ref.nr; n++)
		w.of_parents |= 1U << w.ref.call[n].id;
	w.task = 1;
}

static void execute(void)
{
	w.nr_execs++;
	tasks[w.task].mm = &new_mm;
	/* The next hit closes deep stacks. */
	if (kt_shadow_exec(&session))
		kt_shadow_find(&session);
	check_killed(&w.ref);
	forget_all();
}

static u32 tails_of(const struct call *c)
{
	if (now_running->is_unprobed)
		return c->func ? 0 : 2;
	return (1U << NR_FUNCS) - 1;
}

static u32 choices(void)
{
	u8 nr = w.nr[w.where];
	u32 bits = 0;
	int n;

	if (nr < MAX_CALLS)
		bits |= ((1U << 2 * NR_FUNCS) - 1) << OP_CALL;
	if (nr)
		bits |= 1U << OP_RETURN | 1U << OP_JUMP;
	if (nr > 1)
		bits |= 1U << (OP_JUMP + 1);
	/* If a call was refused, its place proves less, and a jump there would be in doubt. */
	if (nr && w.call[w.where][nr - 1].is_known)
		bits |= tails_of(&w.call[w.where][nr - 1]) << OP_TAIL;
	if (nr && w.call[w.where][nr - 1].is_known && !w.call[w.where][nr - 1].is_away)
		bits |= (now_running->is_unprobed && w.call[w.where][nr - 1].func ? 0U : 1U) << OP_AWAY;
	for (n = 0; n < NR_STACKS; n++)
		if (n != w.where)
			bits |= 1U << (OP_GO + n);
	if (nr && w.where != HOME)
		bits |= 1U << OP_ABANDON;
	if (w.stacks_used && !w.nr_forks)
		bits |= 1U << OP_FORK;
	if (w.stacks_used && !w.nr_execs)
		bits |= 1U << OP_EXEC;
	return bits & now_running->ops ? bits & now_running->ops : 1U << (OP_GO + w.where);
}

static void take(u32 op)
{
	if (op < OP_RETURN) {
		call(op % NR_FUNCS, 1 + op / NR_FUNCS);
	} else if (op == OP_RETURN) {
		give_back();
	} else if (op < OP_GO) {
		jump_out(w.where, op - OP_JUMP + 1);
	} else if (op < OP_ABANDON) {
		w.where = op - OP_GO;
	} else if (op == OP_ABANDON) {
		jump_out(w.where, w.nr[w.where]);
		w.where = HOME;
	} else if (op == OP_FORK) {
		run_child();
	} else if (op == OP_EXEC) {
		execute();
	} else if (op < OP_AWAY) {
		jump(op - OP_TAIL);
	} else {
		leave_by_jump(&w.call[w.where][w.nr[w.where] - 1], SOMEWHERE);
	}
}

static void program(void)
{
	while (w.nr_steps) {
		w.nr_steps--;
		take(explore_step(choices()));
		current = &tasks[w.task];
		if (w.stacks_used & 1U << w.task) {
			check_stack(&w.stack[w.task]);
			spoil(&w.stack[w.task]);
		}
		w.closed = 0;
		w.unwound = 0;
		w.killed = 0;
		w.marked = 0;
	}
}

/* Child and parent end: all calls are closed, and all memory is freed. */
static void finish(void)
{
	current = &tasks[w.task];
	kt_shadow_task_exit();
	kt_shadow_flush();
	check_killed(&w.ref);
	if (w.task) {
		w.closed = 0;
		w.killed = 0;
		current = &tasks[0];
		kt_shadow_task_exit();
		kt_shadow_flush();
		check_killed(&w.of_parent);
	}
	check(!w.stacks_used && !w.chunks_used);
}

/* --- runs -------------------------------------------------------------------------- */

#define SIGNAL_STACK	2000UL
#define SIGNAL_STACK_LEN 100

static const struct run runs[] = {
	{ "with all there is", ALL, HOME, 5, 1 },
	{ "on three stacks", CALLS_OF_ONE | RETURNS | JUMPS | STACKS, HOME, 7, 1 },
	{ "with a child", CALLS_OF_ONE | RETURNS | JUMPS | FORKS, HOME, 8, 1 },
	{ "on its own stack", CALLS_OF_ONE | RETURNS | JUMPS, HOME, 9, 2 },
	{ "on three stacks, home is not known",
	  CALLS_OF_ONE | RETURNS | STACKS, HOME, 7, 1, false, true, true },
	{ "a thread, from another stack", CALLS_OF_ONE | RETURNS | STACKS, 1, 7, 1, false, true },
	{ "with all there is, from another stack", ALL, 1, 5, 1 },
	{ "on its own stack, a second function", CALLS | RETURNS | JUMPS, HOME, 7, 1 },
	{ "with tail calls", CALLS | RETURNS | TAILS, HOME, 7, 1 },
	{ "with tail calls and jumps", CALLS_OF_ONE | RETURNS | JUMPS | TAILS, HOME, 7, 1 },
	{ "with tail calls that have no probe", CALLS | RETURNS | JUMPS | TAILS, HOME, 6, 1, true },
	{ "with tail calls that have no probe, on three stacks",
	  CALLS_OF_ONE | RETURNS | STACKS | TAILS, HOME, 6, 1, true },
	{ "on three stacks, one for signal handlers",
	  CALLS_OF_ONE | RETURNS | STACKS, HOME, 7, 1, .has_signals = true },
	{ "a thread with a stack for signal handlers",
	  CALLS_OF_ONE | RETURNS | STACKS, HOME, 7, 1, .is_thread = true, .has_signals = true },
	{ "with tail calls on three stacks", CALLS_OF_ONE | RETURNS | STACKS | TAILS, HOME, 6, 1 },
};

static void begin(const struct run *run)
{
	now_running = run;
	funcs[0].desc.flags = run->is_unprobed ? KTRACE_FUNC_JUMPS : 0;
	memset(&w, 0, sizeof(w));
	memset(w.chunk, 0xee, sizeof(w.chunk));
	memset(w.stack, 0xee, sizeof(w.stack));
	w.ref.running = -1;
	w.where = run->where;
	kt_shadow_init(&user);
	current = &tasks[0];
	tasks[0].mm = &old_mm;
	tasks[1].mm = &old_mm;
	if (run->has_signals) {
		w.ref.signal_low = SIGNAL_STACK;
		w.ref.signal_len = SIGNAL_STACK_LEN;
	}
	tasks[0].sas_ss_sp = w.ref.signal_low;
	tasks[0].sas_ss_size = w.ref.signal_len;
	explore_keep(&w, sizeof(w));
	explore_keep(tasks, sizeof(tasks));
	explore_keep(table, sizeof(table[0]));
	explore_keep(&ending, sizeof(ending));
	explore_keep(&current, sizeof(current));
}

static bool try(const struct run *run, int nr_steps)
{
	struct explore_test test = { .cpu = { program }, .end = finish };
	struct explore_result result;

	begin(run);
	w.nr_steps = nr_steps;
	if (!explore(&test, &result)) {
		fprintf(stderr, "in: %s\n", run->name);
		return false;
	}
	printf("%-40s %9lu states %6lu ends %9.2g programs of %d steps\n", run->name,
	       (unsigned long)result.nr_states, (unsigned long)result.nr_ends,
	       result.nr_runs, nr_steps);
	fflush(stdout);
	return true;
}

int main(int nr_args, char **args)
{
	bool is_deep = nr_args > 1 && !strcmp(args[1], "deep");
	const struct run *run;

	for (run = runs; run < runs + sizeof(runs) / sizeof(*run); run++)
		if (!try(run, run->nr_steps + (is_deep ? run->more_steps : 0)))
			return 1;
	return 0;
}
