// SPDX-License-Identifier: GPL-2.0
/* Commands for the module and its sessions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/parts.h"

static void take_info(struct ktr *ktr, struct nlattr **attrs)
{
	struct ktr_info *info = ktr->out;

	if (attrs[KTRACE_A_VERSION])
		nla_strlcpy(info->version, attrs[KTRACE_A_VERSION], sizeof(info->version));
	info->abi = ktr_u32(attrs[KTRACE_A_ABI]);
	info->features = ktr_u64(attrs[KTRACE_A_FEATURES]);
	info->mem = ktr_u64(attrs[KTRACE_A_MEM]);
	info->flags = ktr_u32(attrs[KTRACE_A_FLAGS]);
	ktr_struct(&info->limits, sizeof(info->limits), attrs[KTRACE_A_LIMITS], 0);
	ktr_struct(&info->costs, sizeof(info->costs), attrs[KTRACE_A_COSTS], 0);
}

int ktr_info_sized(struct ktr *ktr, struct ktr_info *info, size_t len)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_INFO, NLM_F_ACK);
	struct ktr_info all;
	int error;

	memset(&all, 0, sizeof(all));
	ktr->answer = take_info;
	ktr->out = &all;
	error = msg ? ktr_exchange(ktr, msg) : -ENOMEM;
	ktr_give(info, len, &all, sizeof(all));
	return error;
}

int ktr_costs_set(struct ktr *ktr, const struct ktrace_costs *costs)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_COSTS_SET, NLM_F_ACK);

	if (!msg || nla_put(msg, KTRACE_A_COSTS, sizeof(*costs), costs))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

int ktr_func_add(struct ktr *ktr, uint64_t id, const struct ktr_funcs *funcs)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_FUNC_ADD, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_FD, funcs->fd) ||
	    (funcs->caller_fd >= 0 && nla_put_u32(msg, KTRACE_A_CALLER_FD, funcs->caller_fd)) ||
	    (funcs->build_id_len && nla_put(msg, KTRACE_A_BUILD_ID, funcs->build_id_len,
					    funcs->build_id)) ||
	    nla_put(msg, KTRACE_A_FUNCS, funcs->len, funcs->funcs))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

int ktr_symbol_add(struct ktr *ktr, uint64_t id, const void *symbols, size_t len)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_FUNC_ADD, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put(msg, KTRACE_A_SYMBOLS, len, symbols))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

int ktr_session_commit(struct ktr *ktr, uint64_t id)
{
	return ktr_on_session(ktr, KTRACE_CMD_SESSION_COMMIT, id);
}

int ktr_func_del(struct ktr *ktr, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_FUNC_DEL, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags) ||
	    nla_put(msg, KTRACE_A_FUNC_LIST, nr * sizeof(*funcs), funcs))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

/* Sends the bytes of a table from *at on, as many as fit in a message, and moves *at behind them. */
static int add_unwind_part(struct ktr *ktr, uint64_t id, int fd, const char *table, size_t len,
			   size_t *at)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_UNWIND_ADD, NLM_F_ACK);
	size_t rest = len - *at, part = rest < KTRACE_UNWIND_PART ? rest : KTRACE_UNWIND_PART;

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    (fd >= 0 && nla_put_u32(msg, KTRACE_A_FD, fd)) ||
	    nla_put_u32(msg, KTRACE_A_UNWIND_LEN, len) ||
	    (len && nla_put_u32(msg, KTRACE_A_UNWIND_OFFSET, *at)) ||
	    (len && nla_put(msg, KTRACE_A_UNWIND_PART, part, table + *at)))
		return ktr_drop(msg);
	*at += part;
	return ktr_exchange(ktr, msg);
}

int ktr_unwind_add(struct ktr *ktr, uint64_t id, int fd, const void *table, size_t len)
{
	size_t at = 0;
	int error;

	if (len > UINT32_MAX)
		return -E2BIG;
	do {
		error = add_unwind_part(ktr, id, fd, table, len, &at);
		if (error == -EEXIST)
			return 0;
	} while (!error && at < len);
	return error;
}

int ktr_session_pause(struct ktr *ktr, uint64_t id)
{
	return ktr_on_session(ktr, KTRACE_CMD_SESSION_PAUSE, id);
}

int ktr_session_resume(struct ktr *ktr, uint64_t id)
{
	return ktr_on_session(ktr, KTRACE_CMD_SESSION_RESUME, id);
}

int ktr_session_watch(struct ktr *ktr, uint64_t id)
{
	int error = ktr_on_session(ktr, KTRACE_CMD_SESSION_WATCH, id);

	ktr->is_watching |= !error;
	return error;
}

int ktr_task_continue(struct ktr *ktr, uint64_t id, int32_t pid)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_TASK_CONTINUE, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) || nla_put_u32(msg, KTRACE_A_PID, pid))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

int ktr_session_stop(struct ktr *ktr, uint64_t id)
{
	return ktr_on_session(ktr, KTRACE_CMD_SESSION_STOP, id);
}

int ktr_session_arm(struct ktr *ktr, uint64_t id)
{
	return ktr_on_session(ktr, KTRACE_CMD_SESSION_ARM, id);
}

static int on_sessions(struct ktr *ktr, uint8_t cmd, const uint64_t *ids, size_t nr, uint32_t flags)
{
	struct nl_msg *msg = ktr_request(ktr, cmd, NLM_F_ACK);

	if (!msg || nla_put(msg, KTRACE_A_SESSIONS, nr * sizeof(*ids), ids) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags))
		return ktr_drop(msg);
	return ktr_exchange(ktr, msg);
}

int ktr_sessions_gate(struct ktr *ktr, const uint64_t *ids, size_t nr, bool is_open)
{
	return on_sessions(ktr, KTRACE_CMD_SESSION_GATE, ids, nr, is_open ? 0 : KTRACE_GATE_CLOSE);
}

int ktr_sessions_reset(struct ktr *ktr, const uint64_t *ids, size_t nr, uint32_t flags)
{
	return on_sessions(ktr, KTRACE_CMD_SESSION_RESET, ids, nr, flags);
}

int ktr_session_delete(struct ktr *ktr, uint64_t id)
{
	return ktr_on_session(ktr, KTRACE_CMD_SESSION_DEL, id);
}

/* Parses a nest, which may be NULL. attrs has max + 1 elements. */
static void parse_nest(struct nlattr **attrs, int max, struct nlattr *nest)
{
	memset(attrs, 0, (max + 1) * sizeof(*attrs));
	if (nest)
		nla_parse_nested(attrs, max, nest, NULL);
}

static void parse_who(struct nlattr *nest, struct ktr_session *session)
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
	ktr_struct(session->pids, sizeof(session->pids), pids, 0);
}

static void parse_limit(struct nlattr *nest, struct ktr_session *session)
{
	struct nlattr *attrs[KTRACE_LIMIT_MAX + 1];

	parse_nest(attrs, KTRACE_LIMIT_MAX, nest);
	session->min_time = ktr_u64(attrs[KTRACE_LIMIT_MIN_TIME]);
	session->budget = ktr_u32(attrs[KTRACE_LIMIT_BUDGET]);
	session->has_left = attrs[KTRACE_LIMIT_LIFETIME];
	session->left = ktr_u64(attrs[KTRACE_LIMIT_LIFETIME]);
	session->nr_subbufs = ktr_u32(attrs[KTRACE_LIMIT_SUBBUFS_PER_CPU]);
	session->frequency = ktr_u32(attrs[KTRACE_LIMIT_FREQUENCY]);
	session->has_event = attrs[KTRACE_LIMIT_EVENT];
	ktr_struct(&session->event, sizeof(session->event), attrs[KTRACE_LIMIT_EVENT], 0);
}

static void parse_target(struct nlattr *nest, struct ktr_session *session)
{
	struct nlattr *attrs[KTRACE_TARGET_MAX + 1];

	parse_nest(attrs, KTRACE_TARGET_MAX, nest);
	session->nr_funcs = ktr_u32(attrs[KTRACE_TARGET_NR_FUNCS]);
}

static void parse_session(struct nlattr **attrs, struct ktr_session *session)
{
	memset(session, 0, sizeof(*session));
	session->id = ktr_u64(attrs[KTRACE_A_SESSION]);
	session->cookie = ktr_u64(attrs[KTRACE_A_COOKIE]);
	if (attrs[KTRACE_A_NAME])
		nla_strlcpy(session->name, attrs[KTRACE_A_NAME], sizeof(session->name));
	session->provider = ktr_u32(attrs[KTRACE_A_PROVIDER]);
	session->sinks = ktr_u32(attrs[KTRACE_A_SINKS]);
	session->flags = ktr_u32(attrs[KTRACE_A_FLAGS]);
	parse_target(attrs[KTRACE_A_TARGET], session);
	parse_who(attrs[KTRACE_A_WHO], session);
	parse_limit(attrs[KTRACE_A_LIMIT], session);
	ktr_struct(&session->table, sizeof(session->table), attrs[KTRACE_A_TABLE], 0);
	session->state = ktr_u32(attrs[KTRACE_A_STATE]);
	session->error = ktr_told_error(ktr_u32(attrs[KTRACE_A_ERROR]));
	session->nr_used = ktr_u32(attrs[KTRACE_A_NR_USED]);
	session->nr_sites = ktr_u32(attrs[KTRACE_A_NR_SITES]);
	session->nr_failed = ktr_u32(attrs[KTRACE_A_NR_FAILED]);
	session->owner = ktr_u32(attrs[KTRACE_A_OWNER]);
	session->reader = ktr_u32(attrs[KTRACE_A_READER]);
	session->mem = ktr_u64(attrs[KTRACE_A_MEM]);
	session->nr_left = ktr_u32(attrs[KTRACE_A_NR_LEFT]);
	session->ended_at = ktr_u64(attrs[KTRACE_A_ENDED_AT]);
	ktr_struct(&session->start, sizeof(session->start), attrs[KTRACE_A_CLOCKS], 0);
	ktr_struct(&session->now, sizeof(session->now), attrs[KTRACE_A_CLOCKS],
		    sizeof(session->start));
	ktr_struct(&session->counters, sizeof(session->counters),
		    attrs[KTRACE_A_COUNTERS], 0);
	session->has_trigger = attrs[KTRACE_A_TRIGGER];
	ktr_struct(&session->trigger, sizeof(session->trigger), attrs[KTRACE_A_TRIGGER], 0);
	ktr_struct(&session->triggered, sizeof(session->triggered), attrs[KTRACE_A_TRIGGERED], 0);
}

static void take_session(struct ktr *ktr, struct nlattr **attrs)
{
	parse_session(attrs, ktr->out);
}

/* Sends a request, and frees it, for one session. After an error, session is unchanged. */
static int get(struct ktr *ktr, struct nl_msg *msg, struct ktr_session *session, size_t len)
{
	struct ktr_session all;
	int error;

	memset(&all, 0, sizeof(all));
	ktr->answer = take_session;
	ktr->out = &all;
	error = ktr_exchange(ktr, msg);
	if (!error)
		ktr_give(session, len, &all, sizeof(all));
	return error;
}

int ktr_session_get_sized(struct ktr *ktr, uint64_t id, struct ktr_session *session, size_t len)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_SESSION_GET, NLM_F_ACK);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id))
		return ktr_drop(msg);
	return get(ktr, msg, session, len);
}

int ktr_session_find_sized(struct ktr *ktr, const char *name, struct ktr_session *session,
			   size_t len)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_SESSION_GET, NLM_F_ACK);

	if (!msg || nla_put_string(msg, KTRACE_A_NAME, name))
		return ktr_drop(msg);
	return get(ktr, msg, session, len);
}

static void take_each(struct ktr *ktr, struct nlattr **attrs)
{
	struct ktr_session session;

	parse_session(attrs, &session);
	((ktr_session_fn)ktr->fn)(ktr->arg, &session);
}

int ktr_session_each(struct ktr *ktr, ktr_session_fn fn, void *arg)
{
	return ktr_dump(ktr, KTRACE_CMD_SESSION_GET, 0, 0, take_each, fn, arg);
}

struct list {
	struct ktr_session *sessions;
	size_t nr;
	int error;
};

static void add_to_list(void *arg, const struct ktr_session *session)
{
	struct list *list = arg;
	struct ktr_session *longer;

	longer = realloc(list->sessions, (list->nr + 1) * sizeof(*longer));
	if (!longer) {
		list->error = -ENOMEM;
		return;
	}
	list->sessions = longer;
	list->sessions[list->nr++] = *session;
}

int ktr_session_list(struct ktr *ktr, struct ktr_session **sessions, size_t *nr)
{
	struct list list = { NULL, 0, 0 };
	int error = ktr_session_each(ktr, add_to_list, &list);

	*sessions = list.sessions;
	*nr = list.nr;
	return error ? error : list.error;
}
