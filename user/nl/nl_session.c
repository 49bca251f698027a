// SPDX-License-Identifier: GPL-2.0
/* Commands for the module and its sessions. */
#include <errno.h>
#include <string.h>

#include "nl/nl_parts.h"
#include "util/mem.h"

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

int knl_session_watch(struct knl *nl, uint64_t id)
{
	int error = knl_on_session(nl, KTRACE_CMD_SESSION_WATCH, id);

	nl->is_watching |= !error;
	return error;
}

int knl_task_continue(struct knl *nl, uint64_t id, int32_t pid)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_TASK_CONTINUE, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) || nla_put_u32(msg, KTRACE_A_PID, pid))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

int knl_session_stop(struct knl *nl, uint64_t id)
{
	return knl_on_session(nl, KTRACE_CMD_SESSION_STOP, id);
}

static int on_sessions(struct knl *nl, uint8_t cmd, const uint64_t *ids, size_t nr, uint32_t flags)
{
	struct nl_msg *msg = knl_request(nl, cmd, NLM_F_ACK);

	if (!msg || nla_put(msg, KTRACE_A_SESSIONS, nr * sizeof(*ids), ids) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags))
		return knl_drop(msg);
	return knl_exchange(nl, msg);
}

int knl_sessions_gate(struct knl *nl, const uint64_t *ids, size_t nr, bool is_open)
{
	return on_sessions(nl, KTRACE_CMD_SESSION_GATE, ids, nr, is_open ? 0 : KTRACE_GATE_CLOSE);
}

int knl_sessions_reset(struct knl *nl, const uint64_t *ids, size_t nr, uint32_t flags)
{
	return on_sessions(nl, KTRACE_CMD_SESSION_RESET, ids, nr, flags);
}

int knl_session_del(struct knl *nl, uint64_t id)
{
	return knl_on_session(nl, KTRACE_CMD_SESSION_DEL, id);
}

/* Parses a nest, which may be NULL. attrs has max + 1 elements. */
static void parse_nest(struct nlattr **attrs, int max, struct nlattr *nest)
{
	memset(attrs, 0, (max + 1) * sizeof(*attrs));
	if (nest)
		nla_parse_nested(attrs, max, nest, NULL);
}

static void parse_who(struct nlattr *nest, struct knl_session *session)
{
	struct nlattr *attrs[KTRACE_WHO_MAX + 1];
	const struct nlattr *pids;

	parse_nest(attrs, KTRACE_WHO_MAX, nest);
	pids = attrs[KTRACE_WHO_PIDS];
	session->does_follow = attrs[KTRACE_WHO_FOLLOW];
	session->is_selective = pids;
	if (pids)
		session->nr_pids = nla_len(pids) / sizeof(*session->pids);
	if (session->nr_pids > KTRACE_GET_PIDS)
		session->nr_pids = KTRACE_GET_PIDS;
	knl_struct(session->pids, sizeof(session->pids), pids, 0);
}

static void parse_limit(struct nlattr *nest, struct knl_session *session)
{
	struct nlattr *attrs[KTRACE_LIMIT_MAX + 1];

	parse_nest(attrs, KTRACE_LIMIT_MAX, nest);
	session->min_time = knl_u64(attrs[KTRACE_LIMIT_MIN_TIME]);
	session->budget = knl_u32(attrs[KTRACE_LIMIT_BUDGET]);
	session->has_left = attrs[KTRACE_LIMIT_LIFETIME];
	session->left = knl_u64(attrs[KTRACE_LIMIT_LIFETIME]);
}

static void parse_target(struct nlattr *nest, struct knl_session *session)
{
	struct nlattr *attrs[KTRACE_TARGET_MAX + 1];

	parse_nest(attrs, KTRACE_TARGET_MAX, nest);
	session->nr_funcs = knl_u32(attrs[KTRACE_TARGET_NR_FUNCS]);
}

static void parse_session(struct nlattr **attrs, struct knl_session *session)
{
	memset(session, 0, sizeof(*session));
	session->id = knl_u64(attrs[KTRACE_A_SESSION]);
	session->cookie = knl_u64(attrs[KTRACE_A_COOKIE]);
	if (attrs[KTRACE_A_NAME])
		nla_strlcpy(session->name, attrs[KTRACE_A_NAME], sizeof(session->name));
	session->provider = knl_u32(attrs[KTRACE_A_PROVIDER]);
	session->sinks = knl_u32(attrs[KTRACE_A_SINKS]);
	session->flags = knl_u32(attrs[KTRACE_A_FLAGS]);
	parse_target(attrs[KTRACE_A_TARGET], session);
	parse_who(attrs[KTRACE_A_WHO], session);
	parse_limit(attrs[KTRACE_A_LIMIT], session);
	knl_struct(&session->table, sizeof(session->table), attrs[KTRACE_A_TABLE], 0);
	session->state = knl_u32(attrs[KTRACE_A_STATE]);
	session->error = knl_told_error(knl_u32(attrs[KTRACE_A_ERROR]));
	session->nr_used = knl_u32(attrs[KTRACE_A_NR_USED]);
	session->nr_sites = knl_u32(attrs[KTRACE_A_NR_SITES]);
	session->nr_failed = knl_u32(attrs[KTRACE_A_NR_FAILED]);
	session->owner = knl_u32(attrs[KTRACE_A_OWNER]);
	session->reader = knl_u32(attrs[KTRACE_A_READER]);
	session->mem = knl_u64(attrs[KTRACE_A_MEM]);
	session->nr_left = knl_u32(attrs[KTRACE_A_NR_LEFT]);
	session->ended_at = knl_u64(attrs[KTRACE_A_ENDED_AT]);
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

struct list {
	struct knl_session *sessions;
	size_t nr;
};

static void take_listed(struct knl *nl, struct nlattr **attrs)
{
	struct list *list = nl->arg;

	list->sessions = mem_grow(list->sessions, list->nr, sizeof(*list->sessions));
	parse_session(attrs, &list->sessions[list->nr++]);
}

int knl_session_list(struct knl *nl, struct knl_session **sessions, size_t *nr)
{
	struct list list = { NULL, 0 };
	int error = knl_dump(nl, KTRACE_CMD_SESSION_GET, 0, 0, take_listed, NULL, &list);

	*sessions = list.sessions;
	*nr = list.nr;
	return error;
}
