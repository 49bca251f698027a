// SPDX-License-Identifier: GPL-2.0
/*
 * Events of tasks. A fork copies the open calls to a child that is traced. An exec is recorded,
 * and a notice reports it. An exit closes the open calls of the task. When the kernel frees a task,
 * what the task left after its exit is dropped.
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

#include "compat/task_events.h"
#include "core/filter.h"
#include "core/procs.h"
#include "core/record.h"
#include "core/shadow_fork.h"
#include "core/shadow_table.h"
#include "core/unwind_maps.h"
#include "lib/task_keeper.h"
#include "session/life.h"
#include "session/task.h"

/*
 * Is current traced? If the session traces all processes, only processes that have called a probed
 * function belong to it: forks and execs of other processes are ignored.
 */
static bool task_belongs_to(struct kt_session *session)
{
	return (session->procs.is_selective || kt_shadow_has(session)) && kt_filter_task(session);
}

/*
 * Nothing is recorded while a session is paused, because its stacks are being freed. is_paused is
 * set before the session's work waits for the tasks that run this code.
 */
static bool task_is_recorded(struct kt_session *session)
{
	return !READ_ONCE(session->life->is_paused) && task_belongs_to(session);
}

/* Called in the parent, before the child runs. Returns false if the child is not traced. */
static bool task_take_in(struct kt_session *session, struct task_struct *child)
{
	int heir = kt_procs_inherit(&session->procs, task_tgid(current), task_pid(child));

	if (heir < 0)
		this_cpu_inc(session->hot.cpu->counters.lost_pool);
	if (kt_procs_wants(&session->procs, task_pid(child)))
		return true;
	/* Its struct pid may have the address of an earlier one, of a traced process. */
	if (heir > 0)
		kt_filter_changed();
	return false;
}

static void task_follow(struct kt_session *session, void *arg)
{
	struct task_struct *child = arg;
	u64 words[2] = { child->pid, child->tgid };

	if (thread_group_leader(child) && !task_take_in(session, child))
		return;
	if (!task_is_recorded(session))
		return;
	if (thread_group_leader(child))
		kt_shadow_fork(session, child);
	kt_record_emit_task(session, KTRACE_REC_FORK, words, ARRAY_SIZE(words));
}

static void task_on_fork(struct task_struct *child)
{
	preempt_disable();
	kt_task_keepers_drop(child);
	if (!(child->flags & PF_KTHREAD))
		kt_session_each(task_follow, child);
	preempt_enable();
}

/* Records the exec only if the process has called a probed function before. */
static void task_took_over(struct kt_session *session, void *arg)
{
	u64 words[TASK_COMM_LEN / sizeof(u64)];

	if (kt_procs_begin(&session->procs, task_tgid(current)))
		kt_filter_changed();
	if (task_is_recorded(session) && kt_shadow_exec(session)) {
		memcpy(words, current->comm, sizeof(words));
		kt_record_emit_task(session, KTRACE_REC_EXEC, words, ARRAY_SIZE(words));
	}
	if (task_belongs_to(session))
		kt_session_exec(session);
	if (session->hot.flags & KTRACE_F_UNWIND && session->procs.is_selective &&
	    kt_filter_task(session))
		kt_unwind_maps_prepare();
}

static void task_on_exec(void)
{
	preempt_disable();
	kt_session_each(task_took_over, NULL);
	kt_task_keepers_exec();
	preempt_enable();
}

/*
 * A thread leaves signal->live before its exit event. So live can be 0 while other threads still
 * have to reach their exit events: the process ends with the last of these events. Threads that
 * have ended stay on the list while a debugger holds them. With very many of them, no thread is the
 * last, and the process is removed when another one ends.
 */
#define MOST_THREADS 1024

static bool task_is_last_of_process(void)
{
	struct task_struct *thread;
	bool is_last = true;
	u32 nr = 0;

	rcu_read_lock();
	for_each_thread(current, thread)
		if (++nr > MOST_THREADS || (thread != current && !READ_ONCE(thread->exit_state))) {
			is_last = false;
			break;
		}
	rcu_read_unlock();
	return is_last;
}

struct end {
	bool is_last;
	bool is_forgotten;
};

static void task_forget(struct kt_session *session, void *arg)
{
	struct end *end = arg;

	if (kt_procs_ended(&session->procs, task_tgid(current), end->is_last))
		end->is_forgotten = true;
}

static void task_end_process(void)
{
	struct end end = { .is_last = task_is_last_of_process() };

	kt_session_each(task_forget, &end);
	if (end.is_forgotten)
		kt_filter_changed();
}

static void task_on_exit(void)
{
	preempt_disable();
	kt_task_keepers_exit();
	if (!atomic_read(&current->signal->live))
		task_end_process();
	preempt_enable();
}

static void task_on_free(struct task_struct *task)
{
	preempt_disable();
	kt_task_keepers_drop(task);
	preempt_enable();
}

int kt_task_init(void)
{
	static const struct kt_task_events events = {
		task_on_fork, task_on_exec, task_on_exit, task_on_free
	};

	return kt_task_events_register(&events);
}

void kt_task_exit(void)
{
	kt_task_events_unregister();
}
