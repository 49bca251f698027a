/* 6.6, x86: user shadow stacks; without them a task has no features word */
#include <linux/sched.h>
#include <asm/prctl.h>
unsigned long ask(struct task_struct *task)
{
	return task->thread.features & ARCH_SHSTK_SHSTK;
}
