// SPDX-License-Identifier: GPL-2.0
/* Counts samples, whatever their source is. */
#include <linux/hardirq.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <uapi/ktrace.h>

#include "core/figures.h"
#include "core/filter.h"
#include "core/hit.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/stacks.h"
#include "core/table.h"
#include "core/tree.h"
#include "lib/budget.h"
#include "lib/ticks.h"
#include "providers/profile_record.h"
#include "providers/profile_sample.h"

/* An NMI counts as an interrupt itself; the one that samples without an NMI is not seen here. */
static bool profile_sample_is_in_interrupt(void)
{
	return in_nmi() && hardirq_count() > HARDIRQ_OFFSET;
}

/* A softirq on an idle CPU works. */
u32 kt_profile_mode(const struct pt_regs *regs)
{
	if (regs && user_mode((struct pt_regs *)regs))
		return KTRACE_PROFILE_USER;
	return is_idle_task(current) && !in_serving_softirq() && !profile_sample_is_in_interrupt() ?
	       KTRACE_PROFILE_IDLE : KTRACE_PROFILE_KERNEL;
}

/* A task that has been released has no pids any more, which filters and keys need. */
static bool profile_sample_counts(const struct kt_session *session,
				  const struct kt_session_cpu *cpu, u32 mode)
{
	u32 flags = session->hot.flags;

	if (unlikely(flags & (KTRACE_F_ONLY_USER | KTRACE_F_ONLY_KERNEL)) &&
	    mode != (flags & KTRACE_F_ONLY_USER ? KTRACE_PROFILE_USER : KTRACE_PROFILE_KERNEL))
		return false;
	return pid_alive(current) && kt_filter_task_on(session, cpu);
}

/* Returns the number of the stack, or KT_STACK_NONE, which is counted. */
static u32 profile_sample_stack(struct kt_session *session,
				const struct kt_profile_sample *sample)
{
	const struct kt_frames *frames;
	bool by_tables = session->hot.flags & KTRACE_F_UNWIND;
	u32 nr = KT_STACK_NONE;
	u64 start;

	if ((sample->regs || sample->kernel) && kt_budget_begin(&start)) {
		frames = sample->kernel ?
			 kt_stacks_take_saved(sample->kernel, sample->regs, by_tables) :
			 kt_stacks_take_interrupted(sample->regs, by_tables);
		if (frames)
			nr = kt_stacks_keep(session->hot.stacks, frames);
		kt_budget_end(start);
	}
	if (nr == KT_STACK_NONE)
		kt_session_this_cpu(session)->counters.lost_stacks++;
	return nr;
}

static void profile_sample_in_tree(struct kt_session *session,
				   const struct kt_profile_sample *sample, u32 stack)
{
	struct kt_tree *tree = kt_figures_tree(session);
	u32 node;

	node = kt_figures_add_node(session, tree, KTRACE_NODE_ROOT, sample->mode, sample->weight);
	if (stack != KT_STACK_NONE)
		kt_figures_add_node(session, tree, node, stack, sample->weight);
}

static void profile_sample_in_table(struct kt_session *session, struct kt_session_cpu *cpu,
				    const struct kt_profile_sample *sample, u64 now)
{
	const struct kt_table_event event = {
		.who = current, .func = sample->mode, .now = now,
	};

	kt_table_count(kt_figures_table(session), &event, sample->weight, &cpu->counters);
}

static void profile_sample_count(struct kt_session *session, struct kt_session_cpu *cpu,
				 const struct kt_profile_sample *sample, u64 now)
{
	struct kt_hist *hist = kt_figures_hist(cpu, sample->mode);
	u32 stack = KT_STACK_NONE;

	if (hist && !kt_hist_add(hist, sample->weight))
		cpu->counters.lost_pool++;
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		profile_sample_in_table(session, cpu, sample, now);
	if (session->hot.sinks & KTRACE_SINK_STACKS && sample->mode != KTRACE_PROFILE_IDLE)
		stack = profile_sample_stack(session, sample);
	if (session->hot.sinks & KTRACE_SINK_TREE)
		profile_sample_in_tree(session, sample, stack);
	/* Idle CPUs would fill the ring with records that say nothing: hits has their number. */
	if (session->hot.ring && sample->mode != KTRACE_PROFILE_IDLE)
		kt_profile_record(session, sample->mode, sample->weight, now, stack);
	if (unlikely(++cpu->counters.hits % KT_HIT_SAMPLE_EVERY == 0)) {
		cpu->counters.run_cnt++;
		cpu->counters.run_ns += kt_ticks_to_ns(kt_ticks() - now);
	}
}

void kt_profile_count_missed(struct kt_session *session, u64 nr)
{
	if (nr && READ_ONCE(session->hot.counts_from) <= kt_ticks())
		kt_session_this_cpu(session)->counters.missed_samples += nr;
}

void kt_profile_sample(struct kt_session *session, const struct kt_profile_sample *sample)
{
	struct kt_session_cpu *cpu;
	u64 now = kt_ticks();

	if (now < READ_ONCE(session->hot.counts_from))
		return;
	rcu_read_lock_sched();
	cpu = kt_session_this_cpu(session);
	if (profile_sample_counts(session, cpu, sample->mode))
		profile_sample_count(session, cpu, sample, now);
	else
		cpu->counters.excluded++;
	rcu_read_unlock_sched();
	kt_refill_soon();
}
