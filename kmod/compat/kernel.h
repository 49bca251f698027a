/* SPDX-License-Identifier: GPL-2.0 */
/* Kernels that are not supported, and differences between compilers and hypervisors. */
#ifndef KT_COMPAT_KERNEL_H
#define KT_COMPAT_KERNEL_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <asm/hypervisor.h>

/*
 * For a variable that a function fills in before it reads it: a kernel that initialises local
 * variables need not initialise this one.
 */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define KT_FILLED_LATER __attribute__((uninitialized))
#endif
#endif
#ifndef KT_FILLED_LATER
#define KT_FILLED_LATER
#endif

/*
 * Hits run with preemption off, and read memory that call_rcu() frees. In a preemptible kernel with
 * RCU flavours, call_rcu() waits for rcu_read_lock() only.
 */
#if defined(CONFIG_PREEMPT) && defined(KT_HAVE_RCU_FLAVOURS)
#error "ktrace: this kernel is preemptible and older than 4.20; build one without CONFIG_PREEMPT"
#endif

/*
 * With PREEMPT_RT, spin_lock(), kmalloc(GFP_ATOMIC) and other functions may sleep. Hits and the
 * tracepoints of tasks call them with preemption off.
 */
static inline int kt_check_kernel(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && !IS_ENABLED(CONFIG_PREEMPT_RT_FULL))
		return 0;
	pr_err("ktrace: this kernel is one with PREEMPT_RT, whose locks sleep where probes must not; boot one without.\n");
	return -EOPNOTSUPP;
}

/* Has the kernel found no hypervisor? */
static inline bool kt_has_no_hypervisor(void)
{
#ifdef KT_HAVE_HYPERVISOR_TYPE
	return hypervisor_is_type(X86_HYPER_NATIVE);
#elif defined(CONFIG_HYPERVISOR_GUEST)
	return !x86_hyper;
#else
	return true;
#endif
}

#endif
