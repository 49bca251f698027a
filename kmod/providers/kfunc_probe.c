// SPDX-License-Identifier: GPL-2.0
/* Entry and return of kernel functions: each function has a kretprobe or is part of an fprobe. */
#include <linux/workqueue.h>

#include "core/session.h"
#include "lib/control.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_probe.h"

#define LOOK_EVERY (HZ / 4)

static void kfunc_probe_look(struct kt_kfuncs *kfuncs)
{
	kt_kretprobes_look(kfuncs);
	kt_fprobes_look(kfuncs);
}

static void kfunc_probe_look_work(struct work_struct *work)
{
	struct kt_kfuncs *kfuncs = container_of(to_delayed_work(work), struct kt_kfuncs,
						look_work);

	kfunc_probe_look(kfuncs);
	if (!kt_session_is_cancelled(kfuncs->session))
		queue_delayed_work(kt_queue, &kfuncs->look_work, LOOK_EVERY);
}

void kt_kprobes_init(struct kt_kfuncs *kfuncs)
{
	INIT_DELAYED_WORK(&kfuncs->look_work, kfunc_probe_look_work);
}

static int kfunc_probe_attach(struct kt_kfuncs *kfuncs)
{
	int error = kt_kretprobes_attach(kfuncs);

	if (error)
		return error;
	error = kt_fprobes_attach(kfuncs);
	if (error)
		kt_kretprobes_detach(kfuncs);
	return error;
}

/* Calls do not count before all probes are planted, so missed calls do not count either. */
static void kfunc_probe_forget_missed(struct kt_kfuncs *kfuncs, u64 missed)
{
	kfunc_probe_look(kfuncs);
	WRITE_ONCE(kfuncs->missed, missed);
}

int kt_kprobes_attach(struct kt_kfuncs *kfuncs)
{
	u64 missed = kfuncs->missed;
	int error;

	cancel_delayed_work_sync(&kfuncs->look_work);
	error = kfunc_probe_attach(kfuncs);
	if (!error && !kfuncs->is_open)
		kfunc_probe_forget_missed(kfuncs, missed);
	if (!error)
		queue_delayed_work(kt_queue, &kfuncs->look_work, LOOK_EVERY);
	return error;
}

void kt_kprobes_detach(struct kt_kfuncs *kfuncs)
{
	cancel_delayed_work_sync(&kfuncs->look_work);
	kt_kretprobes_detach(kfuncs);
	kt_fprobes_detach(kfuncs);
}

u64 kt_kprobes_missed(const struct kt_kfuncs *kfuncs)
{
	return READ_ONCE(kfuncs->has_end) ? kfuncs->missed_at_end : READ_ONCE(kfuncs->missed);
}

static void kfunc_probe_look_now(struct kt_kfuncs *kfuncs)
{
	cancel_delayed_work_sync(&kfuncs->look_work);
	kfunc_probe_look(kfuncs);
}

void kt_kprobes_begin_missed(struct kt_kfuncs *kfuncs)
{
	kfunc_probe_look_now(kfuncs);
	WRITE_ONCE(kfuncs->missed, 0);
	queue_delayed_work(kt_queue, &kfuncs->look_work, LOOK_EVERY);
}

void kt_kprobes_end_missed(struct kt_kfuncs *kfuncs)
{
	kfunc_probe_look_now(kfuncs);
	kfuncs->missed_at_end = kfuncs->missed;
	WRITE_ONCE(kfuncs->has_end, true);
}
