// SPDX-License-Identifier: GPL-2.0
/* The parts of a session, which are made and freed with it. */
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/slab.h>

#include "core/costs.h"
#include "core/figures.h"
#include "core/filter.h"
#include "core/provider.h"
#include "core/ring.h"
#include "core/shadow.h"
#include "core/stacks.h"
#include "core/trigger.h"
#include "core/unwind.h"
#include "lib/mem.h"
#include "session/life.h"
#include "session/parts.h"
#include "session/sessions.h"
#include "session/staging.h"
#include "session/taken_out.h"
#include "session/throttle.h"
#include "uprobe/hold.h"

static size_t parts_cpus_len(void)
{
	return num_possible_cpus() * sizeof(struct kt_session_cpu);
}

static size_t parts_full_len(void)
{
	return BITS_TO_LONGS(nr_cpu_ids) * sizeof(long);
}

static int parts_make_ring(struct kt_session *session)
{
	const struct kt_session_config *config = &session->config;

	if (!(config->sinks & KTRACE_SINK_STREAM))
		return 0;
	session->full_cpus = kt_mem_alloc(parts_full_len());
	session->hot.ring = kt_ring_create(config->nr_subbufs, config->flags & KTRACE_F_OVERWRITE,
					   session->id, session->cookie);
	return session->full_cpus && session->hot.ring ? 0 : -ENOMEM;
}

static int parts_make_trigger(struct kt_session *session)
{
	session->hot.has_odd_records = session->config.has_trigger ||
				       (session->config.flags & KTRACE_F_NO_ENTRIES);
	if (!session->config.has_trigger)
		return 0;
	session->hot.trigger = kt_trigger_create(&session->config.trigger);
	return session->hot.trigger ? 0 : -ENOMEM;
}

#define NODES_A_STACK 8	/* nodes that share one stack, on average */

static int parts_make_stacks(struct kt_session *session)
{
	const struct kt_session_config *config = &session->config;

	if (!(config->sinks & KTRACE_SINK_STACKS))
		return 0;
	session->hot.stacks = kt_stacks_create(session->id, config->max_nodes / NODES_A_STACK,
					       config->flags & KTRACE_F_UNWIND);
	return session->hot.stacks ? 0 : -ENOMEM;
}

static int parts_make_unwind(struct kt_session *session)
{
	if (!(session->config.flags & KTRACE_F_UNWIND))
		return 0;
	session->unwind = kt_unwind_create(session->id);
	return session->unwind ? 0 : -ENOMEM;
}

static void parts_put_ring(struct kt_session *session)
{
	irq_work_sync(&session->full_irq);
	cancel_work_sync(&session->life->full_work);
	kt_trigger_free(session->hot.trigger);
	kt_ring_put(session->hot.ring);
	kt_mem_free(session->full_cpus, parts_full_len());
}

void kt_session_put_files(struct kt_session_config *config)
{
	while (config->nr_files)
		fput(config->files[--config->nr_files]);
}

void kt_session_put_config(struct kt_session_config *config)
{
	u32 i;

	for (i = 0; i < config->nr_pids; i++)
		put_pid(config->pids[i]);
	kfree(config->pids);
	kfree(config->devs);
	kt_session_put_files(config);
	kfree(config->files);
	kt_conditions_free(config->conditions);
	if (config->file)
		fput(config->file);
}

static size_t parts_funcs_len(const struct kt_session *session)
{
	return max_t(size_t, session->config.nr_funcs * sizeof(struct kt_func), 1);
}

static int parts_add_procs(struct kt_session *session)
{
	const struct kt_session_config *config = &session->config;
	HLIST_HEAD(spares);
	u32 i;

	if (kt_procs_reserve(&spares, config->nr_pids, GFP_KERNEL))
		return -ENOMEM;
	for (i = 0; i < config->nr_pids; i++)
		kt_procs_set(&session->procs, config->pids[i], true, &spares);
	for (i = 0; i < config->nr_pids && config->is_on_exec; i++)
		kt_procs_wait_for_exec(&session->procs, config->pids[i]);
	kt_procs_unreserve(&spares);
	return 0;
}

static int parts_make_cpus(struct kt_session *session)
{
	int cpu;

	if (!kt_mem_charge(parts_cpus_len()))
		return -ENOMEM;
	session->hot.cpu = alloc_percpu(struct kt_session_cpu);
	if (!session->hot.cpu) {
		kt_mem_uncharge(parts_cpus_len());
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		per_cpu_ptr(session->hot.cpu, cpu)->stack = &kt_shadow_nobodys;
	return 0;
}

int kt_session_make_parts(struct kt_session *session)
{
	session->hot.funcs = kt_mem_alloc(parts_funcs_len(session));
	session->hold = kt_hold_create();
	if (!session->hot.funcs || !session->hold || parts_make_cpus(session) ||
	    kt_session_make_figures(session) ||
	    parts_make_ring(session) || parts_make_trigger(session) || parts_make_stacks(session) ||
	    parts_make_unwind(session) ||
	    kt_throttle_create(session) ||
	    kt_taken_out_create(session) ||
	    kt_costs_create_spent(session) || parts_add_procs(session))
		return -ENOMEM;
	kt_costs_init(session);
	return 0;
}

void kt_session_put_parts(struct kt_session *session)
{
	if (session->config.provider->put)
		session->config.provider->put(session);
	kt_staging_exit(session);
	kt_procs_exit(&session->procs);
	kt_hold_free(session->hold);
	parts_put_ring(session);
	kt_throttle_free(session);
	kt_taken_out_free(session);
	kt_costs_free_spent(session);
	kt_unwind_put(session->unwind);
	kt_stacks_put(session->hot.stacks);
	kt_figures_put(rcu_dereference_raw(session->life->before));
	kt_figures_put(rcu_dereference_raw(session->figures));
	if (session->hot.cpu)
		kt_mem_uncharge(parts_cpus_len());
	free_percpu(session->hot.cpu);
	kt_mem_free(session->hot.funcs, parts_funcs_len(session));
}
