/* 6.12, 59da880afed2 "uprobes: get rid of enum uprobe_filter_ctx in uprobe filter callbacks" */
#include <linux/mm_types.h>
#include <linux/uprobes.h>
bool filter(struct uprobe_consumer *uc, struct mm_struct *mm);
struct uprobe_consumer ask = { .filter = filter };
