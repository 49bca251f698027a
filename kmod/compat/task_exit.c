// SPDX-License-Identifier: GPL-2.0
/* The end of tasks, by the tracepoint sched_process_exit. */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat.h"

static void (*callback)(void);
static struct tracepoint *tracepoint;

#ifdef KT_HAVE_EXIT_GROUP_DEAD
static void probe(void *data, struct task_struct *task, bool group_dead)
#else
static void probe(void *data, struct task_struct *task)
#endif
{
	callback();
}

static void match(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_process_exit"))
		tracepoint = tp;
}

int kt_task_exit_register(void (*fn)(void))
{
	callback = fn;
	for_each_kernel_tracepoint(match, NULL);
	if (!tracepoint)
		return -ENOENT;
	return tracepoint_probe_register(tracepoint, probe, NULL);
}

void kt_task_exit_unregister(void)
{
	tracepoint_probe_unregister(tracepoint, probe, NULL);
	tracepoint_synchronize_unregister();
}
