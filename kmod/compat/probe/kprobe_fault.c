/* Up to 5.13, before ec6aba3d2be1 "kprobes: Remove kprobe::fault_handler" */
#include <linux/kprobes.h>
int ask(struct kprobe *probe, struct pt_regs *regs, int trap)
{
	return probe->fault_handler(probe, regs, trap);
}
