// SPDX-License-Identifier: GPL-2.0
/*
 * Entry and return of kernel functions: one kretprobe per function, if the kernel has no fprobes.
 * If fprobes are based on the function graph tracer (from 6.14 on), a call costs less with a
 * kretprobe. But kretprobes miss calls in an interrupt that arrives during the handler of another
 * one, and are slow to plant and to remove. So, beside fprobes, only functions that are never
 * called by interrupts get a kretprobe.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "compat/fprobe.h"
#include "compat/kretprobe.h"
#include "compat/remove.h"
#include "compat/room.h"
#include "core/session.h"
#include "lib/mem.h"
#include "providers/kfunc_hit.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_place.h"
#include "providers/kfunc_probe.h"

/*
 * Calls of a function that may be open at the same time. A function starts with OPEN_AT_FIRST, and
 * gets more room when calls were missed: a task that sleeps in the function keeps its place. In
 * place of an fprobe, which has enough room for all calls, it starts with more.
 */
#define OPEN_AT_FIRST (KT_HAS_FPROBE ? 1024 : 128)
#define MAX_OPEN 8192
#define AT_ONCE 32	/* probes removed per grace period */

struct probe {
	struct kretprobe kretprobe;
	struct kt_kfuncs *entering;	/* NULL: it does not handle entries (any more) */
	struct kt_kfuncs *kfuncs;	/* NULL: it is being removed */
	u32 func;
	struct kt_kfunc *kfunc;
	struct probe *older;	/* with less room; it only handles returns of its open calls */
	int nr_missed;		/* the part of kretprobe.nmissed that is counted already */
	atomic_t nr_faults;	/* of the handlers: the part of kp.nmissed that is no missed call */
};

static int kfunc_kretprobe_on_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = kt_kretprobe_of(instance);
	struct probe *probe = container_of(kretprobe, struct probe, kretprobe);
	struct kt_kfuncs *kfuncs;

	if (kt_kretprobe_is_gone(kretprobe))
		return 1;
	kfuncs = READ_ONCE(probe->entering);
	if (unlikely(!kfuncs))
		return 1;
	return kt_kfunc_enter(kfuncs, probe->func, kernel_stack_pointer(regs),
			      (void *)instance->data);
}

static int kfunc_kretprobe_on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = kt_kretprobe_of(instance);
	struct probe *probe = container_of(kretprobe, struct probe, kretprobe);
	struct kt_kfuncs *kfuncs;

	if (kt_kretprobe_is_gone(kretprobe))
		return 0;
	kfuncs = READ_ONCE(probe->kfuncs);
	if (likely(kfuncs))
		kt_kfunc_leave(kfuncs, probe->func, (void *)instance->data,
			       regs_return_value(regs));
	return 0;
}

static int kfunc_kretprobe_on_fault(struct kprobe *kprobe, struct pt_regs *regs, int trap)
{
	atomic_inc(&container_of(kprobe, struct probe, kretprobe.kp)->nr_faults);
	return 0;
}

static size_t kfunc_kretprobe_room_of(const struct probe *probe)
{
	return kt_room_of_kretprobe(probe->kretprobe.maxactive, sizeof(struct kt_kfunc_call));
}

static void kfunc_kretprobe_free_probe(struct probe *probe)
{
	kt_mem_uncharge(kfunc_kretprobe_room_of(probe));
	kt_mem_free(probe, sizeof(*probe));
}

static struct probe *kfunc_kretprobe_alloc_probe(u32 max_open)
{
	struct probe *probe = kt_mem_alloc(sizeof(*probe));

	if (!probe)
		return NULL;
	probe->kretprobe.maxactive = max_open;
	if (kt_mem_charge(kfunc_kretprobe_room_of(probe)))
		return probe;
	kt_mem_free(probe, sizeof(*probe));
	return NULL;
}

/*
 * From now on this probe handles entries. With interrupts off, the two writes follow each other as
 * closely as possible for other CPUs.
 */
static void kfunc_kretprobe_enter_by(struct kt_kfunc *kfunc, struct probe *probe)
{
	unsigned long flags;

	local_irq_save(flags);
	if (probe->older)
		WRITE_ONCE(probe->older->entering, NULL);
	WRITE_ONCE(probe->entering, probe->kfuncs);
	local_irq_restore(flags);
	kfunc->probe = probe;
}

static int kfunc_kretprobe_plant(struct kt_kfuncs *kfuncs, struct kt_kfunc *kfunc, u32 max_open)
{
	struct probe *probe;
	int error;

	if (kt_kretprobe_deadlocks(kfunc->name))
		return -EDEADLK;
	probe = kfunc_kretprobe_alloc_probe(max_open);
	if (!probe)
		return -ENOMEM;
	probe->kfuncs = kfuncs;
	probe->func = kfunc->func;
	probe->kfunc = kfunc;
	probe->older = kfunc->probe;
	if (kt_kfunc_is_at(kfunc))
		probe->kretprobe.kp.addr = (void *)kfunc->addr;
	else
		probe->kretprobe.kp.symbol_name = kfunc->name;
	probe->kretprobe.entry_handler = kfunc_kretprobe_on_entry;
	probe->kretprobe.handler = kfunc_kretprobe_on_return;
	probe->kretprobe.data_size = sizeof(struct kt_kfunc_call);
	error = kt_kretprobe_register(&probe->kretprobe);
	if (error) {
		kfunc_kretprobe_free_probe(probe);
		return error;
	}
	kt_kretprobe_on_fault(&probe->kretprobe, kfunc_kretprobe_on_fault);
	kfunc_kretprobe_enter_by(kfunc, probe);
	return 0;
}

/* Counts the calls that were missed since the last time, and returns their number. */
static u64 kfunc_kretprobe_tell_missed(struct kt_kfuncs *kfuncs, struct probe *probe)
{
	u64 nr_new = probe->kretprobe.nmissed - probe->nr_missed;

	probe->nr_missed += nr_new;
	WRITE_ONCE(kfuncs->missed, kfuncs->missed + nr_new);
	return nr_new;
}

/* The calls in the handler of another probe, or of a trap. The kernel's counter is not exact. */
static u64 kfunc_kretprobe_nested(const struct probe *probe)
{
	return max_t(s64, 0, (s64)probe->kretprobe.kp.nmissed - atomic_read(&probe->nr_faults));
}

/*
 * The handlers of the probe do nothing any more. The oldest probe of a function existed as long as
 * any of them, so only its kp.nmissed counts.
 */
static void kfunc_kretprobe_end_probe(struct kt_kfuncs *kfuncs, struct probe *probe)
{
	if (probe == probe->kfunc->probe)
		kfunc_kretprobe_tell_missed(kfuncs, probe);
	if (!probe->older)
		WRITE_ONCE(kfuncs->missed, kfuncs->missed + kfunc_kretprobe_nested(probe));
	if (kt_kretprobe_is_out(&probe->kretprobe))
		kfunc_kretprobe_free_probe(probe);
}

/* A probe that missed calls gets a successor with more room, and then only handles returns. */
static void kfunc_kretprobe_raise(struct kt_kfuncs *kfuncs, struct kt_kfunc *kfunc)
{
	struct probe *probe = kfunc->probe;
	u32 max_open = min(4U * probe->kretprobe.maxactive, (u32)MAX_OPEN);

	if (kfunc_kretprobe_tell_missed(kfuncs, probe) && probe->kretprobe.maxactive < MAX_OPEN &&
	    !kfunc_kretprobe_plant(kfuncs, kfunc, max_open))
		kfunc_kretprobe_tell_missed(kfuncs, probe);
}

void kt_kretprobes_look(struct kt_kfuncs *kfuncs)
{
	struct kt_kfunc *kfunc;

	list_for_each_entry(kfunc, &kfuncs->list, node) {
		if (kt_session_is_cancelled(kfuncs->session))
			return;
		if (kfunc->probe)
			kfunc_kretprobe_raise(kfuncs, kfunc);
	}
}

static bool kfunc_kretprobe_has_kretprobe(const struct kt_session *session,
					  const struct kt_kfunc *kfunc)
{
	return !KT_HAS_FPROBE || session->hot.funcs[kfunc->func].desc.flags & KTRACE_FUNC_TASK;
}

/* Returns the number of planted probes, or -EINTR. */
static int kfunc_kretprobe_plant_all(struct kt_kfuncs *kfuncs)
{
	struct kt_session *session = kfuncs->session;
	struct kt_kfunc *kfunc;
	int nr = 0, *error;

	list_for_each_entry(kfunc, &kfuncs->list, node) {
		error = &session->hot.funcs[kfunc->func].error;
		if (*error || !kfunc_kretprobe_has_kretprobe(session, kfunc))
			continue;
		if (kt_session_is_cancelled(session))
			return -EINTR;
		if (!kfunc->probe)
			*error = kfunc_kretprobe_plant(kfuncs, kfunc, OPEN_AT_FIRST);
		nr += !*error;
		WRITE_ONCE(session->nr_sites, nr);
		cond_resched();
	}
	return nr;
}

int kt_kretprobes_attach(struct kt_kfuncs *kfuncs)
{
	int nr = kfunc_kretprobe_plant_all(kfuncs);

	if (nr < 0)
		kt_kretprobes_detach(kfuncs);
	return min(nr, 0);
}

struct batch {
	struct probe *probes[AT_ONCE];
	struct kretprobe *kretprobes[AT_ONCE];
	int nr;
};

static void kfunc_kretprobe_take_out(struct kt_kfuncs *kfuncs, struct batch *batch)
{
	int i;

	for (i = 0; i < batch->nr; i++) {
		WRITE_ONCE(batch->probes[i]->entering, NULL);
		WRITE_ONCE(batch->probes[i]->kfuncs, NULL);
	}
	kt_kretprobes_remove(batch->kretprobes, batch->nr);
	for (i = 0; i < batch->nr; i++)
		kfunc_kretprobe_end_probe(kfuncs, batch->probes[i]);
	batch->nr = 0;
}

static void kfunc_kretprobe_put_in(struct kt_kfuncs *kfuncs, struct batch *batch,
				   struct probe *probe)
{
	batch->probes[batch->nr] = probe;
	batch->kretprobes[batch->nr++] = &probe->kretprobe;
	if (batch->nr == AT_ONCE)
		kfunc_kretprobe_take_out(kfuncs, batch);
}

void kt_kretprobes_detach(struct kt_kfuncs *kfuncs)
{
	struct batch batch = { .nr = 0 };
	struct probe *probe, *older;
	struct kt_kfunc *kfunc;

	list_for_each_entry(kfunc, &kfuncs->list, node) {
		for (probe = kfunc->probe; probe; probe = older) {
			older = probe->older;
			kfunc_kretprobe_put_in(kfuncs, &batch, probe);
		}
		cond_resched();
	}
	kfunc_kretprobe_take_out(kfuncs, &batch);
	list_for_each_entry(kfunc, &kfuncs->list, node)
		kfunc->probe = NULL;
}
