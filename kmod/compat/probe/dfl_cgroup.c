/* 4.14, 4.18 of el8: inode numbers identify cgroups of version 2 */
#include <linux/cgroup.h>
u64 ask(struct task_struct *task);
u64 ask(struct task_struct *task)
{
	return cgroup_parent(task_dfl_cgroup(task))->kn->id.ino;
}
