// SPDX-License-Identifier: GPL-2.0
/* Entry and return of kernel functions: one fprobe for all of a session that have no kretprobe. */
#include "compat.h"

#if KT_HAS_FPROBE

#include <linux/fprobe.h>

#include "../kfunc.h"
#include "../mem.h"
#include "../session.h"
#include "kfunc_place.h"
#include "kfunc_probe.h"

/* Calls that may be open at a time. */
#define MAX_OPEN 8192

#ifdef KT_HAVE_FPROBE_FTRACE_REGS
#define REGS struct ftrace_regs
#define SET_MAX_OPEN(fprobe)	/* it has no pool for them */
#define STACK_OF(regs) ftrace_regs_get_stack_pointer(regs)
#define RESULT_OF(regs) ftrace_regs_get_return_value(regs)
#else
#define REGS struct pt_regs
#define SET_MAX_OPEN(fprobe) ((fprobe)->nr_maxactive = MAX_OPEN)
#define STACK_OF(regs) kernel_stack_pointer(regs)
#define RESULT_OF(regs) regs_return_value(regs)
#endif

struct probe {
	struct fprobe fprobe;
	struct kt_kfuncs *kfuncs;
	struct kt_kfunc_places *places;
};

struct call {
	struct kt_kfunc_call call;
	u32 func;
};

static int on_entry(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip, REGS *regs,
		    void *data)
{
	struct probe *probe = container_of(fprobe, struct probe, fprobe);
	struct call *call = data;

	call->func = kt_kfunc_places_find(probe->places, ip);
	if (unlikely(call->func == KT_NO_KFUNC)) {
		this_cpu_inc(probe->kfuncs->session->cpu->counters.lost_missed);
		return 1;
	}
	return kt_kfunc_enter(probe->kfuncs, call->func, STACK_OF(regs), &call->call);
}

static void on_return(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip, REGS *regs,
		      void *data)
{
	struct probe *probe = container_of(fprobe, struct probe, fprobe);
	struct call *call = data;

	kt_kfunc_leave(probe->kfuncs, call->func, &call->call, RESULT_OF(regs));
}

static void free_probe(struct probe *probe)
{
	kt_kfunc_places_free(probe->places);
	kt_mem_free(probe, sizeof(*probe));
}

static int start(struct probe *probe)
{
	if (!probe->places->nr)
		return 0;
	probe->fprobe.entry_handler = on_entry;
	probe->fprobe.exit_handler = on_return;
	probe->fprobe.entry_data_size = sizeof(struct call);
	SET_MAX_OPEN(&probe->fprobe);
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
	probe->places = kt_kfunc_places_create(kfuncs, &error);
	if (probe->places)
		error = start(probe);
	if (error)
		free_probe(probe);
	else
		kfuncs->probe = probe;
	return error;
}

void kt_fprobes_detach(struct kt_kfuncs *kfuncs)
{
	struct probe *probe = kfuncs->probe;

	if (!probe)
		return;
	/* First: calls that come while it is taken out are missed on purpose, 6.12 counts them. */
	WRITE_ONCE(kfuncs->missed, kfuncs->missed + probe->fprobe.nmissed);
	if (probe->places->nr)
		unregister_fprobe(&probe->fprobe);
	free_probe(probe);
	kfuncs->probe = NULL;
}

#endif
