// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit costs a program. The module sees a hit from its first line to its last; the trap,
 * and the instruction that the kernel emulates or steps, lie outside. A command measures the
 * whole from outside, once after the module was loaded (user/costs.c); what is ours differs
 * from session to session, and is measured all along.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>

#include "costs.h"
#include "provider.h"
#include "session.h"

static struct ktrace_costs known;	/* under kt_control; all 0: they are not known */

int kt_costs_set(const struct ktrace_costs *costs)
{
	if (!costs->entry || !costs->stepped || !costs->ret || !costs->own_entry ||
	    !costs->own_ret)
		return -EINVAL;
	mutex_lock(&kt_control);
	known = *costs;
	mutex_unlock(&kt_control);
	return 0;
}

void kt_costs_get(struct ktrace_costs *costs)
{
	mutex_lock(&kt_control);
	*costs = known;
	mutex_unlock(&kt_control);
}

static void set_after(const struct kt_session *session, struct kt_session_cpu *cpu,
		      bool is_return, u64 own)
{
	if (!session->costs.entry || (session->config.flags & KTRACE_F_RAW))
		return;
	WRITE_ONCE(cpu->after[is_return],
		   own + (is_return ? session->costs.ret : session->costs.entry));
}

void kt_costs_init(struct kt_session *session)
{
	struct kt_session_cpu *data;
	int cpu;

	if (!session->config.provider->flag)
		kt_costs_get(&session->costs);
	if (!(session->config.flags & KTRACE_F_RAW)) {
		session->stepped_more = session->costs.stepped - session->costs.entry;
		session->shared_more = -session->costs.entry;
	}
	for_each_possible_cpu(cpu) {
		data = per_cpu_ptr(session->cpu, cpu);
		data->next_sample = KT_HIT_SAMPLE_EVERY;
		set_after(session, data, false, session->costs.own_entry);
		set_after(session, data, true, session->costs.own_ret);
	}
}

static u64 mean(const struct ktrace_counters *c, bool is_return, u64 fallback)
{
	u64 nr = is_return ? c->ret_cnt : c->run_cnt - c->ret_cnt;
	u64 ns = is_return ? c->ret_ns : c->run_ns - c->ret_ns;

	return nr ? div64_u64(ns, nr) : fallback;
}

void kt_costs_learn(const struct kt_session *session, struct kt_session_cpu *cpu, bool is_return)
{
	set_after(session, cpu, is_return, mean(&cpu->counters, is_return, 0));
}

u64 kt_costs_own(struct kt_session *session, bool is_return)
{
	struct ktrace_counters sum = { 0 };
	int cpu;

	for_each_possible_cpu(cpu)
		kt_session_counters(session, cpu, &sum);
	return mean(&sum, is_return,
		    is_return ? session->costs.own_ret : session->costs.own_entry);
}
