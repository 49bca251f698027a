// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks, each kept once per session. The frames of all stacks are in one array of fixed size. A
 * 64-bit hash of frames, name and program identifies a stack. So a provider can store a stack as
 * one word, which is valid for all sessions.
 *
 * The frames of a program are found by its frame pointers: rbp points to the rbp of the caller, and
 * the word above is the return address. A value that cannot be a frame pointer ends the stack. The
 * caller of the innermost function may be missing in them (wrapper.h).
 */
#include <linux/hardirq.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <asm/ptrace.h>

#include "compat/program.h"
#include "compat/stack.h"
#include "core/event.h"
#include "core/stacks.h"
#include "core/wrapper.h"
#include "lib/control.h"
#include "lib/lock.h"
#include "lib/mem.h"

#define MAX_STACKS 65536U
#define USUAL_ADDRS 24		/* of a stack; most stacks have fewer */
#define BUCKETS_ORDER 12
#define MOST_LOOKS 64		/* in a bucket, which has 16 stacks if the table is full */

/* A program chooses its stacks, but cannot know the seed: they do not crowd in a bucket. */
static u32 stacks_seed[2] __read_mostly;

void kt_stacks_init(void)
{
	get_random_bytes(stacks_seed, sizeof(stacks_seed));
}

/* --- taking ----------------------------------------------------------------- */

struct taken {
	struct kt_frames frames;
	unsigned long kernel[KTRACE_STACK_FRAMES + 8];	/* with the module's own on top */
	bool is_busy;
};

static DEFINE_PER_CPU(struct taken, taken);

/* Omits the frames between the event and this function. */
static void stacks_take_kernel(struct taken *of, unsigned long sp)
{
	struct kt_frames *frames = &of->frames;
	u32 nr, first = 0, kept;

	nr = sp ? kt_save_stack_above(sp, of->kernel, ARRAY_SIZE(of->kernel)) :
	     kt_save_stack(of->kernel, ARRAY_SIZE(of->kernel));
	while (first < nr && within_module_core(of->kernel[first], THIS_MODULE))
		first++;
	kept = min_t(u32, nr - first, KTRACE_STACK_FRAMES);
	memcpy(frames->addrs, of->kernel + first, kept * sizeof(*frames->addrs));
	frames->nr_kernel = kept;
	if (nr - first > kept || nr == ARRAY_SIZE(of->kernel))
		frames->flags |= KTRACE_STACK_KERNEL_CUT;
}

static bool stacks_add_user(struct kt_frames *frames, unsigned long addr)
{
	if (frames->nr_user == KTRACE_STACK_FRAMES) {
		frames->flags |= KTRACE_STACK_USER_CUT;
		return false;
	}
	frames->addrs[frames->nr_kernel + frames->nr_user++] = addr;
	return true;
}

/* Bytes: a register that is further up from the stack pointer is not a frame pointer. */
#define MOST_STACK (64UL << 20)

static bool stacks_is_frame(unsigned long at, unsigned long floor)
{
	return !(at % sizeof(long)) && at >= floor && at - floor < MOST_STACK;
}

/* The function at ip may have no frame: then rbp leads to the frame of its caller. */
static void stacks_take_first(struct kt_frames *frames, const struct pt_regs *regs,
			      unsigned long floor)
{
	unsigned long returns = 0, caller;

	stacks_add_user(frames, regs->ip);
	if (stacks_is_frame(regs->bp, floor) &&
	    !kt_user_read(&returns, regs->bp + sizeof(returns), sizeof(returns)))
		return;
	caller = kt_wrapper_caller(regs, returns);
	if (caller)
		stacks_add_user(frames, caller);
}

static void stacks_take_user(struct kt_frames *frames, const struct pt_regs *regs)
{
	unsigned long frame[2] = { 0 }, at = regs->bp;	/* rbp, return address */
	unsigned long floor = kt_user_stack_floor(regs);

	stacks_take_first(frames, regs, floor);
	while (stacks_is_frame(at, floor)) {
		if (!kt_user_read(frame, at, sizeof(frame))) {
			frames->flags |= KTRACE_STACK_USER_GONE;
			return;
		}
		if (!frame[1] || frame[1] >= TASK_SIZE_MAX || !stacks_add_user(frames, frame[1]) ||
		    frame[0] <= at)
			return;
		at = frame[0];
	}
}

static u32 stacks_hash_of(const struct kt_frames *frames, u32 start)
{
	u32 nr = frames->nr_kernel + frames->nr_user;

	/* The same addresses are other functions in another program. */
	start = jhash2((const u32 *)frames->comm, sizeof(frames->comm) / sizeof(u32), start);
	start = jhash_3words(frames->tgid, frames->nr_kernel | frames->flags << 16,
			     frames->tgid ? kt_exec_id() : 0, start);
	return jhash2((const u32 *)frames->addrs, nr * sizeof(long) / sizeof(u32), start);
}

static void stacks_take_name(struct kt_frames *frames)
{
	frames->flags = 0;
	frames->nr_kernel = 0;
	frames->nr_user = 0;
	frames->tgid = 0;
	strscpy_pad(frames->comm, current->comm, sizeof(frames->comm));
}

static void stacks_take_program(struct kt_frames *frames)
{
	const struct pt_regs *regs = task_pt_regs(current);

	if (current->mm && !(current->flags & PF_KTHREAD) && user_64bit_mode((void *)regs)) {
		frames->tgid = current->tgid;
		stacks_take_user(frames, regs);
	}
}

static __always_inline const struct kt_frames *take(bool has_kernel, unsigned long sp)
{
	struct taken *of = this_cpu_ptr(&taken);
	struct kt_frames *frames = &of->frames;

	if (in_nmi() || of->is_busy)
		return NULL;
	WRITE_ONCE(of->is_busy, true);
	stacks_take_name(frames);
	if (has_kernel)
		stacks_take_kernel(of, sp);
	stacks_take_program(frames);
	frames->key = (u64)stacks_hash_of(frames, stacks_seed[0]) << 32 |
		      stacks_hash_of(frames, stacks_seed[1]);
	frames->key += !frames->key;
	WRITE_ONCE(of->is_busy, false);
	return frames;
}

const struct kt_frames *kt_stacks_take(void)
{
	return take(true, 0);
}

const struct kt_frames *kt_stacks_take_above(unsigned long sp)
{
	return take(true, sp);
}

const struct kt_frames *kt_stacks_take_program(void)
{
	return take(false, 0);
}

/* --- keeping ---------------------------------------------------------------- */

struct stack {
	struct hlist_node node;
	u64 key;
	u32 nr;
	u32 first;		/* index into addrs */
	u32 tgid;
	u16 flags;
	u8 nr_kernel, nr_user;
	char comm[TASK_COMM_LEN];
};

struct kt_stacks {
	raw_spinlock_t lock;	/* guards the members up to addrs; under scheduler locks, too */
	u32 nr;
	u32 nr_addrs;
	struct hlist_head buckets[1 << BUCKETS_ORDER];	/* readers RCU */
	struct stack *stacks;
	unsigned long *addrs;
	u32 max;		/* of stacks; fixed, as the next two are */
	u32 max_addrs;
	u64 session;
	struct irq_work irq;
	struct delayed_work work;
	unsigned long told;	/* jiffies of the last event */
};

/*
 * The listener must read the mappings of a program while it lives. So new stacks are reported soon,
 * but at most once per tick.
 */
static void stacks_tell_work(struct work_struct *work)
{
	struct kt_stacks *stacks = container_of(work, struct kt_stacks, work.work);
	const struct kt_event event = {
		.session = stacks->session, .what = KTRACE_EVENT_STACKS,
	};

	WRITE_ONCE(stacks->told, jiffies);
	kt_event_tell(&event);
}

static void stacks_tell_irq(struct irq_work *irq)
{
	struct kt_stacks *stacks = container_of(irq, struct kt_stacks, irq);

	queue_delayed_work(kt_queue, &stacks->work, !time_after(jiffies, READ_ONCE(stacks->told)));
}

static size_t stacks_len(const struct kt_stacks *stacks)
{
	return stacks->max * sizeof(*stacks->stacks);
}

static size_t stacks_addrs_len(const struct kt_stacks *stacks)
{
	return stacks->max_addrs * sizeof(*stacks->addrs);
}

struct kt_stacks *kt_stacks_create(u64 session, u32 max)
{
	struct kt_stacks *stacks = kt_mem_alloc(sizeof(*stacks));

	if (!stacks)
		return NULL;
	raw_spin_lock_init(&stacks->lock);
	stacks->session = session;
	stacks->max = clamp(max, 1U, MAX_STACKS);
	stacks->max_addrs = stacks->max * USUAL_ADDRS;
	stacks->told = jiffies - 1;
	init_irq_work(&stacks->irq, stacks_tell_irq);
	INIT_DELAYED_WORK(&stacks->work, stacks_tell_work);
	stacks->stacks = kt_mem_alloc(stacks_len(stacks));
	stacks->addrs = kt_mem_alloc(stacks_addrs_len(stacks));
	if (stacks->stacks && stacks->addrs)
		return stacks;
	kt_stacks_put(stacks);
	return NULL;
}

void kt_stacks_put(struct kt_stacks *stacks)
{
	if (!stacks)
		return;
	irq_work_sync(&stacks->irq);
	cancel_delayed_work_sync(&stacks->work);
	kt_mem_free(stacks->addrs, stacks_addrs_len(stacks));
	kt_mem_free(stacks->stacks, stacks_len(stacks));
	kt_mem_free(stacks, sizeof(*stacks));
}

static u32 stacks_bucket_of(u64 key)
{
	return hash_64(key, BUCKETS_ORDER);
}

/* Stacks are freed only with the whole table. */
u32 kt_stacks_find(const struct kt_stacks *stacks, u64 key)
{
	const struct stack *stack;
	u32 looks = 0;

	hlist_for_each_entry_rcu(stack, &stacks->buckets[stacks_bucket_of(key)], node) {
		if (stack->key == key)
			return stack->nr;
		if (++looks == MOST_LOOKS)
			break;
	}
	return KT_STACK_NONE;
}

/* The caller holds the lock. */
static u32 stacks_add(struct kt_stacks *stacks, const struct kt_frames *frames)
{
	u32 nr_addrs = frames->nr_kernel + frames->nr_user;
	struct stack *stack = &stacks->stacks[stacks->nr];

	if (stacks->nr == stacks->max || stacks->nr_addrs + nr_addrs > stacks->max_addrs)
		return KT_STACK_NONE;
	stack->key = frames->key;
	stack->nr = stacks->nr++;
	stack->first = stacks->nr_addrs;
	stack->tgid = frames->tgid;
	stack->flags = frames->flags;
	stack->nr_kernel = frames->nr_kernel;
	stack->nr_user = frames->nr_user;
	memcpy(stack->comm, frames->comm, sizeof(stack->comm));
	memcpy(stacks->addrs + stack->first, frames->addrs, nr_addrs * sizeof(*frames->addrs));
	stacks->nr_addrs += nr_addrs;
	hlist_add_head_rcu(&stack->node, &stacks->buckets[stacks_bucket_of(frames->key)]);
	if (frames->tgid)
		irq_work_queue(&stacks->irq);
	return stack->nr;
}

u32 kt_stacks_keep(struct kt_stacks *stacks, const struct kt_frames *frames)
{
	u32 nr = kt_stacks_find(stacks, frames->key);
	unsigned long flags;

	if (likely(nr != KT_STACK_NONE) || READ_ONCE(stacks->nr) == stacks->max)
		return nr;
	flags = kt_lock(&stacks->lock);
	nr = kt_stacks_find(stacks, frames->key);
	if (nr == KT_STACK_NONE)
		nr = stacks_add(stacks, frames);
	kt_unlock(&stacks->lock, flags);
	return nr;
}

bool kt_stacks_get(struct kt_stacks *stacks, u32 nr, struct kt_frames *frames)
{
	const struct stack *stack = &stacks->stacks[nr];
	unsigned long flags;
	bool is_there;

	flags = kt_lock(&stacks->lock);
	is_there = nr < stacks->nr;
	kt_unlock(&stacks->lock, flags);
	if (!is_there)
		return false;
	frames->key = stack->key;
	frames->tgid = stack->tgid;
	frames->flags = stack->flags;
	frames->nr_kernel = stack->nr_kernel;
	frames->nr_user = stack->nr_user;
	memcpy(frames->comm, stack->comm, sizeof(frames->comm));
	memcpy(frames->addrs, stacks->addrs + stack->first,
	       (stack->nr_kernel + stack->nr_user) * sizeof(*frames->addrs));
	return true;
}
