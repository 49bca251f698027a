/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LOCK_H
#define KT_LOCK_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

/*
 * Locks that hits of kernel functions take. The function that takes a lock may itself have a probe,
 * and it returns with the lock held: its hit would wait for the lock forever. So kernel functions
 * have no hits on this CPU from before it takes such a lock until it has released it.
 */
DECLARE_PER_CPU(int, kt_nr_locked);

static inline bool kt_is_locked_here(void)
{
	return this_cpu_read(kt_nr_locked);
}

static inline unsigned long kt_lock(raw_spinlock_t *lock)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_inc(kt_nr_locked);
	raw_spin_lock(lock);
	return flags;
}

static inline void kt_unlock(raw_spinlock_t *lock, unsigned long flags)
{
	raw_spin_unlock(lock);
	this_cpu_dec(kt_nr_locked);
	local_irq_restore(flags);
}

/* For an NMI, which may have interrupted the holder. Returns false if the lock is taken. */
static inline bool kt_trylock(raw_spinlock_t *lock, unsigned long *flags)
{
	local_irq_save(*flags);
	this_cpu_inc(kt_nr_locked);
	if (raw_spin_trylock(lock))
		return true;
	this_cpu_dec(kt_nr_locked);
	local_irq_restore(*flags);
	return false;
}

#endif
