// SPDX-License-Identifier: GPL-2.0
/* On which stacks tasks leave their CPUs, and how long they are away. */
#include <linux/sched.h>

#include "core/filter.h"
#include "core/session.h"
#include "core/stacks.h"
#include "core/tree.h"
#include "lib/budget.h"
#include "providers/peers.h"
#include "providers/sched_stacks.h"
#include "providers/sched_task.h"

static bool sched_stacks_wants_stack(const struct kt_session *session)
{
	return session->hot.sinks & KTRACE_SINK_STACKS &&
	       kt_filter_that_on(session, this_cpu_ptr(session->hot.cpu), current);
}

/* Returns false if no session wants a stack. by_tables: one that wants it has KTRACE_F_UNWIND. */
static bool sched_stacks_is_stack_wanted(const struct kt_peers *peers, bool *by_tables)
{
	struct kt_session *session;
	bool is_wanted = false;

	*by_tables = false;
	kt_peers_each(session, peers)
		if (sched_stacks_wants_stack(session)) {
			is_wanted = true;
			*by_tables |= session->hot.flags & KTRACE_F_UNWIND;
		}
	return is_wanted;
}

/*
 * Replaces the last stack of current: the periods with that stack have been counted by now. The
 * run queue's lock is held, for which other CPUs may wait: without a limit, tasks that leave often
 * on deep stacks would keep it for most of the time.
 */
void kt_sched_stack_take(const struct kt_peers *peers)
{
	struct kt_sched_task *task = kt_sched_task_find(current);
	const struct kt_frames *frames = NULL;
	struct kt_session *session;
	bool by_tables, has_time;
	u64 start;

	if (!task || !sched_stacks_is_stack_wanted(peers, &by_tables))
		return;
	has_time = kt_budget_begin(&start);
	if (has_time)
		frames = kt_stacks_take(by_tables);
	task->stack = frames ? frames->key : 0;
	kt_peers_each(session, peers)
		if (sched_stacks_wants_stack(session) &&
		    (!frames || kt_stacks_keep(session->hot.stacks, frames) == KT_STACK_NONE))
			this_cpu_inc(session->hot.cpu->counters.lost_stacks);
	if (has_time)
		kt_budget_end(start);
}

/*
 * If there is no memory for a node or a stack, the period counts in the nodes above only, so that
 * their figures show what is missing below.
 */
void kt_sched_stack_count(struct kt_session *session, struct kt_tree *tree,
			  const struct task_struct *who, u32 node, u64 duration)
{
	struct kt_sched_task *task = kt_sched_task_find(who);
	u32 nr = KT_STACK_NONE;

	if (task && task->stack)
		nr = kt_stacks_find(session->hot.stacks, task->stack);
	if (nr == KT_STACK_NONE)
		return;
	node = kt_tree_child(tree, node, nr);
	if (!kt_tree_add_max(tree, node, duration))
		this_cpu_inc(session->hot.cpu->counters.lost_pool);
	else if (kt_tree_is_full(tree, node))
		this_cpu_inc(session->hot.cpu->counters.lost_tree);
}
