// SPDX-License-Identifier: GPL-2.0
/*
 * Sites: the places in files where a session has its probes.
 *
 * The kernel keeps one breakpoint an (inode, offset) and asks each consumer
 * for its own filter, so every session has consumers of its own: a filter
 * shared between sessions could not be widened later, as uprobe_apply() is
 * not exported. Inside a session a place is one site, be it entry and exit.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "caller.h"
#include "compat.h"
#include "filter.h"
#include "hit.h"
#include "hold.h"
#include "mem.h"
#include "session.h"
#include "shadow.h"
#include "site.h"
#include "value.h"

#define NO_FUNC (~0U)

/* Flags on what is shown and what is a call, which a plain entry has none of. */
#define PLACED (KTRACE_FUNC_BELOW | KTRACE_FUNC_NOT_BELOW | KTRACE_FUNC_HIDDEN | \
		KTRACE_FUNC_LOOP)

struct kt_site {
	struct kt_uprobe uprobe;
	struct kt_session *session;
	struct inode *inode;
	struct inode *caller;	/* of an import: the file whose calls count, else NULL */
	u64 offset;
	u32 entry;		/* the function that begins here, or NO_FUNC */
	u32 exit;		/* the one that may end here, or NO_FUNC */
	bool is_planted;
	struct inode *beside;	/* another file: probed only where it is mapped too, else NULL */
	bool may_be_elsewhere;	/* hit where that is not: is_elsewhere() */
	struct ktrace_exit desc;	/* of exit */
};

/* The sites of one commit, by place. */
struct kt_site_set {
	struct list_head node;
	size_t len;
	u32 nr;
	struct kt_site sites[];
};

/* --- hits: task context, may sleep ------------------------------------- */

static struct kt_site *site_of(struct uprobe_consumer *uc)
{
	return container_of(uc, struct kt_site, uprobe.uc);
}

/* The return address tells who called. An unreadable one is a lost hit. */
static bool is_wanted_caller(const struct kt_site *site, unsigned long sp)
{
	struct kt_session *session = site->session;
	unsigned long ip;

	if (likely(!get_user(ip, (unsigned long __user *)sp)))
		return kt_caller_is_file(session, site->caller, ip);
	this_cpu_inc(session->cpu->counters.lost_fault);
	return false;
}

/* Strings are read before the hit, which does not sleep. */
static noinline void hit_with_args(struct kt_site *site, struct pt_regs *regs)
{
	const struct ktrace_func *desc = &site->session->funcs[site->entry].desc;
	unsigned long sp = user_stack_pointer(regs);
	struct kt_values values;

	kt_value_read_args(&values, desc, regs);
	if (desc->ret == KTRACE_RETURN_NONE)
		kt_hit_call(site->session, site->entry, sp, &values);
	else
		kt_hit_placed(site->session, site->entry, sp, &values);
}

static void hit_entry(struct kt_site *site, struct pt_regs *regs)
{
	const struct kt_func *func = &site->session->funcs[site->entry];
	unsigned long sp = user_stack_pointer(regs);

	if ((func->desc.flags & KTRACE_FUNC_CHECK) && kt_arch_is_jbe_taken(regs))
		return;
	if ((func->desc.flags & KTRACE_FUNC_CALLER) && !is_wanted_caller(site, sp))
		return;
	if (func->has_args)
		hit_with_args(site, regs);
	else if (func->desc.flags & PLACED)
		kt_hit_placed(site->session, site->entry, sp, NULL);
	else if (func->desc.ret == KTRACE_RETURN_NONE)
		kt_hit_call(site->session, site->entry, sp, NULL);
	else
		kt_hit_entry(site->session, site->entry, sp);
}

static noinline int hit_result(struct kt_session *session, u32 func, unsigned long sp,
			       struct pt_regs *regs)
{
	struct kt_values values;

	kt_value_read_result(&values, &session->funcs[func].desc, regs);
	return kt_hit_result(session, func, sp, &values);
}

static void hit_exit(struct kt_site *site, struct pt_regs *regs)
{
	const struct ktrace_func *desc = &site->session->funcs[site->exit].desc;
	int leaves = kt_arch_leaves(&site->desc, desc, regs);
	unsigned long sp = user_stack_pointer(regs);

	if (unlikely(leaves < 0)) {
		this_cpu_inc(site->session->cpu->counters.lost_fault);
		return;
	}
	/* At an exit the return address lies where it lay at the entry. */
	if (!leaves || ((desc->flags & KTRACE_FUNC_CALLER) &&
			!is_wanted_caller(site, sp)))
		return;
	/* Where it jumps, the result is that of another function. */
	if (desc->result && site->desc.kind == KTRACE_EXIT_RET)
		hit_result(site->session, site->exit, sp, regs);
	else
		kt_hit_return(site->session, site->exit, sp);
}

/*
 * Breakpoints are shared: another session's may be hit in a process that does not
 * map this one's file. Callers' checks see to that, and so do lists of processes.
 */
static __always_inline bool is_elsewhere(const struct kt_site *site)
{
	return unlikely(site->may_be_elsewhere) && !kt_caller_has_file(site->session);
}

/* Before a hit: is the task wanted, and is there memory for what it may need? */
static __always_inline bool is_ready(struct kt_session *session)
{
	if (unlikely(!kt_filter_task(session)))
		return false;
	kt_hit_refill();
	return true;
}

/*
 * A task that is not wanted takes the breakpoint out of its memory, unless that is
 * also the memory of one that is wanted: a child of vfork runs in its parent's.
 */
static noinline int unwanted(struct kt_session *session)
{
	return kt_filter_mm(session, current->mm, NULL) ? 0 : UPROBE_HANDLER_REMOVE;
}

static KT_UPROBE_HANDLER(on_hit, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!is_ready(site->session))
		return unwanted(site->session);
	if (is_elsewhere(site))
		return 0;
	if (site->entry != NO_FUNC)
		hit_entry(site, regs);
	if (site->exit != NO_FUNC)
		hit_exit(site, regs);
	return 0;
}

/* The usual sites: a plain entry, and a return instruction. */
static KT_UPROBE_HANDLER(on_entry, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!is_ready(site->session))
		return unwanted(site->session);
	return kt_hit_entry(site->session, site->entry, user_stack_pointer(regs));
}

/* Of a session that counts only. */
static KT_UPROBE_HANDLER(on_count, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!is_ready(site->session))
		return unwanted(site->session);
	if (is_elsewhere(site))
		return 0;
	if (unlikely(site->session->funcs[site->entry].desc.flags & KTRACE_FUNC_CHECK) &&
	    kt_arch_is_jbe_taken(regs))
		return 0;
	if (unlikely(site->caller) && !is_wanted_caller(site, user_stack_pointer(regs)))
		return 0;
	return kt_hit_count(site->session, site->entry);
}

static __always_inline int ret(struct kt_site *site, struct pt_regs *regs, bool has_result)
{
	unsigned long sp = user_stack_pointer(regs);
	bool has_returned;

	if (!is_ready(site->session))
		return unwanted(site->session);
	if (is_elsewhere(site))
		return 0;
	has_returned = unlikely(kt_arch_has_returned(&site->desc, regs));
	if (has_returned)
		sp -= sizeof(long) + site->desc.disp;
	if (likely(!site->caller) || is_wanted_caller(site, sp)) {
		if (has_result)
			hit_result(site->session, site->exit, sp, regs);
		else
			kt_hit_return(site->session, site->exit, sp);
	}
	if (!has_returned)
		kt_arch_return(&site->desc, regs);
	return 0;
}

static KT_UPROBE_HANDLER(on_ret, uc, regs)
{
	return ret(site_of(uc), regs, false);
}

static KT_UPROBE_HANDLER(on_ret_result, uc, regs)
{
	return ret(site_of(uc), regs, true);
}

/* Whoever comes here waits until its watcher has looked at it. */
static KT_UPROBE_HANDLER(on_hold, uc, regs)
{
	struct kt_site *site = site_of(uc);

	if (!kt_filter_task(site->session))
		return unwanted(site->session);
	if (!is_elsewhere(site))
		kt_hold_wait(site->session);
	return 0;
}

static __always_inline int uretprobe(struct kt_site *site, struct pt_regs *regs,
				     bool has_result)
{
	unsigned long sp = user_stack_pointer(regs) - sizeof(long);

	if (!is_ready(site->session) || is_elsewhere(site))
		return 0;
	/* The kernel has set ip to the return address by now. */
	if (site->caller &&
	    !kt_caller_is_file(site->session, site->caller, instruction_pointer(regs)))
		return 0;
	if (has_result)
		return hit_result(site->session, site->entry, sp, regs);
	return kt_hit_return(site->session, site->entry, sp);
}

static KT_URETPROBE_HANDLER(on_return, uc, func, regs)
{
	return uretprobe(site_of(uc), regs, false);
}

static KT_URETPROBE_HANDLER(on_return_result, uc, func, regs)
{
	return uretprobe(site_of(uc), regs, true);
}

static KT_UPROBE_FILTER(is_mm_wanted, uc, mm)
{
	struct kt_site *site = site_of(uc);

	return kt_filter_mm(site->session, mm, site->beside);
}

/* --- batches ------------------------------------------------------------ */

/* Who counts only looks at entries, wherever they are. */
static bool is_for_count(const struct ktrace_func *func)
{
	return func->ret == KTRACE_RETURN_NONE && !func->nr_exits;
}

static bool has_good_values(const struct kt_session_config *config,
			    const struct ktrace_func *func)
{
	u32 i;

	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		if (func->args[i] > KTRACE_VALUE_STRING)
			return false;
	if (func->result > KTRACE_VALUE_STRING || func->__pad)
		return false;
	return (config->flags & KTRACE_F_STREAM) ||
	       (!func->result && !kt_value_has_args(func));
}

static bool is_func_good(const struct kt_session_config *config,
			 const struct ktrace_func *func)
{
	return func->func < config->nr_funcs && func->nr_exits <= KTRACE_MAX_EXITS &&
	       func->ret <= KTRACE_RETURN_URETPROBE &&
	       !(func->flags & ~KTRACE_FUNC_ALL) &&
	       !((func->flags & PLACED) && func->ret == KTRACE_RETURN_NONE) &&
	       (!(config->flags & KTRACE_F_COUNT) || is_for_count(func)) &&
	       (!(func->flags & KTRACE_FUNC_HOLD) || func->ret == KTRACE_RETURN_NONE) &&
	       has_good_values(config, func) &&
	       func->start <= func->entry && func->entry < func->end &&
	       func->cold_start <= func->cold_end;
}

static bool is_exit_good(const struct ktrace_exit *exit)
{
	return exit->kind > KTRACE_EXIT_UNSPEC && exit->kind <= KTRACE_EXIT_JMP_MEM &&
	       exit->cc < 16 && exit->base <= KTRACE_REG_NONE &&
	       exit->index <= KTRACE_REG_NONE && !exit->__pad && !exit->__pad2;
}

int kt_batch_check(const struct kt_session_config *config, const void *data, size_t len)
{
	const struct ktrace_func *func;
	const struct ktrace_exit *exit;
	u32 nr_sites = 0, i;

	while (len) {
		func = data;
		if (len < sizeof(*func) || !is_func_good(config, func) ||
		    len - sizeof(*func) < func->nr_exits * sizeof(*exit))
			return -EINVAL;
		exit = (const void *)(func + 1);
		for (i = 0; i < func->nr_exits; i++)
			if (!is_exit_good(&exit[i]))
				return -EINVAL;
		nr_sites += 1 + func->nr_exits;
		data = exit + func->nr_exits;
		len -= sizeof(*func) + func->nr_exits * sizeof(*exit);
	}
	return nr_sites <= KTRACE_MAX_SITES ? 0 : -E2BIG;
}

struct kt_batch *kt_batch_create(struct file *file, const void *data, size_t len)
{
	struct kt_batch *batch = kt_mem_alloc(sizeof(*batch) + len);

	if (!batch)
		return NULL;
	batch->file = get_file(file);
	batch->len = len;
	memcpy(batch->data, data, len);
	return batch;
}

void kt_batch_put(struct kt_batch *batch)
{
	fput(batch->file);
	if (batch->caller)
		fput(batch->caller);
	kt_mem_free(batch, sizeof(*batch) + batch->len);
}

/* --- sites of a commit ---------------------------------------------------- */

const struct ktrace_func *kt_batch_next(const struct kt_batch *batch,
					const struct ktrace_func *func)
{
	const void *next = batch->data;

	if (func)
		next = (const struct ktrace_exit *)(func + 1) + func->nr_exits;
	return next < (const void *)(batch->data + batch->len) ? next : NULL;
}

u32 kt_batch_nr_sites(const struct kt_batch *batch)
{
	const struct ktrace_func *func = NULL;
	u32 nr = 0;

	while ((func = kt_batch_next(batch, func)))
		nr += 1 + (func->ret == KTRACE_RETURN_SITES ? func->nr_exits : 0);
	return nr;
}

static struct inode *caller_of(const struct kt_session *session, const struct kt_batch *batch,
			       const struct ktrace_func *func)
{
	if (!(func->flags & KTRACE_FUNC_CALLER))
		return NULL;
	return kt_file_inode(batch->caller ? batch->caller : session->config.file);
}

static struct kt_site *add_site(struct kt_session *session, struct kt_site_set *set,
				const struct kt_batch *batch, const struct ktrace_func *func)
{
	struct kt_site *site = &set->sites[set->nr++];

	site->session = session;
	site->inode = kt_file_inode(batch->file);
	site->caller = caller_of(session, batch, func);
	if (site->inode != kt_file_inode(session->config.file))
		site->beside = site->caller ? site->caller : kt_file_inode(session->config.file);
	site->may_be_elsewhere = site->beside && !site->caller && !session->procs.is_selective;
	site->entry = NO_FUNC;
	site->exit = NO_FUNC;
	return site;
}

static void add_func(struct kt_session *session, struct kt_site_set *set,
		     const struct kt_batch *batch, const struct ktrace_func *func)
{
	const struct ktrace_exit *exit = (const void *)(func + 1);
	struct kt_site *site = add_site(session, set, batch, func);
	u32 i;

	if (func->flags & KTRACE_FUNC_BELOW)
		session->base_depth = KT_DEPTH_OUTSIDE;
	session->funcs[func->func].desc = *func;
	session->funcs[func->func].has_args = kt_value_has_args(func);
	site->offset = func->entry;
	site->entry = func->func;
	for (i = 0; func->ret == KTRACE_RETURN_SITES && i < func->nr_exits; i++) {
		site = add_site(session, set, batch, func);
		site->offset = exit[i].offset;
		site->exit = func->func;
		site->desc = exit[i];
	}
}

static struct kt_site_set *alloc_set(const struct list_head *batches)
{
	struct kt_batch *batch;
	struct kt_site_set *set;
	u32 nr = 0;
	size_t len;

	list_for_each_entry(batch, batches, node)
		nr += kt_batch_nr_sites(batch);
	len = sizeof(*set) + nr * sizeof(struct kt_site);
	set = kt_mem_alloc(len);
	if (set)
		set->len = len;
	return set;
}

static int compare(const void *a, const void *b)
{
	const struct kt_site *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return 0;
}

/* Entry and exit at one place become one site; a second of a kind is refused. */
static void merge_sites(struct kt_session *session, struct kt_site_set *set)
{
	struct kt_site *to = set->sites, *from, *end = set->sites + set->nr;

	for (from = to + 1; from < end; from++) {
		if (compare(to, from)) {
			*++to = *from;
			continue;
		}
		if (from->entry != NO_FUNC) {
			if (to->entry == NO_FUNC)
				to->entry = from->entry;
			else
				session->funcs[from->entry].error = -EEXIST;
		}
		if (from->exit != NO_FUNC) {
			if (to->exit == NO_FUNC) {
				to->exit = from->exit;
				to->desc = from->desc;
			} else {
				session->funcs[from->exit].error = -EEXIST;
			}
		}
		/* Wanted from anywhere by one of them is wanted from anywhere. */
		if (!from->caller)
			to->caller = NULL;
		to->may_be_elsewhere |= from->may_be_elsewhere;
	}
	set->nr = set->nr ? to - set->sites + 1 : 0;
}

static int add_set(struct kt_session *session, struct list_head *batches)
{
	struct kt_site_set *set = alloc_set(batches);
	const struct ktrace_func *func;
	struct kt_batch *batch;

	if (!set)
		return -ENOMEM;
	list_for_each_entry(batch, batches, node)
		for (func = kt_batch_next(batch, NULL); func; func = kt_batch_next(batch, func))
			add_func(session, set, batch, func);
	sort(set->sites, set->nr, sizeof(struct kt_site), compare, NULL);
	merge_sites(session, set);
	list_add_tail(&set->node, &session->site_sets);
	return 0;
}

/* --- planting --------------------------------------------------------------- */

static bool is_plain_entry(const struct kt_site *site)
{
	const struct kt_func *func;

	if (site->entry == NO_FUNC || site->exit != NO_FUNC || site->may_be_elsewhere)
		return false;
	func = &site->session->funcs[site->entry];
	return !func->desc.flags && !func->has_args && func->desc.ret != KTRACE_RETURN_NONE;
}

static bool is_hold(const struct kt_site *site)
{
	return site->entry != NO_FUNC &&
	       (site->session->funcs[site->entry].desc.flags & KTRACE_FUNC_HOLD);
}

static bool is_plain_ret(const struct kt_site *site)
{
	return site->entry == NO_FUNC && site->desc.kind == KTRACE_EXIT_RET;
}

static void init_uprobe(struct kt_site *site)
{
	const struct kt_func *funcs = site->session->funcs;
	struct uprobe_consumer *uc = &site->uprobe.uc;

	memset(&site->uprobe, 0, sizeof(site->uprobe));
	if (is_hold(site))
		uc->handler = on_hold;
	else if (site->session->config.flags & KTRACE_F_COUNT)
		uc->handler = on_count;
	else if (is_plain_entry(site))
		uc->handler = on_entry;
	else if (is_plain_ret(site))
		uc->handler = funcs[site->exit].desc.result ? on_ret_result : on_ret;
	else
		uc->handler = on_hit;
	uc->filter = is_mm_wanted;
	if (site->entry != NO_FUNC && funcs[site->entry].desc.ret == KTRACE_RETURN_URETPROBE)
		uc->ret_handler = funcs[site->entry].desc.result ? on_return_result : on_return;
}

/* Is it of a function that is out of the session, or on its way? */
static bool is_gone(const struct kt_site *site)
{
	const struct kt_func *funcs = site->session->funcs;

	return (site->entry == NO_FUNC || funcs[site->entry].is_gone) &&
	       (site->exit == NO_FUNC || funcs[site->exit].is_gone);
}

static void plant(struct kt_session *session, struct kt_site *site)
{
	u32 func = site->exit != NO_FUNC ? site->exit : site->entry;
	int error = session->funcs[func].error;

	if (site->is_planted || is_gone(site) || (error && site->exit == NO_FUNC))
		return;
	init_uprobe(site);
	error = kt_uprobe_register(&site->uprobe, site->inode, site->offset);
	site->is_planted = !error;
	if (!error)
		return;
	session->funcs[func].error = error;
	if (site->entry != NO_FUNC)
		session->funcs[site->entry].error = error;
}

/* Exits first: an entry whose exits are not all there would never close. */
static int plant_all(struct kt_session *session, bool is_exit)
{
	struct kt_site_set *set;
	struct kt_site *site;
	bool has_exit;

	list_for_each_entry(set, &session->site_sets, node)
		for (site = set->sites; site < set->sites + set->nr; site++) {
			has_exit = site->exit != NO_FUNC;
			if (has_exit != is_exit)
				continue;
			if (kt_session_is_cancelled(session))
				return -EINTR;
			plant(session, site);
			cond_resched();
		}
	return 0;
}

/* After the return no hit of those runs or will run. */
static void take_out(struct kt_session *session, bool (*which)(const struct kt_site *site))
{
	struct kt_site_set *set;
	struct kt_site *site;

	list_for_each_entry(set, &session->site_sets, node)
		for (site = set->sites; site < set->sites + set->nr; site++) {
			if (!site->is_planted || !which(site))
				continue;
			kt_uprobe_unregister_nosync(&site->uprobe);
			site->is_planted = false;
			cond_resched();
		}
	kt_uprobe_unregister_sync();
	synchronize_rcu();
}

static bool is_any(const struct kt_site *site)
{
	return true;
}

void kt_sites_detach(struct kt_session *session)
{
	take_out(session, is_any);
}

/* --- a wider filter ------------------------------------------------------------ */

/*
 * The kernel plants breakpoints in the processes there are when a consumer is
 * registered, and asks that consumer's filter only. So a second one, which
 * does nothing, comes and goes: what it planted stays, as the first wants it.
 */
struct nudge {
	struct kt_uprobe uprobe;
	const struct kt_site *site;
};

#define NR_NUDGES 64

static KT_UPROBE_FILTER(is_mm_wanted_now, uc, mm)
{
	const struct kt_site *site = container_of(uc, struct nudge, uprobe.uc)->site;

	return kt_filter_mm(site->session, mm, site->beside);
}

static KT_UPROBE_HANDLER(on_nudge, uc, regs)
{
	return 0;
}

static void nudge_site(struct nudge *nudge, const struct kt_site *site)
{
	memset(nudge, 0, sizeof(*nudge));
	nudge->site = site;
	nudge->uprobe.uc.handler = on_nudge;
	nudge->uprobe.uc.filter = is_mm_wanted_now;
	if (!kt_uprobe_register(&nudge->uprobe, site->inode, site->offset))
		kt_uprobe_unregister_nosync(&nudge->uprobe);
}

static int widen(struct kt_session *session)
{
	size_t len = NR_NUDGES * sizeof(struct nudge);
	struct nudge *nudges = kt_mem_alloc(len);
	struct kt_site_set *set;
	u32 nr = 0, i;

	if (!nudges)
		return -ENOMEM;
	list_for_each_entry(set, &session->site_sets, node)
		for (i = 0; i < set->nr && !kt_session_is_cancelled(session); i++) {
			if (!set->sites[i].is_planted)
				continue;
			if (nr == NR_NUDGES) {
				kt_uprobe_unregister_sync();
				nr = 0;
			}
			nudge_site(&nudges[nr++], &set->sites[i]);
			cond_resched();
		}
	kt_uprobe_unregister_sync();
	kt_mem_free(nudges, len);
	return 0;
}

/* --- a commit ------------------------------------------------------------------ */

static void count(struct kt_session *session)
{
	struct kt_site_set *set;
	u32 i, nr_sites = 0, nr_failed = 0;

	list_for_each_entry(set, &session->site_sets, node)
		for (i = 0; i < set->nr; i++)
			nr_sites += !is_gone(&set->sites[i]);
	for (i = 0; i < session->config.nr_funcs; i++)
		nr_failed += session->funcs[i].error && !session->funcs[i].is_gone;
	session->nr_sites = nr_sites;
	session->nr_failed = nr_failed;
}

/* What was told of, but cannot be: its numbers are free again. */
static void forget_batches(struct kt_session *session, struct list_head *batches)
{
	const struct ktrace_func *func;
	struct kt_batch *batch, *next;

	list_for_each_entry_safe(batch, next, batches, node) {
		for (func = kt_batch_next(batch, NULL); func; func = kt_batch_next(batch, func))
			memset(&session->funcs[func->func], 0, sizeof(struct kt_func));
		list_del(&batch->node);
		kt_batch_put(batch);
	}
}

void kt_sites_forget_staged(struct kt_session *session)
{
	u32 i;

	lockdep_assert_held(&kt_control);
	forget_batches(session, &session->staged);
	for (i = 0; i < session->config.nr_funcs; i++)
		session->funcs[i].is_leaving = false;
}

/* Takes over what was staged; true: functions leave. */
static bool take_staged(struct kt_session *session, struct list_head *batches, bool *is_wider)
{
	bool has_leaving = false;
	u32 i;

	mutex_lock(&kt_control);
	list_splice_init(&session->staged, batches);
	*is_wider = session->has_wider_filter;
	session->has_wider_filter = false;
	for (i = 0; i < session->config.nr_funcs; i++) {
		has_leaving |= session->funcs[i].is_leaving;
		WRITE_ONCE(session->funcs[i].is_gone,
			   session->funcs[i].is_gone | session->funcs[i].is_leaving);
		session->funcs[i].is_leaving = false;
	}
	mutex_unlock(&kt_control);
	return has_leaving;
}

static int add_staged(struct kt_session *session, struct list_head *batches)
{
	int error;

	if (list_empty(batches))
		return 0;
	error = add_set(session, batches);
	if (!error) {
		list_splice_tail_init(batches, &session->batches);
		return 0;
	}
	mutex_lock(&kt_control);
	forget_batches(session, batches);
	mutex_unlock(&kt_control);
	return error;
}

static int plant_what_is_there(struct kt_session *session)
{
	int error;

	/* The first hits, which may come on all CPUs at once, find what they need. */
	kt_hit_refill_slow();
	error = plant_all(session, true);
	return error ? error : plant_all(session, false);
}

int kt_sites_apply(struct kt_session *session, bool is_paused)
{
	LIST_HEAD(batches);
	int error, adding;
	bool is_wider;

	if (take_staged(session, &batches, &is_wider))
		take_out(session, is_gone);
	adding = add_staged(session, &batches);
	error = is_paused ? 0 : plant_what_is_there(session);
	if (!error && !is_paused && is_wider)
		error = widen(session);
	if (is_paused || error == -EINTR)
		kt_sites_detach(session);
	count(session);
	return error ? error : adding;
}

void kt_sites_put(struct kt_session *session)
{
	struct kt_site_set *set, *next;
	struct kt_batch *batch, *after;

	list_for_each_entry_safe(set, next, &session->site_sets, node) {
		list_del(&set->node);
		kt_mem_free(set, set->len);
	}
	list_splice_init(&session->staged, &session->batches);
	list_for_each_entry_safe(batch, after, &session->batches, node) {
		list_del(&batch->node);
		kt_batch_put(batch);
	}
}
