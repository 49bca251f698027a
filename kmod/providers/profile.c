// SPDX-License-Identifier: GPL-2.0
/* What CPUs do: samples that timers or counters take. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/rcupdate.h>

#include <uapi/ktrace.h>

#include "compat/hotplug.h"
#include "core/hist.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/table.h"
#include "core/tree.h"
#include "providers/peers.h"
#include "providers/profile_event.h"
#include "providers/profile_timer.h"
#include "providers/providers.h"

static KT_PEERS(profile_peers);

#define ROWS_OF_CPU 64	/* new rows, or nodes, until the pool is refilled */

/* Samples cannot refill the pools, so the pools have enough in advance. */
static void profile_want(const struct kt_session *session, int sign)
{
	int nr = sign * (int)nr_cpu_ids;

	if (session->hot.sinks & KTRACE_SINK_HIST)
		kt_hist_want(KTRACE_NR_PROFILE * nr);
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kt_table_want(&session->config.table, ROWS_OF_CPU * nr);
	if (session->hot.sinks & KTRACE_SINK_TREE)
		kt_tree_want(ROWS_OF_CPU * nr);
}

static bool profile_has_event(const struct kt_session *session)
{
	return session->config.has_event;
}

/* --- CPUs that come and go: all sessions follow them ------------------------- */

static void profile_cpu_came(void)
{
	struct kt_session *session;
	unsigned long flags;

	rcu_read_lock_sched();
	local_irq_save(flags);
	kt_peers_each(session, &profile_peers) {
		if (profile_has_event(session))
			kt_profile_events_cpu_came(session->source);
		else
			kt_profile_timers_cpu_came(session->source);
	}
	local_irq_restore(flags);
	rcu_read_unlock_sched();
}

static void profile_cpu_goes(void)
{
	struct kt_session *session;
	unsigned long flags;

	rcu_read_lock_sched();
	local_irq_save(flags);
	kt_peers_each(session, &profile_peers)
		if (!profile_has_event(session))
			kt_profile_timers_cpu_goes(session->source);
	local_irq_restore(flags);
	rcu_read_unlock_sched();
}

static const struct kt_hotplug profile_hotplug = {
	.online = profile_cpu_came, .offline = profile_cpu_goes,
};

/* --- sessions ---------------------------------------------------------------- */

static void *profile_make_source(struct kt_session *session)
{
	return profile_has_event(session) ? (void *)kt_profile_events_create(session) :
	       (void *)kt_profile_timers_create(session);
}

static int profile_begin(struct kt_session *session)
{
	int error = 0;

	if (!session->source)
		session->source = profile_make_source(session);
	if (!session->source)
		return -ENOMEM;
	if (profile_has_event(session))
		error = kt_profile_events_begin(session->source);
	if (error)
		return error;
	if (kt_peers_are_none(&profile_peers))
		error = kt_hotplug_register(&profile_hotplug);
	if (error)
		goto end_events;
	profile_want(session, 1);
	kt_refill_all(GFP_KERNEL);
	return 0;

end_events:
	if (profile_has_event(session))
		kt_profile_events_stop(session->source);
	return error;
}

static void profile_has_begun(struct kt_session *session)
{
	if (profile_has_event(session))
		kt_profile_events_start(session->source);
	else
		kt_profile_timers_start(session->source);
}

static void profile_will_end(struct kt_session *session)
{
	if (profile_has_event(session))
		kt_profile_events_stop(session->source);
	else
		kt_profile_timers_stop(session->source);
}

static void profile_end(struct kt_session *session)
{
	profile_want(session, -1);
	if (kt_peers_are_none(&profile_peers))
		kt_hotplug_unregister();
	if (profile_has_event(session))
		kt_profile_events_end(session->source);
}

static u64 profile_missed(struct kt_session *session)
{
	return session->source && profile_has_event(session) ?
	       kt_profile_events_missed(session->source) : 0;
}

static void profile_put(struct kt_session *session)
{
	if (profile_has_event(session))
		kt_profile_events_put(session->source);
	else
		kt_profile_timers_put(session->source);
}

/* The tree contains stacks. */
static bool profile_are_sinks_good(u32 sinks, u32 flags)
{
	return (!(sinks & KTRACE_SINK_TREE) || sinks & KTRACE_SINK_STACKS) &&
	       (~flags & (KTRACE_F_ONLY_USER | KTRACE_F_ONLY_KERNEL));
}

static const struct kt_columns profile_columns = {
	.keys = KT_KEYS_OF_TASKS | 1U << KTRACE_KEY_MODE,
	.own = { KTRACE_KEY_MODE }, .values = KT_FIGURES_OF_CALLS,
};

const struct kt_provider kt_profile_provider = {
	.number = KTRACE_PROVIDER_PROFILE,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TABLE | KTRACE_SINK_TREE | KTRACE_SINK_STACKS |
		 KTRACE_SINK_STREAM,
	.flags = KTRACE_F_OVERWRITE | KTRACE_F_GATE | KTRACE_F_ONLY_USER | KTRACE_F_ONLY_KERNEL |
		 KTRACE_F_UNWIND,
	.frames_with = KTRACE_SINK_TREE | KTRACE_SINK_STREAM,
	.has_frequency = true,
	.has_follow = true,
	.has_on_exec = true,
	.columns = &profile_columns,
	.missed = profile_missed,
	.are_sinks_good = profile_are_sinks_good,
	.nr_funcs = KTRACE_NR_PROFILE,
	.peers = &profile_peers,
	.attach = profile_begin,
	.has_attached = profile_has_begun,
	.will_detach = profile_will_end,
	.detach = profile_end,
	.put = profile_put,
};
