/* some 4.18 of RHEL: the member that d1e7fd6462ca made a u64 is behind a pointer */
#include <linux/sched.h>
u32 ask(const struct task_struct *task);
u32 ask(const struct task_struct *task)
{
	return task->task_struct_rh->self_exec_id;
}
