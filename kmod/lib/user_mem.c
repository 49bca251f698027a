// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the traced program, read at a hit.
 *
 * The program must not notice that its memory is read, and a hit must end, whatever the program
 * maps. So memory is first read with page faults off. A page that is not present is brought in
 * only if nothing but a disk can delay it: anonymous memory, shared memory, and regular files of a
 * file system on a block device. Not brought in are pages below a stack, which would grow, pages
 * for which a user space handler waits (userfaultfd), files of FUSE or of a network, whose server
 * may never answer, and devices, whose drivers decide what a page fault does. The mapping is
 * checked and the page is brought in under one mmap lock, so that no other thread can replace the
 * mapping in between.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "compat/mm.h"
#include "lib/user_mem.h"

#define FUSE_MAGIC 0x65735546	/* also of FUSE on a block device */
#define MOST_TRIES 4		/* a page may be gone again before it is read */

/* Is this a file in memory or on a block device, without a server or a driver of its own? */
static bool user_mem_is_local(const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	return S_ISREG(inode->i_mode) &&
	       (sb->s_magic == TMPFS_MAGIC || sb->s_magic == RAMFS_MAGIC ||
		((sb->s_type->fs_flags & FS_REQUIRES_DEV) && sb->s_magic != FUSE_MAGIC));
}

static bool user_mem_may_bring_in(struct vm_area_struct *vma, unsigned long addr)
{
	if (!vma || vma->vm_start > addr || userfaultfd_armed(vma) ||
	    (vma->vm_flags & (VM_IO | VM_PFNMAP)))
		return false;
	/* Private memory of /dev/zero is anonymous, and has a file. */
	return !vma->vm_ops || (vma->vm_file && user_mem_is_local(file_inode(vma->vm_file)));
}

/* Makes the page at addr present. */
static bool user_mem_bring_in(unsigned long addr)
{
	struct mm_struct *mm = current->mm;
	bool is_there;

	mmap_read_lock(mm);
	is_there = user_mem_may_bring_in(find_vma(mm, addr), addr) && kt_bring_in_page(addr);
	mmap_read_unlock(mm);
	return is_there;
}

bool kt_user_mem_word(unsigned long addr, unsigned long *word)
{
	int tries = MOST_TRIES, error;

	do {
		pagefault_disable();
		error = get_user(*word, (unsigned long __user *)addr);
		pagefault_enable();
	} while (unlikely(error) && tries-- && user_mem_bring_in(addr) &&
		 user_mem_bring_in(addr + sizeof(*word) - 1));
	return !error;
}

static long user_mem_copy(char *to, unsigned long addr, size_t len)
{
	long got;

	pagefault_disable();
	got = strncpy_from_user(to, (const char __user *)addr, len);
	pagefault_enable();
	return got;
}

/* The string is read page by page, because nothing behind its end is brought in. */
long kt_user_mem_string(char *to, unsigned long addr, size_t len, bool may_sleep)
{
	size_t done = 0, part;
	int tries = MOST_TRIES;
	long got;

	got = user_mem_copy(to, addr, len);
	if (got >= 0 || !may_sleep)
		return got;
	while (done < len) {
		part = min_t(size_t, len - done, PAGE_SIZE - ((addr + done) & ~PAGE_MASK));
		got = user_mem_copy(to + done, addr + done, part);
		if (got < 0) {
			if (!tries-- || !user_mem_bring_in(addr + done))
				return -EFAULT;
			continue;
		}
		done += got;
		if (got < part)
			break;
		tries = MOST_TRIES;
	}
	return done;
}
