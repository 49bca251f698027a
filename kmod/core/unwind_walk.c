// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of a program by tables for unwinding. Code that no table knows is left by its frame
 * pointer, which may omit callers, and is marked. A stack must end further up with each frame;
 * only the return from a signal handler may change to another stack.
 */
#include <linux/sched.h>

#include <asm/ptrace.h>

#include "compat/program.h"
#include "core/frame_pointers.h"
#include "core/unwind_maps.h"
#include "core/unwind_step.h"
#include "core/unwind_walk.h"

struct unwind_walk {
	struct kt_unwind_regs regs;
	const struct kt_unwind_map *map;
	const struct kt_unwind_range *last;	/* of the last address that was found, or NULL */
};

/* Page faults are disabled. A copy takes more instructions than reads of words. */
static __always_inline bool unwind_walk_read(void *arg, u64 addr, void *to, unsigned int len)
{
	const u64 __user *from = (const u64 __user *)(unsigned long)addr;
	u64 *words = to;

	if (addr >= TASK_SIZE_MAX - len)
		return false;
	for (; len >= sizeof(*words); len -= sizeof(*words), words++, from++)
		if (__get_user(*words, from))
			return false;
	return !len || !__copy_from_user_inatomic(words, from, len);
}

static __always_inline const struct ktrace_unwind_rule *unwind_walk_rule(struct unwind_walk *walk)
{
	static const struct ktrace_unwind_rule none = { .cfa = KTRACE_UNWIND_CFA_NONE };
	u64 addr = kt_unwind_place(&walk->regs);
	const struct kt_unwind_range *range = walk->last;

	if (!range || addr < range->start || addr >= range->end)
		range = kt_unwind_map_find(walk->map, addr);
	if (!range)
		return &none;
	walk->last = range;
	return kt_unwind_table_find(&range->file->table, addr + range->delta);
}

#define MOST_ARGS (1U << 20)	/* of a program */

/*
 * Is this the first code of a program? That of the loader has no rule. rbp is 0 there, and argc and
 * argv[0] are at the stack pointer.
 */
static bool unwind_walk_is_start(const struct kt_unwind_regs *regs)
{
	u64 words[2];

	return regs->has_bp && !regs->bp && !(regs->sp % (2 * sizeof(u64))) &&
	       unwind_walk_read(NULL, regs->sp, words, sizeof(words)) &&
	       words[0] <= MOST_ARGS && words[1] > regs->sp;
}

static enum kt_unwind_result unwind_walk_by_rbp(struct kt_unwind_regs *regs)
{
	unsigned long frame[2];

	if (unwind_walk_is_start(regs))
		return KT_UNWIND_END;
	if (!regs->has_bp || !kt_is_frame_pointer(regs->bp, regs->sp))
		return KT_UNWIND_NO_RULE;
	if (!kt_read_frame(frame, regs->bp))
		return KT_UNWIND_UNREADABLE;
	if (!frame[1])
		return KT_UNWIND_END;
	regs->sp = regs->bp + sizeof(frame);
	regs->bp = frame[0];
	regs->ip = frame[1];
	regs->has_bx = false;
	regs->all_at = KT_UNWIND_NOT_ALL;
	regs->is_exact = false;
	return KT_UNWIND_NEXT;
}

static noinline enum kt_unwind_result
unwind_walk_step_unusual(struct kt_unwind_regs *regs, const struct ktrace_unwind_rule *rule,
			 u16 *flags)
{
	enum kt_unwind_result result = kt_unwind_step(regs, rule, unwind_walk_read, NULL);

	if (result == KT_UNWIND_NO_RULE) {
		result = unwind_walk_by_rbp(regs);
		if (result == KT_UNWIND_NEXT)
			*flags |= KTRACE_STACK_USER_FP;
	}
	return result;
}

/* A signal handler may have a stack of its own. The return address may be off the stack already. */
static bool unwind_walk_may_stay(const struct kt_unwind_regs *regs,
				 const struct ktrace_unwind_rule *rule, u64 sp)
{
	return regs->is_exact || (rule->cfa == KTRACE_UNWIND_CFA_RETURN && regs->sp == sp);
}

static __always_inline enum kt_unwind_result unwind_walk_step(struct unwind_walk *walk, u16 *flags)
{
	const struct ktrace_unwind_rule *rule = unwind_walk_rule(walk);
	u64 sp = walk->regs.sp;
	enum kt_unwind_result result;

	if (likely(kt_unwind_is_usual(rule)))
		result = kt_unwind_step_usual(&walk->regs, rule, unwind_walk_read, NULL);
	else
		result = unwind_walk_step_unusual(&walk->regs, rule, flags);
	if (result != KT_UNWIND_NEXT)
		return result;
	/* The stack is damaged, or the program is. */
	if (walk->regs.ip >= TASK_SIZE_MAX ||
	    (walk->regs.sp <= sp && !unwind_walk_may_stay(&walk->regs, rule, sp)))
		return KT_UNWIND_COMPLEX;
	return KT_UNWIND_NEXT;
}

/*
 * A chain of frame pointers ends with 0, also where a goroutine begins. Where a file has a table, 0
 * says nothing.
 */
static bool unwind_walk_has_ended(const struct unwind_walk *walk, u16 flags)
{
	return flags & KTRACE_STACK_USER_FP && walk->regs.has_bp && !walk->regs.bp &&
	       !kt_unwind_map_find(walk->map, kt_unwind_place(&walk->regs));
}

/* An instruction that a signal interrupted gets 1 added: other addresses are behind a call. */
static void unwind_walk_all(struct unwind_walk *walk, struct kt_frames *frames)
{
	enum kt_unwind_result result;

	do
		result = unwind_walk_step(walk, &frames->flags);
	while (result == KT_UNWIND_NEXT &&
	       kt_frames_add_user(frames, walk->regs.ip + walk->regs.is_exact));
	if (result == KT_UNWIND_UNREADABLE)
		frames->flags |= KTRACE_STACK_USER_GONE;
	if ((result == KT_UNWIND_NO_RULE && !unwind_walk_has_ended(walk, frames->flags)) ||
	    result == KT_UNWIND_COMPLEX)
		frames->flags |= KTRACE_STACK_USER_NO_RULE;
}

/* The address after a system call is behind the instruction, maybe the last of a function. */
static bool unwind_walk_is_exact(const struct pt_regs *regs, bool is_interrupted)
{
	return is_interrupted || !kt_is_at_syscall(regs);
}

bool kt_unwind_walk(struct kt_frames *frames, const struct pt_regs *regs, bool is_interrupted)
{
	struct unwind_walk walk = { .map = kt_unwind_maps_get() };
	enum kt_user_regs saved = kt_user_regs_saved(regs, is_interrupted);

	/* unwind_step.c knows the order of registers. */
	BUILD_BUG_ON(offsetof(struct pt_regs, r15) || offsetof(struct pt_regs, r8) != 9 * 8 ||
		     offsetof(struct pt_regs, di) != 14 * 8 ||
		     offsetof(struct pt_regs, sp) != 19 * 8);
	if (!walk.map || saved == KT_USER_REGS_NONE)
		return false;
	walk.regs = (struct kt_unwind_regs){
		.ip = regs->ip, .sp = regs->sp, .bp = regs->bp, .bx = regs->bx,
		.has_bp = saved >= KT_USER_REGS_FRAME, .has_bx = saved == KT_USER_REGS_ALL,
		.first = (const unsigned long *)regs,
		.all_at = saved == KT_USER_REGS_ALL ? KT_UNWIND_FIRST_ALL : KT_UNWIND_NOT_ALL,
		.is_exact = unwind_walk_is_exact(regs, is_interrupted),
	};
	kt_frames_add_user(frames, regs->ip);
	if (!is_interrupted && unwind_walk_rule(&walk)->cfa == KTRACE_UNWIND_CFA_NONE)
		kt_frame_pointers_take_wrapper(frames, regs);
	pagefault_disable();
	unwind_walk_all(&walk, frames);
	pagefault_enable();
	return true;
}
