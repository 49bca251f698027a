// SPDX-License-Identifier: GPL-2.0
/* The figures of sessions: what their CPUs count, and how a reset sets the figures aside. */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "compat/rcu.h"
#include "core/costs.h"
#include "core/figures.h"
#include "core/provider.h"
#include "core/ring.h"
#include "lib/mem.h"
#include "lib/pool.h"
#include "session/life.h"
#include "session/sessions.h"

static void reset_use_figures(struct kt_session *session, struct kt_figures *figures)
{
	int cpu;

	rcu_assign_pointer(session->figures, figures);
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(session->hot.cpu, cpu)->hist,
			   figures->hist ? figures->hist[cpu] : NULL);
	WRITE_ONCE(session->hot.tree, figures->tree);
	WRITE_ONCE(session->hot.table, figures->table);
}

int kt_session_make_figures(struct kt_session *session)
{
	struct kt_figures *figures;

	figures = kt_figures_create(&session->config, ++session->life->generation);
	if (!figures)
		return -ENOMEM;
	reset_use_figures(session, figures);
	return 0;
}

static void reset_add_counters(struct ktrace_counters *sum, const struct ktrace_counters *c)
{
	const u64 *from = (const u64 *)c;
	u64 *to = (u64 *)sum;
	u32 i;

	for (i = 0; i < sizeof(*c) / sizeof(u64); i++)
		to[i] += READ_ONCE(from[i]);
}

void kt_session_counters(struct kt_session *session, int cpu, struct ktrace_counters *c)
{
	const struct kt_session_cpu *data = per_cpu_ptr(session->hot.cpu, cpu);

	reset_add_counters(c, &data->counters);
	c->cost_ns += kt_costs_rest(session, data);
	if (session->hot.ring)
		kt_ring_counters(session->hot.ring, cpu, c);
}

static struct kt_figures *reset_figures_of(struct kt_figures __rcu *figures)
{
	return rcu_dereference_protected(figures, lockdep_is_held(&kt_control));
}

static void reset_put(struct kt_figures **figures, u32 nr)
{
	while (nr)
		kt_figures_put(figures[--nr]);
}

/* Makes the next figures of all sessions, or of none. */
static int reset_make(struct kt_session *const *sessions, u32 nr, struct kt_figures **figures)
{
	const struct kt_life *life;
	u32 i;

	for (i = 0; i < nr; i++)
		if (rcu_access_pointer(sessions[i]->life->before))
			return -EALREADY;
	for (i = 0; i < nr; i++) {
		life = sessions[i]->life;
		figures[i] = kt_figures_create(&sessions[i]->config, life->generation + 1);
		if (!figures[i]) {
			reset_put(figures, i);
			return -ENOMEM;
		}
	}
	return 0;
}

/* Puts each session's figures in the place of the new ones, which the session uses from now on. */
static void reset_exchange(struct kt_session *const *sessions, u32 nr, struct kt_figures **figures)
{
	struct kt_figures *before;
	unsigned long flags;
	u32 i;

	/*
	 * Other CPUs count meanwhile, so nothing may delay this. And a switch to another task would
	 * count in the new histograms and in the old table.
	 */
	local_irq_save(flags);
	for (i = 0; i < nr; i++) {
		before = reset_figures_of(sessions[i]->figures);
		sessions[i]->life->generation = figures[i]->generation;
		reset_use_figures(sessions[i], figures[i]);
		figures[i] = before;
	}
	local_irq_restore(flags);
}

/* After kt_wait_for_hits(), no hit writes to the earlier figures. */
int kt_sessions_reset(struct kt_session *const *sessions, u32 nr)
{
	struct kt_figures *figures[KTRACE_GATE_SESSIONS];
	int error;
	u32 i;

	mutex_lock(&kt_control);
	error = reset_make(sessions, nr, figures);
	if (error)
		goto unlock;
	for (i = 0; i < nr; i++)
		if (sessions[i]->config.provider->cut)
			sessions[i]->config.provider->cut(sessions[i]);
	reset_exchange(sessions, nr, figures);
	kt_wait_for_hits();
	for (i = 0; i < nr; i++)
		rcu_assign_pointer(sessions[i]->life->before, figures[i]);
unlock:
	mutex_unlock(&kt_control);
	return error;
}

/* A dump that reads the earlier figures holds a reference to them. */
int kt_sessions_reset_done(struct kt_session *const *sessions, u32 nr)
{
	struct kt_figures *figures[KTRACE_GATE_SESSIONS];
	int error = 0;
	u32 i;

	mutex_lock(&kt_control);
	for (i = 0; i < nr; i++) {
		figures[i] = reset_figures_of(sessions[i]->life->before);
		if (!figures[i])
			error = -ENOENT;
	}
	for (i = 0; i < nr && !error; i++)
		RCU_INIT_POINTER(sessions[i]->life->before, NULL);
	mutex_unlock(&kt_control);
	if (error)
		return error;
	kt_wait_for_hits();
	reset_put(figures, nr);
	kt_pool_trim_all(KT_POOL_KEEP);
	return 0;
}

struct kt_figures *kt_session_figures(struct kt_session *session, bool is_before)
{
	struct kt_figures *figures;

	rcu_read_lock();
	figures = is_before ? rcu_dereference(session->life->before) :
		rcu_dereference(session->figures);
	if (figures && !kref_get_unless_zero(&figures->ref))
		figures = NULL;
	rcu_read_unlock();
	return figures;
}
