// SPDX-License-Identifier: GPL-2.0
/* Entry and return of kernel functions: one fprobe per session, for functions without kretprobe. */
#include "compat/fprobe.h"

#if KT_HAS_FPROBE

#include <linux/random.h>

#include "compat/remove.h"
#include "compat/room.h"
#include "core/session.h"
#include "lib/mem.h"
#include "lib/task_pages.h"
#include "providers/kfunc_hit.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_place.h"
#include "providers/kfunc_probe.h"

/* Calls that may be open at the same time. */
#define MAX_OPEN 8192

struct probe {
	struct fprobe fprobe;
	struct kt_kfuncs *kfuncs;	/* NULL: the fprobe is being removed */
	struct kt_kfunc_places *places;
	u32 cookie;
	unsigned long nr_missed;	/* the part of fprobe.nmissed that is counted already */
	size_t room;			/* memory charged for the kernel's data; 0: none */
};

/*
 * Data of an open call. From 6.14 on the kernel keeps it with the task, and identifies an fprobe by
 * its address. So a return may see the data of an earlier fprobe at the same address, of this
 * module or of another user of fprobes, or no data if that fprobe kept none. The random cookie
 * shows whose data it is. It comes first, since the data of another fprobe may be as short.
 */
struct call {
	u32 cookie;
	u32 func;
	struct kt_kfunc_call call;
};

static int kfunc_fprobe_on_entry(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip,
				 struct kt_fprobe_regs *regs, void *data)
{
	struct probe *probe = container_of(fprobe, struct probe, fprobe);
	struct kt_kfuncs *kfuncs = READ_ONCE(probe->kfuncs);
	struct call *call = data;

	if (unlikely(!kfuncs))
		return 1;
	call->func = kt_kfunc_places_find(probe->places, ip);
	if (unlikely(call->func == KT_NO_KFUNC)) {
		this_cpu_inc(kfuncs->session->hot.cpu->counters.lost_missed);
		return 1;
	}
	call->cookie = probe->cookie;
	return kt_kfunc_enter(kfuncs, call->func, kt_fprobe_stack_of(regs), &call->call);
}

static void kfunc_fprobe_on_return(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip,
				   struct kt_fprobe_regs *regs, void *data)
{
	struct probe *probe = container_of(fprobe, struct probe, fprobe);
	struct kt_kfuncs *kfuncs = READ_ONCE(probe->kfuncs);
	struct call *call = data;

	if (likely(kfuncs && call && call->cookie == probe->cookie &&
		   call->func < kfuncs->session->config.nr_funcs))
		kt_kfunc_leave(kfuncs, call->func, &call->call, kt_fprobe_result_of(regs));
}

static bool kfunc_fprobe_charge(struct probe *probe)
{
	size_t room = kt_room_of_fprobe(probe->places->nr, MAX_OPEN, sizeof(struct call));

	if (!kt_task_pages_take())
		return false;
	if (!kt_mem_charge(room)) {
		kt_task_pages_give();
		return false;
	}
	probe->room = room;
	return true;
}

static void kfunc_fprobe_free_probe(struct probe *probe)
{
	if (probe->room) {
		kt_mem_uncharge(probe->room);
		kt_task_pages_give();
	}
	kt_kfunc_places_free(probe->places);
	kt_mem_free(probe, sizeof(*probe));
}

static int kfunc_fprobe_start(struct probe *probe)
{
	if (!probe->places->nr)
		return 0;
	if (!kfunc_fprobe_charge(probe))
		return -ENOMEM;
	probe->fprobe.entry_handler = kfunc_fprobe_on_entry;
	probe->fprobe.exit_handler = kfunc_fprobe_on_return;
	probe->fprobe.entry_data_size = sizeof(struct call);
	kt_fprobe_set_max_open(&probe->fprobe, MAX_OPEN);
	return register_fprobe_ips(&probe->fprobe, probe->places->ips, probe->places->nr);
}

int kt_fprobes_attach(struct kt_kfuncs *kfuncs)
{
	struct probe *probe;
	int error = -ENOMEM;

	if (kfuncs->probe)
		return 0;
	probe = kt_mem_alloc(sizeof(*probe));
	if (!probe)
		return -ENOMEM;
	probe->kfuncs = kfuncs;
	get_random_bytes(&probe->cookie, sizeof(probe->cookie));
	probe->places = kt_kfunc_places_create(kfuncs, &error);
	if (probe->places)
		error = kfunc_fprobe_start(probe);
	if (error)
		kfunc_fprobe_free_probe(probe);
	else
		kfuncs->probe = probe;
	return error;
}

void kt_fprobes_look(struct kt_kfuncs *kfuncs)
{
	struct probe *probe = kfuncs->probe;
	unsigned long nr_new;

	if (!probe)
		return;
	nr_new = READ_ONCE(probe->fprobe.nmissed) - probe->nr_missed;
	probe->nr_missed += nr_new;
	WRITE_ONCE(kfuncs->missed, kfuncs->missed + nr_new);
}

void kt_fprobes_detach(struct kt_kfuncs *kfuncs)
{
	struct probe *probe = kfuncs->probe;

	if (!probe)
		return;
	/* Before the removal: calls during it are missed on purpose, and 6.12 counts them. */
	kt_fprobes_look(kfuncs);
	kfuncs->probe = NULL;
	WRITE_ONCE(probe->kfuncs, NULL);
	if (!probe->places->nr || kt_fprobe_remove(&probe->fprobe))
		kfunc_fprobe_free_probe(probe);
}

#endif
