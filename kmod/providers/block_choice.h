/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_CHOICE_H
#define KT_BLOCK_CHOICE_H

struct inode;
struct kt_session_config;

/*
 * Returns 1 if a regular file is one of the files of a session, or is below one of its folders, 0
 * if not, and a negative errno if this cannot be determined. inode is the file of a bio. RCU
 * reader, any context but NMI.
 */
int kt_block_choice_has(const struct kt_session_config *config, struct inode *inode);

#endif
