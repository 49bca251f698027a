/* 4.14, and 4.18 of el8, whose cgroup_id() is more than the inode number of the folder */
#include <linux/cgroup.h>
ino_t ask(struct task_struct *task)
{
	return cgroup_ino(cgroup_parent(task_dfl_cgroup(task)));
}
