/* SPDX-License-Identifier: GPL-2.0 */
/* A source of samples: one timer per CPU and session. */
#ifndef KT_PROFILE_TIMER_H
#define KT_PROFILE_TIMER_H

#include <linux/types.h>

struct kt_profile_timers;
struct kt_session;

/*
 * Makes the timers of a session, which take config.frequency samples per second and CPU. Process
 * context. Returns NULL if there is no memory.
 */
struct kt_profile_timers *kt_profile_timers_create(struct kt_session *session);
void kt_profile_timers_put(struct kt_profile_timers *timers);	/* NULL: does nothing */

/*
 * kt_profile_sample() is called by the timers of a session from start to stop, also on CPUs that
 * come in between. peers has the session, and its lock is held. Process context, sleep.
 */
void kt_profile_timers_start(struct kt_profile_timers *timers);
void kt_profile_timers_stop(struct kt_profile_timers *timers);

/* This CPU has come, or goes. Interrupts are off. */
void kt_profile_timers_cpu_came(struct kt_profile_timers *timers);
void kt_profile_timers_cpu_goes(struct kt_profile_timers *timers);

#endif
