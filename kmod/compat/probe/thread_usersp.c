/* kernels that keep rsp in a per-CPU variable during system calls, like 3.10 */
#include <linux/sched.h>
unsigned long ask(const struct task_struct *task);
unsigned long ask(const struct task_struct *task)
{
	return task->thread.usersp;
}
