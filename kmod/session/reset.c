// SPDX-License-Identifier: GPL-2.0
/* The figures of a session: what its CPUs count, and how a reset sets the figures aside. */
#include <linux/preempt.h>
#include <linux/cpumask.h>
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

/* After kt_wait_for_hits(), no hit writes to the earlier figures. */
int kt_session_reset(struct kt_session *session)
{
	struct kt_figures *figures, *before;
	int error = -EALREADY;

	mutex_lock(&kt_control);
	if (rcu_access_pointer(session->life->before))
		goto unlock;
	error = -ENOMEM;
	figures = kt_figures_create(&session->config, session->life->generation + 1);
	if (!figures)
		goto unlock;
	session->life->generation++;
	if (session->config.provider->cut)
		session->config.provider->cut(session);
	before = reset_figures_of(session->figures);
	/* A switch to another task would count in the new histograms and in the old table. */
	preempt_disable();
	reset_use_figures(session, figures);
	preempt_enable();
	kt_wait_for_hits();
	rcu_assign_pointer(session->life->before, before);
	error = 0;
unlock:
	mutex_unlock(&kt_control);
	return error;
}

/* A dump that reads the earlier figures holds a reference to them. */
int kt_session_reset_done(struct kt_session *session)
{
	struct kt_figures *figures;

	mutex_lock(&kt_control);
	figures = reset_figures_of(session->life->before);
	RCU_INIT_POINTER(session->life->before, NULL);
	mutex_unlock(&kt_control);
	if (figures)
		kt_wait_for_hits();
	kt_figures_put(figures);
	kt_pool_trim_all(KT_POOL_KEEP);
	return figures ? 0 : -ENOENT;
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
