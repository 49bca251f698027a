/* SPDX-License-Identifier: GPL-2.0 */
/* A source of samples: one counter of the kernel's perf events per CPU and session. */
#ifndef KT_PROFILE_EVENT_H
#define KT_PROFILE_EVENT_H

#include <linux/types.h>

struct kt_profile_events;
struct kt_session;

/* Process context. Returns NULL if there is no memory. */
struct kt_profile_events *kt_profile_events_create(struct kt_session *session);
void kt_profile_events_put(struct kt_profile_events *events);	/* NULL: does nothing */

/*
 * Makes a counter of config.event on each CPU; none counts yet. Process context, sleeps. Returns 0,
 * -EOPNOTSUPP if no CPU counts this event, or another negative errno; then nothing was made.
 */
int kt_profile_events_begin(struct kt_profile_events *events);
/*
 * The session is on the list of its provider. From start to stop kt_profile_sample() is called,
 * also on CPUs that come in between. After end(), which comes when the session has left the list,
 * no work of the session runs. Process context, sleep.
 */
void kt_profile_events_start(struct kt_profile_events *events);
void kt_profile_events_stop(struct kt_profile_events *events);
void kt_profile_events_end(struct kt_profile_events *events);

/* This CPU has come. The kernel has removed its counters when it went. Does not sleep. */
void kt_profile_events_cpu_came(struct kt_profile_events *events);

/* Returns how many times a CPU that came got no counter, so that its samples are missing. */
u64 kt_profile_events_missed(struct kt_profile_events *events);

#endif
