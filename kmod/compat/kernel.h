/* SPDX-License-Identifier: GPL-2.0 */
/* Kernels that are not for us, and what compilers and hypervisors differ in. */
#ifndef KT_COMPAT_KERNEL_H
#define KT_COMPAT_KERNEL_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <asm/hypervisor.h>

/* Of what a function fills as a whole before it is read: kernels that zero all else need not. */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define KT_FILLED_LATER __attribute__((uninitialized))
#endif
#endif
#ifndef KT_FILLED_LATER
#define KT_FILLED_LATER
#endif

/*
 * Hits run with preemption off, and read what call_rcu() frees. In a preemptible kernel whose RCU
 * has flavours that waits for rcu_read_lock() only.
 */
#if defined(CONFIG_PREEMPT) && defined(KT_HAVE_RCU_FLAVOURS)
#error "ktrace: this kernel is preemptible and older than 4.20; build one without CONFIG_PREEMPT"
#endif

/*
 * With PREEMPT_RT what hits and the tracepoints of tasks do under preempt_disable(),
 * spin_lock() and kmalloc(GFP_ATOMIC) among it, may sleep.
 */
static inline int kt_check_kernel(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && !IS_ENABLED(CONFIG_PREEMPT_RT_FULL))
		return 0;
	pr_err("ktrace: this kernel is one with PREEMPT_RT, whose locks sleep where probes must not; boot one without.\n");
	return -EOPNOTSUPP;
}

/* None that this kernel knows. */
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
