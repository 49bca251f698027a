/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_WALK_H
#define KT_WALK_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

/*
 * A walk over a deep stack rests after KT_WALK_STEPS, so that other tasks may run. One step visits
 * a frame; closing a frame takes several steps.
 */
#define KT_WALK_STEPS 1024
#define KT_WALK_STEPS_TO_CLOSE 32

/* Not 0 during a hit on this CPU, in any context: a probe inside a hit does not count as a hit. */
DECLARE_PER_CPU(int, kt_in_hit);
/*
 * For how long the hit on this CPU has let other tasks run (kt_walk_rest()), ns. Each measured hit
 * begins with 0. A walk takes the time along to the next CPU.
 */
DECLARE_PER_CPU(u64, kt_rested);

/* Around a walk outside of a hit. Process context; the walk has preemption off, and may rest. */
void kt_walk_begin(void);
void kt_walk_end(void);
/*
 * During a walk over a stack: lets other tasks run. Returns the time, ns. On return, the CPU and
 * the figures of the session may be different ones.
 */
u64 kt_walk_rest(void);

#endif
