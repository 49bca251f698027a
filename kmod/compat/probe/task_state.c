/* 5.14, 2f064a59a11f "sched: Change task_struct::state" */
#include <linux/sched.h>
unsigned int ask(const struct task_struct *task);
unsigned int ask(const struct task_struct *task)
{
	return task->__state;
}
