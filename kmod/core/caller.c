// SPDX-License-Identifier: GPL-2.0
/* The file of the code that called a function. */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "compat/mm.h"
#include "core/caller.h"
#include "core/session.h"

static bool caller_range_holds(const struct kt_caller_range *r, const struct mm_struct *mm,
			       unsigned long ip)
{
	return ip >= r->start && ip < r->end && r->mm_id == kt_mm_id(mm) &&
	       r->stamp == kt_mm_stamp(mm);
}

static void caller_look_up(struct mm_struct *mm, unsigned long ip, struct kt_caller_range *r)
{
	struct vm_area_struct *vma;

	mmap_read_lock(mm);
	r->mm_id = kt_mm_id(mm);
	r->stamp = kt_mm_stamp(mm);
	vma = find_vma(mm, ip);
	if (vma && vma->vm_start <= ip) {
		r->start = vma->vm_start;
		r->end = vma->vm_end;
		r->inode = kt_vma_inode(vma);
	}
	mmap_read_unlock(mm);
}

bool kt_caller_is_file(struct kt_session *session, const struct inode *inode, unsigned long ip)
{
	struct kt_caller_range fresh = { NULL };
	struct mm_struct *mm = current->mm;
	struct kt_session_cpu *cpu;
	bool is_file, is_known;

	cpu = get_cpu_ptr(session->hot.cpu);
	is_file = caller_range_holds(&cpu->callers.range[1], mm, ip) &&
		  cpu->callers.range[1].inode == inode;
	is_known = is_file || (caller_range_holds(&cpu->callers.range[0], mm, ip) &&
			       cpu->callers.range[0].inode != inode);
	put_cpu_ptr(session->hot.cpu);
	if (likely(is_known))
		return is_file;

	caller_look_up(mm, ip, &fresh);
	is_file = fresh.inode == inode;
	cpu = get_cpu_ptr(session->hot.cpu);
	cpu->callers.range[is_file] = fresh;
	put_cpu_ptr(session->hot.cpu);
	return is_file;
}

bool kt_caller_maps(struct mm_struct *mm, struct inode *inode)
{
	KT_VMA_ITER(it, mm);
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	kt_for_each_vma(it, vma)
		if (kt_vma_inode(vma) == inode)
			return true;
	return false;
}

bool kt_caller_has_file(struct kt_session *session)
{
	struct mm_struct *mm = current->mm;
	struct kt_caller_cache *seen;
	u64 stamp = kt_mm_stamp(mm);
	bool has_file, is_known;

	seen = &get_cpu_ptr(session->hot.cpu)->callers;
	is_known = seen->mm_id == kt_mm_id(mm) && seen->stamp == stamp;
	has_file = seen->has_file;
	put_cpu_ptr(session->hot.cpu);
	if (likely(is_known))
		return has_file;

	mmap_read_lock(mm);
	stamp = kt_mm_stamp(mm);
	has_file = kt_caller_maps(mm, session->inode);
	mmap_read_unlock(mm);
	seen = &get_cpu_ptr(session->hot.cpu)->callers;
	seen->mm_id = kt_mm_id(mm);
	seen->stamp = stamp;
	seen->has_file = has_file;
	put_cpu_ptr(session->hot.cpu);
	return has_file;
}
