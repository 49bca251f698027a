/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_CALLER_H
#define KT_CALLER_H

#include <linux/types.h>

struct inode;
struct kt_session;
struct mm_struct;

/* Is the code at ip of current mapped from the inode? Task context, may sleep. */
bool kt_caller_is_file(struct kt_session *session, const struct inode *inode, unsigned long ip);

/* Does current map the session's file? Task context, may sleep. */
bool kt_caller_has_file(struct kt_session *session);

/* Does mm map the inode? The caller holds mm's mmap lock. */
bool kt_caller_maps(struct mm_struct *mm, struct inode *inode);

#endif
