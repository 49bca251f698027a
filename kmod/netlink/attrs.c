// SPDX-License-Identifier: GPL-2.0
/* The values of single attributes. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <net/netlink.h>

#include <uapi/ktrace.h>

#include "compat/mm.h"
#include "netlink/attrs.h"

u32 kt_attrs_u32(const struct nlattr *attr, u32 fallback)
{
	return attr ? nla_get_u32(attr) : fallback;
}

u64 kt_attrs_u64(const struct nlattr *attr, u64 fallback)
{
	return attr ? nla_get_u64(attr) : fallback;
}

int kt_attrs_open(const struct nlattr *attr, struct file **file)
{
	*file = fget(nla_get_u32(attr));
	if (!*file)
		return -EBADF;
	if (((*file)->f_mode & FMODE_READ) && S_ISREG(kt_file_inode(*file)->i_mode))
		return 0;
	fput(*file);
	*file = NULL;
	return -EINVAL;
}

int kt_attrs_get_pid(s32 nr, bool is_tgid, struct pid **found)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	if (!task)
		return -ESRCH;
	rcu_read_lock();
	*found = get_pid(is_tgid ? task_tgid(task) : task_pid(task));
	rcu_read_unlock();
	put_task_struct(task);
	return *found ? 0 : -ESRCH;
}

int kt_attrs_nr_numbers(const struct nlattr *attr)
{
	if (!attr)
		return 0;
	if (nla_len(attr) % sizeof(u32) || nla_len(attr) > KTRACE_MAX_PIDS * sizeof(u32))
		return -EINVAL;
	return nla_len(attr) / sizeof(u32);
}
