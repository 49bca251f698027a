/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SCHED_H
#define SHIM_SCHED_H

static inline void cond_resched(void) {}
long schedule_timeout_uninterruptible(long ticks);

#endif
