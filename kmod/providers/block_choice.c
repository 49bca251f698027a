// SPDX-License-Identifier: GPL-2.0
/* Files and folders whose requests a session traces. */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include "compat/alias.h"
#include "compat/block.h"
#include "compat/mm.h"
#include "core/session.h"
#include "providers/block_choice.h"

#define LOOKS 10		/* at most, while folders are being moved */
#define TRIES 1000	/* to take a lock that is held for short times */

/* The chosen folders, and the steps that are left. */
struct search {
	struct file *const *files;
	u32 nr;
	u32 *steps;
};

static bool block_choice_is_folder(const struct search *search, const struct dentry *dentry)
{
	u32 i;

	for (i = 0; i < search->nr; i++)
		if (search->files[i]->f_path.dentry == dentry)
			return true;
	return false;
}

/*
 * Returns 1 if dentry is one of the folders or below one, 0 if not, -ENOENT if the path of dentry
 * does not lead to the root of the file system, -EAGAIN if no steps are left.
 */
static int block_choice_climb(const struct search *search, const struct dentry *dentry)
{
	for (; !block_choice_is_folder(search, dentry); dentry = READ_ONCE(dentry->d_parent)) {
		if (IS_ROOT(dentry))
			return dentry == dentry->d_sb->s_root ? 0 : -ENOENT;
		if (!*search->steps)
			return -EAGAIN;
		--*search->steps;
	}
	return 1;
}

/* A task that moves a folder has a spinlock. It is waited for, but not for long. */
static unsigned int block_choice_begin(void)
{
	unsigned int seq = raw_seqcount_begin(&rename_lock.seqcount);
	u32 tries;

	for (tries = 0; tries < TRIES && read_seqcount_retry(&rename_lock.seqcount, seq); tries++) {
		cpu_relax();
		seq = raw_seqcount_begin(&rename_lock.seqcount);
	}
	return seq;
}

/*
 * The same as block_choice_climb(), but the path did not change meanwhile; -EAGAIN if folders are
 * moved all the time.
 */
static int block_choice_is_under(const struct search *search, const struct dentry *dentry)
{
	unsigned int seq;
	u32 looks;
	int is;

	for (looks = 0; looks < LOOKS; looks++) {
		seq = block_choice_begin();
		is = block_choice_climb(search, dentry);
		if (!read_seqcount_retry(&rename_lock.seqcount, seq))
			return is;
	}
	return -EAGAIN;
}

/* i_lock guards the list of names. -EBUSY if somebody else has it. */
static int block_choice_try_names(const struct search *search, struct inode *inode)
{
	struct dentry *alias;
	int is = -ENOENT;

	if (!spin_trylock(&inode->i_lock))
		return -EBUSY;
	/* A name that is not certain ends the search: the other names would need steps, too. */
	kt_for_each_alias(alias, inode) {
		is = block_choice_is_under(search, alias);
		if (is)
			break;
	}
	spin_unlock(&inode->i_lock);
	return is;
}

/*
 * Checks the names of the inode until one is below a folder. A task that submits bios does not hold
 * i_lock itself. In an interrupt the check is refused, since i_lock is taken with interrupts on.
 */
static int block_choice_is_below(const struct search *search, struct inode *inode)
{
	int is = in_interrupt() ? -EAGAIN : -EBUSY;
	u32 tries;

	for (tries = 0; tries < TRIES && is == -EBUSY; tries++) {
		is = block_choice_try_names(search, inode);
		if (is == -EBUSY)
			cpu_relax();
	}
	return is;
}

static bool block_choice_is_chosen(const struct kt_session_config *config,
				   const struct inode *inode)
{
	u32 i;

	for (i = 0; i < config->nr_files; i++)
		if (kt_file_inode(config->files[i]) == inode)
			return true;
	return false;
}

/* A folder of another file system has nothing above this inode, so it needs no search. */
static bool block_choice_has_folder(const struct kt_session_config *config,
				    const struct inode *inode)
{
	const struct inode *of;
	u32 i;

	for (i = 0; i < config->nr_files; i++) {
		of = kt_file_inode(config->files[i]);
		if (S_ISDIR(of->i_mode) && of->i_sb == inode->i_sb)
			return true;
	}
	return false;
}

int kt_block_choice_has(const struct kt_session_config *config, struct inode *inode, u32 *steps)
{
	const struct search search = { config->files, config->nr_files, steps };

	if (block_choice_is_chosen(config, inode))
		return 1;
	return block_choice_has_folder(config, inode) ? block_choice_is_below(&search, inode) : 0;
}

/*
 * A clone, or a bio of a kernel thread, may come from any disk above. Other bios are on the disk of
 * their file system.
 */
bool kt_block_choice_may_have(const struct kt_session_config *config, struct bio *bio)
{
	const struct super_block *sb;
	u32 i;

	if (bio_flagged(bio, BIO_CLONED) || (current->flags & PF_KTHREAD))
		return true;
	for (i = 0; i < config->nr_files; i++) {
		sb = kt_file_inode(config->files[i])->i_sb;
		if (sb->s_bdev && sb->s_bdev->bd_disk == kt_bio_disk(bio))
			return true;
	}
	return false;
}
