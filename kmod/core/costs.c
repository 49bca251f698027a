// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a hit for the program. The module can measure its own part only. The kernel's part
 * is the trap, and the instruction that the kernel emulates or steps: a command measures it from
 * outside, once after the module was loaded (user/session/costs.c). The module's part differs
 * between sessions, so it is measured all the time.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/time.h>

#include "core/costs.h"
#include "core/provider.h"
#include "core/session.h"
#include "lib/control.h"
#include "lib/mem.h"

#define MOST NSEC_PER_SEC	/* no hit takes longer */

static struct ktrace_costs known;	/* under kt_control; all 0 if not known */

int kt_costs_set(const struct ktrace_costs *costs)
{
	const u64 *all = &costs->entry;
	size_t i;

	for (i = 0; i < sizeof(*costs) / sizeof(*all); i++)
		if (!all[i] || all[i] > MOST)
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

static void costs_set_own(const struct kt_session *session, struct kt_session_cpu *cpu,
			  bool is_return, u64 own)
{
	const struct ktrace_costs *costs = &session->costs;

	cpu->own[is_return] = own;
	if (!costs->entry || (session->hot.flags & KTRACE_F_RAW))
		return;
	if (is_return) {
		WRITE_ONCE(cpu->after[KT_COST_RETURN], own + costs->ret);
	} else {
		WRITE_ONCE(cpu->after[KT_COST_ENTRY], own + costs->entry);
		WRITE_ONCE(cpu->after[KT_COST_STEPPED], own + costs->stepped);
	}
}

void kt_costs_init(struct kt_session *session)
{
	struct kt_session_cpu *data;
	int cpu;

	if (!session->config.provider->has_budget)
		return;
	kt_costs_get(&session->costs);
	if (!(session->hot.flags & KTRACE_F_RAW)) {
		session->hot.stepped_more = session->costs.stepped - session->costs.entry;
		session->hot.shared_more = -session->costs.entry;
	}
	for_each_possible_cpu(cpu) {
		data = per_cpu_ptr(session->hot.cpu, cpu);
		data->next_sample = KT_HIT_SAMPLE_EVERY;
		costs_set_own(session, data, false, session->costs.own_entry);
		costs_set_own(session, data, true, session->costs.own_ret);
	}
}

#define WEIGHT 16	/* the average moves by 1/16 of its difference to a sample */
#define ODD 4		/* times the average: longer samples had an interrupt, and are cut */

/*
 * A moving average, which begins with the module's part that the command measured. Walks count
 * whole, and have no more weight than other hits, so that the sum of what hits cost is right.
 */
u64 kt_costs_learn(const struct kt_session *session, struct kt_session_cpu *cpu, bool is_return,
		   u64 sample, bool has_walked)
{
	s64 own = cpu->own[is_return];

	if (!own)
		return 0;
	sample = min_t(u64, sample, has_walked ? MOST : ODD * own);
	costs_set_own(session, cpu, is_return, own + ((s64)sample - own) / WEIGHT);
	return sample;
}

/* --- what hits have cost ------------------------------------------------------ */

static size_t costs_spent_len(const struct kt_session *session)
{
	return sizeof(struct kt_spent) + session->config.nr_funcs * sizeof(atomic64_t);
}

int kt_costs_create_spent(struct kt_session *session)
{
	if (!session->config.budget)
		return 0;
	session->spent = kt_mem_alloc(costs_spent_len(session));
	return session->spent ? 0 : -ENOMEM;
}

void kt_costs_free_spent(struct kt_session *session)
{
	kt_mem_free(session->spent, costs_spent_len(session));
}

static u64 costs_of_kernel(const struct ktrace_costs *costs, enum kt_cost kind)
{
	if (kind == KT_COST_RETURN)
		return costs->ret;
	return kind == KT_COST_STEPPED ? costs->stepped : costs->entry;
}

static void costs_add(struct kt_session *session, struct kt_session_cpu *cpu, u32 func, u64 ns)
{
	cpu->counters.cost_ns += ns;
	if (!session->spent)
		return;
	atomic64_add(ns, &session->spent->func[func]);
	if (!READ_ONCE(session->hot.funcs[func].is_gone))
		atomic64_add(ns, &session->spent->total);
}

/* The average would be late: walks may have begun a moment ago, and a budget must see them soon. */
void kt_costs_spend(struct kt_session *session, struct kt_session_cpu *cpu, enum kt_cost kind,
		    u32 func, u64 own)
{
	u64 each = own + costs_of_kernel(&session->costs, kind);

	costs_add(session, cpu, func, (cpu->counters.hits - cpu->sampled) * each);
	cpu->sampled = cpu->counters.hits;
}

/* Looking at the conditions takes the module about as long as a hit. */
void kt_costs_exclude(struct kt_session *session, enum kt_cost kind, u32 func)
{
	struct kt_session_cpu *cpu = get_cpu_ptr(session->hot.cpu);
	const struct ktrace_costs *costs = &session->costs;
	u64 own = kind == KT_COST_RETURN ? costs->own_ret : costs->own_entry;

	cpu->counters.excluded++;
	costs_add(session, cpu, func, own + costs_of_kernel(costs, kind));
	put_cpu_ptr(session->hot.cpu);
}

u64 kt_costs_rest(const struct kt_session *session, const struct kt_session_cpu *cpu)
{
	const struct ktrace_costs *costs = &session->costs;
	u64 nr = READ_ONCE(cpu->counters.hits) - READ_ONCE(cpu->sampled);

	if (!costs->entry || (s64)nr <= 0)
		return 0;
	return nr * (READ_ONCE(cpu->own[false]) + READ_ONCE(cpu->own[true]) + costs->entry +
		     costs->ret) / 2;
}

static u64 costs_own_call(const struct kt_session *session)
{
	u64 sum = 0, nr = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		sum += READ_ONCE(per_cpu_ptr(session->hot.cpu, cpu)->own[false]) +
		       READ_ONCE(per_cpu_ptr(session->hot.cpu, cpu)->own[true]);
		nr++;
	}
	return nr ? div64_u64(sum, nr) : 0;
}

u64 kt_costs_of_call(const struct kt_session *session, const struct ktrace_func *desc)
{
	u64 own = costs_own_call(session);
	u64 entry = desc->traits & KTRACE_TRAIT_STEPPED ? session->costs.stepped :
							session->costs.entry;

	if (desc->ret == KTRACE_RETURN_NONE || desc->ret == KTRACE_RETURN_UNSEEN)
		return entry + own / 2;
	return entry + session->costs.ret + own;
}
