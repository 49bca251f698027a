/* up to 6.18; a97fbc3ee3e2 "syscore: Pass context data to callbacks" */
#include <linux/syscore_ops.h>
int suspend(void);
struct syscore_ops ask = { .suspend = suspend };
