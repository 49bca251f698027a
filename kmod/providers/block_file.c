// SPDX-License-Identifier: GPL-2.0
/*
 * The file that a bio belongs to, if that is certain.
 *
 * If the pages of a bio are in the page cache, the bio belongs to the file of these pages. A direct
 * bio has pages of other memory. It belongs to the file that iomap has noted in it; or, in a system
 * call that reads or writes one file past the page cache, to that file. Other bios that such a call
 * queues are metadata of the file system, which their pages or their flags show. All other bios
 * with pages that may hold a file's data are of an unknown file: those of aio and io_uring where
 * iomap has noted nothing, and those that a driver above made, for example to encrypt.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>

#include "compat/bio_file.h"
#include "compat/block.h"
#include "compat/mm.h"
#include "compat/syscall_args.h"
#include "lib/arch.h"
#include "providers/block_file.h"

/* Below a loop device, pages may belong to a file above, on another disk than that of the bio. */
static bool block_file_is_on_its_disk(struct bio *bio, const struct super_block *sb)
{
	return sb->s_bdev && (sb->s_bdev->bd_disk == kt_bio_disk(bio) ||
			      bio_flagged(bio, BIO_CLONED));
}

static bool block_file_is_its_own(struct bio *bio, const struct inode *inode)
{
	return inode && S_ISREG(inode->i_mode) && block_file_is_on_its_disk(bio, inode->i_sb);
}

/* Kernel threads, and workers like them, are in no system call, or have registers of another. */
static bool block_file_is_in_call(struct pt_regs *regs)
{
	return !in_interrupt() && !(current->flags & (PF_KTHREAD | PF_EXITING)) &&
	       current->files && instruction_pointer(regs) && !kt_is_compat_syscall();
}

/* Returns the file that current reads or writes past the page cache, with a reference; or NULL. */
static struct file *block_file_file_of_call(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct file *file;

	if (!block_file_is_in_call(regs) || !kt_arch_is_transfer(syscall_get_nr(current, regs)))
		return NULL;
	file = fget(kt_syscall_arg(regs));
	if (file && !(file->f_flags & O_DIRECT)) {
		fput(file);
		return NULL;
	}
	return file;
}

static struct kt_block_file block_file_direct_file_of(struct bio *bio)
{
	struct kt_block_file file = { .inode = kt_bio_direct_inode(bio) };

	if (file.inode)
		return file;
	file.held = block_file_file_of_call();
	if (file.held)
		file.inode = kt_file_inode(file.held);
	return file;
}

struct kt_block_file kt_block_file_get(struct bio *bio)
{
	struct kt_block_file file = { .inode = kt_bio_inode(bio) };

	if (!file.inode && kt_bio_may_be_direct(bio))
		file = block_file_direct_file_of(bio);
	file.is_unknown = !file.inode && kt_bio_may_be_of_file(bio);
	if (!block_file_is_its_own(bio, file.inode))
		file.inode = NULL;
	return file;
}

/* If this is the last reference, a work item releases the file, or the task at its way out. */
void kt_block_file_put(const struct kt_block_file *file)
{
	if (file->held)
		fput(file->held);
}
