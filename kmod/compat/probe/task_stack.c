/* 4.11, 68db0cf10678 "sched/headers: ... moving code to <linux/sched/task_stack.h>" */
#include <linux/sched/task_stack.h>
void *ask(struct task_struct *task)
{
	return task_stack_page(task);
}
