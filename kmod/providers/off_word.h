/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a task is off its CPU, in one word, so that whoever reads it need not wait for who
 * writes it:
 *
 *	on its CPU	ticks that it was off so far          << 1
 *	off it		the same, less when it left           << 1 | AWAY
 */
#ifndef KT_OFF_WORD_H
#define KT_OFF_WORD_H

#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "lib/ticks.h"

#define KT_OFF_AWAY 1ULL
#define KT_OFF_MASK (~0ULL >> 1)	/* of ticks that have lost a bit to that */

/* Ticks that it was off by now, less from. Clocks of CPUs may differ by a little. */
static inline u64 kt_off_word_ticks(u64 word, u64 now, u64 from)
{
	u64 ticks = ((word >> 1) + (word & KT_OFF_AWAY ? now : 0) - from) & KT_OFF_MASK;

	return ticks > KT_OFF_MASK / 2 ? 0 : ticks;
}

/*
 * In a probe of sched_switch: interrupts are off, and a task is on one side of one of them.
 * word_of: a task's, or NULL.
 */
static __always_inline void kt_off_word_switch(u64 *(*word_of)(const struct task_struct *of),
					       const struct task_struct *prev,
					       const struct task_struct *next)
{
	u64 *word, now;

	rcu_read_lock_sched();
	now = kt_ticks();
	word = word_of(prev);
	if (word)
		WRITE_ONCE(*word, ((*word >> 1) - now) << 1 | KT_OFF_AWAY);
	word = word_of(next);
	if (word && *word & KT_OFF_AWAY)
		WRITE_ONCE(*word, ((*word >> 1) + now) << 1);
	rcu_read_unlock_sched();
}

#endif
