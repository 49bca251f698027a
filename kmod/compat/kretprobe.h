/* SPDX-License-Identifier: GPL-2.0 */
/* Whose call a handler of a kretprobe is called for, and which functions take none. */
#ifndef KT_COMPAT_KRETPROBE_H
#define KT_COMPAT_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/types.h>

/*
 * NULL: it is being unregistered, and this call came before. Only from 5.11 until 5.18, where
 * rethooks keep it: the others do not pay for the question.
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

/* Would a kretprobe on this function take a lock that its own handling holds? Any context. */
bool kt_kretprobe_deadlocks(const char *name);

/* As register_kretprobe(); a call in an NMI is missed on every kernel. Process context. */
int kt_kretprobe_register(struct kretprobe *kretprobe);

#endif
