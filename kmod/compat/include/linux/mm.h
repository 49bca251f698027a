/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_MM_H
#define KT_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>

/* Up to 4.11, and in RHEL 7.4. The memory is freed by kvfree(). */
#ifndef KT_HAVE_KVZALLOC
#include <linux/slab.h>
#include <linux/vmalloc.h>

static inline void *kvzalloc(size_t len, gfp_t flags)
{
	void *p = kzalloc(len, flags | __GFP_NOWARN | __GFP_NORETRY);

	return p ?: vzalloc(len);
}
#endif

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
