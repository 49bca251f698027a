/* up to 5.10; d19ad0775dcd "ftrace: Have the callbacks receive a struct ftrace_regs of pt_regs" */
#include <linux/ftrace.h>
void entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
	   struct pt_regs *regs);
struct ftrace_ops ask = { .func = entry };
