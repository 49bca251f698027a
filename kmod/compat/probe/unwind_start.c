/* 4.9, 7c7900f89770 "x86/unwind: Add new unwind interface and implementations" */
#include <linux/sched.h>
#include <asm/unwind.h>
unsigned long ask(struct unwind_state *state, struct pt_regs *regs);
unsigned long ask(struct unwind_state *state, struct pt_regs *regs)
{
	unwind_start(state, current, regs, NULL);
	return unwind_get_return_address(state);
}
