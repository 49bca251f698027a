// SPDX-License-Identifier: GPL-2.0
/* SESSION_NEW: checks the attributes, then makes the session. */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/provider.h"
#include "core/session.h"
#include "netlink/attrs.h"
#include "netlink/commands.h"
#include "netlink/limit.h"
#include "netlink/message.h"
#include "netlink/new_table.h"
#include "netlink/new_trigger.h"
#include "netlink/target.h"
#include "netlink/who.h"
#include "session/sessions.h"

static bool new_is_name_good(const char *name)
{
	for (; *name; name++)
		if (!isalnum(*name) && !strchr("._-", *name))
			return false;
	return true;
}

static bool new_is_errors_good(const struct kt_session_config *config)
{
	return (config->sinks & (KTRACE_SINK_TREE | KTRACE_SINK_STACKS)) == KTRACE_SINK_TREE &&
	       config->nr_funcs <= KTRACE_ERROR_FUNCS;
}

static bool new_has_cells(const struct kt_session_config *config)
{
	return config->sinks & (KTRACE_SINK_HIST | KTRACE_SINK_TABLE);
}

/* Checks the combination of sinks and flags. */
static int new_check_flags(const struct genl_info *info, const struct kt_session_config *config)
{
	const struct kt_provider *provider = config->provider;
	struct netlink_ext_ack *extack = kt_info_extack(info);
	u32 sinks = config->sinks, flags = config->flags;

	if ((sinks & KTRACE_SINK_COUNT) && (sinks != KTRACE_SINK_COUNT || flags))
		return kt_refuse(extack, -EINVAL, "Counts go with no other sink and no flag.");
	if ((flags & KTRACE_F_ERRORS) && !new_is_errors_good(config))
		return kt_refuse(extack, -EINVAL,
				 "Chains of errors are a tree of 524288 functions at most, without stacks.");
	if ((sinks & KTRACE_SINK_STACKS) && !(sinks & provider->frames_with))
		return kt_refuse(extack, -EINVAL, "Stacks lack the sink that they go with.");
	if ((flags & KTRACE_F_UNWIND) && !(sinks & KTRACE_SINK_STACKS))
		return kt_refuse(extack, -EINVAL, "Tables for unwinding need stacks.");
	if ((flags & KTRACE_F_NO_ENTRIES) && !(sinks & KTRACE_SINK_STREAM))
		return kt_refuse(extack, -EINVAL, "One record per call needs a stream.");
	if ((flags & KTRACE_F_PAGES) && !new_has_cells(config))
		return kt_refuse(extack, -EINVAL, "Pages need histograms or a table.");
	if (provider->are_sinks_good && !provider->are_sinks_good(sinks, flags))
		return kt_refuse(extack, -EINVAL,
				 "These sinks and flags of the provider exclude each other.");
	return 0;
}

static int new_get_provider(const struct genl_info *info, struct kt_session_config *config)
{
	struct netlink_ext_ack *extack = kt_info_extack(info);
	struct nlattr **a = info->attrs;

	config->provider = kt_provider_of(nla_get_u32(a[KTRACE_A_PROVIDER]));
	config->sinks = nla_get_u32(a[KTRACE_A_SINKS]);
	config->flags = kt_attrs_u32(a[KTRACE_A_FLAGS], 0);
	if (!config->provider)
		return kt_refuse(extack, -EINVAL, "There is no such provider.");
	if (config->sinks & ~config->provider->sinks)
		return kt_refuse(extack, -EINVAL, "The provider does not take one of these sinks.");
	if (config->flags & ~config->provider->flags)
		return kt_refuse(extack, -EINVAL, "The provider does not take one of these flags.");
	return 0;
}

static int new_get_name(const struct genl_info *info, struct kt_session_config *config)
{
	const struct nlattr *name = info->attrs[KTRACE_A_NAME];

	if (!name)
		return 0;
	strscpy(config->name, nla_data(name), sizeof(config->name));
	if (!config->name[0] || !new_is_name_good(config->name))
		return kt_refuse(kt_info_extack(info), -EINVAL,
				 "A name has letters, digits and ._- only.");
	return 0;
}

/* Moves the references from who to config. */
static void new_take_who(struct kt_who *who, struct kt_session_config *config)
{
	config->pids = who->pids;
	config->nr_pids = who->nr_pids;
	config->conditions = who->conditions;
	config->does_follow = who->does_follow;
	config->is_on_exec = who->is_on_exec;
}

static int new_get_config(const struct genl_info *info, struct kt_session_config *config)
{
	struct kt_who who;
	int error = new_get_provider(info, config);

	config->socket = kt_message_socket(info);
	config->owner = task_tgid_nr(current);
	if (!error)
		error = new_get_name(info, config);
	if (!error)
		error = kt_limit_get_new(info, config);
	if (!error)
		error = kt_new_table_get(info, config);
	if (!error)
		error = kt_target_get(info, config);
	if (!error)
		error = kt_new_trigger_get(info, config);
	if (!error)
		error = new_check_flags(info, config);
	if (error)
		return error;
	error = kt_who_get_new(info, config->provider, &who);
	new_take_who(&who, config);
	return error;
}

static int put_new(struct sk_buff *skb, const struct kt_session *session)
{
	if (nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD) ||
	    nla_put_u64_64bit(skb, KTRACE_A_COOKIE, session->cookie, KTRACE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

/*
 * Allocates the answer before it makes the session. A new session takes the references of config,
 * and config is empty afterwards.
 */
static int new_make_session(struct genl_info *info, struct kt_session_config *config)
{
	struct kt_session *session;
	struct sk_buff *skb;
	void *head;
	int error;

	skb = kt_message_reply(info, KTRACE_CMD_SESSION_NEW, &head);
	if (!skb)
		return -ENOMEM;
	session = kt_session_create(config);
	if (IS_ERR(session)) {
		nlmsg_free(skb);
		error = PTR_ERR(session);
		return error != -EUSERS ? error :
		       kt_refuse(kt_info_extack(info), error,
				 "All sessions together take 20000 samples per second and CPU at most.");
	}
	memset(config, 0, sizeof(*config));
	error = kt_message_send(info, skb, head, put_new(skb, session));
	/* A client that does not get the number cannot delete the session. */
	if (error)
		kt_session_delete(session);
	kt_session_put(session);
	return error;
}

int kt_cmd_new(struct sk_buff *request, struct genl_info *info)
{
	u64 needed = MASK(PROVIDER) | MASK(SINKS);
	struct kt_session_config config = { .flags = 0 };
	int error;

	error = kt_message_check(request, info->attrs, needed | MASK(FLAGS) | MASK(NAME) |
				 MASK(TARGET) | MASK(WHO) | MASK(LIMIT) | MASK(TABLE) |
				 MASK(TRIGGER), needed, kt_info_extack(info));
	if (error)
		return error;
	error = new_get_config(info, &config);
	if (!error)
		error = new_make_session(info, &config);
	kt_session_put_config(&config);
	return error;
}
