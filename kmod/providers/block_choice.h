/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_CHOICE_H
#define KT_BLOCK_CHOICE_H

#include <linux/types.h>

struct bio;
struct inode;
struct kt_session_config;

#define KT_BLOCK_CHOICE_STEPS 1024	/* per bio: folders that are looked at */

/*
 * Returns 1 if a regular file is one of the files of a session, or is below one of its folders, 0
 * if not, and a negative errno if this cannot be determined. inode is the file of a bio. Takes the
 * steps that it needs from *steps, and gives up when none are left. RCU reader, any context but
 * NMI.
 */
int kt_block_choice_has(const struct kt_session_config *config, struct inode *inode, u32 *steps);
/* Returns true if a bio whose file is unknown may belong to one of the files of a session. */
bool kt_block_choice_may_have(const struct kt_session_config *config, struct bio *bio);

#endif
