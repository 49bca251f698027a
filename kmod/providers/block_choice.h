/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_CHOICE_H
#define KT_BLOCK_CHOICE_H

struct inode;
struct kt_session_config;

/*
 * Is a regular file one of those, or below one of those folders, that a session asks for?
 * 1, 0, or negative: that cannot be told. RCU reader; of a file that a bio is of. Any context
 * but NMI.
 */
int kt_block_choice_has(const struct kt_session_config *config, struct inode *inode);

#endif
