// SPDX-License-Identifier: GPL-2.0
/* Commands that change and end sessions: they check their attributes, and call session/. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/costs.h"
#include "core/provider.h"
#include "core/session.h"
#include "netlink/attrs.h"
#include "netlink/commands.h"
#include "netlink/limit.h"
#include "netlink/message.h"
#include "netlink/sender.h"
#include "netlink/subscriber.h"
#include "netlink/who.h"
#include "session/sessions.h"
#include "uprobe/batch.h"
#include "uprobe/hold.h"

/* --- COSTS_SET ------------------------------------------------------------ */

int kt_cmd_costs(struct sk_buff *request, struct genl_info *info)
{
	int error = kt_message_check(request, info->attrs, MASK(COSTS), MASK(COSTS),
				     kt_info_extack(info));

	if (error)
		return error;
	if (nla_len(info->attrs[KTRACE_A_COSTS]) != sizeof(struct ktrace_costs))
		return -EINVAL;
	return kt_costs_set(nla_data(info->attrs[KTRACE_A_COSTS]));
}

/* --- FUNC_ADD, FUNC_DEL --------------------------------------------------- */

static int commands_fill_batch(struct nlattr **a, struct kt_batch *batch)
{
	if (a[KTRACE_A_BUILD_ID]) {
		batch->build_id_len = nla_len(a[KTRACE_A_BUILD_ID]);
		memcpy(batch->build_id, nla_data(a[KTRACE_A_BUILD_ID]), batch->build_id_len);
	}
	return a[KTRACE_A_CALLER_FD] ? kt_attrs_open(a[KTRACE_A_CALLER_FD], &batch->caller) : 0;
}

static int commands_add_funcs(struct kt_session *session, struct genl_info *info)
{
	struct nlattr *funcs = info->attrs[KTRACE_A_FUNCS];
	struct kt_edit edit = { .socket = kt_message_socket(info) };
	struct file *file;
	int error;

	if (!session->config.provider->has_file)
		return -EINVAL;
	error = kt_batch_check(&session->config, nla_data(funcs), nla_len(funcs));
	if (error)
		return error;
	error = kt_attrs_open(info->attrs[KTRACE_A_FD], &file);
	if (error)
		return error;
	edit.batch = kt_batch_create(file, nla_data(funcs), nla_len(funcs));
	fput(file);
	if (!edit.batch)
		return -ENOMEM;
	error = commands_fill_batch(info->attrs, edit.batch);
	if (!error)
		error = kt_session_edit(session, &edit);
	if (error)
		kt_batch_put(edit.batch);
	return error;
}

static int commands_delete_funcs(struct kt_session *session, struct genl_info *info)
{
	struct nlattr *list = info->attrs[KTRACE_A_FUNC_LIST];
	u32 flags = kt_attrs_u32(info->attrs[KTRACE_A_FLAGS], 0);
	struct kt_edit edit = {
		.socket = kt_message_socket(info),
		.list = nla_data(list),
		.nr_listed = nla_len(list) / sizeof(u32),
		.is_back = flags & KTRACE_DEL_UNDO,
	};

	if ((flags & ~KTRACE_DEL_UNDO) || nla_len(list) % sizeof(u32))
		return -EINVAL;
	return kt_session_edit(session, &edit);
}

typedef int (*session_fn)(struct kt_session *session, struct genl_info *info);

static int commands_on_session(struct sk_buff *request, struct genl_info *info, u64 allowed,
			       u64 needed, session_fn fn)
{
	struct kt_session *session;
	int error = kt_message_get_session(request, info, allowed, needed, &session);

	if (error)
		return error;
	error = fn(session, info);
	kt_session_put(session);
	return error;
}

static int commands_add_symbols(struct kt_session *session, struct genl_info *info)
{
	const struct nlattr *symbols = info->attrs[KTRACE_A_SYMBOLS];

	return kt_session_add(session, nla_data(symbols), nla_len(symbols));
}

int kt_cmd_func_add(struct sk_buff *request, struct genl_info *info)
{
	if (info->attrs[KTRACE_A_SYMBOLS])
		return commands_on_session(request, info, 0, MASK(SYMBOLS), commands_add_symbols);
	return commands_on_session(request, info, MASK(BUILD_ID) | MASK(CALLER_FD),
				   MASK(FD) | MASK(FUNCS), commands_add_funcs);
}

int kt_cmd_func_del(struct sk_buff *request, struct genl_info *info)
{
	return commands_on_session(request, info, MASK(FLAGS), MASK(FUNC_LIST),
				   commands_delete_funcs);
}

/* --- SESSION_CHANGE ------------------------------------------------------- */

typedef int (*change_fn)(struct kt_session *session, u64 socket,
			 const struct kt_session_change *change);

static int commands_do_change(struct kt_session *session, struct genl_info *info, change_fn fn)
{
	struct kt_session_change change = { .nr_pids = 0 };
	struct kt_limit limit;
	struct kt_who who;
	int error = kt_who_get_change(info, session->config.provider, &who);

	if (!error)
		error = kt_limit_get_change(info, &limit);
	if (!error) {
		change.pids = who.pids;
		change.nr_pids = who.nr_pids;
		change.not_pids = who.not_pids;
		change.nr_not_pids = who.nr_not_pids;
		change.conditions = who.conditions;
		change.conditions_given = who.conditions_given;
		change.min_time = limit.has_min_time ? &limit.min_time : NULL;
		change.max_depth = limit.max_depth;
		error = fn(session, kt_message_socket(info), &change);
	}
	kt_who_put(&who);
	return error;
}

#define CHANGES (MASK(WHO) | MASK(LIMIT))

static int commands_change_session(struct kt_session *session, struct genl_info *info)
{
	return commands_do_change(session, info, kt_session_change);
}

int kt_cmd_change(struct sk_buff *request, struct genl_info *info)
{
	return commands_on_session(request, info, CHANGES, 0, commands_change_session);
}

static int commands_commit_session(struct kt_session *session, struct genl_info *info)
{
	return commands_do_change(session, info, kt_session_commit);
}

int kt_cmd_commit(struct sk_buff *request, struct genl_info *info)
{
	return commands_on_session(request, info, CHANGES, 0, commands_commit_session);
}

/* --- the life of a session ------------------------------------------------ */

#define SIMPLE(name)								\
static int commands_##name(struct kt_session *session, struct genl_info *info)	\
{										\
	return kt_session_##name(session);					\
}										\
int kt_cmd_##name(struct sk_buff *request, struct genl_info *info)		\
{										\
	return commands_on_session(request, info, 0, 0, commands_##name);	\
}

SIMPLE(pause)
SIMPLE(resume)
SIMPLE(stop)
SIMPLE(arm)
SIMPLE(delete)

/* --- SESSION_GATE, SESSION_RESET ------------------------------------------ */

static void commands_put_sessions(struct kt_session **sessions, u32 nr)
{
	while (nr)
		kt_session_put(sessions[--nr]);
}

static bool commands_are_different(const u64 *ids, u32 nr)
{
	u32 i, j;

	for (i = 0; i < nr; i++)
		for (j = 0; j < i; j++)
			if (ids[i] == ids[j])
				return false;
	return true;
}

/* Returns how many sessions were found, each with a reference; or a negative errno. */
static int commands_find_sessions(const struct nlattr *list, struct kt_session **sessions)
{
	u64 ids[KTRACE_GATE_SESSIONS];
	u32 len = nla_len(list), nr = len / sizeof(*ids), i;

	if (!nr || len % sizeof(*ids) || nr > KTRACE_GATE_SESSIONS)
		return -EINVAL;
	memcpy(ids, nla_data(list), len);
	if (!commands_are_different(ids, nr))
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		sessions[i] = kt_session_find(ids[i], NULL);
		if (sessions[i])
			continue;
		commands_put_sessions(sessions, i);
		return -ENOENT;
	}
	return nr;
}

typedef int (*sessions_fn)(struct kt_session *const *sessions, u32 nr, bool has_flag);

static int commands_on_sessions(struct sk_buff *request, struct genl_info *info, u32 flag,
				sessions_fn fn)
{
	struct kt_session *sessions[KTRACE_GATE_SESSIONS];
	u32 flags = kt_attrs_u32(info->attrs[KTRACE_A_FLAGS], 0);
	int nr, error = kt_message_check(request, info->attrs, MASK(SESSIONS) | MASK(FLAGS),
					 MASK(SESSIONS), kt_info_extack(info));

	if (error)
		return error;
	if (flags & ~flag)
		return -EINVAL;
	nr = commands_find_sessions(info->attrs[KTRACE_A_SESSIONS], sessions);
	if (nr < 0)
		return nr;
	error = fn(sessions, nr, flags);
	commands_put_sessions(sessions, nr);
	return error;
}

static int commands_gate(struct kt_session *const *sessions, u32 nr, bool is_closed)
{
	return kt_sessions_gate(sessions, nr, !is_closed);
}

int kt_cmd_gate(struct sk_buff *request, struct genl_info *info)
{
	return commands_on_sessions(request, info, KTRACE_GATE_CLOSE, commands_gate);
}

static int commands_reset(struct kt_session *const *sessions, u32 nr, bool is_done)
{
	return is_done ? kt_sessions_reset_done(sessions, nr) : kt_sessions_reset(sessions, nr);
}

static int commands_reset_session(struct kt_session *session, struct genl_info *info)
{
	u32 flags = kt_attrs_u32(info->attrs[KTRACE_A_FLAGS], 0);

	return flags & ~KTRACE_RESET_DONE ? -EINVAL : commands_reset(&session, 1, flags);
}

int kt_cmd_reset(struct sk_buff *request, struct genl_info *info)
{
	if (info->attrs[KTRACE_A_SESSIONS])
		return commands_on_sessions(request, info, KTRACE_RESET_DONE, commands_reset);
	return commands_on_session(request, info, MASK(FLAGS), 0, commands_reset_session);
}

/* --- notices -------------------------------------------------------------- */

#define MAX_SUBSCRIBERS 256	/* a notice is sent to one after the other; root may add more */

int kt_cmd_subscribe(struct sk_buff *request, struct genl_info *info)
{
	unsigned int max = kt_sender_is_admin(request) ? 0 : MAX_SUBSCRIBERS;
	int error = kt_message_check(request, info->attrs, 0, 0, kt_info_extack(info));

	return error ? error : kt_subscriber_add(genl_info_net(info), info->snd_portid, max);
}

/* --- held tasks ----------------------------------------------------------- */

static int commands_watch_session(struct kt_session *session, struct genl_info *info)
{
	return kt_hold_watch(session->hold, kt_message_socket(info));
}

int kt_cmd_watch(struct sk_buff *request, struct genl_info *info)
{
	return commands_on_session(request, info, 0, 0, commands_watch_session);
}

static int commands_continue_task(struct kt_session *session, struct genl_info *info)
{
	struct pid *tgid;
	int error = kt_attrs_get_pid(nla_get_s32(info->attrs[KTRACE_A_PID]), true, &tgid);

	if (error)
		return error;
	error = kt_hold_release(session->hold, tgid);
	put_pid(tgid);
	return error;
}

int kt_cmd_continue(struct sk_buff *request, struct genl_info *info)
{
	return commands_on_session(request, info, 0, MASK(PID), commands_continue_task);
}
