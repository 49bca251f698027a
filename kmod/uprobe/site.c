// SPDX-License-Identifier: GPL-2.0
/*
 * Sites: the places in files where a session has its probes.
 *
 * The kernel has one breakpoint per (inode, offset), and calls the filter of each consumer. Every
 * session has consumers of its own, since a filter that sessions share could not be widened later:
 * uprobe_apply() is not exported. Within a session there is one site per place, even if the place
 * is both an entry and an exit.
 */
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "compat/uprobe.h"
#include "core/caller.h"
#include "core/costs.h"
#include "core/filter.h"
#include "core/hit.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/value.h"
#include "lib/arch.h"
#include "lib/user_mem.h"
#include "uprobe/batch.h"
#include "uprobe/hold.h"
#include "uprobe/site.h"

/* --- hits: task context, may sleep ------------------------------------- */

static struct kt_site *site_of(struct uprobe_consumer *uc)
{
	return container_of(uc, struct kt_site, uprobe.uc);
}

/* The return address shows which file called. If it cannot be read, the hit is lost. */
static bool site_is_wanted_caller(const struct kt_site *site, unsigned long sp)
{
	struct kt_session *session = site->session;
	unsigned long ip;

	if (likely(kt_user_mem_word(sp, &ip)))
		return kt_caller_is_file(session, site->caller, ip);
	this_cpu_inc(session->hot.cpu->counters.lost_fault);
	return false;
}

/*
 * A tail call by a jump counts, too. Its return address leads to the caller of the jumping
 * function, which may be in another file, or to the kernel's trampoline. This is rare, so it is
 * checked last.
 */
static __always_inline bool is_call_of_caller(const struct kt_site *site, unsigned long sp)
{
	return site_is_wanted_caller(site, sp) || kt_hit_has_jumped(site->session, sp);
}

/* Strings are read before the hit, which does not sleep. */
static noinline void site_hit_with_args(struct kt_site *site, struct pt_regs *regs,
					unsigned long sp)
{
	const struct ktrace_func *desc = &site->session->hot.funcs[site->entry].desc;
	struct kt_values values;

	kt_value_read_args(&values, desc, regs);
	if (desc->ret == KTRACE_RETURN_NONE)
		kt_hit_call(site->session, site->entry, sp, &values);
	else if (desc->ret == KTRACE_RETURN_UNSEEN)
		kt_hit_unseen(site->session, site->entry, sp, &values);
	else
		kt_hit_placed(site->session, site->entry, sp, &values);
}

static void site_hit_call(struct kt_site *site, struct pt_regs *regs, unsigned long sp)
{
	const struct kt_func *func = &site->session->hot.funcs[site->entry];

	if (func->has_args)
		site_hit_with_args(site, regs, sp);
	else if (func->desc.ret == KTRACE_RETURN_UNSEEN)
		kt_hit_unseen(site->session, site->entry, sp, NULL);
	else if (func->desc.flags & KT_FUNC_PLACED)
		kt_hit_placed(site->session, site->entry, sp, NULL);
	else if (func->desc.ret == KTRACE_RETURN_NONE)
		kt_hit_call(site->session, site->entry, sp, NULL);
	else
		kt_hit_entry(site->session, site->entry, sp);
}

/* Returns true if this is a hit. */
static bool site_hit_entry(struct kt_site *site, struct pt_regs *regs, unsigned long sp)
{
	const struct kt_func *func = &site->session->hot.funcs[site->entry];

	if ((func->desc.flags & KTRACE_FUNC_CHECK) && kt_arch_is_jbe_taken(regs))
		return false;
	if ((func->desc.flags & KTRACE_FUNC_CALLER) && !is_call_of_caller(site, sp))
		return false;
	site_hit_call(site, regs, sp);
	if ((func->desc.traits & KTRACE_TRAIT_STEPPED) && site->exit == KT_NO_FUNC)
		kt_hit_cost_more(site->session, site->session->hot.stepped_more);
	return true;
}

static noinline int site_hit_result(struct kt_session *session, u32 func, unsigned long sp,
				    struct pt_regs *regs)
{
	struct kt_values values;

	kt_value_read_result(&values, &session->hot.funcs[func].desc, regs);
	return kt_hit_result(session, func, sp, &values);
}

/*
 * Returns true if a jump to an import may lead to the dynamic linker. Until the linker has resolved
 * the import, its slot points to a stub in the same file. A resolved slot points into this file,
 * too, if the file itself defines the function.
 */
static bool site_is_to_linker(const struct kt_site *site, const struct pt_regs *regs,
			      unsigned long target)
{
	return site->desc.kind == KTRACE_EXIT_JMP_PLT &&
	       target - (regs->ip - site->offset) < (unsigned long)i_size_read(site->inode);
}

/* Returns true if this is a hit. */
static bool site_hit_exit(struct kt_site *site, struct pt_regs *regs, unsigned long sp)
{
	const struct ktrace_func *desc = &site->session->hot.funcs[site->exit].desc;
	unsigned long target = 0;
	int leaves = kt_arch_leaves(&site->desc, desc, regs, &target);

	if (unlikely(leaves < 0)) {
		this_cpu_inc(site->session->hot.cpu->counters.lost_fault);
		return false;
	}
	/* At an exit the return address is at the same place as at the entry. */
	if (!leaves || ((desc->flags & KTRACE_FUNC_CALLER) &&
			!is_call_of_caller(site, sp)))
		return false;
	if (desc->ret == KTRACE_RETURN_SILENT)
		kt_hit_end(site->session, site->exit, sp);
	else if (site_is_to_linker(site, regs, target))
		kt_hit_jump_plt(site->session, site->exit, sp, target);
	else if (site->desc.kind != KTRACE_EXIT_RET)
		kt_hit_jump(site->session, site->exit, sp, target);
	else if (desc->result)
		site_hit_result(site->session, site->exit, sp, regs);
	else
		kt_hit_return(site->session, site->exit, sp);
	return true;
}

/*
 * Sessions share breakpoints, so the breakpoint of another session may be hit in a process that
 * does not map the file of this one. Sites with a caller, and sessions with a list of processes,
 * do not need this check.
 */
static __always_inline bool is_elsewhere(const struct kt_site *site)
{
	return unlikely(site->may_be_elsewhere) && !kt_caller_has_file(site->session);
}

/* Call this before a hit: checks the filter, and refills the pools that the hit may need. */
static __always_inline bool is_ready(struct kt_session *session)
{
	if (unlikely(!kt_filter_task(session)))
		return false;
	kt_refill(GFP_KERNEL);
	return true;
}

static enum kt_cost site_kind_of(const struct kt_site *site)
{
	if (site->entry == KT_NO_FUNC)
		return KT_COST_RETURN;
	return site->session->hot.funcs[site->entry].desc.traits & KTRACE_TRAIT_STEPPED ?
	       KT_COST_STEPPED : KT_COST_ENTRY;
}

/*
 * A task that the session does not trace removes the breakpoint from its memory, unless a traced
 * task uses the same memory, or this task may meet the conditions later. Then its hit counts as
 * excluded.
 */
static noinline int site_unwanted(struct kt_site *site)
{
	if (!kt_filter_mm(site->session, current->mm, NULL))
		return UPROBE_HANDLER_REMOVE;
	kt_costs_exclude(site->session, site_kind_of(site),
			 site->entry != KT_NO_FUNC ? site->entry : site->exit);
	return 0;
}

/* A return instruction is emulated for these tasks, too: a single step would cost them more. */
static noinline int site_unwanted_ret(struct kt_site *site, struct pt_regs *regs)
{
	int todo = site_unwanted(site);

	if (!todo && !kt_arch_has_returned(&site->desc, regs))
		kt_arch_return(&site->desc, regs);
	return todo;
}

/* The kernel has seen the return of a task that the conditions exclude. */
static noinline int site_unwanted_return(struct kt_site *site)
{
	kt_costs_exclude(site->session, KT_COST_RETURN, site->entry);
	return 0;
}

/* An instruction that is both entry and exit costs one trap only, whether it leaves or not. */
static void site_hit_both(struct kt_site *site, struct pt_regs *regs, unsigned long sp)
{
	struct kt_session *session = site->session;

	if (!site_hit_entry(site, regs, sp)) {
		site_hit_exit(site, regs, sp);
		return;
	}
	kt_hit_cost_more(session, session->hot.shared_more);
	if (!site_hit_exit(site, regs, sp))
		kt_hit_cost_more(session, -session->hot.shared_more);
}

static KT_UPROBE_HANDLER(site_on_hit, uc, regs)
{
	struct kt_site *site = site_of(uc);
	bool is_ret = site->exit != KT_NO_FUNC && site->desc.kind == KTRACE_EXIT_RET;
	bool has_returned = is_ret && unlikely(kt_arch_has_returned(&site->desc, regs));
	unsigned long sp = user_stack_pointer(regs);

	/* The handler of another session has emulated the ret: use the stack pointer before it. */
	if (has_returned)
		sp -= sizeof(long) + site->desc.disp;
	if (!is_ready(site->session))
		return is_ret ? site_unwanted_ret(site, regs) : site_unwanted(site);
	if (is_elsewhere(site))
		return 0;
	if (site->exit == KT_NO_FUNC)
		site_hit_entry(site, regs, sp);
	else if (site->entry == KT_NO_FUNC)
		site_hit_exit(site, regs, sp);
	else
		site_hit_both(site, regs, sp);
	if (is_ret && !has_returned)
		kt_arch_return(&site->desc, regs);
	return 0;
}

/* The usual sites: a plain entry, and a return instruction. */
static KT_UPROBE_HANDLER(site_on_entry, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!is_ready(site->session))
		return site_unwanted(site);
	return kt_hit_entry(site->session, site->entry, user_stack_pointer(regs));
}

static KT_UPROBE_HANDLER(site_on_stepped_entry, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!is_ready(site->session))
		return site_unwanted(site);
	return kt_hit_stepped(site->session, site->entry, user_stack_pointer(regs));
}

/* For sessions that count only. */
static KT_UPROBE_HANDLER(site_on_count, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!is_ready(site->session))
		return site_unwanted(site);
	if (is_elsewhere(site))
		return 0;
	if (unlikely(site->session->hot.funcs[site->entry].desc.flags & KTRACE_FUNC_CHECK) &&
	    kt_arch_is_jbe_taken(regs))
		return 0;
	if (unlikely(site->caller) && !site_is_wanted_caller(site, user_stack_pointer(regs)))
		return 0;
	return kt_hit_count(site->session, site->entry);
}

enum ret_kind { RET_PLAIN, RET_RESULT, RET_SILENT };

static __always_inline int ret(struct kt_site *site, struct pt_regs *regs, enum ret_kind kind)
{
	unsigned long sp = user_stack_pointer(regs);
	bool has_returned;

	if (!is_ready(site->session))
		return site_unwanted_ret(site, regs);
	if (is_elsewhere(site))
		return 0;
	has_returned = unlikely(kt_arch_has_returned(&site->desc, regs));
	if (has_returned)
		sp -= sizeof(long) + site->desc.disp;
	if (likely(!site->caller) || is_call_of_caller(site, sp)) {
		if (kind == RET_RESULT)
			site_hit_result(site->session, site->exit, sp, regs);
		else if (kind == RET_SILENT)
			kt_hit_end(site->session, site->exit, sp);
		else
			kt_hit_return(site->session, site->exit, sp);
	}
	if (!has_returned)
		kt_arch_return(&site->desc, regs);
	return 0;
}

static KT_UPROBE_HANDLER(site_on_ret, uc, regs)
{
	return ret(site_of(uc), regs, RET_PLAIN);
}

static KT_UPROBE_HANDLER(site_on_ret_result, uc, regs)
{
	return ret(site_of(uc), regs, RET_RESULT);
}

static KT_UPROBE_HANDLER(site_on_silent_ret, uc, regs)
{
	return ret(site_of(uc), regs, RET_SILENT);
}

/* A task that arrives here waits until the watcher has looked at it. */
static KT_UPROBE_HANDLER(site_on_hold, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!kt_filter_task(site->session))
		return site_unwanted(site);
	if (!is_elsewhere(site))
		kt_hold_wait(site->session);
	return 0;
}

static __always_inline int uretprobe(struct kt_site *site, struct pt_regs *regs,
				     bool has_result)
{
	unsigned long sp = user_stack_pointer(regs) - sizeof(long);

	if (!is_ready(site->session))
		return site_unwanted_return(site);
	if (is_elsewhere(site))
		return 0;
	/* The kernel has already set ip to the return address. */
	if (site->caller &&
	    !kt_caller_is_file(site->session, site->caller, instruction_pointer(regs)))
		return 0;
	if (has_result)
		return site_hit_result(site->session, site->entry, sp, regs);
	return kt_hit_return(site->session, site->entry, sp);
}

static KT_URETPROBE_HANDLER(site_on_return, uc, func, regs)
{
	return uretprobe(site_of(uc), regs, false);
}

static KT_URETPROBE_HANDLER(site_on_return_result, uc, func, regs)
{
	return uretprobe(site_of(uc), regs, true);
}

static KT_UPROBE_FILTER(site_is_mm_wanted, uc, mm)
{
	struct kt_site *site = site_of(uc);

	return kt_filter_mm(site->session, mm, site->beside);
}

/* --- which handler ------------------------------------------------------------ */

static bool site_is_plain_entry(const struct kt_site *site)
{
	const struct kt_func *func;

	if (site->entry == KT_NO_FUNC || site->exit != KT_NO_FUNC || site->may_be_elsewhere)
		return false;
	func = &site->session->hot.funcs[site->entry];
	return !func->desc.flags && !func->has_args &&
	       (func->desc.ret == KTRACE_RETURN_SITES ||
		func->desc.ret == KTRACE_RETURN_URETPROBE);
}

static bool site_is_hold(const struct kt_site *site)
{
	return site->entry != KT_NO_FUNC &&
	       (site->session->hot.funcs[site->entry].desc.flags & KTRACE_FUNC_HOLD);
}

static bool site_is_plain_ret(const struct kt_site *site)
{
	return site->entry == KT_NO_FUNC && site->desc.kind == KTRACE_EXIT_RET;
}

static bool site_is_silent(const struct kt_site *site)
{
	return site->entry == KT_NO_FUNC &&
	       site->session->hot.funcs[site->exit].desc.ret == KTRACE_RETURN_SILENT;
}

void kt_site_init_uprobe(struct kt_site *site)
{
	const struct kt_func *funcs = site->session->hot.funcs;
	struct uprobe_consumer *uc = &site->uprobe.uc;

	memset(&site->uprobe, 0, sizeof(site->uprobe));
	if (site_is_hold(site))
		uc->handler = site_on_hold;
	else if (site->session->hot.sinks & KTRACE_SINK_COUNT)
		uc->handler = site_on_count;
	else if (site_is_plain_entry(site))
		uc->handler = funcs[site->entry].desc.traits & KTRACE_TRAIT_STEPPED ?
			      site_on_stepped_entry : site_on_entry;
	else if (site_is_silent(site))
		uc->handler = site_on_silent_ret;
	else if (site_is_plain_ret(site))
		uc->handler = funcs[site->exit].desc.result ? site_on_ret_result : site_on_ret;
	else
		uc->handler = site_on_hit;
	uc->filter = site_is_mm_wanted;
	if (site->entry != KT_NO_FUNC && funcs[site->entry].desc.ret == KTRACE_RETURN_URETPROBE)
		uc->ret_handler = funcs[site->entry].desc.result ? site_on_return_result :
								   site_on_return;
}
