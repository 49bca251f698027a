// SPDX-License-Identifier: GPL-2.0
/* Fork, exec, exit and free of tasks, from tracepoints of the scheduler. */
#include <linux/binfmts.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <trace/events/sched.h>

#include "compat/task_events.h"
#include "compat/tracepoint.h"

static struct kt_task_events events;

static void task_events_on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	events.fork(child);
}

static void task_events_on_exec(void *data, struct task_struct *task, pid_t old_pid,
				struct linux_binprm *bprm)
{
	events.exec();
}

#ifdef KT_HAVE_EXIT_GROUP_DEAD
static void on_exit(void *data, struct task_struct *task, bool group_dead)
#else
static void on_exit(void *data, struct task_struct *task)
#endif
{
	events.exit();
}

static void task_events_on_free(void *data, struct task_struct *task)
{
	events.free(task);
}

static struct kt_tracepoint probes[] = {
	KT_TRACEPOINT(sched_process_fork, task_events_on_fork),
	KT_TRACEPOINT(sched_process_exec, task_events_on_exec),
	KT_TRACEPOINT(sched_process_exit, on_exit),
	KT_TRACEPOINT(sched_process_free, task_events_on_free),
};

int kt_task_events_register(const struct kt_task_events *callbacks)
{
	events = *callbacks;
	return kt_tracepoints_attach(probes, ARRAY_SIZE(probes));
}

void kt_task_events_unregister(void)
{
	kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
}
