// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of tasks: children are followed with the calls that are open,
 * programs that take a process over are told of, and what a task that ends
 * leaves open is closed.
 */
#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include <uapi/ktrace_record.h>

#include "compat.h"
#include "filter.h"
#include "hit.h"
#include "procs.h"
#include "session.h"
#include "shadow.h"
#include "task.h"

/*
 * Is current traced? Where any process may be, those count that called a probed
 * function: others fork and exec in vain, as far as this session goes.
 */
static bool is_traced(struct kt_session *session)
{
	return (session->procs.is_selective || kt_shadow_has(session)) && kt_filter_task(session);
}

/* In the parent; the child has not run yet. */
static void follow(struct kt_session *session, void *arg)
{
	struct task_struct *child = arg;
	u64 words[2] = { child->pid, child->tgid };

	if (!thread_group_leader(child)) {
		if (is_traced(session))
			kt_hit_task(session, KTRACE_REC_FORK, words, ARRAY_SIZE(words));
		return;
	}
	if (kt_procs_inherit(&session->procs, task_tgid(current), task_pid(child)))
		this_cpu_inc(session->cpu->counters.lost_pool);
	if (!kt_procs_wants(&session->procs, task_pid(child)) || !is_traced(session))
		return;
	kt_shadow_fork(session, child);
	kt_hit_task(session, KTRACE_REC_FORK, words, ARRAY_SIZE(words));
}

static void on_fork(struct task_struct *child)
{
	if (child->flags & PF_KTHREAD)
		return;
	preempt_disable();
	kt_session_each(follow, child);
	preempt_enable();
}

/* Shown is what took the place of a program that was seen to do something. */
static void took_over(struct kt_session *session, void *arg)
{
	u64 words[TASK_COMM_LEN / sizeof(u64)];

	if (!is_traced(session))
		return;
	memcpy(words, current->comm, sizeof(words));
	if (kt_shadow_has(session))
		kt_hit_task(session, KTRACE_REC_EXEC, words, ARRAY_SIZE(words));
	kt_session_exec(session);
}

static void on_exec(void)
{
	preempt_disable();
	kt_session_each(took_over, NULL);
	preempt_enable();
}

static void forget(struct kt_session *session, void *arg)
{
	if (kt_procs_forget(&session->procs, task_tgid(current)))
		*(bool *)arg = true;
}

static void on_exit(void)
{
	bool is_forgotten = false;

	preempt_disable();
	kt_shadow_task_exit();
	if (!atomic_read(&current->signal->live))
		kt_session_each(forget, &is_forgotten);
	if (is_forgotten)
		kt_filter_changed();
	preempt_enable();
}

int kt_task_init(void)
{
	static const struct kt_task_events events = { on_fork, on_exec, on_exit };

	return kt_task_events_register(&events);
}

void kt_task_exit(void)
{
	kt_task_events_unregister();
}
