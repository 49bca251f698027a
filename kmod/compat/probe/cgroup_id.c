/* 5.5, 743210386c03 "cgroup: use cgrp->kn->id as the cgroup ID" */
#include <linux/cgroup.h>
u64 ask(struct task_struct *task);
u64 ask(struct task_struct *task)
{
	return cgroup_id(cgroup_parent(task_dfl_cgroup(task)));
}
