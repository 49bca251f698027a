/* 6.13, da09a9e0c3ea "uprobe: Add data pointer to consumer handlers" */
#include <linux/uprobes.h>
int handler(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data);
struct uprobe_consumer ask = { .handler = handler };
