// SPDX-License-Identifier: GPL-2.0
/* Probes of tracepoints. Tracepoints are found by name, since most are not exported. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat/tracepoint.h"

#ifdef KT_HAVE_TRACEPOINT_OBJECT

static void tracepoint_match(struct tracepoint *tp, void *data)
{
	struct kt_tracepoint *probe = data;

	if (!strcmp(tp->name, probe->name))
		probe->tracepoint = tp;
}

static int tracepoint_attach(struct kt_tracepoint *probe)
{
	for_each_kernel_tracepoint(tracepoint_match, probe);
	if (!probe->tracepoint)
		return -ENOENT;
	return tracepoint_probe_register(probe->tracepoint, probe->fn, NULL);
}

static int tracepoint_unregister(struct kt_tracepoint *probe)
{
	return tracepoint_probe_unregister(probe->tracepoint, probe->fn, NULL);
}

#else

static int tracepoint_attach(struct kt_tracepoint *probe)
{
	return tracepoint_probe_register(probe->name, probe->fn, NULL);
}

static int tracepoint_unregister(struct kt_tracepoint *probe)
{
	return tracepoint_probe_unregister(probe->name, probe->fn, NULL);
}

#endif

/*
 * Older kernels like 3.10 copy the probes that stay to new memory. If there is no memory, they keep
 * the probe to remove, too. But its data is freed after the detach, and its code with the module.
 * So the call is repeated until it succeeds, like an allocation that must not fail. It needs a few
 * words only, which are there as soon as any memory is freed.
 */
static void tracepoint_detach(struct kt_tracepoint *probe)
{
	while (tracepoint_unregister(probe) == -ENOMEM)
		schedule_timeout_uninterruptible(1);
}

void kt_tracepoints_detach(struct kt_tracepoint *probes, size_t nr)
{
	while (nr)
		tracepoint_detach(&probes[--nr]);
	tracepoint_synchronize_unregister();
}

int kt_tracepoints_attach(struct kt_tracepoint *probes, size_t nr)
{
	size_t i;
	int error;

	for (i = 0; i < nr; i++) {
		error = tracepoint_attach(&probes[i]);
		if (!error)
			continue;
		kt_tracepoints_detach(probes, i);
		return error;
	}
	return 0;
}
