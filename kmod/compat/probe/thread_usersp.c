/* those that leave rsp in a per-CPU variable at system calls, as 3.10 does */
#include <linux/sched.h>
unsigned long ask(const struct task_struct *task);
unsigned long ask(const struct task_struct *task)
{
	return task->thread.usersp;
}
