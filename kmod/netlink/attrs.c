// SPDX-License-Identifier: GPL-2.0
/* What several commands have among their attributes. */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <net/netlink.h>

#include <uapi/ktrace.h>

#include "compat/cgroup.h"
#include "compat/mm.h"
#include "core/filter.h"
#include "netlink/attrs.h"
#include "provider.h"

int kt_attrs_open(struct nlattr *attr, struct file **file)
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

void kt_attrs_put_pids(struct pid **pids, u32 nr)
{
	while (nr)
		put_pid(pids[--nr]);
}

/* Fills pids, which has room for what an attribute may hold. */
static int attrs_fill_pids(const struct nlattr *attr, bool is_tgid, struct pid **pids, u32 *nr)
{
	const s32 *numbers = attr ? nla_data(attr) : NULL;
	int nr_given = kt_attrs_nr_numbers(attr), error = min(nr_given, 0);

	for (*nr = 0; !error && (int)*nr < nr_given; ++*nr) {
		error = kt_attrs_get_pid(numbers[*nr], is_tgid, &pids[*nr]);
		if (error)
			break;
	}
	if (error)
		kt_attrs_put_pids(pids, *nr);
	if (error)
		*nr = 0;
	return error;
}

int kt_attrs_get_tgids(const struct nlattr *attr, struct pid ***pids, u32 *nr)
{
	int nr_given = kt_attrs_nr_numbers(attr);

	if (!attr)
		return 0;
	if (nr_given <= 0)
		return -EINVAL;
	*pids = kcalloc(nr_given, sizeof(**pids), GFP_KERNEL);
	return *pids ? attrs_fill_pids(attr, true, *pids, nr) : -ENOMEM;
}

u32 kt_attrs_conditions_given(struct nlattr **a)
{
	return (a[KTRACE_A_TIDS] ? KT_GIVEN_TIDS : 0) | (a[KTRACE_A_UIDS] ? KT_GIVEN_UIDS : 0) |
	       (a[KTRACE_A_COMM] ? KT_GIVEN_COMM : 0) |
	       (a[KTRACE_A_CGROUP] ? KT_GIVEN_CGROUP : 0);
}

static int attrs_get_uids(const struct nlattr *attr, struct kt_conditions *c)
{
	int nr = kt_attrs_nr_numbers(attr), i;
	const u32 *uids = nla_data(attr);

	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++) {
		c->uids[i] = make_kuid(current_user_ns(), uids[i]);
		if (!uid_valid(c->uids[i]))
			return -EINVAL;
	}
	c->nr_uids = nr;
	return 0;
}

static int attrs_get_cgroup(struct nlattr *attr, struct kt_conditions *c)
{
	c->cgroup = nla_get_u64(attr);
	return c->cgroup && !KT_KNOWS_CGROUPS ? -EOPNOTSUPP : 0;
}

static int attrs_fill_conditions(struct nlattr **a, struct kt_conditions *c)
{
	int error = attrs_fill_pids(a[KTRACE_A_TIDS], false, c->tids, &c->nr_tids);

	if (!error && a[KTRACE_A_UIDS])
		error = attrs_get_uids(a[KTRACE_A_UIDS], c);
	if (!error && a[KTRACE_A_COMM])
		strscpy(c->comm, nla_data(a[KTRACE_A_COMM]), sizeof(c->comm));
	if (!error && a[KTRACE_A_CGROUP])
		error = attrs_get_cgroup(a[KTRACE_A_CGROUP], c);
	return error;
}

int kt_attrs_get_conditions(struct nlattr **a, struct kt_conditions **conditions)
{
	if (!kt_attrs_conditions_given(a))
		return 0;
	*conditions = kt_conditions_create();
	return *conditions ? attrs_fill_conditions(a, *conditions) : -ENOMEM;
}

bool kt_attrs_is_choice_good(const struct kt_provider *provider, struct nlattr **a)
{
	return !provider->has_no_task ||
	       !(a[KTRACE_A_PIDS] || a[KTRACE_A_NOT_PIDS] || kt_attrs_conditions_given(a));
}
