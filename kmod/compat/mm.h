/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a process, and the files mapped in it. */
#ifndef KT_COMPAT_MM_H
#define KT_COMPAT_MM_H

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

/* Returns the inode that has the pages of a file: in an overlay, that of the layer. */
static inline struct inode *kt_file_inode(struct file *file)
{
	return d_real_inode(file->f_path.dentry);
}

/*
 * Returns the inode that has the pages of a mapping, or NULL. It does not use the dentry: when an
 * overlay copies a file up, the dentry leads to the new copy, but the mapping keeps the old file.
 */
static inline struct inode *kt_vma_inode(const struct vm_area_struct *vma)
{
	return vma->vm_file ? file_inode(vma->vm_file) : NULL;
}

/*
 * Returns the inode that /proc/PID/maps shows for a mapping of a file. On an overlay it may be
 * another one than that with the pages.
 */
static inline const struct inode *kt_vma_shown_inode(const struct vm_area_struct *vma)
{
#ifdef KT_HAVE_FILE_USER_INODE
	return file_user_inode(vma->vm_file);
#else
	return file_inode(vma->vm_file);
#endif
}

/* Returns when the content of a file last changed: a number that differs for different times. */
static inline u64 kt_inode_changed(const struct inode *inode)
{
#ifdef KT_HAVE_INODE_GET_MTIME
	return (u64)inode_get_mtime(inode).tv_sec << 30 ^ inode_get_mtime(inode).tv_nsec;
#else
	return (u64)inode->i_mtime.tv_sec << 30 ^ inode->i_mtime.tv_nsec;
#endif
}

/* Returns a number that identifies mm. Another mm at the same address has another number. */
static inline u64 kt_mm_id(const struct mm_struct *mm)
{
#ifdef KT_HAVE_TLB_GEN
	return mm->context.ctx_id;
#else
	return (unsigned long)mm ^ mm->start_stack;
#endif
}

/*
 * Returns a number that changes when a mapping is added, and when a used page is removed. Before
 * 4.14, it does not change if a mapping replaces another one of the same length.
 */
static inline u64 kt_mm_stamp(const struct mm_struct *mm)
{
#ifdef KT_HAVE_TLB_GEN
	return (u64)atomic64_read(&mm->context.tlb_gen) << 24 ^ READ_ONCE(mm->map_count);
#else
	return (u64)mm->total_vm << 24 ^ READ_ONCE(mm->map_count);
#endif
}

#ifdef KT_HAVE_VMA_ITERATOR
#define KT_VMA_ITER(it, mm) VMA_ITERATOR(it, mm, 0)
#define kt_for_each_vma(it, vma) for_each_vma(it, vma)
#else
#define KT_VMA_ITER(it, mm) struct mm_struct *it = (mm)
#define kt_for_each_vma(it, vma) for (vma = it->mmap; vma; vma = vma->vm_next)
#endif

/*
 * Makes the page of current's memory at addr present, as a read by the program would. Returns false
 * if this fails. The caller holds the mmap lock. Process context, sleeps.
 */
static inline bool kt_bring_in_page(unsigned long addr)
{
	struct page *page;
	long nr;

#if defined(KT_HAVE_GUP_NO_VMAS)
	nr = get_user_pages(addr, 1, 0, &page);
#elif defined(KT_HAVE_GUP_FLAGS)
	nr = get_user_pages(addr, 1, 0, &page, NULL);
#elif defined(KT_HAVE_GUP_CURRENT)
	nr = get_user_pages(addr, 1, 0, 0, &page, NULL);
#else
	nr = get_user_pages(current, current->mm, addr, 1, 0, 0, &page, NULL);
#endif
	if (nr != 1)
		return false;
	put_page(page);
	return true;
}

#define KT_MM_OWNER_TASKS 4096

/*
 * Returns the process that owns mm, or NULL while none does. Without memory cgroups, it is searched
 * among KT_MM_OWNER_TASKS tasks. Returns ERR_PTR(-E2BIG) if it may be among the others. The caller
 * holds RCU.
 */
static inline struct task_struct *kt_mm_owner(struct mm_struct *mm)
{
#ifdef KT_HAVE_MM_OWNER
	return rcu_dereference(mm->owner);
#else
	struct task_struct *process, *task;
	u32 nr = 0;

	for_each_process_thread(process, task) {
		if (READ_ONCE(task->mm) == mm)
			return process;
		if (++nr == KT_MM_OWNER_TASKS)
			return ERR_PTR(-E2BIG);
	}
	return NULL;
#endif
}

#endif
