/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_RCU_H
#define KT_COMPAT_RCU_H

#include <linux/rcupdate.h>

/*
 * Waits for all hits that have begun before. Process context, sleeps. With RCU flavours this takes
 * some ticks: an expedited wait of 3.10 makes each CPU switch to its stopper thread, which preempts
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

/* Do grace periods wait for this CPU? They ignore idle CPUs. Any context. */
static inline bool kt_rcu_is_watching(void)
{
#ifdef KT_HAVE_RCU_IS_WATCHING
	return rcu_is_watching();
#else
	return !rcu_is_cpu_idle();
#endif
}

#endif
