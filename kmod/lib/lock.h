/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LOCK_H
#define KT_LOCK_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

/*
 * Locks that hits of kernel functions take. What takes a lock is a function, too, and returns
 * with the lock held: as a hit, that would wait for itself. So this CPU has no hits of kernel
 * functions from before such a lock is taken until it is given back.
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

/* In an NMI, which may have interrupted who holds it. False: it did, or another CPU has it. */
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
