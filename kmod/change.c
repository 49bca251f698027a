// SPDX-License-Identifier: GPL-2.0
/* What may change in a session that runs: its functions, its processes, its conditions. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>

#include "batch.h"
#include "clock.h"
#include "filter.h"
#include "mem.h"
#include "procs.h"
#include "provider.h"
#include "session.h"
#include "sites.h"

static unsigned int max_sites = 1U << 20;
module_param(max_sites, uint, 0644);
MODULE_PARM_DESC(max_sites, "places probed by one session at most (default 1048576)");

u32 kt_session_max_sites(void)
{
	return READ_ONCE(max_sites);
}

/* --- functions ------------------------------------------------------------ */

/* The first to come edits; what another left behind is dropped. */
static int take_editor(struct kt_session *session, u64 socket)
{
	u64 editor = atomic64_cmpxchg(&session->editor, 0, socket);

	lockdep_assert_held(&kt_control);
	if (editor && editor != socket)
		return -EBUSY;
	if (!editor)
		kt_sites_forget_staged(session);
	return 0;
}

bool kt_session_may_edit(const struct kt_session *session)
{
	return session->state == KTRACE_STATE_NEW || session->state == KTRACE_STATE_ACTIVE ||
	       session->state == KTRACE_STATE_PAUSED;
}

static u32 nr_staged_sites(const struct kt_session *session)
{
	struct kt_batch *batch;
	u32 nr = 0;

	list_for_each_entry(batch, &session->staged, node)
		nr += batch->nr_sites;
	return nr;
}

/* What --below bounds is known from the start: what is open already was entered so. */
static bool is_too_late(const struct kt_session *session, const struct ktrace_func *func)
{
	return (func->flags & KTRACE_FUNC_BELOW) && session->state != KTRACE_STATE_NEW &&
	       !session->base_depth;
}

static int take_number(struct kt_session *session, struct kt_batch *batch,
		       const struct ktrace_func *func)
{
	if (session->funcs[func->func].batch)
		return -EEXIST;
	if (is_too_late(session, func))
		return -EINVAL;
	session->funcs[func->func].batch = batch;
	return 0;
}

static void give_numbers_back(struct kt_session *session, const struct kt_batch *batch)
{
	const struct ktrace_func *func = NULL;

	while ((func = kt_batch_next(batch, func)))
		if (session->funcs[func->func].batch == batch)
			session->funcs[func->func].batch = NULL;
}

static int stage(struct kt_session *session, struct kt_batch *batch)
{
	const struct ktrace_func *func = NULL;
	int error = 0;

	if ((u64)session->nr_sites + nr_staged_sites(session) + batch->nr_sites >
	    kt_session_max_sites())
		return -E2BIG;
	while (!error && (func = kt_batch_next(batch, func)))
		error = take_number(session, batch, func);
	if (error) {
		give_numbers_back(session, batch);
		return error;
	}
	list_add_tail(&batch->node, &session->staged);
	return 0;
}

static int stage_list(struct kt_session *session, const struct kt_edit *edit)
{
	u32 i, func;

	for (i = 0; i < edit->nr_listed; i++) {
		func = edit->list[i];
		if (func >= session->config.nr_funcs || !session->funcs[func].batch ||
		    session->funcs[func].is_gone != edit->is_back)
			return -ENOENT;
	}
	for (i = 0; i < edit->nr_listed; i++) {
		session->funcs[edit->list[i]].is_leaving = !edit->is_back;
		session->funcs[edit->list[i]].is_returning = edit->is_back;
	}
	return 0;
}

int kt_session_edit(struct kt_session *session, const struct kt_edit *edit)
{
	int error = -EBUSY;

	mutex_lock(&kt_control);
	if (kt_session_may_edit(session))
		error = take_editor(session, edit->socket);
	if (!error && edit->batch)
		error = stage(session, edit->batch);
	if (!error && !edit->batch && !edit->nr_listed)
		kt_sites_forget_staged(session);
	if (!error && !edit->batch)
		error = stage_list(session, edit);
	mutex_unlock(&kt_control);
	return error;
}

int kt_session_take_out(struct kt_session *session, const u32 *list, u32 nr)
{
	const struct kt_edit edit = { .list = list, .nr_listed = nr };
	int error = -EBUSY;

	mutex_lock(&kt_control);
	if (atomic64_read(&session->editor) || session->state != KTRACE_STATE_ACTIVE)
		goto unlock;
	kt_sites_forget_staged(session);
	error = stage_list(session, &edit);
	if (!error)
		error = kt_session_turn(session);
	if (error)
		kt_sites_forget_staged(session);
	else
		session->is_committed = true;
unlock:
	mutex_unlock(&kt_control);
	return error;
}

/* --- filters -------------------------------------------------------------- */

static void set_procs(struct kt_session *session, struct pid **pids, u32 nr, bool is_wanted,
		      struct hlist_head *spares)
{
	u32 i;

	for (i = 0; i < nr; i++)
		kt_procs_set(&session->procs, pids[i], is_wanted, spares);
}

static void free_conditions(struct rcu_head *rcu)
{
	kt_conditions_free(container_of(rcu, struct kt_conditions, rcu));
}

static struct kt_conditions *conditions_of(const struct kt_session *session)
{
	return rcu_dereference_protected(session->conditions, lockdep_is_held(&kt_control));
}

static void set_conditions(struct kt_session *session, struct kt_conditions *conditions)
{
	struct kt_conditions *before = conditions_of(session);

	if (kt_conditions_are_none(conditions)) {
		kt_conditions_free(conditions);
		conditions = NULL;
	}
	rcu_assign_pointer(session->conditions, conditions);
	if (before)
		call_rcu(&before->rcu, free_conditions);
}

/*
 * All or nothing: what needs memory has it before the first thing changes. Conditions are
 * under kt_control from old to new, so that no other change is lost.
 */
static int change_tasks(struct kt_session *session, const struct kt_session_change *change)
{
	struct kt_conditions *conditions = NULL;
	HLIST_HEAD(spares);

	if (change->conditions) {
		conditions = kt_conditions_replace(conditions_of(session), change->conditions,
						   change->conditions_given);
		if (!conditions)
			return -ENOMEM;
	}
	if (kt_procs_reserve(&spares, change->nr_pids + change->nr_not_pids, GFP_KERNEL)) {
		kt_conditions_free(conditions);
		return -ENOMEM;
	}
	set_procs(session, change->pids, change->nr_pids, true, &spares);
	set_procs(session, change->not_pids, change->nr_not_pids, false, &spares);
	kt_procs_unreserve(&spares);
	if (conditions)
		set_conditions(session, conditions);
	return 0;
}

int kt_session_apply_change(struct kt_session *session, const struct kt_session_change *change)
{
	int error;

	if (((session->config.flags & KTRACE_F_COUNT) || session->config.provider->flag) &&
	    (change->min_time || change->max_depth))
		return -EINVAL;
	error = change_tasks(session, change);
	if (error)
		return error;
	session->has_wider_filter |= change->nr_pids > 0;
	/* Of calls that are open the return may never be seen. */
	if (change->nr_not_pids || change->conditions)
		WRITE_ONCE(session->narrowed, kt_clock());
	if (change->min_time)
		WRITE_ONCE(session->config.min_time, *change->min_time);
	if (change->max_depth)
		WRITE_ONCE(session->config.max_depth, change->max_depth);
	kt_session_renew_plain(session);
	kt_filter_changed();
	return 0;
}

int kt_session_change(struct kt_session *session, u64 socket,
		      const struct kt_session_change *change)
{
	int error = -EBUSY;

	mutex_lock(&kt_control);
	if (kt_session_may_edit(session))
		error = kt_session_apply_change(session, change);
	if (!error && change->nr_pids && session->state != KTRACE_STATE_NEW)
		error = kt_session_turn(session);
	mutex_unlock(&kt_control);
	return error;
}
