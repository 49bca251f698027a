/* up to 6.11; 3c83a9ad0295 "uprobes: make uprobe_register() return struct uprobe *" */
#include <linux/fs.h>
#include <linux/uprobes.h>
int (*ask)(struct inode *inode, loff_t offset, struct uprobe_consumer *uc) = uprobe_register;
