/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_CGROUP_H
#define KT_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/sched.h>
#include <linux/types.h>

/*
 * The id of a cgroup of version 2 is the inode number of its folder. The caller holds RCU for all
 * functions below.
 */
#ifdef KT_HAVE_CGROUP_INO
#define KT_KNOWS_CGROUPS 1
static inline u64 kt_cgroup_id(struct cgroup *cgroup)
{
	return cgroup_ino(cgroup);
}

static inline u64 kt_task_cgroup_id(struct task_struct *task)
{
	return kt_cgroup_id(task_dfl_cgroup(task));
}

/* Is task in the cgroup with this id, or in one that is at most KT_CGROUP_LEVELS below it? */
#define KT_CGROUP_LEVELS 4096
static inline bool kt_task_is_in_cgroup(struct task_struct *task, u64 id)
{
	struct cgroup *cgroup = task_dfl_cgroup(task);
	u32 level;

	for (level = 0; cgroup && level <= KT_CGROUP_LEVELS; level++) {
		if (kt_cgroup_id(cgroup) == id)
			return true;
		cgroup = cgroup_parent(cgroup);
	}
	return false;
}
#else
#define KT_KNOWS_CGROUPS 0

static inline u64 kt_task_cgroup_id(struct task_struct *task)
{
	return 0;
}

static inline bool kt_task_is_in_cgroup(struct task_struct *task, u64 id)
{
	return false;
}
#endif

#endif
