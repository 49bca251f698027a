// SPDX-License-Identifier: GPL-2.0
/* Requests that make or change a session. */
#include <errno.h>

#include "client/parts.h"

/* --- nests ------------------------------------------------------------------------ */

static struct nlattr *begin_nest(struct nl_msg *msg, int attr)
{
	return nla_nest_start(msg, NLA_F_NESTED | attr);
}

/* An empty list is sent as an attribute without contents; a list that is NULL is not sent. */
static int put_list(struct nl_msg *msg, int attr, const void *list, size_t nr)
{
	return list && nla_put(msg, attr, nr * sizeof(uint32_t), list);
}

static bool has_target(const struct ktr_new *new)
{
	return new->fd >= 0 || new->nr_funcs || new->devs || new->files;
}

static int put_target(struct nl_msg *msg, const struct ktr_new *new)
{
	struct nlattr *nest = begin_nest(msg, KTRACE_A_TARGET);

	if (!nest || (new->fd >= 0 && nla_put_u32(msg, KTRACE_TARGET_FD, new->fd)) ||
	    ((new->nr_funcs || new->fd >= 0) &&
	     nla_put_u32(msg, KTRACE_TARGET_NR_FUNCS, new->nr_funcs)) ||
	    put_list(msg, KTRACE_TARGET_DEVS, new->devs, new->nr_devs) ||
	    put_list(msg, KTRACE_TARGET_FILES, new->files, new->nr_files))
		return -ENOMEM;
	return nla_nest_end(msg, nest);
}

/* The tasks that a new or changed session traces. */
struct who {
	const int32_t *pids, *not_pids;
	size_t nr_pids, nr_not_pids;
	bool does_follow, is_on_exec;
	const struct ktr_conditions *conditions;
};

static bool has_who(const struct who *who)
{
	const struct ktr_conditions *c = who->conditions;

	return who->nr_pids || who->nr_not_pids || who->does_follow || who->is_on_exec ||
	       c->tids || c->uids || c->comm || c->cgroup;
}

static int put_conditions(struct nl_msg *msg, const struct ktr_conditions *c)
{
	return put_list(msg, KTRACE_WHO_TIDS, c->tids, c->nr_tids) ||
	       put_list(msg, KTRACE_WHO_UIDS, c->uids, c->nr_uids) ||
	       (c->comm && nla_put_string(msg, KTRACE_WHO_COMM, c->comm)) ||
	       (c->cgroup && nla_put_u64(msg, KTRACE_WHO_CGROUP, *c->cgroup));
}

static int put_who(struct nl_msg *msg, const struct who *who)
{
	struct nlattr *nest = begin_nest(msg, KTRACE_A_WHO);

	if (!nest ||
	    (who->nr_pids && put_list(msg, KTRACE_WHO_PIDS, who->pids, who->nr_pids)) ||
	    (who->nr_not_pids && put_list(msg, KTRACE_WHO_NOT_PIDS, who->not_pids,
					  who->nr_not_pids)) ||
	    put_conditions(msg, who->conditions) ||
	    (who->does_follow && nla_put_flag(msg, KTRACE_WHO_FOLLOW)) ||
	    (who->is_on_exec && nla_put_flag(msg, KTRACE_WHO_ON_EXEC)))
		return -ENOMEM;
	return nla_nest_end(msg, nest);
}

/* The limits of a new or changed session. Members that are 0 or NULL are not sent. */
struct limit {
	const uint64_t *min_time;
	uint64_t lifetime;
	uint32_t max_depth, subbufs_per_cpu, budget, frequency;
	const struct ktrace_sample_event *event;
};

static bool has_limit(const struct limit *limit)
{
	return limit->min_time || limit->lifetime || limit->max_depth || limit->subbufs_per_cpu ||
	       limit->budget || limit->frequency || limit->event;
}

static int put_limit(struct nl_msg *msg, const struct limit *limit)
{
	struct nlattr *nest = begin_nest(msg, KTRACE_A_LIMIT);

	if (!nest ||
	    (limit->min_time && nla_put_u64(msg, KTRACE_LIMIT_MIN_TIME, *limit->min_time)) ||
	    (limit->max_depth && nla_put_u32(msg, KTRACE_LIMIT_MAX_DEPTH, limit->max_depth)) ||
	    (limit->subbufs_per_cpu && nla_put_u32(msg, KTRACE_LIMIT_SUBBUFS_PER_CPU,
						   limit->subbufs_per_cpu)) ||
	    (limit->lifetime && nla_put_u64(msg, KTRACE_LIMIT_LIFETIME, limit->lifetime)) ||
	    (limit->budget && nla_put_u32(msg, KTRACE_LIMIT_BUDGET, limit->budget)) ||
	    (limit->frequency && nla_put_u32(msg, KTRACE_LIMIT_FREQUENCY, limit->frequency)) ||
	    (limit->event &&
	     nla_put(msg, KTRACE_LIMIT_EVENT, sizeof(*limit->event), limit->event)))
		return -ENOMEM;
	return nla_nest_end(msg, nest);
}

/* --- commands --------------------------------------------------------------------- */

struct ids {
	uint64_t session, cookie;
};

static void take_ids(struct ktr *ktr, struct nlattr **attrs)
{
	struct ids *ids = ktr->out;

	ids->session = ktr_u64(attrs[KTRACE_A_SESSION]);
	ids->cookie = ktr_u64(attrs[KTRACE_A_COOKIE]);
}

static int put_new(struct nl_msg *msg, const struct ktr_new *new)
{
	struct who who = {
		.pids = new->pids, .nr_pids = new->nr_pids, .conditions = &new->conditions,
		.does_follow = new->does_follow, .is_on_exec = new->is_on_exec,
	};
	struct limit limit = {
		.min_time = new->min_time ? &new->min_time : NULL, .lifetime = new->lifetime,
		.max_depth = new->max_depth, .subbufs_per_cpu = new->nr_subbufs,
		.budget = new->budget, .frequency = new->frequency,
		.event = new->event,
	};

	if ((new->name && nla_put_string(msg, KTRACE_A_NAME, new->name)) ||
	    nla_put_u32(msg, KTRACE_A_PROVIDER, new->provider) ||
	    nla_put_u32(msg, KTRACE_A_SINKS, new->sinks) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, new->flags) ||
	    (has_target(new) && put_target(msg, new)) || (has_who(&who) && put_who(msg, &who)) ||
	    (has_limit(&limit) && put_limit(msg, &limit)) ||
	    (new->table && nla_put(msg, KTRACE_A_TABLE, sizeof(*new->table), new->table)) ||
	    (new->trigger && nla_put(msg, KTRACE_A_TRIGGER, sizeof(*new->trigger), new->trigger)))
		return -ENOMEM;
	return 0;
}

/* A condition that this library does not know must not be left out. */
static bool has_more(const struct ktr_new *new, size_t len)
{
	const char *at = (const char *)new + sizeof(*new), *end = (const char *)new + len;

	while (at < end && !*at)
		at++;
	return at < end;
}

int ktr_session_new_sized(struct ktr *ktr, const struct ktr_new *new, size_t len, uint64_t *id,
			  uint64_t *cookie)
{
	struct nl_msg *msg;
	struct ids ids = { 0, 0 };
	struct ktr_new all;
	int error;

	if (has_more(new, len))
		return -E2BIG;
	msg = ktr_request(ktr, KTRACE_CMD_SESSION_NEW, NLM_F_ACK);
	ktr_give(&all, sizeof(all), new, len);
	if (!msg || put_new(msg, &all))
		return ktr_drop(msg);
	ktr->answer = take_ids;
	ktr->out = &ids;
	error = ktr_exchange(ktr, msg);
	*id = ids.session;
	*cookie = ids.cookie;
	return error;
}

static int send_change(struct ktr *ktr, uint8_t cmd, uint64_t id, const struct ktr_change *change)
{
	struct nl_msg *msg = ktr_request(ktr, cmd, NLM_F_ACK);
	struct who who = {
		.pids = change->pids, .nr_pids = change->nr_pids, .not_pids = change->not_pids,
		.nr_not_pids = change->nr_not_pids, .conditions = &change->conditions,
	};
	struct limit limit = { .min_time = change->min_time, .max_depth = change->max_depth };

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    (has_who(&who) && put_who(msg, &who)) || (has_limit(&limit) && put_limit(msg, &limit)))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

int ktr_session_change(struct ktr *ktr, uint64_t id, const struct ktr_change *change)
{
	return send_change(ktr, KTRACE_CMD_SESSION_CHANGE, id, change);
}

int ktr_session_commit_change(struct ktr *ktr, uint64_t id, const struct ktr_change *change)
{
	return send_change(ktr, KTRACE_CMD_SESSION_COMMIT, id, change);
}
