// SPDX-License-Identifier: GPL-2.0
/* The end of tasks, by the tracepoint sched_process_exit. */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat.h"

#define NAME "sched_process_exit"

static void (*callback)(void);

#ifdef KT_HAVE_EXIT_GROUP_DEAD
static void probe(void *data, struct task_struct *task, bool group_dead)
#else
static void probe(void *data, struct task_struct *task)
#endif
{
	callback();
}

#ifdef KT_HAVE_TRACEPOINT_OBJECT

static struct tracepoint *tracepoint;

static void match(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, NAME))
		tracepoint = tp;
}

static int attach(void)
{
	for_each_kernel_tracepoint(match, NULL);
	if (!tracepoint)
		return -ENOENT;
	return tracepoint_probe_register(tracepoint, probe, NULL);
}

static void detach(void)
{
	tracepoint_probe_unregister(tracepoint, probe, NULL);
}

#else

static int attach(void)
{
	return tracepoint_probe_register(NAME, probe, NULL);
}

static void detach(void)
{
	tracepoint_probe_unregister(NAME, probe, NULL);
}

#endif

int kt_task_exit_register(void (*fn)(void))
{
	callback = fn;
	return attach();
}

void kt_task_exit_unregister(void)
{
	detach();
	tracepoint_synchronize_unregister();
}
