// SPDX-License-Identifier: GPL-2.0
/*
 * How tasks spend their time: one set of probes at the scheduler's tracepoints serves all sessions.
 *
 *	              RUN, RUN_OUT          WAKEUP or PREEMPTED
 *	--------------+-----------+---------+----------------+--------------
 *	      gets a CPU      leaves it   woken         gets a CPU
 *	                          |- SLEEP -|    (no sleep if it was preempted)
 *
 * The kind and the begin of the current period are kept with each task. A period counts at the
 * switch that ends it; a sleep and the wait that follows it count when the task gets a CPU. So
 * all counting is done in switches, with interrupts off and the run queue locked: code in this
 * file must not wake up any task.
 *
 * A task counts from the first event that the session sees of it (a switch, its fork, its execve,
 * or being on a CPU when the session begins) until its exit. What the kernel does afterwards to
 * tear the task down is not work of the program; and the task loses its pids then, which filters
 * need.
 *
 * A task that keeps a CPU for long would never be seen. So when a session begins, ends or is
 * reset, each CPU looks at the task that it runs.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <trace/events/sched.h>

#include "compat/sched.h"
#include "compat/tracepoint.h"
#include "core/figures.h"
#include "core/filter.h"
#include "core/hit.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/table.h"
#include "core/tree.h"
#include "lib/ticks.h"
#include "providers/peers.h"
#include "providers/providers.h"
#include "providers/sched_record.h"
#include "providers/sched_stacks.h"
#include "providers/sched_task.h"

static KT_PEERS(sched_peers);	/* sessions that count how tasks spend their time */

/* --- counting ------------------------------------------------------------- */

/* Counts a period in the nodes of its thread, its kind, and the stack on which the CPU was left. */
static void sched_count_in_tree(struct kt_session *session, const struct task_struct *who, u32 what,
				u64 duration)
{
	struct kt_tree *tree = kt_figures_tree(session);
	u32 node = kt_tree_child(tree, KTRACE_NODE_ROOT, who->pid);

	node = kt_tree_child(tree, node, what);
	if (!kt_tree_add_max(tree, node, duration))
		this_cpu_inc(session->hot.cpu->counters.lost_pool);
	else if (kt_tree_is_full(tree, node))
		this_cpu_inc(session->hot.cpu->counters.lost_tree);
	else
		kt_sched_stack_count(session, tree, who, node, duration);
}

/* A task gets a CPU, or leaves it. */
struct event {
	struct task_struct *who;
	struct kt_table_slots *slots;	/* of who; or NULL */
	u64 now;			/* ticks */
};

static u64 sched_ns_between(u64 from, u64 to)
{
	return to > from ? kt_ticks_to_ns(to - from) : 0;
}

static void sched_count_more(struct kt_session *session, const struct event *event, u32 what,
			     u64 duration)
{
	struct kt_table_event row = {
		.who = event->who, .func = what, .now = event->now, .slots = event->slots,
	};

	BUILD_BUG_ON(KTRACE_NR_SCHED > KT_NR_LASTING);
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kt_table_count(kt_figures_table(session), &row, duration,
			       &this_cpu_ptr(session->hot.cpu)->counters);
	if (unlikely(session->hot.sinks & KTRACE_SINK_STACKS) && kt_sched_has_stack(what))
		sched_count_in_tree(session, event->who, what, duration);
}

/* Counts a period, or the part of it after a cut. */
static __always_inline void count_piece(struct kt_session *session, const struct event *event,
					u32 what, u64 duration)
{
	struct kt_session_cpu *cpu = this_cpu_ptr(session->hot.cpu);
	struct kt_hist *hist = kt_figures_hist(cpu, what);

	if (likely(hist) && unlikely(!kt_hist_add(hist, duration)))
		cpu->counters.lost_pool++;
	if (session->hot.sinks & (KTRACE_SINK_TABLE | KTRACE_SINK_STACKS))
		sched_count_more(session, event, what, duration);
	if (unlikely(++cpu->counters.hits % KT_HIT_SAMPLE_EVERY == 0)) {
		cpu->counters.run_cnt++;
		cpu->counters.run_ns += kt_ticks_to_ns(kt_ticks() - event->now);
	}
}

static void sched_record(struct kt_session *session, const struct event *event, u32 what,
			 u64 duration, u64 end)
{
	if (unlikely(session->hot.ring) && duration >= session->hot.min_time)
		kt_sched_record(session, event->who, what, duration, end);
}

/* Counts the period from .. to (ticks) in a session that traces the task. */
static void sched_count(struct kt_session *session, const struct event *event, u32 what,
			u64 from, u64 to)
{
	u64 duration = sched_ns_between(from, to);

	if (unlikely(from < session->hot.counts_from || duration < session->hot.least))
		return;
	sched_record(session, event, what, duration, to);
	count_piece(session, event, what, duration);
}

/* --- tasks that sessions trace ---------------------------------------------- */

static __always_inline bool is_wanted_by(const struct kt_session *session,
					 struct task_struct *who)
{
	return kt_filter_that_on(session, this_cpu_ptr(session->hot.cpu), who);
}

static bool sched_is_wanted(struct task_struct *who)
{
	struct kt_session *session;

	kt_peers_each(session, &sched_peers)
		if (is_wanted_by(session, who))
			return true;
	return false;
}

/* There is no memory for the task, so its periods will not be seen. */
static noinline void sched_count_lost(struct task_struct *who)
{
	struct kt_session *session;

	kt_peers_each(session, &sched_peers)
		if (is_wanted_by(session, who))
			this_cpu_inc(session->hot.cpu->counters.lost_pool);
}

/* Returns NULL for tasks that no session traces, idle tasks, and tasks that have ended. */
static noinline struct kt_sched_task *sched_make(struct task_struct *who, u32 what, u64 now)
{
	struct kt_sched_task *task;

	if (!who->pid || (who->flags & PF_EXITING) || !sched_is_wanted(who))
		return NULL;
	task = kt_sched_task_make(who);
	if (!task) {
		sched_count_lost(who);
		return NULL;
	}
	task->what = what;
	task->since = now;
	task->nvcsw = who->nvcsw;
	return task;
}

/* --- switches --------------------------------------------------------------- */

static u32 sched_blocked_in(unsigned int state)
{
	if (state & (__TASK_STOPPED | __TASK_TRACED))
		return KTRACE_SCHED_STOPPED;
	return (state & TASK_UNINTERRUPTIBLE) && !(state & KT_TASK_NOLOAD) ?
		KTRACE_SCHED_DISK : KTRACE_SCHED_SLEEP;
}

/*
 * The task still runs on the CPU on which a cut found it. The length of the whole run decides if
 * it counts, and the whole run is recorded when it is over. A run that began before the session is
 * not a whole period. Returns true if the run counts.
 */
static bool sched_count_run_in(struct kt_session *session, const struct kt_sched_task *task,
			       const struct event *event, u32 what, bool is_over)
{
	const struct kt_session_cpu *cpu = this_cpu_ptr(session->hot.cpu);
	u64 begin = READ_ONCE(session->hot.counts_from);	/* U64_MAX: its gate is not open */
	u64 from = max3(task->since, begin, cpu->ended);
	u64 duration = sched_ns_between(from, event->now);

	if (!is_wanted_by(session, event->who) || unlikely(duration < session->hot.least))
		return false;
	if (unlikely(task->since < begin)) {
		if (begin == U64_MAX)
			return false;
		what = KTRACE_SCHED_RUN_CUT;
	}
	if (is_over)
		sched_record(session, event, what, duration, event->now);
	count_piece(session, event, what,
		    unlikely(cpu->cut > from) ? sched_ns_between(cpu->cut, event->now) : duration);
	return true;
}

static void sched_count_run(const struct kt_sched_task *task, const struct event *event, u32 what)
{
	struct kt_session *session;

	kt_peers_each(session, &sched_peers)
		sched_count_run_in(session, task, event, what, true);
}

/* nvcsw, which getrusage(2) reports, has just grown if the task gave the CPU up by itself. */
static __always_inline void leave(struct event *event, unsigned int state)
{
	struct task_struct *who = event->who;
	struct kt_sched_task *task = kt_sched_task_leaving(who);
	u32 what = state ? sched_blocked_in(state) : KTRACE_SCHED_PREEMPTED;

	if (unlikely(!task)) {
		sched_make(who, what, event->now);
		return;
	}
	event->slots = &task->slots;
	if (likely(task->what == KTRACE_SCHED_RUN))
		sched_count_run(task, event, task->nvcsw != who->nvcsw ? KTRACE_SCHED_RUN :
				KTRACE_SCHED_RUN_OUT);
	task->nvcsw = who->nvcsw;
	task->what = what;
	task->since = event->now;
}

static bool sched_is_blocked(u32 what)
{
	return what >= KTRACE_SCHED_SLEEP && what <= KTRACE_SCHED_STOPPED;
}

/*
 * The waker of a task may be faster than its switch: then the task did not sleep. A sleep always
 * ends by a wake-up, so if no wake-up is known after the switch, it was before the switch.
 */
static void sched_count_wait(struct kt_sched_task *task, const struct event *event)
{
	bool has_slept = sched_is_blocked(task->what);
	u64 woken = has_slept ? max(READ_ONCE(task->woken), task->since) : task->since;
	struct kt_session *session;

	kt_peers_each(session, &sched_peers) {
		if (!is_wanted_by(session, event->who))
			continue;
		if (has_slept)
			sched_count(session, event, task->what, task->since, woken);
		sched_count(session, event, has_slept ? KTRACE_SCHED_WAKEUP : task->what, woken,
			    event->now);
	}
}

static __always_inline void enter(struct event *event)
{
	struct kt_sched_task *task = kt_sched_task_find(event->who);

	if (unlikely(!task)) {
		task = sched_make(event->who, KTRACE_SCHED_RUN, event->now);
	} else {
		event->slots = &task->slots;
		if (likely(task->what != KTRACE_SCHED_RUN))
			sched_count_wait(task, event);
		task->what = KTRACE_SCHED_RUN;
		task->since = event->now;
	}
	__this_cpu_write(kt_sched_last, task);
}

static KT_ON_SWITCH(sched_on_switch, prev, next)
{
	struct event event = { .who = prev };

	rcu_read_lock_sched();
	event.now = kt_ticks();
	leave(&event, KT_SWITCH_STATE(prev));
	event.who = next;
	enter(&event);
	rcu_read_unlock_sched();
	kt_refill_soon();
}

/*
 * Runs after the probe above, while a session needs stacks. Without such a session it costs
 * nothing.
 */
static KT_ON_SWITCH(sched_on_switch_stack, prev, next)
{
	rcu_read_lock_sched();
	kt_sched_stack_take(&sched_peers);
	rcu_read_unlock_sched();
}

/* --- wake-ups --------------------------------------------------------------- */

/* Runs in the waker, before the wake-up itself, which may need an interrupt to another CPU. */
static KT_ON_WAKING(sched_on_waking, who)
{
	struct kt_sched_task *task;

	rcu_read_lock_sched();
	task = kt_sched_task_find(who);
	if (task)
		WRITE_ONCE(task->woken, kt_ticks());
	rcu_read_unlock_sched();
}

static KT_ON_WAKING(sched_on_new, who)
{
	rcu_read_lock_sched();
	if (!kt_sched_task_find(who))
		sched_make(who, KTRACE_SCHED_WAKEUP, kt_ticks());
	rcu_read_unlock_sched();
	kt_refill_soon();
}

/* --- programs and ends ------------------------------------------------------ */

/* A task that is traced from its execve on has a CPU already. */
static void sched_task_began(void)
{
	struct kt_sched_task *task;
	unsigned long flags;

	if (kt_peers_are_none(&sched_peers))
		return;
	local_irq_save(flags);
	task = kt_sched_task_find(current);
	if (!task)
		sched_make(current, KTRACE_SCHED_RUN, kt_ticks());
	else
		task->slots.seed = 0;	/* its tid may now be that of the first thread */
	local_irq_restore(flags);
}

static void sched_task_ended(void)
{
	struct kt_sched_task *task = kt_sched_task_leaving(current);
	struct event event = { .who = current };
	unsigned long flags;

	if (!task)
		return;
	local_irq_save(flags);
	event.now = kt_ticks();
	event.slots = &task->slots;
	if (task->what == KTRACE_SCHED_RUN)
		sched_count_run(task, &event, KTRACE_SCHED_RUN);
	local_irq_restore(flags);
}

/* --- the task that a CPU runs; called on each CPU, interrupts off ------------ */

static void sched_begin_here(void *unused)
{
	rcu_read_lock_sched();
	if (!kt_sched_task_find(current))
		sched_make(current, KTRACE_SCHED_RUN, 0);
	rcu_read_unlock_sched();
}

static bool sched_count_who_runs(struct kt_session *session, u64 now, bool is_over)
{
	struct kt_sched_task *task = kt_sched_task_find(current);
	struct event event = { .who = current, .now = now };

	if (!task || task->what != KTRACE_SCHED_RUN)
		return false;
	event.slots = &task->slots;
	return sched_count_run_in(session, task, &event, KTRACE_SCHED_RUN_CUT, is_over);
}

/* A run that is still too short to count is not cut: it may count when it is over. */
static void sched_cut_here(void *arg)
{
	struct kt_session *session = arg;
	u64 now;

	rcu_read_lock_sched();
	now = kt_ticks();
	if (sched_count_who_runs(session, now, false))
		this_cpu_ptr(session->hot.cpu)->cut = now;
	rcu_read_unlock_sched();
}

/* Hits see the session until it is off the list; ended keeps them from counting time twice. */
static void sched_end_here(void *arg)
{
	struct kt_session *session = arg;
	u64 now;

	rcu_read_lock_sched();
	now = kt_ticks();
	sched_count_who_runs(session, now, true);
	this_cpu_ptr(session->hot.cpu)->ended = now;
	rcu_read_unlock_sched();
}

/* --- sessions --------------------------------------------------------------- */

/* Wake-ups are probed first, so that the wake-up of each sleep that is seen is also seen. */
static struct kt_tracepoint probes[] = {
	KT_TRACEPOINT(KT_WAKING_EVENT, sched_on_waking),
	KT_TRACEPOINT(sched_wakeup_new, sched_on_new),
	KT_TRACEPOINT(sched_switch, sched_on_switch),
};

static struct kt_tracepoint stack_probes[] = { KT_TRACEPOINT(sched_switch, sched_on_switch_stack) };
static u32 nr_with_stacks;	/* sessions; guarded by the lock of peers */

#define ROWS_OF_CPU 64		/* new rows, or nodes, until the pool is refilled */
#define MOST_TASKS 16384	/* new tasks until the pool is refilled; more may be lost */

static u32 sched_nr_tasks(void)
{
	struct task_struct *process, *task;
	u32 nr = 64;

	rcu_read_lock();
	for_each_process_thread(process, task)
		nr++;
	rcu_read_unlock();
	return min_t(u32, nr, MOST_TASKS);
}

/* Hits cannot refill the pools, so the pools have enough in advance. */
static void sched_want(const struct kt_session *session, int sign)
{
	if (session->hot.sinks & KTRACE_SINK_HIST)
		kt_hist_want(sign * KTRACE_NR_SCHED * (int)nr_cpu_ids);
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kt_table_want(&session->config.table, sign * ROWS_OF_CPU * (int)nr_cpu_ids);
	if (session->hot.sinks & KTRACE_SINK_TREE)
		kt_tree_want(sign * ROWS_OF_CPU * (int)nr_cpu_ids);
}

static int sched_begin_stacks(const struct kt_session *session)
{
	int error = 0;

	if (!(session->hot.sinks & KTRACE_SINK_STACKS))
		return 0;
	if (!nr_with_stacks)
		error = kt_tracepoints_attach(stack_probes, ARRAY_SIZE(stack_probes));
	nr_with_stacks += !error;
	return error;
}

static void sched_end_stacks(const struct kt_session *session)
{
	if (session->hot.sinks & KTRACE_SINK_STACKS && !--nr_with_stacks)
		kt_tracepoints_detach(stack_probes, ARRAY_SIZE(stack_probes));
}

static int sched_begin_probes(const struct kt_session *session)
{
	bool is_first = kt_peers_are_none(&sched_peers);
	int error = is_first ? kt_tracepoints_attach(probes, ARRAY_SIZE(probes)) : 0;

	if (error)
		return error;
	error = sched_begin_stacks(session);
	if (error && is_first)
		kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
	return error;
}

static int sched_begin(struct kt_session *session)
{
	int error;

	if (kt_peers_are_none(&sched_peers))
		kt_sched_task_want(sched_nr_tasks() / 2);
	sched_want(session, 1);
	kt_refill_all(GFP_KERNEL);
	error = sched_begin_probes(session);
	if (!error)
		return 0;
	sched_want(session, -1);
	if (kt_peers_are_none(&sched_peers))
		kt_sched_task_forget_all();
	return error;
}

static void sched_has_begun(struct kt_session *session)
{
	on_each_cpu(sched_begin_here, NULL, 1);
}

static void sched_will_end(struct kt_session *session)
{
	on_each_cpu(sched_end_here, session, 1);
}

static void sched_will_close(struct kt_session *session)
{
	mutex_lock(&sched_peers.lock);
	if (!list_empty(&session->peers))
		sched_will_end(session);
	mutex_unlock(&sched_peers.lock);
}

static void sched_end(struct kt_session *session)
{
	sched_want(session, -1);
	sched_end_stacks(session);
	if (!kt_peers_are_none(&sched_peers))
		return;
	kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
	kt_sched_task_forget_all();
}

/* A task that runs counts up to now. */
static void sched_cut(struct kt_session *session)
{
	mutex_lock(&sched_peers.lock);
	if (!list_empty(&session->peers))
		on_each_cpu(sched_cut_here, session, 1);
	mutex_unlock(&sched_peers.lock);
}

static void sched_init_tasks(void)
{
	kt_sched_task_init(sched_task_began, sched_task_ended);
}

/* The tree contains stacks, so TREE and STACKS need each other. */
static bool sched_are_sinks_good(u32 sinks, u32 flags)
{
	return !(sinks & KTRACE_SINK_TREE) == !(sinks & KTRACE_SINK_STACKS);
}

static const struct kt_columns sched_columns = {
	.keys = KT_KEYS_OF_TASKS | 1U << KTRACE_KEY_PERIOD,
	.own = { KTRACE_KEY_PERIOD }, .values = KT_FIGURES_OF_CALLS,
};

const struct kt_provider kt_sched_provider = {
	.number = KTRACE_PROVIDER_SCHED,
	.init = sched_init_tasks,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TABLE | KTRACE_SINK_TREE | KTRACE_SINK_STREAM |
		 KTRACE_SINK_STACKS,
	.flags = KTRACE_F_OVERWRITE | KTRACE_F_GATE | KTRACE_F_UNWIND,
	.min_time_with = KTRACE_SINK_HIST | KTRACE_SINK_STREAM | KTRACE_SINK_TABLE,
	.frames_with = KTRACE_SINK_TREE,
	.has_follow = true,
	.has_on_exec = true,
	.columns = &sched_columns,
	.are_sinks_good = sched_are_sinks_good,
	.nr_funcs = KTRACE_NR_SCHED,
	.nr_trigger = KTRACE_SCHED_STOPPED + 1,
	.keeps_max = true,
	.peers = &sched_peers,
	.attach = sched_begin,
	.has_attached = sched_has_begun,
	.will_detach = sched_will_end,
	.will_close = sched_will_close,
	.detach = sched_end,
	.cut = sched_cut,
};
