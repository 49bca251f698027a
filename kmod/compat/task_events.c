// SPDX-License-Identifier: GPL-2.0
/* The life of tasks, by the scheduler's tracepoints. */
#include <linux/binfmts.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat.h"

static struct kt_task_events events;

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	events.fork(child);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid,
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

static struct probe {
	const char *name;
	void *fn;
	struct tracepoint *tracepoint;
} probes[] = {
	{ "sched_process_fork", on_fork, NULL },
	{ "sched_process_exec", on_exec, NULL },
	{ "sched_process_exit", on_exit, NULL },
};

#ifdef KT_HAVE_TRACEPOINT_OBJECT

static void match(struct tracepoint *tp, void *data)
{
	struct probe *probe = data;

	if (!strcmp(tp->name, probe->name))
		probe->tracepoint = tp;
}

static int attach(struct probe *probe)
{
	for_each_kernel_tracepoint(match, probe);
	if (!probe->tracepoint)
		return -ENOENT;
	return tracepoint_probe_register(probe->tracepoint, probe->fn, NULL);
}

static void detach(struct probe *probe)
{
	tracepoint_probe_unregister(probe->tracepoint, probe->fn, NULL);
}

#else

static int attach(struct probe *probe)
{
	return tracepoint_probe_register(probe->name, probe->fn, NULL);
}

static void detach(struct probe *probe)
{
	tracepoint_probe_unregister(probe->name, probe->fn, NULL);
}

#endif

static void detach_first(size_t nr)
{
	while (nr)
		detach(&probes[--nr]);
	tracepoint_synchronize_unregister();
}

int kt_task_events_register(const struct kt_task_events *callbacks)
{
	size_t nr;
	int error;

	events = *callbacks;
	for (nr = 0; nr < ARRAY_SIZE(probes); nr++) {
		error = attach(&probes[nr]);
		if (!error)
			continue;
		detach_first(nr);
		return error;
	}
	return 0;
}

void kt_task_events_unregister(void)
{
	detach_first(ARRAY_SIZE(probes));
}
