// SPDX-License-Identifier: GPL-2.0
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat/kretprobe.h"
#include "compat/remove.h"

#if defined(KT_HAVE_KPROBE_BUSY) || defined(KT_HAVE_GET_KRETPROBE)
bool kt_kretprobe_deadlocks(const char *name)
{
	return false;
}

int kt_kretprobe_register(struct kretprobe *kretprobe)
{
	return register_kretprobe(kretprobe);
}
#else
/*
 * When a call returns or its task exits, older kernels hold the lock of the task's kretprobe
 * instances while current_kprobe is NULL. A kretprobe on a function that is called under that lock
 * takes the same lock again: a deadlock. These are the functions of spin locks: plain, queued,
 * paravirtual, and with lockdep.
 */
static const char *const called_by_returns[] = {
	"_raw_spin_lock", "_raw_spin_lock_irqsave", "_raw_spin_unlock",
	"_raw_spin_unlock_irqrestore", "do_raw_spin_lock", "do_raw_spin_trylock",
	"do_raw_spin_unlock", "queued_spin_lock_slowpath",
	"native_queued_spin_lock_slowpath", "native_queued_spin_unlock",
	"__pv_queued_spin_lock_slowpath", "__pv_queued_spin_unlock",
	"__pv_queued_spin_unlock_slowpath", "__ticket_lock_spinning",
	"__ticket_unlock_slowpath", "kvm_lock_spinning", "kvm_unlock_kick",
	"xen_lock_spinning", "xen_unlock_kick", "kvm_wait", "kvm_kick_cpu",
	"xen_qlock_wait", "xen_qlock_kick", "lock_acquire", "lock_release",
	"lock_acquired", "lock_contended", "trace_hardirqs_on", "trace_hardirqs_off",
};

bool kt_kretprobe_deadlocks(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(called_by_returns); i++)
		if (!strcmp(name, called_by_returns[i]))
			return true;
	return false;
}

/* The kernel's own pre_handler, which is the same for every kretprobe. */
static kprobe_pre_handler_t kretprobe_own_enter;

/*
 * Before "kprobes: Skip kretprobe hit in NMI context to avoid deadlock", a kretprobe takes locks
 * in an NMI that the interrupted context may hold.
 */
static int kretprobe_enter(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (likely(!in_nmi()))
		return kretprobe_own_enter(kprobe, regs);
	container_of(kprobe, struct kretprobe, kp)->nmissed++;
	return 0;
}

int kt_kretprobe_register(struct kretprobe *kretprobe)
{
	int error;

	kretprobe->kp.flags = KPROBE_FLAG_DISABLED;
	error = register_kretprobe(kretprobe);
	if (error)
		return error;
	kretprobe_own_enter = kretprobe->kp.pre_handler;
	kretprobe->kp.pre_handler = kretprobe_enter;
	error = enable_kprobe(&kretprobe->kp);
	if (error)
		kt_kretprobes_remove(&kretprobe, 1);
	return error;
}
#endif
