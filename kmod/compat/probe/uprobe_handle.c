/* 6.12, 3c83a9ad0295 "uprobes: make uprobe_register() return struct uprobe *" */
#include <linux/uprobes.h>
struct uprobe *ask(struct inode *inode, struct uprobe_consumer *uc)
{
	return uprobe_register(inode, 0, 0, uc);
}
