/* SPDX-License-Identifier: GPL-2.0 */
/* Iterates over the names of an inode. The caller holds its i_lock. */
#ifndef KT_COMPAT_ALIAS_H
#define KT_COMPAT_ALIAS_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/list.h>

#ifdef for_each_alias
#define kt_for_each_alias(dentry, inode) for_each_alias(dentry, inode)
#elif defined(KT_HAVE_ALIAS_IN_UNION)
#define kt_for_each_alias(dentry, inode) \
	hlist_for_each_entry(dentry, &(inode)->i_dentry, d_u.d_alias)
#else
#define kt_for_each_alias(dentry, inode) \
	hlist_for_each_entry(dentry, &(inode)->i_dentry, d_alias)
#endif

#endif
