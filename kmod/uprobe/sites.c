// SPDX-License-Identifier: GPL-2.0
/* All sites of a session: made from staged functions, planted, and removed. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "compat/mm.h"
#include "compat/uprobe.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/table.h"
#include "core/value.h"
#include "lib/control.h"
#include "lib/mem.h"
#include "uprobe/batch.h"
#include "uprobe/hold.h"
#include "uprobe/sites.h"

/* --- sites of a commit ---------------------------------------------------- */

/* The session keeps using its first inode, even if an overlay copies the file up meanwhile. */
static struct inode *sites_inode_of(const struct kt_session *session, struct file *file)
{
	return file_inode(file) == file_inode(session->config.file) ? session->inode :
								      kt_file_inode(file);
}

static struct inode *sites_caller_of(const struct kt_session *session, const struct kt_batch *batch,
				     const struct ktrace_func *func)
{
	if (!(func->flags & KTRACE_FUNC_CALLER))
		return NULL;
	return batch->caller ? sites_inode_of(session, batch->caller) : session->inode;
}

static struct kt_site *sites_add_site(struct kt_session *session, struct kt_site_set *set,
				      const struct kt_batch *batch, const struct ktrace_func *func)
{
	struct kt_site *site = &set->sites[set->nr++];

	site->session = session;
	site->inode = sites_inode_of(session, batch->file);
	site->caller = sites_caller_of(session, batch, func);
	if (site->inode != session->inode)
		site->beside = site->caller ? site->caller : session->inode;
	site->may_be_elsewhere = site->beside && !site->caller && !session->procs.is_selective;
	site->entry = KT_NO_FUNC;
	site->exit = KT_NO_FUNC;
	return site;
}

static void sites_add_func(struct kt_session *session, struct kt_site_set *set,
			   const struct kt_batch *batch, const struct ktrace_func *func)
{
	const struct ktrace_exit *exit = (const void *)(func + 1);
	struct kt_site *site;
	u32 i;

	if (func->flags & KTRACE_FUNC_BELOW)
		session->hot.base_depth = KT_DEPTH_OUTSIDE;
	session->hot.funcs[func->func].desc = *func;
	session->hot.funcs[func->func].file = sites_inode_of(session, batch->file);
	session->hot.funcs[func->func].has_args = kt_value_has_args(func);
	WRITE_ONCE(session->hot.funcs[func->func].is_committed, true);
	session->nr_used = max(session->nr_used, func->func + 1);
	if (func->ret != KTRACE_RETURN_SILENT) {
		site = sites_add_site(session, set, batch, func);
		site->offset = func->entry;
		site->entry = func->func;
	}
	for (i = 0; kt_batch_has_exits(func) && i < func->nr_exits; i++) {
		site = sites_add_site(session, set, batch, func);
		site->offset = exit[i].offset;
		site->exit = func->func;
		site->desc = exit[i];
	}
}

static struct kt_site_set *sites_alloc_set(const struct list_head *batches)
{
	struct kt_batch *batch;
	struct kt_site_set *set;
	u32 nr = 0;
	size_t len;

	list_for_each_entry(batch, batches, node)
		nr += batch->nr_sites;
	len = sizeof(*set) + nr * sizeof(struct kt_site);
	set = kt_mem_alloc(len);
	if (set)
		set->len = len;
	return set;
}

static int sites_compare(const void *a, const void *b)
{
	const struct kt_site *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return 0;
}

/* An entry and an exit at one place become one site; a second entry or exit gets an error. */
static void merge_sites(struct kt_session *session, struct kt_site_set *set)
{
	struct kt_site *to = set->sites, *from, *end = set->sites + set->nr;

	for (from = to + 1; from < end; from++) {
		if (sites_compare(to, from)) {
			*++to = *from;
			continue;
		}
		if (from->entry != KT_NO_FUNC) {
			if (to->entry == KT_NO_FUNC)
				to->entry = from->entry;
			else
				session->hot.funcs[from->entry].error = -EEXIST;
		}
		if (from->exit != KT_NO_FUNC) {
			if (to->exit == KT_NO_FUNC) {
				to->exit = from->exit;
				to->desc = from->desc;
			} else {
				session->hot.funcs[from->exit].error = -EEXIST;
			}
		}
		/* If one of the two accepts calls from any file, so does the site. */
		if (to->caller && !from->caller) {
			to->caller = NULL;
			to->beside = from->beside;
		}
		to->may_be_elsewhere |= from->may_be_elsewhere;
	}
	set->nr = set->nr ? to - set->sites + 1 : 0;
}

static int sites_add_set(struct kt_session *session, struct kt_sites *sites,
			 struct list_head *batches)
{
	struct kt_site_set *set = sites_alloc_set(batches);
	const struct ktrace_func *func;
	struct kt_batch *batch;

	if (!set)
		return -ENOMEM;
	list_for_each_entry(batch, batches, node)
		for (func = kt_batch_next(batch, NULL); func; func = kt_batch_next(batch, func))
			sites_add_func(session, set, batch, func);
	sort(set->sites, set->nr, sizeof(struct kt_site), sites_compare, NULL);
	merge_sites(session, set);
	list_add_tail(&set->node, &sites->sets);
	return 0;
}

/* --- planting ------------------------------------------------------------- */

/* Returns true if all functions of the site are out of the session. */
static bool sites_is_gone(const struct kt_site *site)
{
	const struct kt_func *funcs = site->session->hot.funcs;

	return (site->entry == KT_NO_FUNC || funcs[site->entry].is_gone) &&
	       (site->exit == KT_NO_FUNC || funcs[site->exit].is_gone);
}

static void sites_plant(struct kt_session *session, struct kt_site *site)
{
	u32 func = site->exit != KT_NO_FUNC ? site->exit : site->entry;
	int error = session->hot.funcs[func].error;

	if (site->is_planted || sites_is_gone(site) || (error && site->exit == KT_NO_FUNC))
		return;
	kt_site_init_uprobe(site);
	error = kt_uprobe_register(&site->uprobe, site->inode, site->offset);
	site->is_planted = !error;
	if (!error)
		return;
	session->hot.funcs[func].error = error;
	if (site->entry != KT_NO_FUNC)
		session->hot.funcs[site->entry].error = error;
}

static bool sites_is_any(const struct kt_site *site)
{
	return true;
}

/* Removes sites. After it returns, no hit of these sites runs any more. */
static void sites_take_out(struct kt_session *session, const struct kt_sites *sites,
			   bool (*which)(const struct kt_site *site))
{
	struct kt_site_set *set;
	struct kt_site *site;

	/*
	 * The removal waits for handlers, so held tasks must go on. If the session goes on, too,
	 * each of them is a gap.
	 */
	kt_hold_pass(session->hold, true, which == sites_is_gone);
	list_for_each_entry(set, &sites->sets, node)
		for (site = set->sites; site < set->sites + set->nr; site++) {
			if (!site->is_planted || !which(site))
				continue;
			kt_uprobe_unregister_nosync(&site->uprobe);
			site->is_planted = false;
			cond_resched();
		}
	kt_uprobe_unregister_sync();
	synchronize_rcu();
	kt_hold_pass(session->hold, false, false);
}

/* Removes the functions that cost too much, also while others are being planted. */
static void sites_take_costly_out(struct kt_session *session, const struct kt_sites *sites)
{
	u32 asked;

	mutex_lock(&kt_control);
	asked = session->costly_asked;
	mutex_unlock(&kt_control);
	sites_take_out(session, sites, sites_is_gone);
	WRITE_ONCE(session->costly_done, asked);
}

/* The caller plants exits first: a call whose exits are not all planted might never be closed. */
static int sites_plant_all(struct kt_session *session, const struct kt_sites *sites, bool is_exit)
{
	struct kt_site_set *set;
	struct kt_site *site;
	bool has_exit;

	list_for_each_entry(set, &sites->sets, node)
		for (site = set->sites; site < set->sites + set->nr; site++) {
			has_exit = site->exit != KT_NO_FUNC;
			if (has_exit != is_exit)
				continue;
			if (kt_session_is_cancelled(session))
				return -EINTR;
			if (kt_session_has_costly(session))
				sites_take_costly_out(session, sites);
			sites_plant(session, site);
			cond_resched();
		}
	return 0;
}

#define ROWS_OF_CPU 32
#define MOST_ROWS 1024

/* A thread that ends closes all its calls in one hit, and each may be in a row of its own. */
static void sites_want_rows(struct kt_session *session, struct kt_sites *sites, bool is_attached)
{
	int rows = is_attached ? min_t(u32, ROWS_OF_CPU * nr_cpu_ids, MOST_ROWS) : 0;

	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kt_table_want(&session->config.table, rows - sites->nr_rows);
	sites->nr_rows = rows;
}

static void sites_detach(struct kt_session *session)
{
	struct kt_sites *sites = session->source;

	if (!sites)
		return;
	sites_take_out(session, sites, sites_is_any);
	sites_want_rows(session, sites, false);
}

/* --- a commit ------------------------------------------------------------------ */

static void sites_count(struct kt_session *session, const struct kt_sites *sites)
{
	struct kt_site_set *set;
	u32 i, nr_sites = 0, nr_failed = 0;

	list_for_each_entry(set, &sites->sets, node)
		for (i = 0; i < set->nr; i++)
			nr_sites += !sites_is_gone(&set->sites[i]);
	for (i = 0; i < session->config.nr_funcs; i++)
		nr_failed += session->hot.funcs[i].error && !session->hot.funcs[i].is_gone;
	session->nr_sites = nr_sites;
	session->nr_failed = nr_failed;
}

static struct kt_sites *sites_create(struct kt_session *session)
{
	struct kt_sites *sites = kt_mem_alloc(sizeof(*sites));

	if (!sites)
		return NULL;
	INIT_LIST_HEAD(&sites->sets);
	INIT_LIST_HEAD(&sites->batches);
	session->source = sites;
	return sites;
}

static int sites_add_staged(struct kt_session *session, struct kt_sites *sites,
			    struct list_head *batches)
{
	int error;

	if (list_empty(batches))
		return 0;
	error = sites_add_set(session, sites, batches);
	if (!error)
		list_splice_tail_init(batches, &sites->batches);
	return error;
}

static int sites_stage(struct kt_session *session, struct kt_staged *staged)
{
	struct kt_sites *sites = session->source ? session->source : sites_create(session);
	int error;

	if (!sites)
		return -ENOMEM;
	sites->is_wider = staged->is_wider;
	if (staged->has_leaving || kt_session_has_costly(session))
		sites_take_costly_out(session, sites);
	error = sites_add_staged(session, sites, &staged->batches);
	sites_count(session, sites);
	return error;
}

static int sites_attach(struct kt_session *session)
{
	struct kt_sites *sites = session->source;
	int error;

	if (!sites)
		return -ENOMEM;
	/* Full pools for the first hits, which may occur on all CPUs at once. */
	sites_want_rows(session, sites, true);
	kt_refill_all(GFP_KERNEL);
	WRITE_ONCE(session->hot.is_planting, true);
	error = sites_plant_all(session, sites, true);
	if (!error)
		error = sites_plant_all(session, sites, false);
	WRITE_ONCE(session->hot.is_planting, false);
	if (!error && sites->is_wider)
		error = kt_sites_widen(session, sites);
	if (error == -EINTR)
		sites_take_out(session, sites, sites_is_any);
	sites_count(session, sites);
	return error;
}

static void sites_put(struct kt_session *session)
{
	struct kt_sites *sites = session->source;
	struct kt_site_set *set, *next;
	struct kt_batch *batch, *after;

	if (!sites)
		return;
	list_for_each_entry_safe(set, next, &sites->sets, node) {
		list_del(&set->node);
		kt_mem_free(set, set->len);
	}
	list_for_each_entry_safe(batch, after, &sites->batches, node) {
		list_del(&batch->node);
		kt_batch_put(batch);
	}
	kt_mem_free(sites, sizeof(*sites));
}

static const struct kt_columns user_columns = {
	.keys = KT_KEYS_OF_TASKS | 1U << KTRACE_KEY_FUNCTION,
	.own = { KTRACE_KEY_FUNCTION },
	.values = KT_FIGURES_OF_CALLS | 1ULL << KTRACE_FIGURE_ENTRIES |
		  1ULL << KTRACE_FIGURE_SELF | 1ULL << KTRACE_FIGURE_SUM |
		  1ULL << KTRACE_FIGURE_AT_MOST | 1ULL << KTRACE_FIGURE_SINCE |
		  1ULL << KTRACE_FIGURE_AT_MOST_TIME | 1ULL << KTRACE_FIGURE_AT_MOST_SELF,
};

const struct kt_provider kt_user_provider = {
	.number = KTRACE_PROVIDER_USER,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_COUNT | KTRACE_SINK_TABLE | KTRACE_SINK_TREE |
		 KTRACE_SINK_STREAM,
	.flags = KTRACE_F_OVERWRITE | KTRACE_F_RAW | KTRACE_F_BELOW | KTRACE_F_NO_ENTRIES,
	.min_time_with = ~0U,
	.max_depth_with = ~0U,
	.nr_trigger = ~0U,
	.columns = &user_columns,
	.has_file = true,
	.has_follow = true,
	.has_limits = true,
	.has_budget = true,
	.stage = sites_stage, .attach = sites_attach, .detach = sites_detach, .put = sites_put,
};
