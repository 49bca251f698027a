/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_RCU_H
#define KT_COMPAT_RCU_H

#include <linux/rcupdate.h>

/*
 * Returns when no hit runs that began before. Process context. Kernels with flavours take some
 * ticks for it: an expedited wait of 3.10 has each CPU switch to its stopper thread, which preempts
 * the traced programs, and ktrace sched would count that.
 */
static inline void kt_wait_for_hits(void)
{
#ifdef KT_HAVE_RCU_FLAVOURS
	synchronize_sched();
#else
	synchronize_rcu_expedited();
#endif
}

/* Idle CPUs are not seen by grace periods. Any context. */
static inline bool kt_rcu_is_watching(void)
{
#ifdef KT_HAVE_RCU_IS_WATCHING
	return rcu_is_watching();
#else
	return !rcu_is_cpu_idle();
#endif
}

#endif
