/* 5.1, b35f549df1d7 "syscalls: Remove start and number from syscall_get_arguments() args" */
#include <linux/sched.h>
#include <asm/syscall.h>
void (*ask)(struct task_struct *task, struct pt_regs *regs, unsigned long *args) =
	syscall_get_arguments;
