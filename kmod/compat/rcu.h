/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_RCU_H
#define KT_COMPAT_RCU_H

#include <linux/rcupdate.h>

/* Returns when no hit runs that began before. Process context. */
static inline void kt_wait_for_hits(void)
{
#ifdef KT_HAVE_RCU_FLAVOURS
	synchronize_sched_expedited();
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
