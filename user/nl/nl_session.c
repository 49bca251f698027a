// SPDX-License-Identifier: GPL-2.0
/* Commands: the module, and its sessions. */
#include <errno.h>
#include <string.h>

#include "nl/nl_parts.h"

static void take_info(struct knl *nl, struct nlattr **attrs)
{
	struct knl_info *info = nl->out;

	if (attrs[KTRACE_A_VERSION])
		nla_strlcpy(info->version, attrs[KTRACE_A_VERSION], sizeof(info->version));
	info->abi = knl_u32(attrs[KTRACE_A_ABI]);
	info->features = knl_u64(attrs[KTRACE_A_FEATURES]);
	info->mem = knl_u64(attrs[KTRACE_A_MEM]);
	info->flags = knl_u32(attrs[KTRACE_A_FLAGS]);
	knl_struct(&info->limits, sizeof(info->limits), attrs[KTRACE_A_LIMITS], 0);
	knl_struct(&info->costs, sizeof(info->costs), attrs[KTRACE_A_COSTS], 0);
}

int knl_info(struct knl *nl, struct knl_info *info)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_INFO, NLM_F_ACK);

	memset(info, 0, sizeof(*info));
	nl->answer = take_info;
	nl->out = info;
	return msg ? knl_exchange(nl, msg) : -ENOMEM;
}

int knl_costs_set(struct knl *nl, const struct ktrace_costs *costs)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_COSTS_SET, NLM_F_ACK);

	if (!msg || nla_put(msg, KTRACE_A_COSTS, sizeof(*costs), costs))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

struct ids {
	uint64_t session, cookie;
};

static void take_ids(struct knl *nl, struct nlattr **attrs)
{
	struct ids *ids = nl->out;

	ids->session = knl_u64(attrs[KTRACE_A_SESSION]);
	ids->cookie = knl_u64(attrs[KTRACE_A_COOKIE]);
}

/* The bytes of an empty list are none, but the list is there. */
static int put_list(struct nl_msg *msg, int attr, const void *list, size_t nr)
{
	return list && nla_put(msg, attr, nr * sizeof(uint32_t), list);
}

static int put_conditions(struct nl_msg *msg, const struct knl_conditions *c)
{
	return put_list(msg, KTRACE_A_TIDS, c->tids, c->nr_tids) ||
	       put_list(msg, KTRACE_A_UIDS, c->uids, c->nr_uids) ||
	       (c->comm && nla_put_string(msg, KTRACE_A_COMM, c->comm)) ||
	       (c->cgroup && nla_put_u64(msg, KTRACE_A_CGROUP, *c->cgroup));
}

static int put_new(struct nl_msg *msg, const struct knl_new *new)
{
	if (put_conditions(msg, &new->conditions) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, new->flags) ||
	    put_list(msg, KTRACE_A_DEVS, new->devs, new->nr_devs) ||
	    put_list(msg, KTRACE_A_FILES, new->files, new->nr_files) ||
	    ((new->nr_funcs || new->fd >= 0) &&
	     nla_put_u32(msg, KTRACE_A_NR_FUNCS, new->nr_funcs)) ||
	    (new->fd >= 0 && nla_put_u32(msg, KTRACE_A_FD, new->fd)) ||
	    (new->name && nla_put_string(msg, KTRACE_A_NAME, new->name)) ||
	    (new->nr_pids && nla_put(msg, KTRACE_A_PIDS, new->nr_pids * sizeof(int32_t),
				     new->pids)) ||
	    (new->min_time && nla_put_u64(msg, KTRACE_A_MIN_TIME, new->min_time)) ||
	    (new->lifetime && nla_put_u64(msg, KTRACE_A_LIFETIME, new->lifetime)) ||
	    (new->table && nla_put(msg, KTRACE_A_TABLE, sizeof(*new->table), new->table)) ||
	    (new->budget && nla_put_u32(msg, KTRACE_A_BUDGET, new->budget)) ||
	    (new->max_depth && nla_put_u32(msg, KTRACE_A_MAX_DEPTH, new->max_depth)) ||
	    (new->nr_subbufs && nla_put_u32(msg, KTRACE_A_NR_SUBBUFS, new->nr_subbufs)))
		return -ENOMEM;
	return 0;
}

int knl_session_new(struct knl *nl, const struct knl_new *new, uint64_t *id, uint64_t *cookie)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_SESSION_NEW, NLM_F_ACK);
	struct ids ids = { 0, 0 };
	int error;

	if (!msg || put_new(msg, new))
		return knl_drop(msg);
	nl->answer = take_ids;
	nl->out = &ids;
	error = knl_exchange(nl, msg);
	*id = ids.session;
	*cookie = ids.cookie;
	return error;
}

int knl_func_add(struct knl *nl, uint64_t id, const struct knl_funcs *funcs)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_FUNC_ADD, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_FD, funcs->fd) ||
	    (funcs->caller_fd >= 0 && nla_put_u32(msg, KTRACE_A_CALLER_FD, funcs->caller_fd)) ||
	    (funcs->build_id_len && nla_put(msg, KTRACE_A_BUILD_ID, funcs->build_id_len,
					    funcs->build_id)) ||
	    nla_put(msg, KTRACE_A_FUNCS, funcs->len, funcs->funcs))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

int knl_symbol_add(struct knl *nl, uint64_t id, const void *symbols, size_t len)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_FUNC_ADD, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put(msg, KTRACE_A_SYMBOLS, len, symbols))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

int knl_session_commit(struct knl *nl, uint64_t id)
{
	return knl_on_session(nl, KTRACE_CMD_SESSION_COMMIT, id);
}

int knl_func_del(struct knl *nl, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_FUNC_DEL, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags) ||
	    nla_put(msg, KTRACE_A_FUNC_LIST, nr * sizeof(*funcs), funcs))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

int knl_session_pause(struct knl *nl, uint64_t id)
{
	return knl_on_session(nl, KTRACE_CMD_SESSION_PAUSE, id);
}

int knl_session_resume(struct knl *nl, uint64_t id)
{
	return knl_on_session(nl, KTRACE_CMD_SESSION_RESUME, id);
}

static int send_change(struct knl *nl, uint8_t cmd, uint64_t id, const struct knl_change *change)
{
	struct nl_msg *msg = knl_request(nl, cmd, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    put_conditions(msg, &change->conditions) ||
	    (change->nr_pids && put_list(msg, KTRACE_A_PIDS, change->pids, change->nr_pids)) ||
	    (change->nr_not_pids && put_list(msg, KTRACE_A_NOT_PIDS, change->not_pids,
					     change->nr_not_pids)) ||
	    (change->min_time && nla_put_u64(msg, KTRACE_A_MIN_TIME, *change->min_time)) ||
	    (change->max_depth && nla_put_u32(msg, KTRACE_A_MAX_DEPTH, change->max_depth)))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

int knl_session_change(struct knl *nl, uint64_t id, const struct knl_change *change)
{
	return send_change(nl, KTRACE_CMD_SESSION_CHANGE, id, change);
}

int knl_session_commit_change(struct knl *nl, uint64_t id, const struct knl_change *change)
{
	return send_change(nl, KTRACE_CMD_SESSION_COMMIT, id, change);
}

int knl_session_watch(struct knl *nl, uint64_t id)
{
	int error = knl_on_session(nl, KTRACE_CMD_SESSION_WATCH, id);

	nl->is_watching |= !error;
	return error;
}

static int on_session_with(struct knl *nl, uint8_t cmd, uint64_t id, int attr, uint32_t value)
{
	struct nl_msg *msg = knl_request(nl, cmd, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) || nla_put_u32(msg, attr, value))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

int knl_task_continue(struct knl *nl, uint64_t id, int32_t pid)
{
	return on_session_with(nl, KTRACE_CMD_TASK_CONTINUE, id, KTRACE_A_PID, pid);
}

int knl_session_stop(struct knl *nl, uint64_t id)
{
	return knl_on_session(nl, KTRACE_CMD_SESSION_STOP, id);
}

int knl_session_reset(struct knl *nl, uint64_t id, uint32_t flags)
{
	return on_session_with(nl, KTRACE_CMD_SESSION_RESET, id, KTRACE_A_FLAGS, flags);
}

int knl_session_del(struct knl *nl, uint64_t id)
{
	return knl_on_session(nl, KTRACE_CMD_SESSION_DEL, id);
}

static void parse_session(struct nlattr **attrs, struct knl_session *session)
{
	memset(session, 0, sizeof(*session));
	session->id = knl_u64(attrs[KTRACE_A_SESSION]);
	session->cookie = knl_u64(attrs[KTRACE_A_COOKIE]);
	if (attrs[KTRACE_A_NAME])
		nla_strlcpy(session->name, attrs[KTRACE_A_NAME], sizeof(session->name));
	session->state = knl_u32(attrs[KTRACE_A_STATE]);
	session->error = knl_told_error(knl_u32(attrs[KTRACE_A_ERROR]));
	session->flags = knl_u32(attrs[KTRACE_A_FLAGS]);
	session->nr_funcs = knl_u32(attrs[KTRACE_A_NR_FUNCS]);
	session->nr_used = knl_u32(attrs[KTRACE_A_NR_USED]);
	session->is_selective = attrs[KTRACE_A_PIDS];
	if (attrs[KTRACE_A_PIDS])
		session->nr_pids = nla_len(attrs[KTRACE_A_PIDS]) / sizeof(*session->pids);
	if (session->nr_pids > KTRACE_GET_PIDS)
		session->nr_pids = KTRACE_GET_PIDS;
	knl_struct(session->pids, sizeof(session->pids), attrs[KTRACE_A_PIDS], 0);
	session->has_left = attrs[KTRACE_A_LIFETIME];
	session->left = knl_u64(attrs[KTRACE_A_LIFETIME]);
	session->budget = knl_u32(attrs[KTRACE_A_BUDGET]);
	session->min_time = knl_u64(attrs[KTRACE_A_MIN_TIME]);
	session->nr_sites = knl_u32(attrs[KTRACE_A_NR_SITES]);
	session->nr_failed = knl_u32(attrs[KTRACE_A_NR_FAILED]);
	session->owner = knl_u32(attrs[KTRACE_A_OWNER]);
	session->reader = knl_u32(attrs[KTRACE_A_READER]);
	session->mem = knl_u64(attrs[KTRACE_A_MEM]);
	knl_struct(&session->start, sizeof(session->start), attrs[KTRACE_A_CLOCKS], 0);
	knl_struct(&session->now, sizeof(session->now), attrs[KTRACE_A_CLOCKS],
		    sizeof(session->start));
	knl_struct(&session->counters, sizeof(session->counters),
		    attrs[KTRACE_A_COUNTERS], 0);
}

static void take_session(struct knl *nl, struct nlattr **attrs)
{
	parse_session(attrs, nl->out);
}

int knl_session_get(struct knl *nl, uint64_t id, struct knl_session *session)
{
	nl->answer = take_session;
	nl->out = session;
	return knl_on_session(nl, KTRACE_CMD_SESSION_GET, id);
}

int knl_session_find(struct knl *nl, const char *name, struct knl_session *session)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_SESSION_GET, NLM_F_ACK);

	if (!msg || nla_put_string(msg, KTRACE_A_NAME, name))
		return knl_drop(msg);
	nl->answer = take_session;
	nl->out = session;
	return knl_exchange(nl, msg);
}

static void take_listed(struct knl *nl, struct nlattr **attrs)
{
	struct knl_session session;

	parse_session(attrs, &session);
	((knl_session_fn)nl->fn)(nl->arg, &session);
}

int knl_session_each(struct knl *nl, knl_session_fn fn, void *arg)
{
	nl->answer = take_listed;
	nl->fn = fn;
	nl->arg = arg;
	return knl_dump(nl, KTRACE_CMD_SESSION_GET, 0, 0);
}
