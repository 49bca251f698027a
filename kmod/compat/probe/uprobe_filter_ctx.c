/* up to 6.11: 59da880afed2 "uprobes: get rid of enum uprobe_filter_ctx in uprobe filter callbacks" */
#include <linux/uprobes.h>
bool filter(struct uprobe_consumer *uc, enum uprobe_filter_ctx ctx, struct mm_struct *mm);
struct uprobe_consumer ask = { .filter = filter };
