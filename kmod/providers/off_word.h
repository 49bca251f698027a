/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a task is off the CPU, in one word, so that a reader never waits for the writer:
 *
 *	on a CPU	ticks that it was off so far              << 1
 *	off the CPU	the same, minus the time when it left     << 1 | AWAY
 */
#ifndef KT_OFF_WORD_H
#define KT_OFF_WORD_H

#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "lib/ticks.h"

#define KT_OFF_AWAY 1ULL
#define KT_OFF_MASK (~0ULL >> 1)	/* of ticks: AWAY takes one bit of the word */

/*
 * Returns the ticks that the task was off the CPU until now, minus from. A slightly negative
 * result counts as 0, since the clocks of CPUs may differ a little.
 */
static inline u64 kt_off_word_ticks(u64 word, u64 now, u64 from)
{
	u64 ticks = ((word >> 1) + (word & KT_OFF_AWAY ? now : 0) - from) & KT_OFF_MASK;

	return ticks > KT_OFF_MASK / 2 ? 0 : ticks;
}

/*
 * Updates the words of both tasks, in a probe of sched_switch. Interrupts are off, and a task is
 * part of one switch at a time. word_of returns the word of a task, or NULL.
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
