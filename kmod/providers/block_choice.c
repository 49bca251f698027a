// SPDX-License-Identifier: GPL-2.0
/* Files and folders whose requests a session traces. */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/preempt.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include "compat/alias.h"
#include "compat/mm.h"
#include "core/session.h"
#include "providers/block_choice.h"

#define LOOKS 10		/* at most, while folders are being moved */
#define TRIES 1000	/* to take a lock that is held for short times */

/*
 * Returns 1 if dentry is folder or below it, 0 if not, -EAGAIN if folders are moved all the time,
 * -ENOENT if the path of dentry does not lead to the root of the file system.
 */
static int block_choice_is_under(const struct dentry *dentry, const struct dentry *folder)
{
	const struct dentry *at;
	unsigned int seq;
	u32 looks = 0;

	do {
		seq = read_seqbegin(&rename_lock);
		for (at = dentry; at != folder && !IS_ROOT(at); at = READ_ONCE(at->d_parent))
			;
	} while (read_seqretry(&rename_lock, seq) && ++looks < LOOKS);
	if (looks == LOOKS)
		return -EAGAIN;
	if (at == folder)
		return 1;
	return at == at->d_sb->s_root ? 0 : -ENOENT;
}

/*
 * Checks all names of the inode. i_lock guards the list of names. A task that submits bios does
 * not hold i_lock itself. In an interrupt the check is refused: the interrupted task may be moving
 * a folder, and the check would wait for it.
 */
static int block_choice_is_below(struct inode *inode, const struct dentry *folder)
{
	struct dentry *alias;
	int is = -ENOENT;
	u32 tries = 0;

	if (in_interrupt())
		return -EAGAIN;
	while (!spin_trylock(&inode->i_lock)) {
		if (++tries == TRIES)
			return -EAGAIN;
		cpu_relax();
	}
	kt_for_each_alias(alias, inode) {
		is = block_choice_is_under(alias, folder);
		if (is > 0)
			break;
	}
	spin_unlock(&inode->i_lock);
	return is;
}

static int block_choice_is_chosen_by(struct inode *inode, struct file *chosen)
{
	const struct inode *of = kt_file_inode(chosen);

	if (of == inode)
		return 1;
	return S_ISDIR(of->i_mode) && of->i_sb == inode->i_sb ?
	       block_choice_is_below(inode, chosen->f_path.dentry) : 0;
}

int kt_block_choice_has(const struct kt_session_config *config, struct inode *inode)
{
	int has = 0, is;
	u32 i;

	for (i = 0; i < config->nr_files && has <= 0; i++) {
		is = block_choice_is_chosen_by(inode, config->files[i]);
		if (is)
			has = is;
	}
	return has;
}
