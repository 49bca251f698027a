// SPDX-License-Identifier: GPL-2.0
/* Registration of uprobes: one body per generation of the API, newest first. */
#include <linux/err.h>

#include "compat/uprobe.h"

#ifdef KT_HAVE_UPROBE_HANDLE

int kt_uprobe_register(struct kt_uprobe *uprobe, struct inode *inode, loff_t offset)
{
	uprobe->handle = uprobe_register(inode, offset, 0, &uprobe->uc);
	return PTR_ERR_OR_ZERO(uprobe->handle);
}

void kt_uprobe_unregister_nosync(struct kt_uprobe *uprobe)
{
	uprobe_unregister_nosync(uprobe->handle, &uprobe->uc);
}

void kt_uprobe_unregister_sync(void)
{
	uprobe_unregister_sync();
}

#else

#ifdef KT_HAVE_UPROBE_CHECKS_FILE
static bool uprobe_takes_probes(struct inode *inode)
{
	return true;	/* uprobe_register() checks it */
}
#else
static bool uprobe_takes_probes(struct inode *inode)
{
	return inode->i_mapping->a_ops->readpage;
}
#endif

int kt_uprobe_register(struct kt_uprobe *uprobe, struct inode *inode, loff_t offset)
{
	if (!uprobe_takes_probes(inode))
		return -EIO;
	uprobe->inode = inode;
	uprobe->offset = offset;
	return uprobe_register(inode, offset, &uprobe->uc);
}

/* In this generation, uprobe_unregister() waits itself. */
void kt_uprobe_unregister_nosync(struct kt_uprobe *uprobe)
{
	uprobe_unregister(uprobe->inode, uprobe->offset, &uprobe->uc);
}

void kt_uprobe_unregister_sync(void)
{
}

#endif
