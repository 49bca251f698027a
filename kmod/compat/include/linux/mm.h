/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_MM_H
#define KT_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>

#ifndef KT_HAVE_MMAP_LOCK
static inline void mmap_read_lock(struct mm_struct *mm)
{
	down_read(&mm->mmap_sem);
}

static inline bool mmap_read_trylock(struct mm_struct *mm)
{
	return down_read_trylock(&mm->mmap_sem);
}

static inline void mmap_read_unlock(struct mm_struct *mm)
{
	up_read(&mm->mmap_sem);
}
#endif

#ifndef KT_HAVE_MMAP_ASSERT_LOCKED
static inline void mmap_assert_locked(struct mm_struct *mm)
{
}
#endif

#endif
