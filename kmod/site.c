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
#include "mem.h"
#include "session.h"
#include "shadow.h"
#include "site.h"

#define NO_FUNC (~0U)

/* Flags on what is shown, which a plain entry has none of. */
#define PLACED (KTRACE_FUNC_BELOW | KTRACE_FUNC_NOT_BELOW | KTRACE_FUNC_HIDDEN)

struct kt_site {
	struct kt_uprobe uprobe;
	struct kt_session *session;
	struct inode *inode;
	u64 offset;
	u32 entry;		/* the function that begins here, or NO_FUNC */
	u32 exit;		/* the one that may end here, or NO_FUNC */
	bool is_planted;
	bool is_import;		/* counts when called from the session's file */
	bool is_foreign;	/* of another file: only where that one is mapped too */
	bool may_be_elsewhere;	/* hit where it is not: is_elsewhere() */
	struct ktrace_exit desc;	/* of exit */
};

/* --- hits: task context, may sleep ------------------------------------- */

static struct kt_site *site_of(struct uprobe_consumer *uc)
{
	return container_of(uc, struct kt_site, uprobe.uc);
}

/* The return address tells who called. An unreadable one is a lost hit. */
static bool is_wanted_caller(struct kt_session *session, unsigned long sp)
{
	unsigned long ip;

	if (likely(!get_user(ip, (unsigned long __user *)sp)))
		return kt_caller_is_file(session, ip);
	this_cpu_inc(session->cpu->counters.lost_fault);
	return false;
}

static void hit_entry(struct kt_site *site, struct pt_regs *regs)
{
	const struct ktrace_func *desc = &site->session->funcs[site->entry].desc;
	unsigned long sp = user_stack_pointer(regs);

	if ((desc->flags & KTRACE_FUNC_CALLER) && !is_wanted_caller(site->session, sp))
		return;
	if (desc->flags & PLACED)
		kt_hit_placed(site->session, site->entry, sp);
	else if (desc->ret == KTRACE_RETURN_NONE)
		kt_hit_call(site->session, site->entry, sp);
	else
		kt_hit_entry(site->session, site->entry, sp);
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
			!is_wanted_caller(site->session, sp)))
		return;
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
	return kt_filter_mm(session, current->mm, false) ? 0 : UPROBE_HANDLER_REMOVE;
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
	if (unlikely(site->is_import) &&
	    !is_wanted_caller(site->session, user_stack_pointer(regs)))
		return 0;
	return kt_hit_count(site->session, site->entry);
}

static KT_UPROBE_HANDLER(on_ret, uc, regs)
{
	struct kt_site *site = site_of(uc);

	unsigned long sp = user_stack_pointer(regs);
	bool has_returned;

	if (!is_ready(site->session))
		return unwanted(site->session);
	if (is_elsewhere(site))
		return 0;
	has_returned = unlikely(kt_arch_has_returned(&site->desc, regs));
	if (has_returned)
		sp -= sizeof(long) + site->desc.disp;
	if (likely(!site->is_import) || is_wanted_caller(site->session, sp))
		kt_hit_return(site->session, site->exit, sp);
	if (!has_returned)
		kt_arch_return(&site->desc, regs);
	return 0;
}

static KT_URETPROBE_HANDLER(on_return, uc, func, regs)
{
	struct kt_site *site = site_of(uc);

	if (!is_ready(site->session) || is_elsewhere(site))
		return 0;
	/* The kernel has set ip to the return address by now. */
	if (site->is_import && !kt_caller_is_file(site->session, instruction_pointer(regs)))
		return 0;
	return kt_hit_return(site->session, site->entry,
			     user_stack_pointer(regs) - sizeof(long));
}

static KT_UPROBE_FILTER(is_mm_wanted, uc, mm)
{
	struct kt_site *site = site_of(uc);

	return kt_filter_mm(site->session, mm, site->is_foreign);
}

/* --- batches ------------------------------------------------------------ */

/* Who counts only looks at entries, wherever they are. */
static bool is_for_count(const struct ktrace_func *func)
{
	return func->ret == KTRACE_RETURN_NONE && !func->nr_exits;
}

static bool is_func_good(const struct kt_session_config *config,
			 const struct ktrace_func *func)
{
	return func->func < config->nr_funcs && func->nr_exits <= KTRACE_MAX_EXITS &&
	       func->ret <= KTRACE_RETURN_URETPROBE &&
	       !(func->flags & ~KTRACE_FUNC_ALL) &&
	       !((func->flags & PLACED) && func->ret == KTRACE_RETURN_NONE) &&
	       (!(config->flags & KTRACE_F_COUNT) || is_for_count(func)) &&
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
	kt_mem_free(batch, sizeof(*batch) + batch->len);
}

/* --- attach ------------------------------------------------------------- */

static u32 count_sites(struct kt_session *session)
{
	struct kt_batch *batch;
	const struct ktrace_func *func;
	u32 nr = 0;

	list_for_each_entry(batch, &session->batches, node)
		for (func = (void *)batch->data; (u8 *)func < batch->data + batch->len;
		     func = (void *)((struct ktrace_exit *)(func + 1) + func->nr_exits))
			nr += 1 + (func->ret == KTRACE_RETURN_SITES ? func->nr_exits : 0);
	return nr;
}

static void fill_site(struct kt_session *session, struct inode *inode, u64 offset,
		      const struct ktrace_func *func, const struct ktrace_exit *exit)
{
	struct kt_site *site = &session->sites[session->nr_sites++];

	site->session = session;
	site->inode = inode;
	site->offset = offset;
	site->entry = exit ? NO_FUNC : func->func;
	site->exit = exit ? func->func : NO_FUNC;
	site->is_import = func->flags & KTRACE_FUNC_CALLER;
	site->is_foreign = inode != kt_file_inode(session->config.file);
	site->may_be_elsewhere = site->is_foreign && !site->is_import &&
				 !session->config.nr_pids;
	if (exit)
		site->desc = *exit;
}

static void fill_func(struct kt_session *session, const struct kt_batch *batch,
		      const struct ktrace_func *func)
{
	const struct ktrace_exit *exit = (const void *)(func + 1);
	struct inode *inode = kt_file_inode(batch->file);
	u32 i;

	if (func->flags & KTRACE_FUNC_BELOW)
		session->base_depth = KT_DEPTH_OUTSIDE;
	session->funcs[func->func].desc = *func;
	session->funcs[func->func].batch = batch;
	fill_site(session, inode, func->entry, func, NULL);
	for (i = 0; func->ret == KTRACE_RETURN_SITES && i < func->nr_exits; i++)
		fill_site(session, inode, exit[i].offset, func, &exit[i]);
}

static void fill_sites(struct kt_session *session)
{
	struct kt_batch *batch;
	const struct ktrace_func *func;

	list_for_each_entry(batch, &session->batches, node)
		for (func = (void *)batch->data; (u8 *)func < batch->data + batch->len;
		     func = (void *)((struct ktrace_exit *)(func + 1) + func->nr_exits))
			fill_func(session, batch, func);
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
static void merge_sites(struct kt_session *session)
{
	struct kt_site *to = session->sites, *from;
	struct kt_site *end = session->sites + session->nr_sites;

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
		to->is_import &= from->is_import;
		to->may_be_elsewhere |= from->may_be_elsewhere;
	}
	session->nr_sites = session->nr_sites ? to - session->sites + 1 : 0;
}

static bool is_plain_entry(const struct kt_site *site)
{
	const struct ktrace_func *desc;

	if (site->entry == NO_FUNC || site->exit != NO_FUNC || site->may_be_elsewhere)
		return false;
	desc = &site->session->funcs[site->entry].desc;
	return !desc->flags && desc->ret != KTRACE_RETURN_NONE;
}

static bool is_plain_ret(const struct kt_site *site)
{
	return site->entry == NO_FUNC && site->desc.kind == KTRACE_EXIT_RET;
}

static void init_uprobe(struct kt_site *site)
{
	struct uprobe_consumer *uc = &site->uprobe.uc;

	memset(&site->uprobe, 0, sizeof(site->uprobe));
	if (site->session->config.flags & KTRACE_F_COUNT)
		uc->handler = on_count;
	else if (is_plain_entry(site))
		uc->handler = on_entry;
	else if (is_plain_ret(site))
		uc->handler = on_ret;
	else
		uc->handler = on_hit;
	uc->filter = is_mm_wanted;
	if (site->entry != NO_FUNC &&
	    site->session->funcs[site->entry].desc.ret == KTRACE_RETURN_URETPROBE)
		uc->ret_handler = on_return;
}

static void plant(struct kt_session *session, struct kt_site *site)
{
	u32 func = site->exit != NO_FUNC ? site->exit : site->entry;
	int error = session->funcs[func].error;

	if (error && site->exit == NO_FUNC)
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
	struct kt_site *site;
	bool has_exit;

	for (site = session->sites; site < session->sites + session->nr_sites; site++) {
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

static void count_failed(struct kt_session *session)
{
	u32 i;

	for (i = 0; i < session->config.nr_funcs; i++)
		if (session->funcs[i].error)
			session->nr_failed++;
}

int kt_sites_attach(struct kt_session *session)
{
	u32 nr = count_sites(session);
	int error;

	session->sites_len = nr * sizeof(struct kt_site);
	session->sites = kt_mem_alloc(max_t(size_t, session->sites_len, 1));
	if (!session->sites)
		return -ENOMEM;
	/* The first hits, which may come on all CPUs at once, find what they need. */
	kt_hit_refill_slow();
	fill_sites(session);
	sort(session->sites, session->nr_sites, sizeof(struct kt_site), compare, NULL);
	merge_sites(session);
	error = plant_all(session, true);
	if (!error)
		error = plant_all(session, false);
	if (error)
		kt_sites_detach(session);
	count_failed(session);
	return error;
}

/* After the return no hit of the session runs or will run. */
void kt_sites_detach(struct kt_session *session)
{
	struct kt_site *site;

	for (site = session->sites; site < session->sites + session->nr_sites; site++) {
		if (!site->is_planted)
			continue;
		kt_uprobe_unregister_nosync(&site->uprobe);
		site->is_planted = false;
		cond_resched();
	}
	kt_uprobe_unregister_sync();
	synchronize_rcu();
}

void kt_sites_put(struct kt_session *session)
{
	kt_mem_free(session->sites, max_t(size_t, session->sites_len, 1));
	session->sites = NULL;
	session->nr_sites = 0;
}
