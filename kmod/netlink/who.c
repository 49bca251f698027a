// SPDX-License-Identifier: GPL-2.0
/* WHO: which tasks are traced. */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/cgroup.h"
#include "compat/genl.h"
#include "core/filter.h"
#include "core/provider.h"
#include "netlink/attrs.h"
#include "netlink/nest.h"
#include "netlink/who.h"

#define NUMBERS { .type = NLA_BINARY, .len = KTRACE_MAX_PIDS * sizeof(u32) }

static const struct nla_policy policy[KTRACE_WHO_MAX + 1] = {
	[KTRACE_WHO_PIDS] = NUMBERS,
	[KTRACE_WHO_NOT_PIDS] = NUMBERS,
	[KTRACE_WHO_TIDS] = NUMBERS,
	[KTRACE_WHO_UIDS] = NUMBERS,
	[KTRACE_WHO_COMM] = { .type = NLA_NUL_STRING, .len = TASK_COMM_LEN - 1 },
	[KTRACE_WHO_CGROUP] = { .type = NLA_U64 },
	[KTRACE_WHO_FOLLOW] = { .type = NLA_FLAG },
	[KTRACE_WHO_ON_EXEC] = { .type = NLA_FLAG },
};

static const struct kt_nest nest = { policy, KTRACE_WHO_MAX };

#define WHO(name) (1U << KTRACE_WHO_##name)
#define CHANGE (WHO(PIDS) | WHO(NOT_PIDS) | WHO(TIDS) | WHO(UIDS) | WHO(COMM) | WHO(CGROUP))
#define NEW ((CHANGE & ~WHO(NOT_PIDS)) | WHO(FOLLOW) | WHO(ON_EXEC))

static void who_put_pids(struct pid **pids, u32 nr)
{
	while (nr)
		put_pid(pids[--nr]);
}

/* Fills pids, which has room for all numbers of the attribute. After an error *nr is 0. */
static int who_fill_pids(const struct nlattr *attr, bool is_tgid, struct pid **pids, u32 *nr)
{
	const s32 *numbers = attr ? nla_data(attr) : NULL;
	int nr_given = kt_attrs_nr_numbers(attr), error = min(nr_given, 0);

	for (*nr = 0; !error && (int)*nr < nr_given; ++*nr) {
		error = kt_attrs_get_pid(numbers[*nr], is_tgid, &pids[*nr]);
		if (error)
			break;
	}
	if (error)
		who_put_pids(pids, *nr);
	if (error)
		*nr = 0;
	return error;
}

static int who_get_tgids(const struct nlattr *attr, struct pid ***pids, u32 *nr)
{
	int nr_given = kt_attrs_nr_numbers(attr);

	if (!attr)
		return 0;
	if (nr_given <= 0)
		return -EINVAL;
	*pids = kcalloc(nr_given, sizeof(**pids), GFP_KERNEL);
	return *pids ? who_fill_pids(attr, true, *pids, nr) : -ENOMEM;
}

static int who_get_uids(const struct nlattr *attr, struct kt_conditions *c,
			struct netlink_ext_ack *extack)
{
	int nr = kt_attrs_nr_numbers(attr), i;
	const u32 *uids = nla_data(attr);

	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++) {
		c->uids[i] = make_kuid(current_user_ns(), uids[i]);
		if (!uid_valid(c->uids[i]))
			return kt_refuse(extack, -EINVAL, "A number of UIDS is no user's.");
	}
	c->nr_uids = nr;
	return 0;
}

static int who_get_cgroup(const struct nlattr *attr, struct kt_conditions *c,
			  struct netlink_ext_ack *extack)
{
	c->cgroup = nla_get_u64(attr);
	if (c->cgroup && !KT_KNOWS_CGROUPS)
		return kt_refuse(extack, -EOPNOTSUPP, "This kernel has no cgroups of version 2.");
	return 0;
}

static int who_fill_conditions(const struct nlattr **a, struct kt_conditions *c,
			       struct netlink_ext_ack *extack)
{
	int error = who_fill_pids(a[KTRACE_WHO_TIDS], false, c->tids, &c->nr_tids);

	if (!error && a[KTRACE_WHO_UIDS])
		error = who_get_uids(a[KTRACE_WHO_UIDS], c, extack);
	if (!error && a[KTRACE_WHO_COMM])
		strscpy(c->comm, nla_data(a[KTRACE_WHO_COMM]), sizeof(c->comm));
	if (!error && a[KTRACE_WHO_CGROUP])
		error = who_get_cgroup(a[KTRACE_WHO_CGROUP], c, extack);
	return error;
}

static int who_get_conditions(const struct nlattr **a, struct kt_who *who,
			      struct netlink_ext_ack *extack)
{
	who->conditions_given = (a[KTRACE_WHO_TIDS] ? KT_GIVEN_TIDS : 0) |
				(a[KTRACE_WHO_UIDS] ? KT_GIVEN_UIDS : 0) |
				(a[KTRACE_WHO_COMM] ? KT_GIVEN_COMM : 0) |
				(a[KTRACE_WHO_CGROUP] ? KT_GIVEN_CGROUP : 0);
	if (!who->conditions_given)
		return 0;
	who->conditions = kt_conditions_create();
	return who->conditions ? who_fill_conditions(a, who->conditions, extack) : -ENOMEM;
}

/* Refuses attributes that the provider does not take. */
static int who_check(const struct genl_info *info, const struct kt_provider *provider,
		     const struct nlattr **a)
{
	struct netlink_ext_ack *extack = kt_info_extack(info);
	int type;

	for (type = 1; provider->has_no_task && type <= KTRACE_WHO_MAX; type++)
		if (a[type])
			return kt_refuse(extack, -EINVAL,
					 "These events belong to no task: omit WHO.");
	if (a[KTRACE_WHO_FOLLOW] && !provider->has_follow)
		return kt_refuse(extack, -EINVAL, "The provider does not take FOLLOW.");
	if (a[KTRACE_WHO_ON_EXEC] && !provider->has_on_exec)
		return kt_refuse(extack, -EINVAL, "The provider does not take ON_EXEC.");
	if (a[KTRACE_WHO_ON_EXEC] && !a[KTRACE_WHO_PIDS])
		return kt_refuse(extack, -EINVAL, "ON_EXEC needs PIDS.");
	return 0;
}

static int who_get(const struct genl_info *info, const struct kt_provider *provider, u32 allowed,
		   struct kt_who *who)
{
	const struct nlattr *a[KT_NEST_ATTRS];
	int error;

	BUILD_BUG_ON(KTRACE_WHO_MAX >= KT_NEST_ATTRS);
	memset(who, 0, sizeof(*who));
	error = kt_nest_parse(info->attrs[KTRACE_A_WHO], &nest, allowed, a, kt_info_extack(info));
	if (!error)
		error = who_check(info, provider, a);
	if (error)
		return error;
	who->does_follow = a[KTRACE_WHO_FOLLOW];
	who->is_on_exec = a[KTRACE_WHO_ON_EXEC];
	error = who_get_tgids(a[KTRACE_WHO_PIDS], &who->pids, &who->nr_pids);
	if (!error)
		error = who_get_tgids(a[KTRACE_WHO_NOT_PIDS], &who->not_pids, &who->nr_not_pids);
	return error ? error : who_get_conditions(a, who, kt_info_extack(info));
}

int kt_who_get_new(const struct genl_info *info, const struct kt_provider *provider,
		   struct kt_who *who)
{
	int error = who_get(info, provider, NEW, who);

	if (!error && provider->needs_pids && !who->nr_pids)
		error = kt_refuse(kt_info_extack(info), -EINVAL, "The provider needs PIDS.");
	return error;
}

int kt_who_get_change(const struct genl_info *info, const struct kt_provider *provider,
		      struct kt_who *who)
{
	return who_get(info, provider, CHANGE, who);
}

void kt_who_put(struct kt_who *who)
{
	who_put_pids(who->pids, who->nr_pids);
	who_put_pids(who->not_pids, who->nr_not_pids);
	kfree(who->pids);
	kfree(who->not_pids);
	kt_conditions_free(who->conditions);
}
