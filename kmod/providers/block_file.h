/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_FILE_H
#define KT_BLOCK_FILE_H

#include <linux/types.h>

struct bio;
struct file;
struct inode;

/* The file that a bio is of. */
struct kt_block_file {
	struct inode *inode;	/* NULL: of none, or that is in doubt */
	struct file *held;	/* or NULL */
};

/* RCU reader until it is put; of a bio that current is submitting. Any context but NMI. */
struct kt_block_file kt_block_file_get(struct bio *bio);
void kt_block_file_put(const struct kt_block_file *file);

#endif
