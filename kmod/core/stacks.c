// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks, each kept once per session. The frames of all stacks are in one array of fixed size. A
 * 64-bit hash of frames, name and program identifies a stack. So a provider can store a stack as
 * one word, which is valid for all sessions.
 *
 * The frames of a program are found by tables (unwind_walk.h), or by its frame pointers.
 */
#include <linux/hardirq.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
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
#include "core/frame_pointers.h"
#include "core/stacks.h"
#include "core/unwind_places.h"
#include "core/unwind_walk.h"
#include "lib/control.h"
#include "lib/lock.h"
#include "lib/mem.h"

#define MAX_STACKS 65536U
#define USUAL_ADDRS 24		/* of a stack; most stacks have fewer */
#define BUCKETS_ORDER 12
#define PROGRAMS 256
#define MOST_LOOKS 64		/* in a bucket, which has 16 stacks if the table is full */

/* A program chooses its stacks, but cannot know the seed: they do not crowd in a bucket. */
static u64 stacks_seed[2] __read_mostly;

/* --- taking ----------------------------------------------------------------- */

struct taken {
	struct kt_frames frames;
	bool is_busy;
};

/* There while sessions have stacks. A module has little room for static per-CPU variables. */
static struct taken __percpu *stacks_taken;
static u32 stacks_nr_takers;	/* sessions with stacks; kt_control */

void kt_stacks_init(void)
{
	get_random_bytes(stacks_seed, sizeof(stacks_seed));
}

static size_t stacks_taken_len(void)
{
	return num_possible_cpus() * sizeof(struct taken);
}

/* The caller holds kt_control. */
static bool stacks_taken_alloc(void)
{
	if (!kt_mem_charge(stacks_taken_len()))
		return false;
	stacks_taken = alloc_percpu(struct taken);
	if (!stacks_taken)
		kt_mem_uncharge(stacks_taken_len());
	return stacks_taken;
}

static bool stacks_taken_get(void)
{
	bool is_there;

	mutex_lock(&kt_control);
	is_there = stacks_nr_takers || stacks_taken_alloc();
	stacks_nr_takers += is_there;
	mutex_unlock(&kt_control);
	return is_there;
}

/* No hit of the session takes a stack any more. */
static void stacks_taken_put(void)
{
	mutex_lock(&kt_control);
	if (!--stacks_nr_takers) {
		free_percpu(stacks_taken);
		kt_mem_uncharge(stacks_taken_len());
	}
	mutex_unlock(&kt_control);
}

/* Where the kernel's frames are taken from: what is not 0, saved first, or from here. */
struct from {
	const struct kt_kernel_frames *saved;
	unsigned long sp;
	struct pt_regs *regs;
};

#define MOST_KERNEL (KTRACE_STACK_FRAMES + KT_STACK_OURS)

static __always_inline u32 save(const struct from *from, unsigned long *to)
{
	if (from->saved) {
		memcpy(to, from->saved->addrs, from->saved->nr * sizeof(*to));
		return from->saved->nr;
	}
	if (from->regs)
		return kt_save_stack_interrupted(from->regs, to, MOST_KERNEL);
	return from->sp ? kt_save_stack_above(from->sp, to, MOST_KERNEL) :
	       kt_save_stack(to, MOST_KERNEL);
}

/* Omits the frames between the event and this function. */
static __always_inline void take_kernel(struct kt_frames *frames, const struct from *from)
{
	unsigned long *addrs = frames->addrs;
	u32 nr = save(from, addrs), first = 0, kept;

	while (first < nr && within_module_core(addrs[first], THIS_MODULE))
		first++;
	kept = min_t(u32, nr - first, KTRACE_STACK_FRAMES);
	if (first)
		memmove(addrs, addrs + first, kept * sizeof(*addrs));
	else if (from->regs)
		frames->flags |= KT_STACK_EXACT;
	frames->nr_kernel = kept;
	if (nr - first > kept || nr == MOST_KERNEL)
		frames->flags |= KTRACE_STACK_KERNEL_CUT;
}

/* Both factors depend on the seed, so a program cannot choose words that lead to equal hashes. */
static __always_inline u64 mix(u64 hash, u64 word)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ stacks_seed[0]) *
				    (word ^ stacks_seed[1]);

	return hash + (u64)product + (u64)(product >> 64);
}

static u64 stacks_hash_of(const struct kt_frames *frames)
{
	u32 nr = frames->nr_kernel + frames->nr_user, i;
	u64 hash, comm[sizeof(frames->comm) / sizeof(u64)];

	/* The same addresses are other functions in another program. */
	memcpy(comm, frames->comm, sizeof(comm));
	hash = mix(comm[0], comm[1]);
	hash = mix(hash, (u64)frames->tgid << 32 | (u64)frames->flags << 16 | frames->nr_kernel);
	hash = mix(hash, frames->tgid ? kt_exec_id() : 0);
	for (i = 0; i < nr; i++)
		hash = mix(hash, frames->addrs[i]);
	return hash;
}

static void stacks_take_name(struct kt_frames *frames)
{
	frames->flags = 0;
	frames->nr_kernel = 0;
	frames->nr_user = 0;
	frames->tgid = 0;
	strscpy_pad(frames->comm, current->comm, sizeof(frames->comm));
}

/* interrupted: the program's registers if it was interrupted in user mode, or NULL. */
static void stacks_take_program(struct kt_frames *frames, const struct pt_regs *interrupted,
				bool by_tables)
{
	const struct pt_regs *regs = interrupted ? interrupted : task_pt_regs(current);

	if (!current->mm || (current->flags & PF_KTHREAD) || !user_64bit_mode((void *)regs))
		return;
	/* An exec has replaced the memory, and not yet the registers. */
	if (!current->mm->start_code) {
		frames->flags |= KTRACE_STACK_USER_GONE;
		return;
	}
	frames->tgid = current->tgid;
	if (by_tables) {
		if (kt_unwind_walk(frames, regs, interrupted))
			return;
		frames->flags |= KTRACE_STACK_USER_FP;
	}
	kt_frame_pointers_take(frames, regs, interrupted);
}

static __always_inline const struct kt_frames *take(const struct from *from, bool by_tables)
{
	struct taken *of = this_cpu_ptr(stacks_taken);
	struct kt_frames *frames = &of->frames;
	const struct pt_regs *program = NULL;

	if (in_nmi() || of->is_busy)
		return NULL;
	WRITE_ONCE(of->is_busy, true);
	stacks_take_name(frames);
	if (from && from->regs && user_mode(from->regs))
		program = from->regs;
	else if (from)
		take_kernel(frames, from);
	stacks_take_program(frames, program, by_tables);
	frames->key = stacks_hash_of(frames);
	frames->key += !frames->key;
	WRITE_ONCE(of->is_busy, false);
	return frames;
}

const struct kt_frames *kt_stacks_take(bool by_tables)
{
	const struct from here = { .regs = NULL };

	return take(&here, by_tables);
}

const struct kt_frames *kt_stacks_take_above(unsigned long sp, bool by_tables)
{
	const struct from from = { .sp = sp };

	return take(&from, by_tables);
}

const struct kt_frames *kt_stacks_take_interrupted(struct pt_regs *regs, bool by_tables)
{
	const struct from from = { .regs = regs };

	return take(&from, by_tables);
}

const struct kt_frames *kt_stacks_take_saved(const struct kt_kernel_frames *kernel,
					     struct pt_regs *regs, bool by_tables)
{
	const struct from from = { .saved = kernel, .regs = regs };

	return take(&from, by_tables);
}

const struct kt_frames *kt_stacks_take_program(bool by_tables)
{
	return take(NULL, by_tables);
}

/* --- keeping ---------------------------------------------------------------- */

struct stack {
	struct hlist_node node;
	u64 key;
	u32 nr;
	u32 first;		/* index into addrs */
	u32 tgid;
	s32 pid;		/* tgid in pid_ns */
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
	u64 *places;		/* of user addresses, at the same indexes; or NULL */
	u32 max;		/* of stacks; fixed, as the next two are */
	u32 max_addrs;
	u64 session;
	struct pid_namespace *pid_ns;
	struct irq_work irq;
	struct delayed_work work;
	unsigned long told;	/* jiffies of the last event */
	u32 programs[PROGRAMS];	/* which have stacks; another one may replace one */
	bool is_urgent;		/* a program has its first stack */
};

/*
 * The listener must read the mappings of a program while it lives. So the first stack of a program
 * is reported soon, but at most once per tick. Others may wait: a listener costs more than a stack.
 */
#define LATER (HZ / 10)

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

	if (xchg(&stacks->is_urgent, false))
		mod_delayed_work(kt_queue, &stacks->work,
				 !time_after(jiffies, READ_ONCE(stacks->told)));
	else
		queue_delayed_work(kt_queue, &stacks->work, LATER);
}

static size_t stacks_len(const struct kt_stacks *stacks)
{
	return stacks->max * sizeof(*stacks->stacks);
}

static size_t stacks_addrs_len(const struct kt_stacks *stacks)
{
	return stacks->max_addrs * sizeof(*stacks->addrs);
}

static size_t stacks_places_len(const struct kt_stacks *stacks)
{
	return stacks->max_addrs * sizeof(*stacks->places);
}

struct kt_stacks *kt_stacks_create(u64 session, u32 max, bool by_tables)
{
	struct kt_stacks *stacks = kt_mem_alloc(sizeof(*stacks));

	if (!stacks)
		return NULL;
	if (!stacks_taken_get()) {
		kt_mem_free(stacks, sizeof(*stacks));
		return NULL;
	}
	raw_spin_lock_init(&stacks->lock);
	stacks->session = session;
	stacks->pid_ns = get_pid_ns(task_active_pid_ns(current));
	stacks->max = clamp(max, 1U, MAX_STACKS);
	stacks->max_addrs = stacks->max * USUAL_ADDRS;
	stacks->told = jiffies - 1;
	init_irq_work(&stacks->irq, stacks_tell_irq);
	INIT_DELAYED_WORK(&stacks->work, stacks_tell_work);
	stacks->stacks = kt_mem_alloc(stacks_len(stacks));
	stacks->addrs = kt_mem_alloc(stacks_addrs_len(stacks));
	stacks->places = by_tables ? kt_mem_alloc(stacks_places_len(stacks)) : NULL;
	if (stacks->stacks && stacks->addrs && (stacks->places || !by_tables))
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
	put_pid_ns(stacks->pid_ns);
	kt_mem_free(stacks->places, stacks_places_len(stacks));
	kt_mem_free(stacks->addrs, stacks_addrs_len(stacks));
	kt_mem_free(stacks->stacks, stacks_len(stacks));
	kt_mem_free(stacks, sizeof(*stacks));
	stacks_taken_put();
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

/* Without the lock, the answer may be late. */
static bool stacks_has_room(const struct kt_stacks *stacks, const struct kt_frames *frames)
{
	return READ_ONCE(stacks->nr) < stacks->max &&
	       READ_ONCE(stacks->nr_addrs) + frames->nr_kernel + frames->nr_user <=
	       stacks->max_addrs;
}

/* The same process is another program after an exec. The caller holds the lock. */
static void stacks_note_program(struct kt_stacks *stacks)
{
	u32 program = hash_64((u64)current->tgid << 32 ^ kt_exec_id(), 32);
	u32 *noted = &stacks->programs[program % PROGRAMS];

	if (*noted != program)
		WRITE_ONCE(stacks->is_urgent, true);
	*noted = program;
}

/* The caller holds the lock. */
static u32 stacks_add(struct kt_stacks *stacks, const struct kt_frames *frames)
{
	u32 nr_addrs = frames->nr_kernel + frames->nr_user;
	struct stack *stack = &stacks->stacks[stacks->nr];

	if (!stacks_has_room(stacks, frames))
		return KT_STACK_NONE;
	stack->key = frames->key;
	stack->nr = stacks->nr++;
	stack->first = stacks->nr_addrs;
	stack->tgid = frames->tgid;
	stack->pid = frames->tgid ? task_tgid_nr_ns(current, stacks->pid_ns) : 0;
	stack->flags = frames->flags;
	stack->nr_kernel = frames->nr_kernel;
	stack->nr_user = frames->nr_user;
	memcpy(stack->comm, frames->comm, sizeof(stack->comm));
	memcpy(stacks->addrs + stack->first, frames->addrs, nr_addrs * sizeof(*frames->addrs));
	if (stacks->places)
		kt_unwind_places_take(frames, stacks->places + stack->first + frames->nr_kernel);
	stacks->nr_addrs += nr_addrs;
	hlist_add_head_rcu(&stack->node, &stacks->buckets[stacks_bucket_of(frames->key)]);
	if (frames->tgid) {
		stacks_note_program(stacks);
		irq_work_queue(&stacks->irq);
	}
	return stack->nr;
}

u32 kt_stacks_keep(struct kt_stacks *stacks, const struct kt_frames *frames)
{
	u32 nr = kt_stacks_find(stacks, frames->key);
	unsigned long flags;

	if (likely(nr != KT_STACK_NONE) || !stacks_has_room(stacks, frames))
		return nr;
	flags = kt_lock(&stacks->lock);
	nr = kt_stacks_find(stacks, frames->key);
	if (nr == KT_STACK_NONE)
		nr = stacks_add(stacks, frames);
	kt_unlock(&stacks->lock, flags);
	return nr;
}

bool kt_stacks_is_numbered_for_current(const struct kt_stacks *stacks)
{
	return task_active_pid_ns(current) == stacks->pid_ns;
}

bool kt_stacks_get(struct kt_stacks *stacks, u32 nr, struct kt_kept *kept)
{
	const struct stack *stack = &stacks->stacks[nr];
	struct kt_frames *frames = &kept->frames;
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
	kept->pid = stack->pid;
	kept->has_places = stacks->places;
	if (stacks->places)
		memcpy(kept->places, stacks->places + stack->first + stack->nr_kernel,
		       stack->nr_user * sizeof(*kept->places));
	return true;
}
