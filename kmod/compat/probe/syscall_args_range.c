/* before 5.1, b35f549df1d7 "syscalls: Remove start and number from syscall_get_arguments() args" */
#include <linux/sched.h>
#include <asm/syscall.h>
void ask(struct pt_regs *regs, unsigned long *args)
{
	syscall_get_arguments(current, regs, 0, 6, args);
}
