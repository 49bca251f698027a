// SPDX-License-Identifier: GPL-2.0
/* Entry and return of kernel functions, one body a generation, newest first. */
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/workqueue.h>

#include "../kfunc.h"
#include "../mem.h"
#include "../session.h"
#include "compat.h"
#include "kfunc_place.h"

#if defined(KT_HAVE_FPROBE_FTRACE_REGS) || defined(KT_HAVE_FPROBE_PT_REGS)

#include <linux/fprobe.h>

/* --- one fprobe for all functions ------------------------------------------- */

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
	int error;

	if (!probe->places->nr)
		return 0;
	probe->fprobe.entry_handler = on_entry;
	probe->fprobe.exit_handler = on_return;
	probe->fprobe.entry_data_size = sizeof(struct call);
	SET_MAX_OPEN(&probe->fprobe);
	error = register_fprobe_ips(&probe->fprobe, probe->places->ips, probe->places->nr);
	if (!error)
		WRITE_ONCE(probe->kfuncs->session->nr_sites, probe->places->nr);
	return error;
}

int kt_kprobes_attach(struct kt_kfuncs *kfuncs)
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

void kt_kprobes_detach(struct kt_kfuncs *kfuncs)
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

void kt_kprobes_init(struct kt_kfuncs *kfuncs)
{
}

u64 kt_kprobes_missed(const struct kt_kfuncs *kfuncs)
{
	return READ_ONCE(kfuncs->missed);
}

#else

/* --- a kretprobe for each function ------------------------------------------ */

/*
 * Calls of a function that may be open at a time: so many at first, and more of those
 * where that was too few, as a task that sleeps in one keeps its place.
 */
#define OPEN_AT_FIRST 128
#define MAX_OPEN 8192
#define RAISE_EVERY (HZ / 4)
#define AT_ONCE 32	/* probes that one grace period takes away */

struct probe {
	struct kretprobe kretprobe;
	struct kt_kfuncs *kfuncs;
	struct kt_kfunc *kfunc;
	struct probe *older;	/* has less room; it sees its open calls return, and enters none */
	int nr_missed;		/* of kretprobe.nmissed, those told of */
};

#ifdef KT_HAVE_GET_KRETPROBE
static struct probe *probe_of(struct kretprobe_instance *instance)
{
	return container_of(get_kretprobe(instance), struct probe, kretprobe);
}
#else
static struct probe *probe_of(struct kretprobe_instance *instance)
{
	return container_of(instance->rp, struct probe, kretprobe);
}
#endif

static int on_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct probe *probe = probe_of(instance);

	if (unlikely(READ_ONCE(probe->kfunc->probe) != probe))
		return 1;
	return kt_kfunc_enter(probe->kfuncs, probe->kfunc->func, kernel_stack_pointer(regs),
			      (void *)instance->data);
}

static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct probe *probe = probe_of(instance);

	kt_kfunc_leave(probe->kfuncs, probe->kfunc->func, (void *)instance->data,
		       regs_return_value(regs));
	return 0;
}

/* From the last line on it is the one that calls enter by. */
static int plant(struct kt_kfuncs *kfuncs, struct kt_kfunc *kfunc, u32 max_open)
{
	struct probe *probe = kt_mem_alloc(sizeof(*probe));
	int error;

	if (!probe)
		return -ENOMEM;
	probe->kfuncs = kfuncs;
	probe->kfunc = kfunc;
	probe->older = kfunc->probe;
	if (kt_kfunc_is_at(kfunc))
		probe->kretprobe.kp.addr = (void *)kfunc->addr;
	else
		probe->kretprobe.kp.symbol_name = kfunc->name;
	probe->kretprobe.entry_handler = on_entry;
	probe->kretprobe.handler = on_return;
	probe->kretprobe.data_size = sizeof(struct kt_kfunc_call);
	probe->kretprobe.maxactive = max_open;
	error = register_kretprobe(&probe->kretprobe);
	if (error) {
		kt_mem_free(probe, sizeof(*probe));
		return error;
	}
	WRITE_ONCE(kfunc->probe, probe);
	return 0;
}

/* What it has missed since it was told last. */
static u64 tell_missed(struct probe *probe)
{
	u64 nr_new = probe->kretprobe.nmissed - probe->nr_missed;

	probe->nr_missed += nr_new;
	WRITE_ONCE(probe->kfuncs->missed, probe->kfuncs->missed + nr_new);
	return nr_new;
}

/* It is out; the oldest one was there as long as any. */
static void free_probe(struct probe *probe)
{
	struct kt_kfuncs *kfuncs = probe->kfuncs;

	if (probe == probe->kfunc->probe)
		tell_missed(probe);
	/* In another probe's handler, or in a trap's. */
	if (!probe->older)
		WRITE_ONCE(kfuncs->missed, kfuncs->missed + probe->kretprobe.kp.nmissed);
	kt_mem_free(probe, sizeof(*probe));
}

/* Who misses some is joined by one with more room, and only sees its open calls return. */
static void raise(struct kt_kfuncs *kfuncs, struct kt_kfunc *kfunc)
{
	struct probe *probe = kfunc->probe;
	u32 max_open = min(4U * probe->kretprobe.maxactive, (u32)MAX_OPEN);

	if (tell_missed(probe) && probe->kretprobe.maxactive < MAX_OPEN &&
	    !plant(kfuncs, kfunc, max_open))
		tell_missed(probe);
}

static void raise_work(struct work_struct *work)
{
	struct kt_kfuncs *kfuncs = container_of(to_delayed_work(work), struct kt_kfuncs,
						raise_work);
	struct kt_kfunc *kfunc;

	list_for_each_entry(kfunc, &kfuncs->list, node) {
		if (kt_session_is_cancelled(kfuncs->session))
			return;
		if (kfunc->probe)
			raise(kfuncs, kfunc);
	}
	queue_delayed_work(kt_queue, &kfuncs->raise_work, RAISE_EVERY);
}

void kt_kprobes_init(struct kt_kfuncs *kfuncs)
{
	INIT_DELAYED_WORK(&kfuncs->raise_work, raise_work);
}

static int plant_all(struct kt_kfuncs *kfuncs)
{
	struct kt_session *session = kfuncs->session;
	struct kt_kfunc *kfunc;
	int *error;

	list_for_each_entry(kfunc, &kfuncs->list, node) {
		error = &session->funcs[kfunc->func].error;
		if (*error || kfunc->probe)
			continue;
		if (kt_session_is_cancelled(session))
			return -EINTR;
		*error = plant(kfuncs, kfunc, OPEN_AT_FIRST);
		if (!*error)
			WRITE_ONCE(session->nr_sites, session->nr_sites + 1);
		cond_resched();
	}
	return 0;
}

int kt_kprobes_attach(struct kt_kfuncs *kfuncs)
{
	int error;

	cancel_delayed_work_sync(&kfuncs->raise_work);
	error = plant_all(kfuncs);
	if (error)
		kt_kprobes_detach(kfuncs);
	else
		queue_delayed_work(kt_queue, &kfuncs->raise_work, RAISE_EVERY);
	return error;
}

struct batch {
	struct probe *probes[AT_ONCE];
	struct kretprobe *kretprobes[AT_ONCE];
	int nr;
};

static void take_out(struct batch *batch)
{
	int i;

	if (batch->nr)
		unregister_kretprobes(batch->kretprobes, batch->nr);
	for (i = 0; i < batch->nr; i++)
		free_probe(batch->probes[i]);
	batch->nr = 0;
}

static void put_in(struct batch *batch, struct probe *probe)
{
	batch->probes[batch->nr] = probe;
	batch->kretprobes[batch->nr++] = &probe->kretprobe;
	if (batch->nr == AT_ONCE)
		take_out(batch);
}

void kt_kprobes_detach(struct kt_kfuncs *kfuncs)
{
	struct batch batch = { .nr = 0 };
	struct probe *probe, *older;
	struct kt_kfunc *kfunc;

	cancel_delayed_work_sync(&kfuncs->raise_work);
	list_for_each_entry(kfunc, &kfuncs->list, node) {
		for (probe = kfunc->probe; probe; probe = older) {
			older = probe->older;
			put_in(&batch, probe);
		}
		cond_resched();
	}
	take_out(&batch);
	list_for_each_entry(kfunc, &kfuncs->list, node)
		kfunc->probe = NULL;
}

u64 kt_kprobes_missed(const struct kt_kfuncs *kfuncs)
{
	return READ_ONCE(kfuncs->missed);
}

#endif
