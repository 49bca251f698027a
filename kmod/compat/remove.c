// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers that may still run after the probe was unregistered:
 * - handlers of an fprobe, from 6.14 until "fprobe: Fix unregister_fprobe() to wait for RCU grace
 *   period". So the module waits itself.
 * - handlers of an ftrace_ops that could not be unregistered.
 * - no handlers of kretprobes: unregister_kretprobes() waits in all kernels, also for kretprobes
 *   that it cannot unregister.
 *
 * Failures do occur: there is no memory for the address list of an fprobe, or the function tracer
 * has found an error of its own and does nothing any more.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "compat/fprobe.h"
#include "compat/rcu.h"
#include "compat/remove.h"

static atomic_t stuck = ATOMIC_INIT(0);
module_param_named(stuck_probes, stuck.counter, int, 0444);
MODULE_PARM_DESC(stuck_probes, "probes that the kernel failed to unregister: the module stays");

static void remove_keep(const char *what, u32 nr, int error)
{
	atomic_add(nr, &stuck);
	__module_get(THIS_MODULE);
	pr_err("ktrace: the kernel failed to unregister %u %s (error %d): their memory and this module stay until the machine restarts.\n",
	       nr, what, error);
}

static bool remove_is_out(const char *what, int error)
{
	kt_wait_for_hits();
	if (error)
		remove_keep(what, 1, error);
	return !error;
}

bool kt_ftrace_ops_remove(struct ftrace_ops *ops)
{
	return remove_is_out("ftrace_ops", unregister_ftrace_function(ops));
}

#if KT_HAS_FPROBE

#define TRIES 100	/* a tenth of a second apart */

/* Without memory for its list of addresses, unregister_fprobe() changes nothing: try again. */
static int remove_unregister(struct fprobe *fprobe)
{
	int error, i;

	for (i = 0; i < TRIES; i++) {
		error = unregister_fprobe(fprobe);
		if (error != -ENOMEM)
			break;
		schedule_timeout_uninterruptible(HZ / 10);
	}
	return error;
}

bool kt_fprobe_remove(struct fprobe *fprobe)
{
	int error = remove_unregister(fprobe);

	if (error)
		disable_fprobe(fprobe);
	return remove_is_out("fprobe", error);
}

#endif

void kt_kretprobes_remove(struct kretprobe **kretprobes, u32 nr)
{
	u32 nr_stuck = 0, i;

	if (!nr)
		return;
	unregister_kretprobes(kretprobes, nr);
	for (i = 0; i < nr; i++)
		nr_stuck += !kt_kretprobe_is_out(kretprobes[i]);
	if (nr_stuck)
		remove_keep("kretprobes", nr_stuck, -EBUSY);
}
