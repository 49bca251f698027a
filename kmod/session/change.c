// SPDX-License-Identifier: GPL-2.0
/* Changes of a running session: its processes, conditions and limits. */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>

#include "core/filter.h"
#include "core/procs.h"
#include "core/provider.h"
#include "lib/clock.h"
#include "session/life.h"
#include "session/sessions.h"

bool kt_session_may_edit(const struct kt_session *session)
{
	int state = session->life->state;

	return !kt_session_is_cancelled(session) &&
	       (state == KTRACE_STATE_NEW || state == KTRACE_STATE_ACTIVE ||
		state == KTRACE_STATE_PAUSED);
}

static void change_set_procs(struct kt_session *session, struct pid **pids, u32 nr, bool is_wanted,
			     struct hlist_head *spares)
{
	u32 i;

	for (i = 0; i < nr; i++)
		kt_procs_set(&session->procs, pids[i], is_wanted, spares);
}

static void change_free_conditions(struct rcu_head *rcu)
{
	kt_conditions_free(container_of(rcu, struct kt_conditions, rcu));
}

static struct kt_conditions *change_conditions_of(const struct kt_session *session)
{
	return rcu_dereference_protected(session->hot.conditions, lockdep_is_held(&kt_control));
}

static void change_set_conditions(struct kt_session *session, struct kt_conditions *conditions)
{
	struct kt_conditions *before = change_conditions_of(session);

	if (kt_conditions_are_none(conditions)) {
		kt_conditions_free(conditions);
		conditions = NULL;
	}
	rcu_assign_pointer(session->hot.conditions, conditions);
	if (before)
		call_rcu(&before->rcu, change_free_conditions);
}

/*
 * Makes all changes or none: all memory is allocated before the first change. The caller holds
 * kt_control from reading the old conditions to setting the new ones, so that no change is lost.
 */
static int change_tasks(struct kt_session *session, const struct kt_session_change *change)
{
	struct kt_conditions *conditions = NULL;
	HLIST_HEAD(spares);

	if (change->conditions) {
		conditions = kt_conditions_replace(change_conditions_of(session),
						   change->conditions, change->conditions_given);
		if (!conditions)
			return -ENOMEM;
	}
	if (kt_procs_reserve(&spares, change->nr_pids + change->nr_not_pids, GFP_KERNEL)) {
		kt_conditions_free(conditions);
		return -ENOMEM;
	}
	change_set_procs(session, change->pids, change->nr_pids, true, &spares);
	change_set_procs(session, change->not_pids, change->nr_not_pids, false, &spares);
	kt_procs_unreserve(&spares);
	kt_procs_end_dead(&session->procs);
	if (conditions)
		change_set_conditions(session, conditions);
	return 0;
}

void kt_session_renew_plain(struct kt_session *session)
{
	u32 sinks = session->config.sinks & (KTRACE_SINK_STREAM | KTRACE_SINK_TABLE);

	WRITE_ONCE(session->hot.is_plain, !sinks && !(session->config.flags & KTRACE_F_ERRORS) &&
		   !session->hot.min_time);
}

/* Processes without a wanted thread have no breakpoints: another choice of threads needs others. */
static bool change_is_wider(const struct kt_session *session,
			    const struct kt_session_change *change)
{
	return change->nr_pids || (session->config.provider->has_file &&
				   (change->conditions_given & KT_GIVEN_TIDS));
}

int kt_session_apply_change(struct kt_session *session, const struct kt_session_change *change)
{
	const struct kt_session_config *config = &session->config;
	int error;

	if (((config->sinks & KTRACE_SINK_COUNT) || !config->provider->has_limits) &&
	    (change->min_time || change->max_depth))
		return -EINVAL;
	error = change_tasks(session, change);
	if (error)
		return error;
	session->life->has_wider_filter |= change_is_wider(session, change);
	/* The returns of calls that are open now may never be seen. */
	if (change->nr_not_pids || change->conditions)
		WRITE_ONCE(session->hot.narrowed, kt_clock());
	if (change->min_time)
		WRITE_ONCE(session->hot.min_time, *change->min_time);
	if (change->max_depth)
		WRITE_ONCE(session->hot.max_depth, change->max_depth);
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
	if (!error && change_is_wider(session, change) && session->life->state != KTRACE_STATE_NEW)
		error = kt_session_turn(session);
	mutex_unlock(&kt_control);
	return error;
}
