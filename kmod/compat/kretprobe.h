/* SPDX-License-Identifier: GPL-2.0 */
/* The kretprobe that a handler runs for, and the functions that cannot have one. */
#ifndef KT_COMPAT_KRETPROBE_H
#define KT_COMPAT_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/types.h>

/*
 * Returns the kretprobe of a call, or NULL if it is being unregistered and the call began before.
 * NULL is possible only from 5.11 until rethooks, which keep the kretprobe, in 5.18. On other
 * kernels, kt_kretprobe_is_gone() costs nothing.
 */
static __always_inline struct kretprobe *kt_kretprobe_of(const struct kretprobe_instance *instance)
{
#ifdef KT_HAVE_GET_KRETPROBE
	return get_kretprobe((struct kretprobe_instance *)instance);
#else
	return instance->rp;
#endif
}

#if defined(KT_HAVE_GET_KRETPROBE) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)
#define kt_kretprobe_is_gone(kretprobe) unlikely(!(kretprobe))
#else
#define kt_kretprobe_is_gone(kretprobe) false
#endif

/*
 * Does the handling of kretprobes call this function under a lock which a kretprobe on the function
 * would take again? Any context.
 */
bool kt_kretprobe_deadlocks(const char *name);

/*
 * Up to 5.13, nmissed of a probe also counts the faults of its handlers, for example of a read of
 * user memory that is not there: fn is called for each of them, and returns 0. Newer kernels do not
 * count them, and never call fn. Called after the registration, which removes the function.
 */
static inline void kt_kretprobe_on_fault(struct kretprobe *kretprobe,
					 int (*fn)(struct kprobe *probe, struct pt_regs *regs,
						   int trap))
{
#ifdef KT_HAVE_KPROBE_FAULT
	WRITE_ONCE(kretprobe->kp.fault_handler, fn);
#endif
}

/* As register_kretprobe(). A call in an NMI is missed on every kernel. Process context. */
int kt_kretprobe_register(struct kretprobe *kretprobe);

#endif
