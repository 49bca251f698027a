/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_UPROBE_H
#define KT_COMPAT_UPROBE_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uprobes.h>

struct kt_uprobe {
	struct uprobe_consumer uc;
	struct uprobe *handle;
	struct inode *inode;
	loff_t offset;
};

/* Process context, sleep. The caller keeps the inode. Returns 0 or a negative errno. */
int kt_uprobe_register(struct kt_uprobe *uprobe, struct inode *inode, loff_t offset);
void kt_uprobe_unregister_nosync(struct kt_uprobe *uprobe);
void kt_uprobe_unregister_sync(void);	/* waits until no handler runs */

#ifdef KT_HAVE_UPROBE_DATA
#define KT_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data)
#define KT_URETPROBE_HANDLER(name, uc, func, regs)			\
	int name(struct uprobe_consumer *uc, unsigned long func,	\
		 struct pt_regs *regs, __u64 *data)
#else
#define KT_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs)
#define KT_URETPROBE_HANDLER(name, uc, func, regs)			\
	int name(struct uprobe_consumer *uc, unsigned long func,	\
		 struct pt_regs *regs)
#endif

#ifdef KT_HAVE_UPROBE_FILTER_CTX
#define KT_UPROBE_FILTER(name, uc, mm)					\
	bool name(struct uprobe_consumer *uc, enum uprobe_filter_ctx ctx, \
		  struct mm_struct *mm)
#else
#define KT_UPROBE_FILTER(name, uc, mm) \
	bool name(struct uprobe_consumer *uc, struct mm_struct *mm)
#endif

/*
 * In the filter of a consumer: does current hold the mmap lock of mm? A task that registers a
 * uprobe, or maps a file, holds it for write. Since 6.12, the kernel also calls the filter without
 * the lock, for current's own mm, before it removes a breakpoint that all handlers have refused.
 * Only the owner of the lock distinguishes the two cases.
 */
static inline bool kt_filter_holds_mmap_lock(struct mm_struct *mm)
{
#ifdef KT_HAVE_UPROBE_FILTER_CTX
	return true;
#else
	return mm != current->mm || atomic_long_read(&mm->mmap_lock.owner) == (long)current;
#endif
}

#ifdef KT_HAVE_UPROBE_SET_IP
#define KT_UPROBE_MAY_SET_IP true
#else
#define KT_UPROBE_MAY_SET_IP false
#endif

#endif
