// SPDX-License-Identifier: GPL-2.0
/* Counts the entries of any number of functions, by one client of the function tracer. */
#include <linux/ftrace.h>

#include "compat/ftrace.h"
#include "compat/remove.h"
#include "compat/room.h"
#include "core/session.h"
#include "lib/mem.h"
#include "providers/kfunc_hit.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_place.h"
#include "providers/kfunc_probe.h"

struct count {
	struct ftrace_ops ops;
	struct kt_kfuncs *kfuncs;	/* NULL: the client is being removed */
	struct kt_kfunc_places *places;
	size_t room;			/* memory charged for the kernel's data of the client */
};

/* Runs with preemption off, and does not recurse (KT_FTRACE_ONCE). */
static void kfunc_count_on_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				 struct kt_ftrace_regs *regs)
{
	struct count *count = container_of(ops, struct count, ops);
	struct kt_kfuncs *kfuncs;
	u32 func;

	kfuncs = READ_ONCE(count->kfuncs);
	if (unlikely(!kfuncs))
		return;
	func = kt_kfunc_places_find(count->places, ip);
	if (likely(func != KT_NO_KFUNC))
		kt_kfunc_count(kfuncs, func);
	else
		this_cpu_inc(kfuncs->session->hot.cpu->counters.lost_missed);
}

static void kfunc_count_free_count(struct count *count)
{
	kt_ftrace_free_filter(&count->ops);
	kt_mem_uncharge(count->room);
	kt_kfunc_places_free(count->places);
	kt_mem_free(count, sizeof(*count));
}

static int kfunc_count_start(struct count *count)
{
	int error;

	/* An empty filter would match all functions. */
	if (!count->places->nr)
		return 0;
	if (!kt_mem_charge((size_t)count->places->nr * KT_ROOM_OF_PLACE))
		return -ENOMEM;
	count->room = (size_t)count->places->nr * KT_ROOM_OF_PLACE;
	error = kt_ftrace_set_filter_ips(&count->ops, count->places->ips,
					 count->places->nr);
	if (!error)
		error = register_ftrace_function(&count->ops);
	if (!error)
		WRITE_ONCE(count->kfuncs->session->nr_sites, count->places->nr);
	return error;
}

int kt_kprobes_attach_count(struct kt_kfuncs *kfuncs)
{
	struct count *count;
	int error = -ENOMEM;

	if (kfuncs->probe)
		return 0;
	count = kt_mem_alloc(sizeof(*count));
	if (!count)
		return -ENOMEM;
	count->kfuncs = kfuncs;
	count->ops.func = kfunc_count_on_entry;
	count->ops.flags = KT_FTRACE_ONCE;
	count->places = kt_kfunc_places_create(kfuncs, &error);
	if (count->places)
		error = kfunc_count_start(count);
	if (error)
		kfunc_count_free_count(count);
	else
		kfuncs->probe = count;
	return error;
}

void kt_kprobes_detach_count(struct kt_kfuncs *kfuncs)
{
	struct count *count = kfuncs->probe;

	if (!count)
		return;
	kfuncs->probe = NULL;
	WRITE_ONCE(count->kfuncs, NULL);
	if (!count->places->nr || kt_ftrace_ops_remove(&count->ops))
		kfunc_count_free_count(count);
}
