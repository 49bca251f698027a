/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_FILE_H
#define KT_BLOCK_FILE_H

#include <linux/types.h>

struct bio;
struct file;
struct inode;

/* The file that a bio belongs to. */
struct kt_block_file {
	struct inode *inode;	/* NULL: no file, or an uncertain one */
	struct file *held;	/* referenced; or NULL */
	bool is_unknown;	/* the bio may belong to a file */
};

/*
 * Finds the file of a bio that current is submitting. The caller is an RCU reader until it puts
 * the result. Any context but NMI.
 */
struct kt_block_file kt_block_file_get(struct bio *bio);
void kt_block_file_put(const struct kt_block_file *file);

#endif
