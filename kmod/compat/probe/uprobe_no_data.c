/* up to 6.12; da09a9e0c3ea "uprobe: Add data pointer to consumer handlers" */
#include <linux/sched.h>
#include <linux/uprobes.h>
int handler(struct uprobe_consumer *uc, struct pt_regs *regs);
struct uprobe_consumer ask = { .handler = handler };
