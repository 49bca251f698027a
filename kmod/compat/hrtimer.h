/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_HRTIMER_H
#define KT_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

/* A timer of CLOCK_MONOTONIC, which stays on its CPU and expires in a hard interrupt. */
#ifdef KT_HAVE_HRTIMER_HARD
#define KT_TIMER_MODE HRTIMER_MODE_REL_PINNED_HARD
#else
#define KT_TIMER_MODE HRTIMER_MODE_REL_PINNED
#endif

static inline void kt_hrtimer_init(struct hrtimer *timer,
				   enum hrtimer_restart (*function)(struct hrtimer *timer))
{
#ifdef KT_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, KT_TIMER_MODE);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, KT_TIMER_MODE);
	timer->function = function;
#endif
}

#endif
