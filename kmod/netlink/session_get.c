// SPDX-License-Identifier: GPL-2.0
/* SESSION_GET: configuration, state and counters of one session, or of all in a dump. */
#include <linux/errno.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/filter.h"
#include "core/provider.h"
#include "core/session.h"
#include "core/trigger.h"
#include "lib/mem.h"
#include "netlink/commands.h"
#include "netlink/message.h"
#include "session/sessions.h"

static int session_get_put_pids(struct sk_buff *skb, const struct kt_session *session)
{
	s32 pids[KTRACE_GET_PIDS];
	u32 nr = 0;

	if (!session->procs.is_selective)
		return 0;
	/* A stopped session traces nothing: it does not see its processes end. */
	if (!kt_session_is_cancelled(session))
		nr = kt_procs_list(&session->procs, pids, KTRACE_GET_PIDS);
	return nla_put(skb, KTRACE_WHO_PIDS, nr * sizeof(*pids), pids);
}

static int session_get_put_target(struct sk_buff *skb, const struct kt_session *session)
{
	struct nlattr *nest = nla_nest_start(skb, KTRACE_A_TARGET | NLA_F_NESTED);

	if (!nest || nla_put_u32(skb, KTRACE_TARGET_NR_FUNCS, session->config.nr_funcs))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int session_get_put_who(struct sk_buff *skb, const struct kt_session *session)
{
	const struct kt_session_config *config = &session->config;
	struct nlattr *nest = nla_nest_start(skb, KTRACE_A_WHO | NLA_F_NESTED);

	if (!nest || (config->does_follow && nla_put_flag(skb, KTRACE_WHO_FOLLOW)) ||
	    (config->is_on_exec && nla_put_flag(skb, KTRACE_WHO_ON_EXEC)) ||
	    session_get_put_pids(skb, session))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int session_get_put_limit(struct sk_buff *skb, const struct kt_session *session, u64 left)
{
	struct nlattr *nest = nla_nest_start(skb, KTRACE_A_LIMIT | NLA_F_NESTED);
	u64 min_time = READ_ONCE(session->hot.min_time);
	u32 budget = session->config.budget, nr_subbufs = session->config.nr_subbufs;
	bool has_frequency = session->config.provider->has_frequency;
	u32 frequency = session->config.frequency;
	const struct ktrace_sample_event *event = &session->config.event;

	if (!nest || (budget && nla_put_u32(skb, KTRACE_LIMIT_BUDGET, budget)) ||
	    (session->hot.ring && nla_put_u32(skb, KTRACE_LIMIT_SUBBUFS_PER_CPU, nr_subbufs)) ||
	    (has_frequency && nla_put_u32(skb, KTRACE_LIMIT_FREQUENCY, frequency)) ||
	    (session->config.has_event &&
	     nla_put(skb, KTRACE_LIMIT_EVENT, sizeof(*event), event)) ||
	    (min_time && nla_put(skb, KTRACE_LIMIT_MIN_TIME, sizeof(min_time), &min_time)) ||
	    (left != U64_MAX && nla_put(skb, KTRACE_LIMIT_LIFETIME, sizeof(left), &left)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int session_get_put_config(struct sk_buff *skb, const struct kt_session *session, u64 left)
{
	const struct kt_session_config *config = &session->config;

	if (nla_put_string(skb, KTRACE_A_NAME, config->name) ||
	    nla_put_u32(skb, KTRACE_A_PROVIDER, config->provider->number) ||
	    nla_put_u32(skb, KTRACE_A_SINKS, config->sinks) ||
	    nla_put_u32(skb, KTRACE_A_FLAGS, config->flags) ||
	    session_get_put_target(skb, session) || session_get_put_who(skb, session) ||
	    session_get_put_limit(skb, session, left) ||
	    ((config->sinks & KTRACE_SINK_TABLE) &&
	     nla_put(skb, KTRACE_A_TABLE, sizeof(config->table), &config->table)))
		return -EMSGSIZE;
	return 0;
}

static int session_get_put_left(struct sk_buff *skb, struct kt_session *session)
{
	struct kt_procs_left left;

	if (!session->procs.is_selective)
		return 0;
	left = kt_procs_left(&session->procs);
	if (nla_put_u32(skb, KTRACE_A_NR_LEFT, left.nr) ||
	    nla_put_u64_64bit(skb, KTRACE_A_ENDED_AT, left.ended_at, KTRACE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int session_get_put_trigger(struct sk_buff *skb, struct kt_session *session)
{
	const struct ktrace_trigger *trigger = &session->config.trigger;
	struct ktrace_triggered seen;

	if (!session->hot.trigger)
		return 0;
	kt_trigger_get(session, &seen);
	if (nla_put(skb, KTRACE_A_TRIGGER, sizeof(*trigger), trigger) ||
	    nla_put(skb, KTRACE_A_TRIGGERED, sizeof(seen), &seen))
		return -EMSGSIZE;
	return 0;
}

static int session_get_put_session(struct sk_buff *skb, struct kt_session *session)
{
	struct kt_session_status status;

	kt_session_get_status(session, &status);
	if (nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD) ||
	    nla_put_u64_64bit(skb, KTRACE_A_COOKIE, session->cookie, KTRACE_A_PAD) ||
	    session_get_put_config(skb, session, status.left) ||
	    nla_put_u32(skb, KTRACE_A_STATE, status.state) ||
	    nla_put_s32(skb, KTRACE_A_ERROR, status.error) ||
	    nla_put_u32(skb, KTRACE_A_NR_USED, session->nr_used) ||
	    nla_put_u32(skb, KTRACE_A_NR_SITES, session->nr_sites) ||
	    nla_put_u32(skb, KTRACE_A_NR_FAILED, session->nr_failed) ||
	    nla_put_s32(skb, KTRACE_A_OWNER, session->config.owner) ||
	    nla_put_s32(skb, KTRACE_A_READER, status.reader) ||
	    nla_put(skb, KTRACE_A_CLOCKS, sizeof(status.clocks), status.clocks) ||
	    nla_put(skb, KTRACE_A_COUNTERS, sizeof(status.counters), &status.counters) ||
	    nla_put_u64_64bit(skb, KTRACE_A_MEM, kt_mem_used(), KTRACE_A_PAD) ||
	    session_get_put_left(skb, session) || session_get_put_trigger(skb, session))
		return -EMSGSIZE;
	return 0;
}

int kt_cmd_get(struct sk_buff *request, struct genl_info *info)
{
	struct kt_session *session;
	struct sk_buff *skb;
	void *head;
	int error = kt_message_get_session(request, info, 0, 0, &session);

	if (error)
		return error;
	skb = kt_message_reply(info, KTRACE_CMD_SESSION_GET, &head);
	error = -ENOMEM;
	if (skb)
		error = kt_message_send(info, skb, head, session_get_put_session(skb, session));
	kt_session_put(session);
	return error;
}

/* cb->args[0] is the id of the last session that the dump has shown, or 0. */
int kt_session_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	struct kt_session *session;
	void *head;
	u64 id;
	int error;

	if (!cb->args[0]) {
		error = kt_message_parse_dump(cb, attrs);
		if (!error)
			error = kt_message_check(cb->skb, attrs, 0, 0, kt_dump_extack(cb));
		if (error)
			return error;
	}
	while ((session = kt_session_next(cb->args[0]))) {
		head = kt_message_begin(skb, cb, KTRACE_CMD_SESSION_GET);
		error = head ? session_get_put_session(skb, session) : -EMSGSIZE;
		id = session->id;
		kt_session_put(session);
		if (error) {
			if (head)
				genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
		cb->args[0] = id;
	}
	return skb->len ? skb->len : session ? -EMSGSIZE : 0;
}
